//! Limits the size of CRDs, so that generated code does not exhaust the machine that compiles the code.

use crd_core::crd::JsonSchemaProps;
use crd_core::{CauseReason, Diagnostic, FieldPath, OrderedMap};

use crate::ir::{Enum, Tree, Type, Values};

/// Maximum number of fields and variants of a version. The largest public CRDs have a third of this number; formatting
/// more would take more time and memory than a single CRD should use.
const MAX_SIZE: usize = 15_000;
/// Maximum number of properties of an object. Public CRDs have fewer than a hundred; rustc recurses once for each field
/// when it compares structs, and overflows its stack at several thousand.
const MAX_FIELDS: usize = 1_000;
/// Maximum number of bytes of a property or an enum value. rustc splits the strings that serde's code compares into
/// bytes: a name of a megabyte makes it use all available memory.
const MAX_NAME: usize = 4_096;

/// Returns the limit that a schema exceeds before lowering: an object keeps all its properties.
pub(super) fn exceeded_by_schema(
    schema: &JsonSchemaProps,
    path: impl Fn() -> FieldPath,
) -> Option<Diagnostic> {
    too_many_fields(most_properties(schema), path)
}

/// Returns the limit that the types of a version exceed; equal types count once.
pub(super) fn exceeded_by_tree(tree: &Tree, path: FieldPath) -> Option<Diagnostic> {
    let size = tree.size();
    if size > MAX_SIZE {
        let message = format!(
            "Too many: {size}: must have at most {MAX_SIZE} properties and values of enums, equal types counted once"
        );
        return Some(Diagnostic::new(path, CauseReason::TooMany, message));
    }
    let of_types = tree.graph.iter().flat_map(|(_, type_)| names(type_));
    let of_root = tree.root.fields.iter().map(|field| &*field.property);
    if let Some(name) = of_root.chain(of_types).find(|name| name.len() > MAX_NAME) {
        let begin: String = name.chars().take(40).collect();
        let message = format!("Too long: \"{begin}...\": may not be more than {MAX_NAME} bytes");
        return Some(Diagnostic::new(path, CauseReason::TooLong, message));
    }
    too_many_fields(tree.most_fields(), || path.clone())
}

fn too_many_fields(fields: usize, path: impl Fn() -> FieldPath) -> Option<Diagnostic> {
    let message = || format!("Too many: {fields}: must have at most {MAX_FIELDS} properties in one object");
    (fields > MAX_FIELDS).then(|| Diagnostic::new(path(), CauseReason::TooMany, message()))
}

/// Returns the property names of a struct or union, or the strings of an enum.
fn names(type_: &Type) -> impl Iterator<Item = &str> {
    let values = match type_ {
        Type::Enum(Enum { values: Values::Strings(values), .. }) => &**values,
        _ => &[],
    };
    let properties = type_.fields().iter().map(|field| &*field.property);
    properties.chain(values.iter().map(|value| &**value))
}

/// Returns the largest number of properties of one object, without the schemas in `allOf`, `anyOf`, `oneOf` and `not`.
fn most_properties(schema: &JsonSchemaProps) -> usize {
    let own = schema.properties.as_ref().map_or(0, OrderedMap::len);
    schema.spine().map(|(_, below)| most_properties(below)).fold(own, usize::max)
}
