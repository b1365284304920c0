//! Rust shapes and what becomes of them: a schema that the API server takes and that holds the values which serde
//! writes, or an error that names type, field and remedy.

#![expect(
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "helpers of tests, with `json!` for an argument"
)]

mod enums;
mod matrix;
mod refused;
mod scalars;
mod structs;

use crdkit::__private::{Definition, DefinitionVersion, SchemaOptions};
use crdkit::{CustomResource, CustomResourceDefinition, Error, Scope, UncheckedCrd};
use schemars::JsonSchema;
use serde_json::Value;

/// Returns the definition whose `.spec` is a `T`.
fn definition_of<T: JsonSchema>() -> Result<UncheckedCrd, Error> {
    struct Shape;

    impl CustomResource for Shape {
        type Spec = ();
        const GROUP: &'static str = "shapes.example.com";
        const VERSION: &'static str = "v1";
        const API_VERSION: &'static str = "shapes.example.com/v1";
        const KIND: &'static str = "Shape";
        const LIST_KIND: &'static str = "ShapeList";
        const PLURAL: &'static str = "shapes";
        const SINGULAR: &'static str = "shape";
        const CRD_NAME: &'static str = "shapes.shapes.example.com";
        const SHORT_NAMES: &'static [&'static str] = &[];
        const CATEGORIES: &'static [&'static str] = &[];
        const SCOPE: Scope = Scope::Cluster;

        fn unchecked() -> Result<UncheckedCrd, Error> {
            Err(shapes_have_no_definition())
        }
    }

    fn shapes_have_no_definition() -> Error {
        unreachable!("only the schema is asked for")
    }

    let definition = Definition {
        version: DefinitionVersion { served: true, storage: true, ..DefinitionVersion::default() },
        options: SchemaOptions::default(),
        ..Definition::default()
    };
    definition.crd::<Shape, T>()
}

/// Returns the schema of `.spec`.
fn spec_of(crd: &CustomResourceDefinition) -> Value {
    crd.to_value()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"].take()
}

/// Returns the schema of `T` as the field `.spec`.
fn schema_of<T: JsonSchema>() -> Result<Value, Error> {
    let crd = definition_of::<T>()?.into_crd();
    let verdict = crd_core::check::Verdict::for_crd(&crd);
    assert_eq!((verdict.errors, verdict.warnings), (Vec::new(), Vec::new()), "an API server says so");
    Ok(spec_of(&crd))
}

/// Checks the schema of `T`.
#[track_caller]
fn becomes<T: JsonSchema>(expected: Value) {
    match schema_of::<T>() {
        Ok(schema) => assert_eq!(schema, expected, "\n{schema}\n"),
        Err(error) => panic!("{error}"),
    }
}

/// Returns an error on one line: its type, its field, the message and the help.
fn one_line(error: &Error) -> String {
    let names = [error.type_name(), error.field()].into_iter().filter(|name| !name.is_empty());
    let names: String = names.map(|name| format!("`{name}`: ")).collect();
    let help = if error.help().is_empty() { String::new() } else { format!("; help: {}", error.help()) };
    format!("{names}{}{help}", error.causes()[0].message())
}

/// Checks that `T` is refused with these words.
#[track_caller]
fn refused<T: JsonSchema>(expected: &str) {
    match schema_of::<T>() {
        Ok(schema) => panic!("it has a schema: {schema}"),
        Err(error) => assert_eq!(one_line(&error), expected),
    }
}
