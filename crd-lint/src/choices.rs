//! Finds values, branches and rules that have no effect, because they always or never apply.

use std::collections::{BTreeSet, HashMap, HashSet};

use crd_core::cel::Reads;
use crd_core::crd::JsonSchemaProps;
use crd_core::{Edit, Remedy};
use serde_json::Value;

use crate::finding::FoundBy;
use crate::keywords::accepts_its_enum;
use crate::node::{Node, short};

/// Maximum number of a union's members that a message lists.
const SHOWN: usize = 10;

/// Finds rules whose result is the same for all objects, because they read nothing, or check for a field that is always present.
pub(crate) fn constant_rule(node: &Node<'_>, found: &mut FoundBy<'_>) {
    for (i, rule) in node.schema.x_validations.iter().flatten().enumerate() {
        let reads_nothing = !rule.rule.contains("self")
            && !rule.rule.contains("oldSelf")
            && Reads::from_rule(&rule.rule).is_some_and(|reads| reads.paths.is_empty());
        let words: String = rule.rule.split_whitespace().collect();
        let (is_not, asked) = match words.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, words.as_str()),
        };
        let field = asked.strip_prefix("has(self.").and_then(|rest| rest.strip_suffix(')'));
        let always = field.is_some_and(|name| node.fields.require(name) || has_default(node, name));
        let message = match (reads_nothing, always, is_not) {
            (true, ..) => format!(
                "a rule on `{}` does not read the object: its result is the same for all objects",
                node.field()
            ),
            (_, true, false) => {
                format!(
                    "a rule on `{}` checks for a field that is always present: it accepts every object",
                    node.field()
                )
            }
            (_, true, true) => {
                format!(
                    "a rule on `{}` rejects a field that is always present: it rejects every object",
                    node.field()
                )
            }
            _ => continue,
        };
        if found.is_full {
            return;
        }
        let place = node.path().child("x-kubernetes-validations").index(i);
        let remedy = if always && !is_not {
            Remedy::new("remove it").with(Edit::remove(place.clone()))
        } else {
            Remedy::new("correct or remove the rule")
        };
        found.add(place.child("rule"), message, remedy);
    }
}

/// Returns `true` if the API server fills in the field when it is absent.
fn has_default(node: &Node<'_>, name: &str) -> bool {
    let property = node.schema.properties.as_ref().and_then(|all| all.get(name));
    property.is_some_and(|field| {
        field.nullable != Some(true) && field.default.as_deref().is_some_and(|value| !value.is_null())
    })
}

/// Finds two equal branches in `oneOf`. Every value matches both or neither.
pub(crate) fn equal_branches(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let branches = node.schema.one_of.as_deref().unwrap_or_default();
    if branches.len() < 2 {
        return;
    }
    let mut seen = HashSet::new();
    for (i, branch) in branches.iter().enumerate() {
        if !seen.insert(branch.to_value()) && !found.is_full {
            let place = node.path().child("oneOf").index(i);
            found.add(
                place.clone(),
                format!(
                    "two branches of `oneOf` of `{}` are equal: values that match them are rejected",
                    node.field()
                ),
                Remedy::new("remove one").with(Edit::remove(place)),
            );
        }
    }
}

/// Finds keywords that reject nothing, because they accept all values of the enum. A `minLength` of 0 is ignored, because its author
/// allows the empty string on purpose.
pub(crate) fn redundant(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let schema = node.schema;
    let beside_enum = [
        ("minLength", schema.min_length.is_some_and(|least| least > 0)),
        ("maxLength", schema.max_length.is_some()),
        ("pattern", schema.pattern.is_some()),
        ("minimum", schema.minimum.is_some()),
        ("maximum", schema.maximum.is_some()),
    ];
    let is_set = beside_enum.iter().any(|(_, is_set)| *is_set);
    if schema.enum_.is_none() || !is_set || !accepts_its_enum(schema, found) {
        return;
    }
    for (keyword, _) in beside_enum.into_iter().filter(|(_, is_set)| *is_set) {
        let place = node.path().child(keyword);
        found.add(
            place.clone(),
            format!("`{keyword}` of `{}` rejects nothing: all values of `enum` match it", node.field()),
            Remedy::new("remove it").with(Edit::remove(place)),
        );
    }
}

/// Finds optional objects whose names are enum values of a sibling field, if the schema has neither rules nor branches.
pub(crate) fn union_without_rule(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let schema = node.schema;
    let Some(properties) = &schema.properties else { return };
    let is_ruled = [&schema.one_of, &schema.any_of, &schema.all_of].into_iter().any(Option::is_some)
        || schema.x_validations.as_ref().is_some_and(|rules| !rules.is_empty())
        || schema.max_properties.is_some();
    let is_choice = |field: &JsonSchemaProps| field.enum_.as_ref().is_some_and(|values| values.len() > 1);
    if is_ruled || node.is_in_status() || !properties.values().any(is_choice) {
        return;
    }
    let is_member = |name: &str, field: &JsonSchemaProps| {
        field.type_.as_deref() == Some("object") && !node.fields.require(name)
    };
    let all = properties.iter().enumerate().filter(|(_, (name, field))| is_member(name, field));
    let by_name: HashMap<String, (usize, &str)> =
        all.map(|(i, (name, _))| (plain(name), (i, name))).collect();
    for (name, choice) in properties.iter().filter(|(_, field)| is_choice(field) && by_name.len() > 1) {
        let values = choice.enum_.iter().flatten().filter_map(Value::as_str);
        let members: BTreeSet<(usize, &str)> =
            values.filter_map(|value| by_name.get(&plain(value)).copied()).collect();
        if members.len() > 1 && !found.is_full {
            let shown: Vec<String> = members.iter().take(SHOWN).map(|(_, member)| short(member)).collect();
            let more = if members.len() > SHOWN { ", ..." } else { "" };
            let name = short(name);
            found.add(
                node.path(),
                format!(
                    "`{}` is a union with the discriminator `{name}`, but accepts several of `{}`{more} at once, or a member that `{name}` does not select",
                    node.field(),
                    shown.join("`, `")
                ),
                format!("add a rule for each member, such as `self.{name} == '...' ? has(self.{0}) : !has(self.{0})`", shown[0]),
            );
        }
    }
}

/// Converts a name to lower case, and removes separators between words, for comparisons.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Finds enums of numbers, except for HTTP status codes.
pub(crate) fn numeric_enum(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let mut values = node.schema.enum_.iter().flatten();
    let is_code = |value: &Value| value.as_u64().is_some_and(|code| (100..600).contains(&code));
    if values.clone().any(Value::is_number) && !values.all(is_code) {
        found.add(
            node.path().child("enum"),
            format!(
                "`enum` of `{}` has numbers: the API conventions use strings that describe the values",
                node.field()
            ),
            "use descriptive strings",
        );
    }
}
