//! Prints the CRDs of `CronTab` and `Shirt` as YAML.
//!
//! ```sh
//! cargo run -p example-derive | kubectl apply -f -
//! ```

// ANCHOR: main
use crdkit::CustomResource;
use example_derive::{CronTab, Shirt};

fn main() -> Result<(), crdkit::Error> {
    print!("{}---\n{}", CronTab::crd_yaml()?, Shirt::crd_yaml()?);
    Ok(())
}
// ANCHOR_END: main
