/// An object for which the schema declares no fields.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
    crdkit::CrdSchema,
)]
#[schemars(description = "")]
pub struct Empty {}
