//! The strings of a CRD outside its schemas: group, names, versions, columns, paths, webhook, labels and annotations.
//!
//! These are the parts that a macro knows while it runs; `crd-core` uses these functions for whole CRDs. Source:
//! `apiextensions-apiserver`, `validation.go`.
//!
//! ```
//! use crd_go::field::{Causes, FieldPath};
//!
//! let mut causes = Causes::default();
//! crd_go::outline::label("CT", &FieldPath::new("shortNames").index(0), &mut causes);
//! assert_eq!(causes[0].help(), Some("did you mean `ct`?"));
//! ```

mod columns;
mod conversion;
mod json_path;
mod metadata;
mod names;
mod preserved;
mod scale;
mod written;

pub use columns::{COLUMN_FORMATS, COLUMN_TYPES, Column, column};
pub use conversion::{ClientConfig, Service, client_config, review_versions};
pub use metadata::{APPROVED, annotations, approval, labels};
pub use names::{Names, deprecation_warning, group, label, names};
pub use preserved::{preserved, preserved_and_converted};
pub use scale::{Scale, scale};
pub use written::{locate, written_path};
