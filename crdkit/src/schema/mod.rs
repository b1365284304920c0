//! Turns Rust types into `JSONSchemaProps` that are structural: what schemars says of a type, then passes, one a file,
//! that give each Rust shape the form which the API server takes.

mod any;
mod branches;
mod descriptions;
mod enums;
mod flattened;
mod groups;
mod keywords;
mod lists;
pub(crate) mod marks;
mod merge;
mod nullable;
mod numbers;
mod objects;
mod proof;
mod refs;
mod replaced;
mod shown;
mod strings;
mod walk;

use crd_core::crd::JsonSchemaProps;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use crate::Error;
pub use descriptions::{Descriptions, Part};
pub(crate) use shown::Shown;
use walk::{Place, spine, tree};

/// How types become schemas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SchemaOptions {
    /// Whether every `Option` is nullable, as kube-derive has it; else only those that serde may write as `null`.
    pub every_option_is_nullable: bool,
    /// How much of descriptions is kept.
    pub descriptions: Descriptions,
}

/// The structural schema of `T`, whose place in the object is `field`, and what its fields say for the definition.
///
/// # Errors
/// `T` has a shape that no structural schema can hold. The error names type, field and remedy.
pub(crate) fn of<T: JsonSchema>(
    field: &str,
    options: SchemaOptions,
) -> Result<(JsonSchemaProps, Shown), Error> {
    let mut schema = settings().into_generator().into_root_schema_for::<T>();
    // schemars gives the outermost schema the name of its type for a title; a title of the user's own stays.
    if schema.get("title").and_then(Value::as_str) == Some(&T::schema_name()) {
        schema.remove("title");
    }
    let schema = schema.to_value();
    lower(schema, &Place::root(field, &T::schema_name()), options)
}

/// What a function says of a type, for the mark of a field.
pub(crate) fn of_function(function: impl FnOnce(&mut SchemaGenerator) -> Schema) -> Value {
    function(&mut settings().into_generator()).to_value()
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    })
}

fn lower(mut schema: Value, root: &Place, options: SchemaOptions) -> Result<(JsonSchemaProps, Shown), Error> {
    let schema = &mut schema;
    refs::cut(schema, root)?;
    tree(schema, root, &mut nullable::nullable)?;
    tree(schema, root, &mut numbers::numbers)?;
    tree(schema, root, &mut strings::strings)?;
    tree(schema, root, &mut |node, place| lists::lists(node, place, options))?;
    tree(schema, root, &mut objects::objects)?;
    tree(schema, root, &mut |node, place| marks::apply(node, place, options))?;
    tree(schema, root, &mut flattened::flattened)?;
    tree(schema, root, &mut keywords::keywords)?;
    tree(schema, root, &mut branches::branches)?;
    spine(schema, root, &mut enums::enums)?;
    spine(schema, root, &mut replaced::replace)?;
    spine(schema, root, &mut any::any)?;
    let mut shown = Shown::default();
    spine(schema, root, &mut |node, place| shown::collect(node, place, &mut shown))?;
    spine(schema, root, &mut descriptions::shorten)?;
    options.descriptions.apply(schema);
    spine(schema, root, &mut replaced::patch)?;
    Ok((proof::prove(schema, root)?, shown))
}

#[cfg(test)]
mod tests;
