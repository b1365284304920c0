//! Runs a step once for each object or definition of the benchmark `admission`, for callgrind, which counts instructions:
//!
//! ```console
//! $ cargo build --release --bin instructions
//! $ valgrind --tool=callgrind --collect-atstart=no --toggle-collect='*measured*' target/release/instructions accepts
//! ```
#![forbid(unsafe_code)]

use std::hint::black_box;

use crd_benchmarks::samples::{Kind, kinds};
use crd_core::admit::Validator;
use serde_json::Value;

fn main() {
    let Some(kinds) = kinds() else {
        eprintln!("skipped: the corpus is not beside the project");
        return;
    };
    let step = std::env::args().nth(1).unwrap_or_default();
    let mut count = 0;
    match step.as_str() {
        "copy" | "create" | "accepts" => {
            for (kind, object) in
                kinds.iter().flat_map(|kind| kind.objects.iter().map(move |object| (kind, object)))
            {
                // Patterns are compiled at their first use.
                assert!(kind.validator.accepts(object), "{}: {object}", kind.name);
                count += usize::from(answer(&step, kind, object));
            }
        }
        "compile" | "check" => {
            for kind in &kinds {
                let is_valid = match step.as_str() {
                    "compile" => measured(|| Validator::new(&kind.crd).is_ok()),
                    _ => measured(|| crd_core::check(&kind.crd).is_empty()),
                };
                count += usize::from(is_valid);
            }
        }
        _ => {
            eprintln!("usage: instructions copy|create|accepts|compile|check");
            std::process::exit(2);
        }
    }
    println!("{step}: {count}");
}

fn answer(step: &str, kind: &Kind, object: &Value) -> bool {
    match step {
        "copy" => measured(|| !black_box(object.clone()).is_null()),
        "accepts" => measured(|| kind.validator.accepts(object)),
        _ => {
            let object = object.clone();
            measured(|| kind.validator.create(object).is_accepted())
        }
    }
}

/// Returns the step, with the end of its values.
#[inline(never)]
fn measured(step: impl FnOnce() -> bool) -> bool {
    black_box(step())
}
