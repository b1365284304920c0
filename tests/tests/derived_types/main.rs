//! Derived types of random shapes: what the schema accepts the type reads without a loss, and what the type writes the schema accepts.
//! Where that does not hold, the derive rejects the type, or its advice says so.
//!
//! Compiling takes minutes: `cargo test -p crd-tests --test derived_types -- --ignored --nocapture`. `DERIVED_TYPES` sets the number of
//! types, `DERIVED_TYPES_SEED` selects others, `DERIVED_TYPES_OBJECTS` sets the number of objects of each.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test that cannot go on fails")]

mod attributes;
mod batch;
mod compared;
mod enums;
mod program;
mod random;
mod types;

use std::collections::BTreeMap;

use self::batch::Batch;
use self::random::Random;
use self::types::{Coverage, Made, Maker};

/// Number of types in a package: larger ones take more memory to compile.
const IN_A_PACKAGE: usize = 200;

#[test]
#[ignore = "compiles hundreds of types, which takes minutes"]
fn derived_types_keep_what_their_schemas_accept() {
    let (seed, count) = (number("DERIVED_TYPES_SEED", 1), number("DERIVED_TYPES", 200));
    let objects = number("DERIVED_TYPES_OBJECTS", 60);
    let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
    let mut findings = Vec::new();
    for first in (0..count).step_by(IN_A_PACKAGE) {
        let made: Vec<Made> = (first..count.min(first + IN_A_PACKAGE))
            .map(|at| Maker::make(&mut random(seed, at), &mut Coverage::default()))
            .collect();
        let answers = Batch::compile(&made, first).run(objects, seed);
        for (what, number) in answers.counts {
            *totals.entry(what).or_default() += number;
        }
        findings.extend(answers.findings);
    }
    for (what, number) in &totals {
        println!("{what}: {number}");
    }
    for finding in &findings {
        println!("{finding}\n");
    }
    assert!(findings.is_empty(), "{} types do not keep their word", findings.len());
}

/// Attributes and types that are at one place in ten thousand types: what each is never beside.
#[test]
fn attributes_occur_in_pairs() {
    let mut coverage = Coverage::default();
    for at in 0..10_000 {
        Maker::make(&mut random(1, at), &mut coverage);
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/derived_types/coverage.txt");
    let table = coverage.table();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &table).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), table, "UPDATE_GOLDEN=1 writes it");
}

/// Returns the random numbers of one type.
fn random(seed: usize, at: usize) -> Random {
    let mut random = Random((seed as u64) << 32 | at as u64);
    random.below(2);
    random
}

fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}
