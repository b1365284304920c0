//! Limits the size of CRDs, because compiling very large generated code could exhaust time or memory.

use crd_core::crd::JsonSchemaProps;
use crd_core::{CauseReason, Diagnostic, FieldPath, OrderedMap};

use crate::ir::{Enum, Tree, Type, Values};

/// The maximum number of fields and variants in a version. The largest public CRDs have a third of this number. Formatting more would take
/// too much time and memory.
const MAX_SIZE: usize = 15_000;
/// The maximum number of properties in an object. Public CRDs have fewer than a hundred. When rustc compares structs, it recurses for each
/// field, and overflows its stack at several thousand fields.
const MAX_FIELDS: usize = 1_000;
/// The maximum length of a property or an enum value, in bytes. rustc compiles serde's comparisons of strings byte by byte, and a name of a
/// megabyte exhausts the memory.
const MAX_NAME: usize = 4_096;

/// Returns an error if a schema has an object with too many properties. This check runs before the schema is converted to types.
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

/// Returns the largest number of properties in one object, without counting schemas in `allOf`, `anyOf`, `oneOf` and `not`.
fn most_properties(schema: &JsonSchemaProps) -> usize {
    let own = schema.properties.as_ref().map_or(0, OrderedMap::len);
    schema.spine().map(|(_, below)| most_properties(below)).fold(own, usize::max)
}
