//! Compares the files in `crds/` with the types. `UPDATE_CRDS=1 cargo test` rewrites the files.

// ANCHOR: files
use crdkit::CrdFiles;
use example_derive::{CronTab, Shirt};

#[test]
fn the_crd_files_are_current() -> Result<(), crdkit::Error> {
    CrdFiles::new("crds").add::<CronTab>()?.add::<Shirt>()?.update_or_check()
}
// ANCHOR_END: files
