//! Stores the derives' marks in a schema, and later turns them into keywords. A mark holds the attributes of a type or a field.
//!
//! A type's marks are applied before a field's marks. All marks are applied after schemars has completed the schema.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use serde_json::{Value, json};

use super::kept::Kept;
use super::walk::{Node, SchemaLocation};
use super::{
    SchemaOptions, bound_words, bounds, branches, descriptions, flattened, foreign, groups, kubernetes,
    list_keys, replaced, shown,
};
use crate::Error;
use crate::marks::stored::Stored;
use crate::marks::{FlattenedEnum, Mark, OptionMark, RuleMark, TypeSchema};
use crate::source::{Sources, by_name};

/// The keyword that holds the marks of fields until they are applied.
const OF_FIELD: Kept<Mark> = Kept::new("x-crdkit");

/// The prefix of the keywords that hold a type's marks until a pass applies these marks.
const OF_TYPE: &str = "x-crdkit of ";

/// The keyword that keeps a Rust type's name after the marks of the type are applied. Errors of later passes use the name.
pub(super) const TYPE: &str = "x-crdkit-type";

/// The keyword of a `schemaless` field. Its schema keeps every value, so the type may differ among variants and between reading and
/// writing.
pub(super) const SCHEMALESS: &str = "x-crdkit-schemaless";

/// Adds a mark after the existing marks.
pub(crate) fn add(node: &mut Node, mut mark: Mark) {
    if mark.owner.is_none() {
        OF_FIELD.add(node, &[mark]);
        return;
    }
    branches::unit_variants(node);
    // Fields of the type may replace its bounds, and a flattened `Option` drops what it requires.
    mark.type_schema.bounds = bounds::from_node(node);
    let with_default = properties(node).filter(|(_, property)| property.get("default").is_some());
    let defaulted = by_name(&mut with_default.map(|(name, _)| name));
    let required: Vec<String> = strings(node.get("required")).map(str::to_owned).collect();
    let mut enums = flattened::enums(node);
    // One enum alone says itself that its variant is whole.
    if enums.len() == 1 && properties(node).next().is_none() {
        enums.clear();
    }
    if !(mark.validations.is_empty() && defaulted.is_empty() && required.is_empty() && enums.is_empty()) {
        let is_optional = |name: &&String| !required.contains(name);
        mark.type_schema.optional = by_name(&mut properties(node).map(|(name, _)| name).filter(is_optional));
        mark.type_schema.required = required;
        mark.type_schema.defaulted = defaulted;
        mark.type_schema.enums = enums;
    }
    if let Some(owner) = &mark.owner {
        let value = mark.store();
        node.insert(keyword(marked_types(node).len(), &owner.type_name, &value), value);
    }
}

/// Returns the keyword for a type's mark. In alphabetical order, the keywords of the innermost types come first. Different
/// marks need different keywords: when schemars joins flattened types, it keeps only the first value of each keyword.
fn keyword(depth: usize, type_name: &str, mark: &Value) -> String {
    let mut hasher = DefaultHasher::new();
    mark.to_string().hash(&mut hasher);
    format!("{OF_TYPE}{depth:08}:{type_name}:{:016x}", hasher.finish())
}

/// Returns the type's name from the keyword of a mark.
fn owner(keyword: &str) -> Option<&str> {
    let (_, rest) = keyword.strip_prefix(OF_TYPE)?.split_once(':')?;
    rest.rsplit_once(':').map(|(type_name, _)| type_name)
}

/// Returns the keywords of all types' marks, the innermost type first. Sorting is necessary because `serde_json` keeps the order of keys
/// only with a feature.
fn marked_types(node: &Node) -> Vec<String> {
    by_name(&mut node.keys().filter(|keyword| owner(keyword).is_some()))
}

fn properties(node: &Node) -> impl Iterator<Item = (&String, &Value)> {
    node.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// Returns the strings in a list.
pub(super) fn strings(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).map_or(&[][..], Vec::as_slice).iter().filter_map(Value::as_str)
}

/// Adds the marks of `inner` to `node`, before the marks that `node` already has. `node` replaces `inner`.
pub(super) fn prepend(node: &mut Node, inner: &mut Node) {
    let of_fields = [OF_FIELD.take(inner), OF_FIELD.take(node)].concat();
    let mut types = take_types(inner);
    types.extend(take_types(node).into_iter().filter(|own| !types.contains(own)).collect::<Vec<_>>());
    for (depth, (type_name, mark)) in types.into_iter().enumerate() {
        node.insert(keyword(depth, &type_name, &mark), mark);
    }
    OF_FIELD.add(node, &of_fields);
}

/// Removes the types' marks from a schema. Returns each type's name and mark.
fn take_types(node: &mut Node) -> Vec<(String, Value)> {
    let keywords = marked_types(node);
    let take = |keyword: String| Some((owner(&keyword)?.to_owned(), node.remove(&keyword)?));
    keywords.into_iter().filter_map(take).collect()
}

/// Removes all marks from a schema.
fn take(node: &mut Node) -> Vec<Mark> {
    let all = marks(node);
    OF_FIELD.take(node);
    take_types(node);
    all
}

/// Returns a schema's Rust type, if it derives `CrdSchema`.
pub(super) fn type_name(node: &Node) -> Option<&str> {
    // The outermost name is the one that users wrote where the value stands.
    let last = node.keys().filter(|keyword| owner(keyword).is_some()).max();
    last.and_then(|keyword| owner(keyword)).or_else(|| node.get(TYPE)?.as_str())
}

/// Returns a schema's Rust type, even if it derives only schemars' trait.
pub(super) fn any_type_name(node: &Node) -> Option<&str> {
    type_name(node).or_else(|| foreign::name(node))
}

/// Removes the keywords with which passes stored values for later passes.
pub(super) fn forget(node: &mut Node) {
    OF_FIELD.take(node);
    take_types(node);
    node.remove(TYPE);
    node.remove(foreign::KEY);
    node.remove(SCHEMALESS);
}

/// Returns the positions in the Rust code of all types that have marks in the schema, at any depth.
pub(super) fn sources(schema: &Value) -> Sources {
    let mut sources = Sources::default();
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(node) => {
                for (keyword, value) in node {
                    if owner(keyword).is_none() {
                        open.push(value);
                    } else if let Some(Mark { owner: Some(owner), .. }) = Mark::restore(value) {
                        sources.insert_owner(&owner);
                    }
                }
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    sources
}

/// Returns the bounds that the types' marks contain.
pub(super) fn bounds(node: &Node) -> Vec<Node> {
    marks(node).into_iter().filter_map(|mark| mark.type_schema.bounds).collect()
}

/// Returns `true` if a schema has a mark.
pub(super) fn is_marked(node: &Node) -> bool {
    OF_FIELD.is_in(node) || node.keys().any(|keyword| owner(keyword).is_some())
}

/// Returns `true` if a field is marked as `schemaless`.
pub(super) fn is_schemaless(node: &Node) -> bool {
    has_mark(node, |mark| mark.is_schemaless)
}

/// Returns the value of `recursion`: the number of levels of a recursive type that have a schema.
pub(super) fn recursion(node: &Node) -> Option<u32> {
    marks(node).iter().find_map(|mark| mark.recursion)
}

/// Returns the attributes that have an effect next to `schemaless`: attributes for parts of the CRD outside the schema,
/// and the way in which serde writes `None`.
pub(super) fn beside_schemaless(node: &Node) -> Option<Mark> {
    let mut beside = Mark::default();
    for mark in marks(node).into_iter().filter(|mark| mark.owner.is_none()) {
        beside.definition.extend(mark.definition);
        beside.option = mark.option.or(beside.option);
    }
    (!beside.is_absent()).then_some(beside)
}

/// Returns `true` if `skip_serializing_if` may leave a field out.
pub(super) fn is_skipped(node: &Node) -> bool {
    has_mark(node, |mark| mark.option == Some(OptionMark::NullIsSkipped))
}

/// Returns `true` if a field is an `Option` of an `Option`.
pub(super) fn is_nested_option(node: &Node) -> bool {
    has_mark(node, |mark| mark.is_nested_option)
}

/// Returns `true` if serde rejects unknown fields.
pub(super) fn denies_unknown_fields(node: &Node) -> bool {
    has_mark(node, |mark| mark.denies_unknown_fields)
}

/// Returns `true` if a type requires the field, even if the type was flattened as an `Option`.
pub(super) fn requires(node: &Node, field: &str) -> bool {
    marks(node).iter().any(|mark| mark.type_schema.required.iter().any(|name| name == field))
}

/// Returns `true` if unknown fields are kept.
pub(super) fn keeps_unknown_fields(node: &Node) -> bool {
    has_mark(node, |mark| mark.preserves_unknown_fields)
}

/// Turns the marks of a node into keywords.
pub(super) fn apply(node: &mut Node, place: &SchemaLocation, options: SchemaOptions) -> Result<(), Error> {
    let name = type_name(node).map(str::to_owned);
    // A map whose keys are an enum has no name.
    let is_foreign = name.is_none() && foreign::name(node).is_some();
    if is_foreign || options.every_option_is_nullable {
        optional_int_or_strings(node);
    }
    if let Some(name) = name {
        node.insert(TYPE.to_owned(), name.into());
    }
    for mark in take(node) {
        set_keywords(node, &mark);
        if mark.has_kubernetes_enums {
            kubernetes::add_enums(node, place)?;
        }
        replaced::keep(node, &mark);
        shown::keep(node, &mark);
        descriptions::keep(node, &mark);
        bound_words::keep(node, &mark);
        apply_parts(node, &mark, place)?;
        nullable(node, &mark, options);
        validations(node, &mark);
        whole(node, &mark);
        defaults(node, &mark);
        groups::groups(node, &mark, place)?;
        if mark.is_immutable {
            node.insert(groups::ONCE.to_owned(), json!(true));
        }
    }
    groups::once_set(node);
    list_keys::check(node, place)
}

/// Sets the schema keywords that the Rust attributes in `mark` specify.
fn set_keywords(node: &mut Node, mark: &Mark) {
    let mut set = |keyword: &str, value: Option<Value>| {
        if let Some(value) = value {
            node.insert(keyword.to_owned(), value);
        }
    };
    set("x-kubernetes-list-type", mark.list_type.clone().map(Value::from));
    set("x-kubernetes-list-map-keys", mark.list_map_keys.clone().map(Value::from));
    set("x-kubernetes-map-type", mark.map_type.clone().map(Value::from));
    set("x-kubernetes-embedded-resource", mark.is_embedded_resource.then_some(Value::Bool(true)));
    set("x-kubernetes-preserve-unknown-fields", mark.preserves_unknown_fields.then_some(Value::Bool(true)));
    if mark.is_int_or_string {
        for keyword in ["type", "format", "anyOf", "oneOf", "minimum", "maximum", "properties", "required"] {
            node.remove(keyword);
        }
        node.insert("x-kubernetes-int-or-string".to_owned(), json!(true));
    }
    if mark.is_embedded_resource {
        node.insert("type".to_owned(), json!("object"));
        if !node.contains_key("properties") {
            node.insert("x-kubernetes-preserve-unknown-fields".to_owned(), json!(true));
        }
    }
    match mark.format.as_deref() {
        None => {}
        Some("") => {
            node.remove("format");
        }
        Some(format) => {
            node.insert("format".to_owned(), format.into());
        }
    }
}

/// Returns `true` if the type with this mark was flattened as an `Option`: properties that the type requires are then optional.
fn is_optional(node: &Node, mark: &Mark) -> bool {
    let TypeSchema { required, enums, .. } = &mark.type_schema;
    let is_object = node.get("type").is_some_and(|name| name == "object");
    is_object
        && (required.iter().any(|name| !is_required(node, name))
            || required.is_empty() && enums.iter().any(|of| !has_variant(node, of)))
}

fn is_required(node: &Node, property: &str) -> bool {
    strings(node.get("required")).any(|name| name == property)
}

/// Returns `true` if the schema requires one of the enum's variants.
fn has_variant(node: &Node, of: &FlattenedEnum) -> bool {
    let mut only = strings(of.present.get("required")).peekable();
    if only.peek().is_some() {
        return only.all(|name| is_required(node, name));
    }
    flattened::enums(node).contains(of)
}

/// Adds the mark's rules. If the type was flattened as an `Option`, the rules apply only if its required fields are
/// present.
fn validations(node: &mut Node, mark: &Mark) {
    if mark.validations.is_empty() {
        return;
    }
    let is_optional = is_optional(node, mark);
    // The type's defaults are removed, so that a field with one may be absent too.
    let names = mark.type_schema.required.iter().chain(&mark.type_schema.defaulted);
    let fields: Vec<String> = names.map(|name| groups::escaped(name)).collect();
    let absent = |of: &str| fields.iter().map(|field| format!("!has({of}.{field}) || ")).collect::<String>();
    for rule in &mark.validations {
        let mut rule = rule.clone();
        if is_optional {
            let old = if rule.uses_old_self() { absent("oldSelf") } else { String::new() };
            rule.rule = format!("{}{old}({})", absent("self"), rule.rule);
        }
        groups::RULES.add(node, &[rule]);
    }
}

/// Requires all or none of a type's properties, if the type was flattened as an `Option`. Otherwise, serde would read an incomplete type
/// as `None` and lose its properties.
fn whole(node: &mut Node, mark: &Mark) {
    if !is_optional(node, mark) {
        return;
    }
    let TypeSchema { required, optional, enums, .. } = &mark.type_schema;
    let mut names = [&**required, &**optional].concat();
    let mut present = json!({"required": required});
    let mut variants = Vec::new();
    for of in enums {
        names.extend_from_slice(&of.properties);
        variants.push(of.present.clone());
    }
    if !variants.is_empty() {
        present["allOf"] = variants.into();
    }
    let either = json!({"anyOf": [present, absent(&names)]});
    if let Value::Array(all) = node.entry("allOf").or_insert_with(|| json!([]))
        && !all.contains(&either)
    {
        all.push(either);
    }
}

/// Returns a schema that excludes the given properties.
pub(super) fn absent(names: &[String]) -> Value {
    let mut present = Vec::new();
    for name in names {
        present.push(json!({"required": [name]}));
    }
    json!({"not": any_of(present)})
}

/// Returns a schema that requires at least one of the given restrictions.
pub(super) fn any_of(mut restrictions: Vec<Value>) -> Value {
    if restrictions.len() == 1 { restrictions.remove(0) } else { json!({"anyOf": restrictions}) }
}

/// Removes the defaults of a type that was flattened as an `Option`. They would add its fields to objects without the type.
fn defaults(node: &mut Node, mark: &Mark) {
    if !is_optional(node, mark) {
        return;
    }
    for name in &mark.type_schema.defaulted {
        let property =
            node.get_mut("properties").and_then(|all| all.get_mut(name)).and_then(Value::as_object_mut);
        property.and_then(|property| property.remove("default"));
    }
}

/// Adds a field's rules for the items of its list or the values of its map.
fn apply_parts(node: &mut Node, mark: &Mark, place: &SchemaLocation) -> Result<(), Error> {
    let parts: [(&[RuleMark], _, _); 2] = [
        (&mark.item_validations, "items", "is not a list, but has rules for its items"),
        (&mark.value_validations, "additionalProperties", "is not a map, but has rules for its values"),
    ];
    for (rules, keyword, wrong) in parts {
        if rules.is_empty() {
            continue;
        }
        let Some(Value::Object(part)) = node.get_mut(keyword) else {
            return Err(place.error(wrong, "put the rules on the field itself: `validation = \"...\"`"));
        };
        groups::RULES.add(part, rules);
    }
    Ok(())
}

fn nullable(node: &mut Node, mark: &Mark, options: SchemaOptions) {
    let is_nullable = match (mark.nullable, mark.option) {
        (Some(is_nullable), _) => is_nullable,
        // Serde never writes this `None` as null, and an `enum` takes none in any case. A null that users write is
        // dropped by the API server, unless it is applied by the server's side.
        (None, Some(OptionMark::NullIsSkipped))
            if !options.every_option_is_nullable || node.contains_key("enum") =>
        {
            false
        }
        (None, Some(OptionMark::Nullable)) if is_int_or_string(node) || replaced::SCHEMA.is_in(node) => true,
        _ => return,
    };
    if is_nullable {
        node.insert("nullable".to_owned(), json!(true));
    } else {
        node.remove("nullable");
    }
}

fn is_int_or_string(node: &Node) -> bool {
    node.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true))
}

/// Makes every optional int-or-string nullable in a type that derives only schemars' trait, because schemars' schema
/// does not say whether serde writes `None` as `null`. kube-derive does the same for every type.
fn optional_int_or_strings(node: &mut Node) {
    let required: Vec<Value> = node.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for (name, property) in node.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        if let Value::Object(property) = property
            && is_int_or_string(property)
            && !property.contains_key("default")
            && !required.iter().any(|required| required == name)
        {
            property.insert("nullable".to_owned(), json!(true));
        }
    }
}

/// Returns `true` if `says_so` returns `true` for one of a schema's marks. `says_so` is a function pointer, so that the loop is
/// compiled only once.
fn has_mark(node: &Node, says_so: fn(&Mark) -> bool) -> bool {
    marks(node).iter().any(says_so)
}

/// Returns a schema's marks: first the types' marks, from the innermost type outward, then the field's marks.
fn marks(node: &Node) -> Vec<Mark> {
    let types = marked_types(node).into_iter().filter_map(|keyword| node.get(&keyword));
    let mut marks: Vec<Mark> = types.filter_map(Mark::restore).collect();
    marks.extend(OF_FIELD.values(node));
    marks
}
