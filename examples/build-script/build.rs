//! Generates types from CRD files whenever they change.

use crd_codegen::{BuildError, Config, build_script};

fn main() -> Result<(), BuildError> {
    let mut config = Config::new();
    // Lists stay readable if a later version of the CRD adds a value to an enum.
    config.open_enums(true);
    build_script(&["../generated-types/crds"], "crds.rs", &config)
}
