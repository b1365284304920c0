//! A trait bound for types with a schema. If a type does not satisfy the bound, the compiler's error contains the remedy.

/// A type that implements [`schemars::JsonSchema`]. The derives use this bound because the compiler's error for schemars'
/// trait lists only the types that implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema",
    label = "its schema is needed here",
    note = "for your own type: derive `crdkit::CrdSchema`",
    note = "for a type of chrono, jiff, uuid, url, semver or bytes: run `cargo add schemars --features chrono04`, or with `jiff02`, `uuid1`, `url2`, `semver1`, `bytes1`",
    note = "for any other type: name a type that serde writes in the same way, as in `#[schemars(with = \"String\")]`, or give the schema, as in `#[crd(schema = ...)]`"
)]
pub trait Schematic: schemars::JsonSchema {}

// With this, the compiler stops at `Schematic` and does not go on to schemars' trait.
#[diagnostic::do_not_recommend]
impl<T: schemars::JsonSchema + ?Sized> Schematic for T {}

/// Maps every type that implements `Schematic` to itself.
pub trait HasSchema {
    /// The type itself.
    type Type: schemars::JsonSchema + ?Sized;
}

impl<T: Schematic + ?Sized> HasSchema for T {
    type Type = T;
}
