//! The files of `crds/` say what the types say: `UPDATE_CRDS=1 cargo test` writes them.

// ANCHOR: files
use crdkit::CrdFiles;
use example_derive::{CronTab, Shirt};

#[test]
fn the_crd_files_are_current() -> Result<(), crdkit::Error> {
    CrdFiles::new("crds").add::<CronTab>()?.add::<Shirt>()?.update_or_check()
}
// ANCHOR_END: files
