//! Generates types from CRD files whenever these change.

use crd_codegen::{BuildError, Config, build_script};

fn main() -> Result<(), BuildError> {
    let mut config = Config::new();
    // A value that a later version of the CRD adds to an enum shall not make whole lists unreadable.
    config.open_enums(true);
    build_script(&["../generated-types/crds"], "crds.rs", &config)
}
