//! Prints a CRD from Rust types that were generated from the CRD's YAML.
//!
//! This command generated `src/api`:
//!
//! ```console
//! crdkit generate crds --form derive --out src/api
//! ```
//!
//! From then on the types can be the source of the CRD: keep and change them, and delete the YAML.

// ANCHOR: main
// Generated code has its own formatting.
#[rustfmt::skip]
mod api;

fn main() -> Result<(), crdkit::Error> {
    for crd in api::definitions::all()? {
        print!("{}", crdkit::to_yaml(&crd));
    }
    Ok(())
}
// ANCHOR_END: main
