//! Checks the size of a CRD in a test. A CRD with core types such as `PodTemplateSpec` can be too large for
//! `kubectl apply`.

use std::fmt::Write as _;

use crd_core::check::CrdSizes;

use crate::CustomResource;

/// The number of parts that a failed test prints.
const SHOWN: usize = 10;

/// Asserts that the CRD fits into the annotation of `kubectl apply`, whose limit is 262,144 bytes.
///
/// ```
/// use crdkit::{CrdSchema, CustomResource, testing};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "stable.example.com", version = "v1", kind = "Shirt")]
/// struct ShirtSpec {
///     color: String,
/// }
///
/// let sizes = testing::fits_apply::<Shirt>();
/// assert_eq!(sizes.parts[1].path, "spec");
/// assert!(sizes.stored < 500);
/// ```
///
/// # Panics
/// The type has no valid CRD, or the CRD is too large. The message lists the CRD's largest parts.
#[track_caller]
#[expect(clippy::panic, reason = "a test reports by panicking")]
pub fn fits_apply<R: CustomResource>() -> CrdSizes {
    let crd = match R::unchecked() {
        Ok(crd) => crd.into_crd(),
        Err(error) => panic!("{error}"),
    };
    let sizes = CrdSizes::measure(&crd);
    if sizes.apply > CrdSizes::MOST_APPLIED {
        panic!("{}", message(R::CRD_NAME, &sizes));
    }
    sizes
}

fn message(name: &str, sizes: &CrdSizes) -> String {
    let mut text = format!(
        "the CRD {name} has {} bytes in the annotation of `kubectl apply`, which holds {}; its largest parts:",
        sizes.apply,
        CrdSizes::MOST_APPLIED
    );
    for part in sizes.parts.iter().take(SHOWN) {
        let path = if part.path.is_empty() { "the object" } else { &part.path };
        let _ = write!(text, "\n{:>9} {} {path}", part.bytes, part.version);
    }
    text + "\nhelp: shorten the descriptions with `#[crd(descriptions = \"first_sentence\")]`, or apply with `--server-side`"
}
