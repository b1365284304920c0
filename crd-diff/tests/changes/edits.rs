//! Random edits of stored objects, and the classes that a refused edit shows.

use crd_diff::Class;
use crd_sample::{put_at, remove_at, value_at};
use serde_json::Value;

use super::mutations::Random;

/// Edits of one value each: values come from another object of the same definition, items are repeated, fields are removed.
pub(crate) fn edits(stored: &Value, other: &Value, count: usize, random: &mut Random) -> Vec<Value> {
    (0..count).filter_map(|_| edit(stored, other, random)).filter(|edited| edited != stored).collect()
}

fn edit(stored: &Value, other: &Value, random: &mut Random) -> Option<Value> {
    let is_own = |name: &&String| !["apiVersion", "kind", "metadata"].contains(&name.as_str());
    let names: Vec<&String> = keys(stored, other).into_iter().filter(is_own).collect();
    let mut at = vec![(*names.get(random.below(names.len()))?).clone()];
    loop {
        let (here, there) = (value_at(stored, &at), value_at(other, &at));
        // One in four edits replaces a whole list or object.
        let descends = random.below(4) > 0;
        match here {
            Some(Value::Object(fields)) if descends => {
                let none = Value::Null;
                let names = keys(&Value::Object(fields.clone()), there.unwrap_or(&none))
                    .into_iter()
                    .cloned()
                    .collect::<Vec<_>>();
                let Some(name) = names.get(random.below(names.len())) else {
                    return replaced(stored, &at, there);
                };
                at.push(name.clone());
            }
            Some(Value::Array(items)) if descends && !items.is_empty() => {
                match random.below(3) {
                    0 => {
                        let added = there.and_then(Value::as_array).and_then(|items| items.first());
                        let added = added.unwrap_or(&items[0]).clone();
                        at.push(items.len().to_string());
                        return replaced(stored, &at, Some(&added));
                    }
                    1 => {
                        at.push((items.len() - 1).to_string());
                        return replaced(stored, &at, None);
                    }
                    _ => at.push(random.below(items.len()).to_string()),
                };
            }
            _ => return replaced(stored, &at, there),
        }
    }
}

fn keys<'v>(one: &'v Value, other: &'v Value) -> Vec<&'v String> {
    let all = [one, other].into_iter().filter_map(Value::as_object).flat_map(|fields| fields.keys());
    let mut all: Vec<&String> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Puts the value, or takes the old one away.
fn replaced(stored: &Value, at: &[String], value: Option<&Value>) -> Option<Value> {
    let mut edited = stored.clone();
    match value {
        Some(value) => put_at(&mut edited, at, value.clone()).then_some(edited),
        None => {
            remove_at(&mut edited, at);
            Some(edited)
        }
    }
}

/// Returns the classes, one of which a comparison has to name because of a refused edit. `places` are those of the causes, `known` those of
/// the causes for which the stored object would be refused.
///
/// If the value at the place of a cause is the stored one, and it was wrong before, then an edit of another value is refused.
pub(crate) fn for_rejected_edit(
    (stored, edited): (&Value, &Value),
    places: &[Vec<String>],
    known: &[Vec<String>],
) -> Vec<Class> {
    let is_untouched = |at: &Vec<String>| {
        let (before, after) = (value_at(stored, at), value_at(edited, at));
        before.is_some() && before == after && known.contains(at)
    };
    if places.iter().any(is_untouched) { vec![Class::Edit] } else { vec![Class::Edit, Class::Write] }
}
