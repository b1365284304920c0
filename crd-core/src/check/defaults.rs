//! Checks defaults: unknown fields are not allowed, the metadata must be valid, and the default must conform to its own schema and the
//! rules in that schema.
//!
//! Source: `pkg/apiserver/schema/defaulting/validation.go`. Defaults under `additionalProperties` are not checked.

use serde_json::{Map, Value};

use crate::embedded::Unreadable;
use crate::lazy_path::LazyPath;
use crate::schema::Structural;
use crate::shown::shown;
use crate::values::Meter;
use crate::values::Patterns;
use crate::{Causes, Diagnostic, Edit, FieldPath, Remedy, embedded, prune, values};

/// Checks the defaults of a schema.
pub(super) fn defaults(
    schema: &Structural,
    base: &FieldPath,
    (patterns, meter): (&Patterns, &Meter),
    out: &mut Causes,
) {
    let mut walk = DefaultChecks { patterns, meter, budget: Some(RULE_BUDGET), out };
    let resource = Resource { schema, steps: None };
    walk.node(schema, &resource, false, &LazyPath::new(base));
}

/// The cost limit for all rules on all defaults of a schema.
const RULE_BUDGET: u64 = 10_000_000;

struct DefaultChecks<'o> {
    patterns: &'o Patterns,
    meter: &'o Meter,
    /// The remaining budget for rules. After the budget is exceeded, no more defaults are checked.
    budget: Option<u64>,
    out: &'o mut Causes,
}

/// The innermost resource around a node, and the path from this resource to the node. The root is a resource, too.
#[derive(Clone, Copy)]
struct Resource<'a, 's> {
    schema: &'a Structural,
    steps: Option<&'s ResourceStep<'a, 's>>,
}

#[derive(Clone, Copy)]
struct ResourceStep<'a, 's> {
    outer: Option<&'s ResourceStep<'a, 's>>,
    /// The name of a property; `None` for the items of a list.
    name: Option<&'a str>,
}

impl DefaultChecks<'_> {
    fn node<'a>(
        &mut self,
        schema: &'a Structural,
        resource: &Resource<'a, '_>,
        in_meta: bool,
        place: &LazyPath<'_>,
    ) {
        if self.budget.is_none() {
            return;
        }
        let embedded = Resource { schema, steps: None };
        // An embedded resource begins anew, also within metadata.
        let is_embedded = schema.is_embedded_resource();
        let (resource, in_meta) = if is_embedded { (&embedded, false) } else { (resource, in_meta) };
        let is_resource = is_embedded || std::ptr::eq(resource.schema, schema);
        if let Some(default) = schema.generic.default.as_ref().filter(|default| !default.is_null()) {
            let path = place.child("default").path();
            if in_meta {
                self.in_meta(schema, default, resource, &path);
            } else {
                self.outside_meta(schema, default, is_resource, &path);
            }
            if self.budget.is_none() {
                return;
            }
        }
        if let Some(items) = &schema.items {
            let step = ResourceStep { outer: resource.steps, name: None };
            self.node(items, &Resource { steps: Some(&step), ..*resource }, in_meta, &place.child("items"));
        }
        let properties = place.child("properties");
        for (name, property) in schema.properties.iter() {
            let in_meta = in_meta || is_resource && embedded::is_own_field(name);
            let step = ResourceStep { outer: resource.steps, name: Some(name) };
            let resource = Resource { steps: Some(&step), ..*resource };
            self.node(property, &resource, in_meta, &properties.key(name));
        }
    }

    fn outside_meta(&mut self, schema: &Structural, default: &Value, is_resource: bool, path: &FieldPath) {
        // One copy at a time: a default may be nearly all of the definition.
        let removed = prune::prune(&mut default.clone(), Some(schema), is_resource);
        if removed.has_any() {
            let detail = "must not have unknown fields";
            let mut remedy = Remedy::new("remove from the default the fields that the schema does not have");
            let (fields, left_out) = removed.into_sorted();
            if left_out == 0 {
                let edits = fields.iter().map(|field| Edit::remove(path.followed_by(&field.path())));
                remedy.edits.extend(edits);
            }
            let shown = shown(default, self.out.version());
            self.out.push(Diagnostic::invalid(path.clone(), shown, detail).with_help(remedy));
        }
        let mut coerced = default.clone();
        let unreadable = Unreadable::Rejected(self.out.version());
        if let Err(diagnostic) = embedded::coerce(&mut coerced, schema, is_resource, unreadable, path) {
            self.out.push(*diagnostic);
            return;
        }
        let first = self.out.count();
        embedded::validate(&coerced, schema, is_resource, path, self.out);
        if self.out.count() == first {
            self.values(schema, &coerced, is_resource, path);
        }
    }

    /// Checks a default in `apiVersion`, `kind` or `metadata` by checking a resource that contains only this default.
    fn in_meta(
        &mut self,
        schema: &Structural,
        default: &Value,
        resource: &Resource<'_, '_>,
        path: &FieldPath,
    ) {
        let mut object = surround(default.clone(), resource.steps);
        let root = FieldPath::root();
        let mut wrong = Causes::for_version(self.out.version());
        match embedded::coerce(
            &mut object,
            resource.schema,
            true,
            Unreadable::Rejected(self.out.version()),
            &root,
        ) {
            Err(diagnostic) => wrong.push(*diagnostic),
            Ok(_) => embedded::validate(&object, resource.schema, true, &root, &mut wrong),
        }
        if wrong.is_empty() {
            self.values(schema, default, false, path);
        } else {
            let detail = format!("must result in valid metadata: {}", aggregate(&wrong));
            self.out.push(Diagnostic::invalid(path.clone(), shown(default, self.out.version()), &detail));
        }
    }

    fn values(&mut self, schema: &Structural, default: &Value, is_resource: bool, path: &FieldPath) {
        let first = self.out.count();
        let with = values::With { patterns: self.patterns, meter: self.meter };
        values::validate(schema, default, path, values::Mode::Default, with, self.out);
        // Without the evaluator, rules are not run.
        #[cfg(feature = "rules")]
        if self.out.count() == first {
            self.budget = self.budget.and_then(|budget| {
                crate::rules::validate_default(
                    schema,
                    is_resource,
                    default,
                    path,
                    (budget, self.meter),
                    self.out,
                )
            });
        }
        #[cfg(not(feature = "rules"))]
        let _ = (is_resource, first);
    }
}

/// Inserts a value into a resource at `steps`.
fn surround(value: Value, steps: Option<&ResourceStep<'_, '_>>) -> Value {
    let mut object = value;
    let mut next = steps;
    while let Some(step) = next {
        object = match step.name {
            Some(name) => Value::Object(Map::from_iter([(name.to_owned(), object)])),
            None => Value::Array(vec![object]),
        };
        next = step.outer;
    }
    if let Value::Object(fields) = &mut object {
        for (key, value) in [("kind", "Validation"), ("apiVersion", "validation/v1")] {
            fields.entry(key).or_insert_with(|| value.into());
        }
    }
    object
}

/// Joins several errors into one message: `utilerrors.Aggregate`.
fn aggregate(errors: &[Diagnostic]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for text in errors.iter().map(ToString::to_string) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    if texts.len() == 1 { texts.swap_remove(0) } else { format!("[{}]", texts.join(", ")) }
}

#[cfg(all(test, feature = "rules"))]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::crd::JsonSchemaProps;

    fn check(schema: Value) -> Vec<String> {
        let schema = JsonSchemaProps::from_value(schema).expect("a schema");
        let schema = Structural::from_json_schema(&schema).expect("a structural schema");
        let mut found = Causes::default();
        defaults(&schema, &FieldPath::new("s"), (&Patterns::default(), &Meter::default()), &mut found);
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn defaults_keep_their_own_rules() {
        let n = |default: i64, rule: Value| {
            check(json!({"type": "object", "properties": {
                "n": {"type": "integer", "default": default, "x-kubernetes-validations": [rule]},
            }}))
        };
        assert_eq!(n(2, json!({"rule": "self > 1"})), [""; 0]);
        assert_eq!(
            n(1, json!({"rule": "self > 1"})),
            ["s.properties[n].default: Invalid value: 1: failed rule: self > 1"]
        );
        // A default is unchanged where it replaces itself, and new where nothing was.
        assert_eq!(n(1, json!({"rule": "self == oldSelf"})), [""; 0]);
        assert_eq!(
            n(1, json!({"rule": "self > oldSelf"})),
            ["s.properties[n].default: Invalid value: 1: failed rule: self > oldSelf"]
        );
        assert_eq!(
            n(1, json!({"rule": "oldSelf.hasValue()", "optionalOldSelf": true})),
            ["s.properties[n].default: Invalid value: 1: failed rule: oldSelf.hasValue()"]
        );
        assert_eq!(n(0, json!({"rule": "1 / self > 0"})).len(), 1);
    }

    #[test]
    fn rules_below_a_default_are_its_own_and_those_above_are_not() {
        let found = check(json!({"type": "object", "properties": {"o": {
            "type": "object",
            "default": {"l": [1, 0]},
            "properties": {"l": {"type": "array", "maxItems": 3, "items": {
                "type": "integer", "x-kubernetes-validations": [{"rule": "self > 0"}],
            }}},
        }}, "x-kubernetes-validations": [{"rule": "false"}]}));
        assert_eq!(found, ["s.properties[o].default.l[1]: Invalid value: 0: failed rule: self > 0"]);
    }

    #[test]
    fn what_costs_too_much_ends_the_search() {
        let heavy = json!({"type": "array", "maxItems": 100, "items": {"type": "integer"}, "default": vec![0; 70],
            "x-kubernetes-validations": [{"rule": "self.all(x, self.all(y, self.all(z, x + y + z == 0)))"}]});
        let light = json!({"type": "integer", "default": 1, "x-kubernetes-validations": [{"rule": "false"}]});
        let found = check(json!({"type": "object", "properties": {"a": heavy, "b": light}}));
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].contains("call cost exceeds limit"), "{found:#?}");
    }
}
