//! Looks up a path such as `spec.rules[*].name` in a schema: finds the schema at the path, and how many values an object can have there.

use crd_core::Structural;
use crd_core::cel::{max_children, missing_limit};

use crd_report::Message;

/// The schema at a path.
#[derive(Debug)]
pub(super) struct SchemaPlace<'s> {
    pub(super) node: &'s Structural,
    /// Maximum number of values at the path in an object, computed from the limits of the enclosing lists and maps.
    pub(super) cardinality: u64,
    /// The enclosing lists and maps without a limit, with the keyword that would limit each.
    pub(super) unlimited: Vec<(String, &'static str)>,
}

/// Maximum number of known names that are listed in an error about an unknown name.
const SHOWN: usize = 12;

impl<'s> SchemaPlace<'s> {
    pub(super) fn find(root: &'s Structural, at: &str) -> Result<Self, Box<Message>> {
        let mut place = Self { node: root, cardinality: 1, unlimited: Vec::new() };
        let mut way = String::new();
        for step in steps(at)? {
            let next = child(place.node, step).ok_or_else(|| Box::new(nowhere(&way, step, place.node)))?;
            match max_children(place.node) {
                Some(count) => place.cardinality = place.cardinality.saturating_mul(count),
                None => {
                    place.unlimited.extend(missing_limit(place.node).map(|keyword| (way.clone(), keyword)));
                }
            }
            way += &match step {
                Step::Name(name) if way.is_empty() => name.to_owned(),
                Step::Name(name) => format!(".{name}"),
                Step::Every => "[*]".to_owned(),
            };
            place.node = next;
        }
        Ok(place)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step<'a> {
    /// A property or map key.
    Name(&'a str),
    /// All items of a list, or all values of a map.
    Every,
}

/// Parses a path such as `a.b[*].c[0]['d.e']`; a leading dot is allowed.
fn steps(at: &str) -> Result<Vec<Step<'_>>, Box<Message>> {
    let mut steps = Vec::new();
    let mut rest =
        at.strip_prefix("self").filter(|rest| rest.is_empty() || rest.starts_with(['.', '['])).unwrap_or(at);
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let quote = inner.chars().next().filter(|char| ['\'', '"'].contains(char));
            let (name, after) = match quote {
                Some(quote) => inner[1..].split_once(&format!("{quote}]")),
                None => inner.split_once(']'),
            }
            .ok_or_else(|| {
                Box::new(Message::for_run(format!("`{at}` is not a path: a bracket is not closed")))
            })?;
            let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
            steps.push(if quote.is_none() && (name == "*" || is_number) {
                Step::Every
            } else {
                Step::Name(name)
            });
            rest = after;
        } else {
            rest = rest.strip_prefix('.').unwrap_or(rest);
            let (name, after) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
            if !name.is_empty() {
                steps.push(Step::Name(name));
            }
            rest = after;
        }
    }
    Ok(steps)
}

fn child<'s>(node: &'s Structural, step: Step<'_>) -> Option<&'s Structural> {
    match step {
        Step::Name(name) => node.field(name),
        Step::Every => node.items.as_deref().or_else(|| node.map_values()),
    }
}

fn nowhere(way: &str, step: Step<'_>, node: &Structural) -> Message {
    let of = if way.is_empty() { String::new() } else { format!(" of `{way}`") };
    let mut message = Message::for_run(match step {
        Step::Name(name) => format!("the schema{of} has no field `{name}`"),
        Step::Every => format!("the schema{of} is neither a list nor a map"),
    });
    let names: Vec<String> =
        node.properties.iter().take(SHOWN).map(|(name, _)| format!("`{name}`")).collect();
    if node.items.is_some() {
        message.help = Some("use `[*]` for the items of this list".to_owned());
    } else if !names.is_empty() {
        let more = if node.properties.len() > SHOWN { " and more" } else { "" };
        message.help = Some(format!("known fields: {}{more}", names.join(", ")));
    }
    message
}

#[cfg(test)]
mod tests {
    use crd_core::crd::JsonSchemaProps;
    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_split_into_steps() {
        use Step::{Every, Name};
        let cases: [(&str, &[Step<'_>]); 5] = [
            ("", &[]),
            (".spec", &[Name("spec")]),
            ("self.a[*].b", &[Name("a"), Every, Name("b")]),
            ("selfish[0]['d.e'].f", &[Name("selfish"), Every, Name("d.e"), Name("f")]),
            ("a[k]", &[Name("a"), Name("k")]),
        ];
        for (text, wanted) in cases {
            assert_eq!(steps(text).unwrap(), wanted, "{text}");
        }
        assert!(steps("a[b").unwrap_err().text.contains("not closed"));
    }

    #[test]
    fn limits_around_a_place_count() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "array", "maxItems": 5, "items": {
                "type": "object", "additionalProperties": {"type": "string", "maxLength": 3},
            }},
        }});
        let schema = Structural::from_json_schema(&JsonSchemaProps::from_value(schema).unwrap()).unwrap();
        let place = SchemaPlace::find(&schema, "a[*].x").unwrap();
        assert_eq!((place.cardinality, &*place.unlimited), (5, &[("a[*]".to_owned(), "maxProperties")][..]));
        assert_eq!(SchemaPlace::find(&schema, "b").unwrap_err().help.as_deref(), Some("known fields: `a`"));
        assert!(SchemaPlace::find(&schema, "a.x").unwrap_err().help.unwrap().contains("`[*]`"));
    }
}
