//! Builds objects that a change is likely to affect.

use crd_core::Structural;
use crd_core::admit::FieldValidation;
use crd_core::crd::ValidationRule;
use crd_core::schema::NestedValidation;
use crd_sample::{Allowance, Sampler, put_at, remove_at, value_at};
use serde_json::{Value, json};

use super::edits::schema_at;
use super::side::{Pair, RULE_ELSEWHERE, Side};
use crate::change::{Change, Probe};
use crate::schema_path::{SchemaPath, Step};

/// Maximum number of validations to build one object.
const BUILD: usize = 400;
/// Maximum number of values to try for one probe.
const MOST_VALUES: usize = 6;
/// The maximum number of rules in one schema for which violating objects are built.
const MOST_RULES: usize = 4;
/// The maximum number of nodes in a schema for which values near the limits are generated. Larger schemas would take too long.
const LARGE: usize = 300;

/// Calls `take` with objects that violate a rule that reads the changed field, until `take` returns `true`. One of the CRDs may
/// nevertheless accept such an object, because it fills in a default for the field, or drops a `null`.
pub(crate) fn each_against_rules(side: &Side, change: &Change, take: &mut dyn FnMut(Value) -> bool) {
    let Some(version) = &change.version else { return };
    let Some(schema) = side.schema(version) else { return };
    let name = change.place.walk().iter().rev().find_map(|step| match step {
        Step::Property(name) => Some(name),
        _ => None,
    });
    let Some(name) = name else { return };
    let above = std::iter::successors(Some(change.place.parent()), |at| (!at.is_root()).then(|| at.parent()));
    for at in above {
        let rules = schema_at(schema, &at.steps()).into_iter().flat_map(|schema| &schema.validations);
        let is_named = |rule: &&ValidationRule| rule.rule != RULE_ELSEWHERE && rule.rule.contains(&**name);
        for rule in rules.filter(is_named).take(MOST_RULES) {
            let Some(object) = against(side, version, &at, rule) else { continue };
            let nulled = nulled(&object, &change.place);
            if side.work.is_over() || take(object) || nulled.is_some_and(&mut *take) {
                return;
            }
        }
    }
}

/// Returns the object with `null` at a path. In maps on the path, the first existing key is used. If the path ends in a map, `null` becomes
/// the only value in the map.
fn nulled(object: &Value, at: &SchemaPath) -> Option<Value> {
    let mut steps = at.steps();
    for (end, step) in at.walk().iter().enumerate() {
        if matches!(step, Step::Values)
            && let Some(key) = value_at(object, &steps[..end]).and_then(|map| map.as_object()?.keys().next())
        {
            steps[end].clone_from(key);
        }
    }
    let mut object = object.clone();
    if matches!(at.walk().last(), Some(Step::Values)) {
        put_at(&mut object, &steps[..steps.len() - 1], json!({}));
    }
    put_at(&mut object, &steps, Value::Null).then_some(object)
}

/// Builds objects for the probes of a change, and calls `take` with each object until `take` returns `true`.
pub(crate) fn each(
    pair: &Pair,
    side: &Side,
    change: &Change,
    is_old: bool,
    take: &mut dyn FnMut(Value) -> bool,
) {
    let Some(version) = &change.version else { return };
    let Some(sampler) = side.sampler(version) else { return };
    let mut lift = |at: &SchemaPath, value: &Value| {
        let built = side.work.build(BUILD, |budget| lift(sampler, at, value, budget));
        let of_null = if value.is_null() { with_null(side, version, at, built.as_ref()) } else { Vec::new() };
        built.into_iter().chain(of_null).any(&mut *take) || side.work.is_over()
    };
    // Values that are named come first: they are the likeliest.
    for probe in &change.probes {
        if let Probe::Value(at, value) = probe
            && lift(at, value)
        {
            return;
        }
    }
    for probe in &change.probes {
        let (at, schemas) = match probe {
            Probe::Differing(at) => (at, pair.schemas(version, at)),
            Probe::DifferingFrom(at, schemas) => (at, Some((&schemas.0, &schemas.1))),
            _ => continue,
        };
        let Some((old, new)) = schemas else { continue };
        let (own, other) = if is_old { (old, new) } else { (new, old) };
        let values = side.work.within_half(|allowance| differing(side, allowance, own, other));
        if values.iter().any(|value| lift(at, value)) {
            return;
        }
    }
    for probe in &change.probes {
        let found = match probe {
            _ if side.work.is_over() => return,
            Probe::Present(at) => {
                vec![side.work.build(BUILD, |budget| sampler.containing(&at.steps(), None, budget))]
            }
            Probe::Absent(at) => {
                let solved = side.sees_from_above(version, at).then(|| solved_without(side, version, at));
                solved.into_iter().chain(absent(side, sampler, at)).collect()
            }
            Probe::Twins(at, defaults) => twins(side, sampler, at, defaults),
            Probe::Against(at, rule) => vec![against(side, version, at, rule)],
            Probe::Any => vec![sampler.minimal().ok(), sampler.full().ok()],
            Probe::Value(..) | Probe::Differing(_) | Probe::DifferingFrom(..) => continue,
        };
        if found.into_iter().flatten().any(&mut *take) {
            return;
        }
    }
    sampler.accepted().take(20).take_while(|_| !side.work.is_over()).any(take);
}

/// Returns further objects with `null` at a path. One of them has a status: writing the status keeps the `null` in the old object, where
/// transition rules read it. In another object, the surrounding keywords and rules forbid any other value at the path.
fn with_null(side: &Side, version: &str, at: &SchemaPath, built: Option<&Value>) -> Vec<Value> {
    let seen = side.sees_from_above(version, at).then(|| solved_without(side, version, at)).flatten();
    let nulled = seen.and_then(|mut object| put_at(&mut object, &at.steps(), Value::Null).then_some(object));
    built.and_then(|object| with_status(side, version, object)).into_iter().chain(nulled).collect()
}

/// Adds a status to the object, if the status is a subresource and the object has none.
fn with_status(side: &Side, version: &str, object: &Value) -> Option<Value> {
    if !side.has_status(object) || object.get("status").is_some() {
        return None;
    }
    let mut object = object.clone();
    object["status"] = side.sampler(version)?.values(&["status".to_owned()]).next()?;
    Some(object)
}

/// Returns an object with this value at a path.
fn lift(sampler: &Sampler, at: &SchemaPath, value: &Value, budget: usize) -> Option<Value> {
    if !at.is_root() {
        return sampler.containing(&at.steps(), Some(value), budget);
    }
    let mut object = sampler.minimal().ok()?;
    let fields = object.as_object_mut()?;
    fields.retain(|name, _| ["apiVersion", "kind", "metadata"].contains(&name.as_str()));
    let own = value
        .as_object()?
        .iter()
        .filter(|(name, _)| !["apiVersion", "kind", "metadata"].contains(&name.as_str()));
    fields.extend(own.map(|(name, value)| (name.clone(), value.clone())));
    Some(object)
}

/// Returns objects that lack the field at a path, but contain its parent.
fn absent(side: &Side, sampler: &Sampler, at: &SchemaPath) -> Vec<Option<Value>> {
    let without = |object: Option<Value>| {
        let mut object = object?;
        remove_at(&mut object, &at.steps());
        Some(object)
    };
    let above = at.parent();
    if above.is_root() {
        return vec![without(sampler.minimal().ok())];
    }
    let build = |value: Option<&Value>| {
        side.work.build(BUILD, |budget| sampler.containing(&above.steps(), value, budget))
    };
    let (built, empty) = (build(None), build(Some(&json!({}))));
    vec![
        without(empty),
        built.clone().filter(|object| value_at(object, &at.steps()).is_none()),
        without(built),
    ]
}

/// Returns an object that lacks the field at a path, but contains its parent. The object is generated from a schema that forbids the field,
/// and therefore satisfies the keywords and rules that depend on the field.
fn solved_without(side: &Side, version: &str, at: &SchemaPath) -> Option<Value> {
    let Some(Step::Property(name)) = at.walk().last() else { return None };
    let above = at.parent();
    let sampler = side.sampler_with(version, |schema| {
        let keywords = node_mut(schema, &above)?.value_validation.get_or_insert_default();
        let mut forbidden = NestedValidation::default();
        forbidden.value_validation.required = Some(vec![name.to_string()]);
        let mut restriction = NestedValidation::default();
        restriction.value_validation.not = Some(Box::new(forbidden));
        keywords.all_of.get_or_insert_default().push(restriction);
        Some(())
    })?;
    side.work.build(BUILD, |budget| {
        if above.is_root() {
            sampler.minimal().ok()
        } else {
            sampler.containing(&above.steps(), None, budget)
        }
    })
}

/// Returns objects that contain a list with two items: one without a key, and one that sets the key to a default.
fn twins(side: &Side, sampler: &Sampler, at: &SchemaPath, defaults: &[Value]) -> Vec<Option<Value>> {
    let (item, Some(Step::Property(key))) = (at.parent(), at.walk().last()) else { return Vec::new() };
    let list = item.parent().steps();
    let built = side.work.build(BUILD, |budget| sampler.containing(&item.steps(), None, budget));
    let with_twins = |default: &Value| {
        let mut object = built.clone()?;
        let mut bare = value_at(&object, &item.steps())?.clone();
        crd_go::json::remove(bare.as_object_mut()?, key);
        let mut twin = bare.clone();
        twin[&**key] = default.clone();
        put_at(&mut object, &list, json!([bare, twin])).then_some(object)
    };
    defaults.iter().map(with_twins).collect()
}

/// Returns an object that violates a rule. The object is generated from a schema with the negated rule.
fn against(side: &Side, version: &str, at: &SchemaPath, rule: &ValidationRule) -> Option<Value> {
    if rule.uses_old_self() {
        return None;
    }
    let mut negated = ValidationRule::default();
    negated.rule = format!("!({}\n)", rule.rule);
    let sampler = side.sampler_with(version, |schema| {
        let rules = &mut node_mut(schema, at)?.validations;
        rules.retain(|other| other.rule != rule.rule);
        rules.push(negated);
        Some(())
    })?;
    side.work.build(4 * BUILD, |budget| {
        if at.is_root() { sampler.minimal().ok() } else { sampler.containing(&at.steps(), None, budget) }
    })
}

fn node_mut<'s>(schema: &'s mut Structural, at: &SchemaPath) -> Option<&'s mut Structural> {
    at.walk().iter().try_fold(schema, |schema, step| match step {
        Step::Property(name) => schema.properties.get_mut(name),
        Step::Items => schema.items.as_deref_mut(),
        Step::Values => match &mut schema.additional_properties {
            Some(crd_core::schema::AdditionalProperties::Schema(values)) => Some(&mut **values),
            _ => None,
        },
    })
}

/// Returns values that one schema accepts and another schema rejects, with the smallest values first.
fn differing(side: &Side, allowance: &Allowance, own: &Structural, other: &Structural) -> Vec<Value> {
    let sampler = |schema| side.sampler_of(schema, allowance);
    let (Some(own_sampler), Some(other_sampler)) = (sampler(own), sampler(other)) else {
        return Vec::new();
    };
    let accepts = |object: &Value| own_sampler.validator().accepts(object);
    let judge = other_sampler.validator().with_field_validation(FieldValidation::Ignore);
    let refuses = |object: &Value| {
        side.work.request(object);
        !judge.accepts(object)
    };
    let mut found: Vec<Value> = Vec::new();
    let is_small = size(own) <= LARGE && size(other) <= LARGE;
    let broken = is_small.then(|| other_sampler.broken().take(60).map(|broken| broken.object));
    let bounds = is_small.then(|| own_sampler.boundaries().take(40).map(|boundary| boundary.object));
    let objects = bounds
        .into_iter()
        .flatten()
        .chain(broken.into_iter().flatten())
        .chain(own_sampler.minimal())
        .chain(own_sampler.accepted().take(if is_small { 30 } else { 6 }));
    for object in objects.take_while(|_| allowance.left() > 0 && !side.work.is_over()) {
        let Some(value) = object.get("spec") else { continue };
        if refuses(&object) && accepts(&object) && !found.contains(value) {
            found.push(value.clone());
            if found.len() >= 2 * MOST_VALUES {
                break;
            }
        }
    }
    found.sort_by_key(|value| value.to_string().len());
    found.truncate(MOST_VALUES);
    found
}

fn size(schema: &Structural) -> usize {
    let below = schema.properties.values().chain(schema.items.as_deref()).chain(schema.map_values());
    1 + below.map(size).sum::<usize>()
}
