//! Owns a definition in Rust that was YAML before: prints it again.
//!
//! `src/api` was written by
//!
//! ```console
//! crdkit generate crds --form derive --out src/api
//! ```
//!
//! From then on the types may be kept, changed and be the source of the definition.

// ANCHOR: main
// Generated code has its own formatting.
#[rustfmt::skip]
mod api;

fn main() -> Result<(), crdkit::Error> {
    for crd in api::definitions::all()? {
        print!("{}", crdkit::to_yaml(&crd.to_value()));
    }
    Ok(())
}
// ANCHOR_END: main
