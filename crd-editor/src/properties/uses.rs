//! Finds all names in a version that refer to a property.

use std::ops::Range;

use crd_core::cel::{Environment, Rules, SchemaTypes};
use crd_core::{FieldPath, KubeVersion, Structural, escape_name};
use serde_json::Value;

use super::json_path::{PathPart, PathStep, parts};
use super::{Property, SchemaStep, follow, schema_field};

/// A field in the CRD that contains the property's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PropertyUse {
    pub(crate) field: FieldPath,
    pub(crate) change: UseChange,
}

/// The part of the field to change for a new name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UseChange {
    /// The key.
    Key,
    /// Byte ranges in the string value, in order, each with its replacement.
    Parts(Vec<(Range<usize>, String)>),
}

/// Returns all fields in a CRD that contain the property's name, with the changes for the name `new`.
///
/// # Errors
/// - It is unclear whether a name refers to the property. The error is the reason.
pub(crate) fn uses(
    crd: &Value,
    root: &Structural,
    property: &Property,
    new: &str,
    release: KubeVersion,
) -> Result<Vec<PropertyUse>, String> {
    let types = SchemaTypes::for_version(root, true, release);
    let rules = Rules::new(&types, Environment::for_server(release));
    let owner = follow(root, &property.above).ok_or("the schema has no such property")?;
    let mut finder = Finder { property, new, owner, rules, uses: Vec::new() };
    let version = &crd["spec"]["versions"][property.version];
    let at = schema_field(property.version);
    finder.schema(&version["schema"]["openAPIV3Schema"], &at, &property.above, Some(root))?;
    let at = FieldPath::new("spec").child("versions").index(property.version);
    for (list, key) in [("additionalPrinterColumns", "jsonPath"), ("selectableFields", "jsonPath")] {
        for (i, item) in version[list].as_array().into_iter().flatten().enumerate() {
            finder.path(&item[key], &at.child(list).index(i).child(key), &property.above)?;
        }
    }
    let scale = at.child("subresources").child("scale");
    for key in ["specReplicasPath", "statusReplicasPath", "labelSelectorPath"] {
        finder.path(&version["subresources"]["scale"][key], &scale.child(key), &property.above)?;
    }
    Ok(finder.uses)
}

struct Finder<'a> {
    property: &'a Property,
    new: &'a str,
    owner: &'a Structural,
    rules: Rules<'a, 'a>,
    uses: Vec<PropertyUse>,
}

impl<'a> Finder<'a> {
    fn found(&mut self, field: FieldPath, change: UseChange) {
        self.uses.push(PropertyUse { field, change });
    }

    /// Examines a schema. `rest` is the path from this schema to the object with the property. `node` is `None` under `allOf` and similar
    /// keywords.
    fn schema(
        &mut self,
        schema: &Value,
        at: &FieldPath,
        rest: &[SchemaStep],
        node: Option<&'a Structural>,
    ) -> Result<(), String> {
        if !schema.is_object() {
            return Ok(());
        }
        if rest.is_empty() {
            if schema["properties"].get(&self.property.name).is_some() {
                let field = at.child("properties").key(self.property.name.as_str());
                self.found(field, UseChange::Key);
            }
            self.names(&schema["required"], &at.child("required"));
        }
        if rest == [SchemaStep::Items] {
            let keyword = "x-kubernetes-list-map-keys";
            self.names(&schema[keyword], &at.child(keyword));
        }
        for keyword in ["default", "example"] {
            self.value(&schema[keyword], at.child(keyword), rest);
        }
        self.values(&schema["enum"], &at.child("enum"), rest);
        if let Some(node) = node {
            self.validations(&schema["x-kubernetes-validations"], at, rest, node)?;
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for (i, part) in schema[keyword].as_array().into_iter().flatten().enumerate() {
                self.schema(part, &at.child(keyword).index(i), rest, None)?;
            }
        }
        self.schema(&schema["not"], &at.child("not"), rest, None)?;
        let Some((step, below)) = rest.split_first() else { return Ok(()) };
        let node = node.and_then(|node| follow(node, std::slice::from_ref(step)));
        match step {
            SchemaStep::Property(name) => {
                let at = at.child("properties").key(name.as_str());
                self.schema(&schema["properties"][name], &at, below, node)
            }
            SchemaStep::Items => self.schema(&schema["items"], &at.child("items"), below, node),
            SchemaStep::Values => {
                let keyword = "additionalProperties";
                self.schema(&schema[keyword], &at.child(keyword), below, node)
            }
        }
    }

    /// Examines a list of property names, such as `required`.
    fn names(&mut self, names: &Value, at: &FieldPath) {
        for (i, name) in names.as_array().into_iter().flatten().enumerate() {
            if name == self.property.name.as_str() {
                let whole = vec![(0..self.property.name.len(), self.new.to_owned())];
                self.found(at.index(i), UseChange::Parts(whole));
            }
        }
    }

    fn values(&mut self, values: &Value, at: &FieldPath, rest: &[SchemaStep]) {
        for (i, value) in values.as_array().into_iter().flatten().enumerate() {
            self.value(value, at.index(i), rest);
        }
    }

    /// Examines a value in a schema, such as a default.
    fn value(&mut self, value: &Value, at: FieldPath, rest: &[SchemaStep]) {
        let name = self.property.name.as_str();
        match rest {
            [] if value.get(name).is_some() => self.found(at.key(name), UseChange::Key),
            [SchemaStep::Property(name), rest @ ..] => {
                if let Some(below) = value.get(name) {
                    self.value(below, at.key(name.as_str()), rest);
                }
            }
            [SchemaStep::Items, rest @ ..] => self.values(value, &at, rest),
            [SchemaStep::Values, rest @ ..] => {
                for (key, below) in value.as_object().into_iter().flatten() {
                    self.value(below, at.key(key.as_str()), rest);
                }
            }
            [] => {}
        }
    }

    fn validations(
        &mut self,
        rules: &Value,
        at: &FieldPath,
        rest: &[SchemaStep],
        node: &'a Structural,
    ) -> Result<(), String> {
        let at = at.child("x-kubernetes-validations");
        for (i, rule) in rules.as_array().into_iter().flatten().enumerate() {
            let old_is_optional = rule["optionalOldSelf"] == true;
            for key in ["rule", "messageExpression"] {
                self.expression(&rule[key], at.index(i).child(key), node, old_is_optional)?;
            }
            self.path(&rule["fieldPath"], &at.index(i).child("fieldPath"), rest)?;
        }
        Ok(())
    }

    fn expression(
        &mut self,
        expression: &Value,
        at: FieldPath,
        node: &Structural,
        old_is_optional: bool,
    ) -> Result<(), String> {
        let Some(text) = expression.as_str() else { return Ok(()) };
        let name = self.property.name.as_str();
        let in_rules = escape_name(name).unwrap_or(name.into());
        if !text.contains(name) && !text.contains(&*in_rules) {
            return Ok(());
        }
        let uses = self.rules.field_uses(node, text, old_is_optional);
        let uses = uses.map_err(|_| format!("the expression at {at} does not compile"))?;
        let mut changes = Vec::new();
        for used in uses.into_iter().filter(|used| used.name == name) {
            if used.is_unknown() {
                return Err(format!("the expression at {at} selects `{name}` from a value without a type"));
            }
            if used.is_of(self.owner, self.rules.types()) {
                let is_quoted = text[..used.bytes.start].ends_with('`');
                let new = escape_name(self.new).filter(|_| !is_quoted);
                changes.push((used.bytes, new.map_or_else(|| self.new.to_owned(), |new| new.into_owned())));
            }
        }
        if !changes.is_empty() {
            self.found(at, UseChange::Parts(changes));
        }
        Ok(())
    }

    /// Examines a JSON path that begins at a schema. `rest` is the path from this schema to the object with the property.
    fn path(&mut self, path: &Value, at: &FieldPath, rest: &[SchemaStep]) -> Result<(), String> {
        let Some(path) = path.as_str() else { return Ok(()) };
        let name = self.property.name.as_str();
        let unclear =
            || format!("the path at {at} may contain the property in a notation that is not supported");
        let Some(parts) = parts(path) else {
            return if path.contains(name) { Err(unclear()) } else { Ok(()) };
        };
        let Some((last, above)) = parts.get(..=rest.len()).and_then(<[PathPart]>::split_last) else {
            return Ok(());
        };
        for (part, step) in above.iter().zip(rest) {
            match (step, &part.step) {
                (SchemaStep::Property(name), PathStep::Name(own)) if own != name => return Ok(()),
                // Every field: the property is one of them.
                (SchemaStep::Property(_), PathStep::Each) => return Err(unclear()),
                (SchemaStep::Items, PathStep::Name(_)) => return Ok(()),
                _ => {}
            }
        }
        if last.step == PathStep::Name(name.to_owned()) {
            self.found(at.clone(), UseChange::Parts(vec![(last.bytes.clone(), self.new.to_owned())]));
        }
        Ok(())
    }
}
