//! What the compiler says of mistakes in attributes: one file a theme. `TRYBUILD=overwrite` blesses.
//!
//! The compiler's own part of the messages changes between versions: the texts belong to the toolchain of this variable.

#[test]
fn compile_errors() {
    if option_env!("CRDKIT_UI_TESTS").is_none() {
        println!("skipped: set CRDKIT_UI_TESTS=1 with Rust 1.95 to compare compile errors");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
