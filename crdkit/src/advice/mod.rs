//! Advice on CRDs that the API server accepts.

#[cfg(feature = "check")]
mod columns;
#[cfg(feature = "check")]
mod either;
#[cfg(feature = "check")]
pub(crate) mod found;
#[cfg(feature = "check")]
mod print;

#[cfg(feature = "check")]
pub(crate) use print::print;

/// Advice on a CRD: something that the API server accepts but that users regret later.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Advice {
    /// The name of this kind of advice in the output of `crdkit check`. Empty for a warning from the API server.
    pub name: &'static str,
    /// The path in the CRD. Empty for the whole CRD.
    pub field: String,
    /// The Rust type and the name that serde gives the field, such as `Container.port`. Empty if unknown.
    pub place: String,
    /// The file and line in the Rust code. Empty if unknown.
    pub location: String,
    /// The description of the problem.
    pub message: String,
    /// The remedy. Empty if unknown.
    pub help: String,
}

impl std::fmt::Display for Advice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.message)?;
        if !self.place.is_empty() {
            write!(f, "\n  --> {}", self.place)?;
            if !self.location.is_empty() {
                write!(f, " ({})", self.location)?;
            }
        }
        if !self.help.is_empty() {
            write!(f, "\n  help: {}", self.help)?;
        }
        Ok(())
    }
}
