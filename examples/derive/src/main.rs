//! The custom resources of the Kubernetes documentation, made of Rust types: prints their definitions as YAML.
//!
//! ```sh
//! cargo run -p example-derive | kubectl apply -f -
//! ```

// ANCHOR: use
use crdkit::CustomResource;
use example_derive::{CronTab, Shirt};
// ANCHOR_END: use

// ANCHOR: main
fn main() -> Result<(), crdkit::Error> {
    print!("{}---\n{}", CronTab::crd_yaml()?, Shirt::crd_yaml()?);
    Ok(())
}
// ANCHOR_END: main
