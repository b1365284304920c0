//! The choices of a run, declared once for the builder, the command line and `crd-codegen.toml`.

/// The choices of a run.
#[derive(Clone, Debug, Default)]
pub struct Config {}
