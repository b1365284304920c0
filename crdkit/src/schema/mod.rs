//! Converts Rust types to structural `JSONSchemaProps`. Passes, each in its own file, convert the schema from schemars to the form that
//! the API server accepts.

mod advice;
mod any;
mod bound_words;
mod bounds;
mod branches;
mod contracts;
mod descriptions;
mod either;
mod enums;
mod flattened;
mod foreign;
mod groups;
mod kept;
mod keywords;
mod kubernetes;
mod list_keys;
mod lists;
pub(crate) mod map_keys;
pub(crate) mod marks;
mod merge;
mod nullable;
mod numbers;
mod objects;
mod other_types;
mod proof;
mod refs;
mod replaced;
mod shown;
mod some_null;
mod strings;
mod walk;

use crd_core::crd::JsonSchemaProps;
use schemars::generate::{Contract, SchemaSettings};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use crate::Error;
use crate::source::Sources;
pub use descriptions::{Descriptions, Part};
pub(crate) use shown::Shown;
use walk::{SchemaLocation, spine, tree};

/// The meta schema that distinguishes crdkit's schema generators from other generators.
const META_SCHEMA: &str = "crdkit";

/// Options for schemas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SchemaOptions {
    /// Set if every `Option` is nullable, as with kube-derive. Otherwise, an `Option` is nullable only if serde may write it as `null`.
    pub every_option_is_nullable: bool,
    /// Limits for descriptions.
    pub descriptions: Descriptions,
}

/// Returns the structural schema of `T`, and what its fields' attributes add to other parts of the CRD. `field` is the path of `T`
/// in the object.
///
/// # Errors
///
/// `T` cannot be expressed as a structural schema. The error contains the type, the field and a remedy.
pub(crate) fn structural<T: JsonSchema>(
    field: &str,
    options: SchemaOptions,
) -> Result<(JsonSchemaProps, Shown), Error> {
    let mut schema = generated::<T>(Contract::Deserialize, true);
    let root = &SchemaLocation::root(field, &T::schema_name(), marks::sources(&schema));
    refs::end(&mut schema, root)?;
    foreign::names(&mut schema, &generated::<T>(Contract::Deserialize, false), root.type_name());
    let mut written = generated::<T>(Contract::Serialize, true);
    refs::end(&mut written, root)?;
    let mut advice = Vec::new();
    contracts::join(&mut schema, &written, root, &mut advice)?;
    advice::denied(&schema, root, &mut advice);
    let (schema, mut shown) = lower(schema, root, options)?;
    shown.places.add_advice(advice);
    Ok((schema, shown))
}

/// Returns the schema from schemars, with nested types inlined or referenced.
fn generated<T: JsonSchema>(contract: Contract, inlined: bool) -> Value {
    let mut schema = settings(contract, inlined).into_generator().into_root_schema_for::<T>();
    // schemars gives the outermost schema the name of its type for a title; a title of the user's own stays.
    if schema.get("title").and_then(Value::as_str) == Some(&T::schema_name()) {
        schema.remove("title");
    }
    schema.remove("$schema");
    schema.to_value()
}

/// Calls a function that generates a field's schema, and returns the schema for the field's mark.
pub(crate) fn from_function(function: impl FnOnce(&mut SchemaGenerator) -> Schema) -> Value {
    function(&mut settings(Contract::Deserialize, true).into_generator()).to_value()
}

fn settings(contract: Contract, inlined: bool) -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = inlined;
        settings.meta_schema = Some(META_SCHEMA.into());
        settings.contract = contract;
    })
}

/// Returns the schema in the form that a generator needs. For crdkit's generators, the schema keeps its marks. For others, such as
/// kube-derive's, the marks become keywords. schemars has no way to return an error here.
pub(crate) fn for_generator(generator: &SchemaGenerator, schema: Schema) -> Schema {
    if generator.settings().meta_schema.as_deref() == Some(META_SCHEMA) {
        return schema;
    }
    let options = SchemaOptions { every_option_is_nullable: true, ..SchemaOptions::default() };
    let mut lowered = schema.clone().to_value();
    let walked = tree(&mut lowered, &SchemaLocation::root("", "", Sources::default()), &mut |node, place| {
        let _ = keys(node, place, options);
        if marks::is_marked(node) {
            let _ = marks::apply(node, place, options);
            branches::describe_variants(node);
            let _ = bound_words::apply(node, place);
            let _ = replaced::replace(node, place);
            let _ = shown::collect(node, place, &mut Shown::default());
            let _ = descriptions::shorten(node, place);
            let _ = replaced::patch(node, place);
        }
        Ok(())
    });
    walked.ok().and_then(|()| lowered.try_into().ok()).unwrap_or(schema)
}

/// Turns the constraints on a map's keys into rules for the map.
fn keys(node: &mut walk::Node, place: &SchemaLocation, options: SchemaOptions) -> Result<(), Error> {
    map_keys::apply(node, place, |schema| lower(schema, place, options).map(|(keys, _)| keys))
}

fn lower(
    mut schema: Value,
    root: &SchemaLocation,
    options: SchemaOptions,
) -> Result<(JsonSchemaProps, Shown), Error> {
    let schema = &mut schema;
    refs::reject(schema, root)?;
    tree(schema, root, &mut nullable::nullable)?;
    let mut shown = Shown::default();
    tree(schema, root, &mut |node, place| numbers::numbers(node, place, &mut shown.places))?;
    tree(schema, root, &mut bounds::bounds)?;
    tree(schema, root, &mut strings::strings)?;
    tree(schema, root, &mut lists::lists)?;
    tree(schema, root, &mut objects::objects)?;
    tree(schema, root, &mut kubernetes::kubernetes)?;
    tree(schema, root, &mut |node, place| keys(node, place, options))?;
    tree(schema, root, &mut |node, place| marks::apply(node, place, options))?;
    tree(schema, root, &mut flattened::flattened)?;
    tree(schema, root, &mut keywords::keywords)?;
    tree(schema, root, &mut branches::name_variants)?;
    tree(schema, root, &mut branches::branches)?;
    spine(schema, root, &mut bound_words::apply)?;
    spine(schema, root, &mut bound_words::crossing)?;
    spine(schema, root, &mut enums::enums)?;
    spine(schema, root, &mut replaced::replace)?;
    spine(schema, root, &mut any::any)?;
    spine(schema, root, &mut |node, place| shown::collect(node, place, &mut shown))?;
    spine(schema, root, &mut descriptions::shorten)?;
    // The levels of a resource are counted from the object, of which `spec` is a field.
    let descriptions = options.descriptions;
    let descriptions = if root.field().is_empty() { descriptions } else { descriptions.below() };
    descriptions.apply(schema);
    spine(schema, root, &mut |node, place| {
        // Of items and of the whole value, which are not fields.
        node.remove(groups::ONCE);
        replaced::patch(node, place)
    })?;
    tree(schema, root, &mut |node, place| {
        keywords::extensions(node, place, options, &mut shown.places);
        Ok(())
    })?;
    shown.places.add_sources(root.sources().clone());
    Ok((proof::prove(schema, root)?, shown))
}
