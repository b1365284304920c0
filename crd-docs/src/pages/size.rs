//! Limits the size of a page, before the page is written.
//!
//! A page contains the path and the anchor of each field. These get longer with the depth of the field, so a small CRD can have a large
//! page.

use std::fmt;

use crd_core::CustomResourceDefinition;
use crd_core::crd::{Child, JsonSchemaProps};

use super::field::segment;

/// Maximum total length of the paths and anchors on a page, in bytes. The largest public CRD needs less than a tenth.
const MOST_NAMES: usize = 24 << 20;
/// The number of times that a page contains each path and anchor.
const COPIES: usize = 3;

/// The reason why a CRD has no page: the paths of its fields are too long in total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageTooLarge;

impl fmt::Display for PageTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the paths of its fields are too long in total for one page")
    }
}

impl std::error::Error for PageTooLarge {}

/// Checks the total length of the paths and anchors on a CRD's page.
///
/// # Errors
/// - The total length is too large.
pub(super) fn check(crd: &CustomResourceDefinition) -> Result<(), PageTooLarge> {
    let served = crd.spec.versions.iter().filter(|version| version.served);
    let longest = served.clone().map(|version| version.name.len()).max().unwrap_or_default();
    let mut names = NamesLeft { left: MOST_NAMES, of_version: longest };
    served.filter_map(|version| version.open_api_v3_schema()).try_for_each(|schema| {
        // The name of a version begins the anchors of its fields.
        names.below(schema, 0, 3 * longest)
    })
}

struct NamesLeft {
    left: usize,
    /// The length of the longest version name, because each field can show the version that added it.
    of_version: usize,
}

impl NamesLeft {
    /// Counts the paths and anchors of the fields inside a schema.
    fn below(&mut self, schema: &JsonSchemaProps, path: usize, anchor: usize) -> Result<(), PageTooLarge> {
        for (child, schema) in schema.spine() {
            let (path, anchor) = match child {
                Child::Property(name) => {
                    let (path, anchor) = (path + 1 + name.len(), anchor + 1 + segment(name).len());
                    let size = COPIES * (path + anchor) + self.of_version;
                    self.left = self.left.checked_sub(size).ok_or(PageTooLarge)?;
                    (path, anchor)
                }
                Child::Items => (path + 2, anchor),
                Child::Values => (path + 3, anchor),
                _ => continue,
            };
            self.below(schema, path, anchor)?;
        }
        Ok(())
    }
}
