/// An object of which the schema names no field.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
    crdkit::CrdSchema,
)]
#[schemars(description = "")]
pub struct Empty {}
