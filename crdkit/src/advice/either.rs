//! Advice on rules that fail for integers or for strings although their field may be either. The API server does not notice,
//! because it compiles such a rule for the type `dyn`.

use crd_core::cel::{Environment, Issue, RuleError, Rules, SchemaTypes};
use crd_core::crd::ValidationRule;
use crd_core::schema::SchemaType;
use crd_core::{CustomResourceDefinition, FieldPath, KubeVersion, Structural};

use crate::Advice;
use crate::verdict::Places;

/// Returns advice on rules that read an int-or-string field but do not compile for integers, or not for strings.
pub(super) fn advice(crd: &CustomResourceDefinition, version: KubeVersion, places: &Places) -> Vec<Advice> {
    let mut found = Vec::new();
    for (i, of_version) in crd.spec.versions.iter().enumerate() {
        let Some(schema) = of_version.open_api_v3_schema() else { continue };
        let Ok(schema) = Structural::from_json_schema(schema) else { continue };
        if !schema.any(&Structural::is_int_or_string) {
            continue;
        }
        let path = FieldPath::new("spec").child("versions").index(i).child("schema").child("openAPIV3Schema");
        let failing = |type_: &SchemaType| {
            let mut schema = schema.clone();
            narrow(&mut schema, type_);
            let types = SchemaTypes::for_version(&schema, true, version);
            let rules = Rules::new(&types, Environment::for_server(version));
            let mut failing = Vec::new();
            failures(&rules, &schema, &path, &mut failing);
            failing
        };
        // A rule that compiles for neither fails for all values, and the verdict reports it.
        let types = SchemaTypes::for_version(&schema, true, version);
        let mut always = Vec::new();
        failures(&Rules::new(&types, Environment::for_server(version)), &schema, &path, &mut always);
        for (type_, words) in [(SchemaType::Integer, "an integer"), (SchemaType::String, "a string")] {
            for (field, why) in failing(&type_) {
                if always.iter().all(|(known, _)| *known != field) {
                    found.push(places.advice(
                        "rule-for-one-type",
                        &field,
                        format!("the rule fails if the value is {words}, which the schema accepts: {why}"),
                        "convert the value, as in `quantity(string(self))`, or check its type first, as in `type(self) == int || self.size() > 0`"
                            .to_owned(),
                    ));
                }
            }
        }
    }
    found
}

/// Gives every int-or-string in the schema the type `type_`.
fn narrow(schema: &mut Structural, type_: &SchemaType) {
    if schema.is_int_or_string() {
        schema.extensions.int_or_string = None;
        schema.type_ = Some(type_.clone());
    }
    schema.children_mut().for_each(|child| narrow(child, type_));
}

/// Collects the rules that do not compile, each with its path in the CRD and the error. A rule that calls `type()` is skipped.
fn failures(
    rules: &Rules<'_, '_>,
    schema: &Structural,
    path: &FieldPath,
    out: &mut Vec<(FieldPath, String)>,
) {
    let of_rule = |rule: &ValidationRule| {
        let is_guarded = rule.rule.contains("type(");
        match rules.compile_rule(schema, &rule.rule, rule.optional_old_self == Some(true)) {
            Err(RuleError::Compilation(issues)) if !is_guarded => {
                // Values of any two types can be compared for equality when the rule runs.
                let is_equality = |issue: &&Issue| {
                    let text = issue.position.and_then(|at| rule.rule.get(at..)).unwrap_or_default();
                    ["==", "!=", "in "].iter().any(|operator| text.starts_with(operator))
                };
                issues.as_slice().iter().find(|issue| !is_equality(issue)).map(|issue| issue.message.clone())
            }
            _ => None,
        }
    };
    for (i, rule) in schema.validations.iter().enumerate() {
        if let Some(why) = of_rule(rule) {
            out.push((path.child("x-kubernetes-validations").index(i).child("rule"), why));
        }
    }
    for (child, below) in schema.children() {
        failures(rules, below, &child.below(path), out);
    }
}
