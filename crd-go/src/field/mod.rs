//! Errors of fields: `field.Path`, `field.Error` and `field.ErrorList`, with advice in addition to the API server's messages.
//!
//! Source: `k8s.io/apimachinery/pkg/util/validation/field`.
//!
//! ```
//! use crd_go::field::{Diagnostic, FieldPath};
//!
//! let cause = Diagnostic::invalid(FieldPath::new("spec").child("group"), "A", "must be lower case");
//! assert_eq!(cause.to_string(), r#"spec.group: Invalid value: "A": must be lower case"#);
//! ```

mod causes;
mod diagnostic;
mod keyword;
mod path;
mod remedy;
mod shown;

pub use causes::Causes;
pub use diagnostic::{CauseReason, Diagnostic, supported_values};
pub use keyword::Keyword;
pub use path::{FieldPath, PathString, Segment};
pub use remedy::{Edit, EditValue, Remedy};
pub use shown::Shown;
