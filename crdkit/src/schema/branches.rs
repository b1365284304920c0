//! Converts enums. In a CRD, `oneOf`, `anyOf` and `allOf` may only restrict values, so the types of the variants move
//! to the enclosing schema. The code calls a schema that accepts the values of all variants their shape.

use serde_json::{Map, Value, json};

use super::groups::{RULES, escaped};
use super::kept::Kept;
use super::merge::{check_maps, common, missing, rest, unify};
use super::objects::{CLOSED, OPAQUE};
use super::replaced::PATCHES;
use super::walk::{Node, SchemaLocation};
use super::{bounds, either, foreign, lists, marks, some_null};
use crate::Error;
use crate::marks::RuleMark;
use crate::source::by_name;

/// The keyword that holds descriptions of unit variants until the enclosing field's description is known.
const VARIANTS: Kept<(String, String)> = Kept::new("x-crdkit-variants");

pub(super) fn branches(node: &mut Node, place: &SchemaLocation) -> Result<(), Error> {
    lists::tuples(node, place)?;
    describe_variants(node);
    for keyword in ["allOf", "oneOf", "anyOf"] {
        if keyword == "anyOf" && is_int_or_string(node) {
            continue;
        }
        let Some(Value::Array(schemas)) = node.remove(keyword) else { continue };
        let schemas = schemas.into_iter().filter_map(|schema| match schema {
            Value::Object(schema) => Some(schema),
            _ => None,
        });
        let mut schemas: Vec<Node> = schemas.collect();
        if keyword == "allOf" {
            conjunction(node, schemas, place)?;
        } else if !merge_enums(node, &schemas) {
            // Here, `oneOf` excludes the keys of other variants. An enclosing enum needs the mark on the joined schema.
            let mut is_closed = !node.contains_key("properties");
            for schema in &mut schemas {
                schema.remove(OPAQUE);
                is_closed &= schema.remove(CLOSED).is_some();
                rules_of_variant(node, schema);
            }
            document(node, &mut schemas);
            alternatives(node, keyword, &schemas, place)?;
            if is_closed {
                node.insert(CLOSED.to_owned(), json!(true));
            }
        }
    }
    lists::sets(node);
    Ok(())
}

/// Returns `true` if `node` has the `anyOf` of an int-or-string. The API server allows types only in this `anyOf`:
/// `schema/validation.go`. It affects the causes of a rejection, so it is kept.
fn is_int_or_string(node: &Node) -> bool {
    node.get("x-kubernetes-int-or-string") == Some(&json!(true))
        && node.get("anyOf") == Some(&json!([{"type": "integer"}, {"type": "string"}]))
}

/// Adds the descriptions of unit variants to the schema's description.
pub(super) fn describe_variants(node: &mut Node) {
    for (name, text) in VARIANTS.take(node) {
        describe(node, &name, Some(&text));
    }
}

/// Replaces a `oneOf` of unit variants with the keyword `enum`. schemars itself writes `enum` if no variant has an attribute.
pub(super) fn unit_variants(node: &mut Node) {
    let Some(Value::Array(variants)) = node.get("oneOf") else { return };
    let name = |variant: &Value| {
        let variant = variant.as_object()?;
        let allowed = ["type", "const", "description"];
        let is_name = variant.keys().all(|keyword| allowed.contains(&keyword.as_str()));
        let name = variant.get("const")?.as_str().filter(|_| is_name)?;
        Some((name.to_owned(), variant.get("description").and_then(Value::as_str).map(str::to_owned)))
    };
    let Some(variants) = variants.iter().map(name).collect::<Option<Vec<_>>>() else { return };
    node.remove("oneOf");
    node.insert("type".to_owned(), json!("string"));
    node.insert("enum".to_owned(), variants.iter().map(|(name, _)| json!(name)).collect());
    let descriptions: Vec<_> = variants.into_iter().filter_map(|(name, text)| Some((name, text?))).collect();
    VARIANTS.add(node, &descriptions);
}

/// Joins the schemas of an `allOf` with the enclosing schema, except for nested alternatives.
fn conjunction(node: &mut Node, schemas: Vec<Node>, place: &SchemaLocation) -> Result<(), Error> {
    let mut left = Vec::new();
    for mut schema in schemas {
        let mut nested = Map::new();
        for keyword in ["oneOf", "anyOf", "allOf", "not"] {
            if let Some(value) = schema.remove(keyword) {
                nested.insert(keyword.to_owned(), value);
            }
        }
        conjoin(node, schema, place)?;
        if !nested.is_empty() {
            left.push(Value::Object(nested));
        }
    }
    if !left.is_empty()
        && let Value::Array(all) = node.entry("allOf").or_insert_with(|| json!([]))
    {
        all.extend(left);
    }
    Ok(())
}

/// Adds the keywords of `schema` to `node`. Of two bounds, the tighter one applies.
fn conjoin(node: &mut Node, mut schema: Node, place: &SchemaLocation) -> Result<(), Error> {
    bounds::tighten(node, &mut schema);
    // The fields of both schemas are allowed.
    node.remove(CLOSED);
    schema.remove(CLOSED);
    if let Some(Value::Array(names)) = schema.remove("required") {
        require(node, names);
    }
    for (keyword, value) in schema {
        match (keyword.as_str(), node.get_mut(&keyword), value) {
            ("type", Some(own), theirs) if *own != theirs => {
                let is_number = |name: &Value| name == "integer" || name == "number";
                if !(is_number(own) && is_number(&theirs)) {
                    return Err(super::merge::conflict(place, own, &theirs));
                }
                *own = json!("integer");
            }
            ("properties", Some(Value::Object(own)), Value::Object(theirs)) => {
                for (name, theirs) in theirs {
                    match (own.get_mut(&name), theirs) {
                        (Some(Value::Object(own)), Value::Object(theirs)) => {
                            conjoin(own, theirs, &place.property(&name))?;
                        }
                        (_, theirs) => {
                            own.insert(name, theirs);
                        }
                    }
                }
            }
            ("items" | "additionalProperties", Some(Value::Object(own)), Value::Object(theirs)) => {
                conjoin(own, theirs, place)?;
            }
            ("x-kubernetes-validations", Some(Value::Array(own)), Value::Array(theirs)) => own.extend(theirs),
            (_, Some(_), _) => {}
            (_, None, value) => {
                node.insert(keyword, value);
            }
        }
    }
    Ok(())
}

/// Joins schemas of which one must match. The enclosing schema then accepts all variants, and each variant keeps only its
/// restrictions.
fn alternatives(
    node: &mut Node,
    keyword: &str,
    schemas: &[Node],
    place: &SchemaLocation,
) -> Result<(), Error> {
    // Beside a type, the empty schema is the absence of a flattened `Option`: it has no shape to add.
    let has_shape = |schema: &&Node| !(schema.is_empty() && node.contains_key("type"));
    let mut shapes = schemas.iter().filter(has_shape);
    let Some(first) = shapes.next() else { return Ok(()) };
    let mut shape = first.clone();
    for other in shapes {
        shape = unify(&shape, other, place)?;
    }
    let variants: Vec<&Node> = schemas.iter().collect();
    let is_tagged = keyword == "oneOf";
    check_maps(&shape, &variants, is_tagged, place)?;
    // In an untagged enum, serde reads a null with the variant that has the `Option`, if this variant has no restrictions.
    let reads_all = |variant: &&Node| rest(variant, &shape).is_empty();
    if is_tagged || !variants.iter().any(reads_all) {
        some_null::mark(&mut shape, &variants);
    }
    // serde reads what fits no variant as `None`, and loses it: all of a variant must be there, or nothing of any. A patch of the schema
    // says itself what belongs together.
    let names = missing(&shape, node);
    let absent = (!names.is_empty() && !PATCHES.is_in(node)).then(|| marks::absent(&names));
    let is_optional = !schemas.iter().all(|schema| has_shape(&schema));
    if is_optional {
        for keyword in ["oneOf", "anyOf", "allOf", "not", "minProperties", "maxProperties"] {
            shape.remove(keyword);
        }
    }
    // A property that all variants require is required.
    let required = common(schemas, "required");
    shape.remove("required");
    let mut around = unify_around(node, &shape, place)?;
    require(&mut around, required);
    *node = around;
    if node.get("x-kubernetes-int-or-string") == Some(&json!(true)) && either::bounds(node, schemas) {
        return Ok(());
    }
    let rests: Vec<Value> = schemas.iter().map(|schema| Value::Object(rest(schema, node))).collect();
    let has_rule = has_rule_for(node, &names);
    let absent =
        absent.filter(|_| rests.iter().any(|rest| may_be_half(rest) || !has_rule && are_several(rest)));
    let mut left: Vec<Value> = Vec::new();
    for (schema, rest) in schemas.iter().zip(rests) {
        let absent = absent.clone().filter(|_| is_optional && schema.is_empty());
        let nested = absent.unwrap_or(rest);
        if !left.contains(&nested) {
            left.push(nested);
        }
    }
    restrict(node, keyword, left);
    Ok(())
}

/// Adds the variants' restrictions to the schema that accepts all variants, unless a variant without restrictions accepts every
/// value anyway.
fn restrict(node: &mut Node, keyword: &str, mut left: Vec<Value>) {
    if !left.contains(&json!({})) && left.len() > 1 {
        node.insert(keyword.to_owned(), Value::Array(left));
    } else if let [Value::Object(only)] = left.as_mut_slice() {
        let only = std::mem::take(only);
        for (keyword, value) in only {
            match (keyword.as_str(), value) {
                ("required", Value::Array(names)) => require(node, names),
                (_, value) => {
                    node.entry(keyword).or_insert(value);
                }
            }
        }
    }
}

/// Returns `true` for several mutually exclusive variants.
fn are_several(rest: &Value) -> bool {
    rest["oneOf"].as_array().is_some_and(|branches| branches.len() > 1)
}

/// Returns `true` if an object may have only some of a variant's fields. A variant whose name is the key of its content has only one
/// field, so the result is `false`.
fn may_be_half(rest: &Value) -> bool {
    rest.as_object().into_iter().flatten().any(|(keyword, value)| match (keyword.as_str(), value) {
        ("required", Value::Array(names)) => names.len() > 1,
        ("oneOf" | "anyOf", Value::Array(branches)) => branches.iter().any(may_be_half),
        _ => true,
    })
}

/// Returns `true` if a rule of the type reads several of these fields, and so says itself which variants exclude each other.
fn has_rule_for(node: &Node, names: &[String]) -> bool {
    let Some(Value::Array(rules)) = node.get(RULES.keyword()) else { return false };
    for rule in rules {
        let Some(text) = rule["rule"].as_str() else { continue };
        let mut read = 0;
        for name in names {
            read += usize::from(text.contains(&format!("self.{}", escaped(name))));
        }
        if read > 1 && !RuleMark::new(text).uses_old_self() {
            return true;
        }
    }
    false
}

/// Joins the variants' shape with the fields next to a flattened enum.
fn unify_around(node: &Node, shape: &Node, place: &SchemaLocation) -> Result<Node, Error> {
    let mut around = node.clone();
    for (keyword, value) in shape {
        match (keyword.as_str(), around.get_mut(keyword), value) {
            ("properties", Some(Value::Object(own)), Value::Object(theirs)) => {
                for (name, theirs) in theirs {
                    let merged = match (own.get(name).and_then(Value::as_object), theirs.as_object()) {
                        (Some(own), Some(theirs)) => {
                            Value::Object(unify(own, theirs, &place.property(name))?)
                        }
                        _ => theirs.clone(),
                    };
                    own.insert(name.clone(), merged);
                }
            }
            ("type", Some(own), theirs) if own != theirs => {
                return Err(super::merge::conflict(place, own, theirs));
            }
            (_, Some(_), _) => {}
            (_, None, value) => {
                around.insert(keyword.clone(), value.clone());
            }
        }
    }
    Ok(around)
}

fn require(node: &mut Node, names: Vec<Value>) {
    if names.is_empty() {
        return;
    }
    if let Value::Array(required) = node.entry("required").or_insert_with(|| json!([])) {
        for name in names {
            if !required.contains(&name) {
                required.push(name);
            }
        }
    }
}

/// Joins variants into one `enum` if all of them are values of the same type. Returns `true` if this was possible.
fn merge_enums(node: &mut Node, schemas: &[Node]) -> bool {
    let allowed = ["type", "enum", "description", marks::TYPE, foreign::KEY];
    let is_enum = |schema: &Node| {
        schema.contains_key("enum")
            && schema.keys().all(|keyword| allowed.contains(&keyword.as_str()))
            && schema.get("type") == schemas[0].get("type")
    };
    if schemas.is_empty() || !schemas.iter().all(is_enum) || node.contains_key("enum") {
        return false;
    }
    let mut values: Vec<Value> = Vec::new();
    for schema in schemas {
        for value in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        if let [Value::String(name)] =
            schema.get("enum").and_then(Value::as_array).map_or(&[][..], Vec::as_slice)
        {
            describe(node, name, schema.get("description").and_then(Value::as_str));
        }
    }
    if let Some(name) = schemas[0].get("type") {
        node.insert("type".to_owned(), name.clone());
    }
    node.insert("enum".to_owned(), Value::Array(values));
    true
}

/// Moves a variant's description to the variant's content, if the variant's name is the key of the content. There it replaces the
/// description of the content's type, as a field's description does. In an `anyOf`, variants have no names, and their descriptions stay.
pub(super) fn name_variants(node: &mut Node, _: &SchemaLocation) -> Result<(), Error> {
    let variants = node.get_mut("oneOf").and_then(Value::as_array_mut);
    for variant in variants.into_iter().flatten().filter_map(Value::as_object_mut) {
        let Some(description) = variant.get("description").cloned() else { continue };
        let mut properties =
            variant.get_mut("properties").into_iter().filter_map(Value::as_object_mut).flatten();
        if let (Some((_, Value::Object(held))), None) = (properties.next(), properties.next())
            && tag(held).is_none()
        {
            held.insert("description".to_owned(), description);
        }
    }
    Ok(())
}

/// Returns the variant's name if this property is a tag.
fn tag(property: &Node) -> Option<&str> {
    match property.get("enum")?.as_array()?.as_slice() {
        [Value::String(name)] => Some(name),
        _ => None,
    }
}

/// Adds the variants' descriptions to the enum's description, because schemas under `oneOf` and `anyOf` cannot have descriptions.
fn document(node: &mut Node, schemas: &mut [Node]) {
    for schema in schemas {
        let Some(Value::String(description)) = schema.remove("description") else { continue };
        let Some(Value::Object(properties)) = schema.get("properties") else { continue };
        let tag = properties.values().filter_map(Value::as_object).find_map(tag);
        if let Some(name) = tag {
            describe(node, name, Some(&description));
        }
    }
}

/// Moves the variant's rules to the enum, where they apply only if the tag has the variant's value. A rule with `oldSelf` is not moved,
/// because the old value may belong to another variant.
fn rules_of_variant(node: &mut Node, variant: &mut Node) {
    const RULES: &str = "x-kubernetes-validations";
    let required = variant.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let properties = variant.get("properties").and_then(Value::as_object);
    let tag = properties.into_iter().flatten().find_map(|(name, property)| {
        let values = property.get("enum")?.as_array()?;
        let [Value::String(value)] = values.as_slice() else { return None };
        required.contains(&json!(name)).then(|| (escaped(name), value.clone()))
    });
    let Some((tag, value)) = tag else { return };
    let Some(Value::Array(rules)) = variant.get(RULES) else { return };
    let is_movable =
        |rule: &Value| rule["rule"].as_str().is_some_and(|rule| !RuleMark::new(rule).uses_old_self());
    if !rules.iter().all(is_movable) {
        return;
    }
    // JSON's quotes and escapes are CEL's too. The tag of a flattened `Option` may be absent.
    let value = json!(value).to_string();
    // The default of a field that the variant has alone is not the enum's: the field may be absent.
    let properties = variant.get("properties").and_then(Value::as_object).into_iter().flatten();
    let defaulted = properties.filter(|(_, property)| property.get("default").is_some());
    let defaulted = by_name(&mut defaulted.map(|(name, _)| name));
    let absent: String = defaulted.iter().map(|name| format!("!has(self.{}) || ", escaped(name))).collect();
    let Some(Value::Array(rules)) = variant.remove(RULES) else { return };
    if let Value::Array(all) = node.entry(RULES).or_insert_with(|| json!([])) {
        for mut rule in rules {
            let condition = rule["rule"]
                .as_str()
                .map(|rule| format!("!has(self.{tag}) || self.{tag} != {value} || {absent}({rule})"));
            rule["rule"] = json!(condition);
            all.push(rule);
        }
    }
}

/// Adds a variant's description to the enum's description.
fn describe(node: &mut Node, variant: &str, description: Option<&str>) {
    let Some(description) = description else { return };
    let line = format!("- `{variant}`: {}", description.replace('\n', "\n  "));
    let text = match node.get("description").and_then(Value::as_str) {
        None => line,
        Some(text)
            if text.lines().last().is_some_and(|last| last.starts_with("- `") || last.starts_with("  ")) =>
        {
            format!("{text}\n{line}")
        }
        Some(text) => format!("{text}\n\n{line}"),
    };
    node.insert("description".to_owned(), Value::String(text));
}
