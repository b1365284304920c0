//! Each rule finds its bad example, and nothing in the good one. The examples are those of the book's page, which is written from the table.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cases;
mod harm;
mod twins;

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

use crd_core::CustomResourceDefinition;
use crd_core::check::Verdict;
use crd_input::{Limits, Source, documents};
use crd_lint::{DROPPED, LintFinding, LintLevel, LintOptions, Profile, Rule, lint, lint_together, rules};
use serde_json::{Value, json};

use self::cases::{CASES, Case, Part};
use self::twins::TWINS;

/// Returns the value of a text in YAML.
fn yaml(text: &str) -> Value {
    let source = Source::from_string("case.yaml", text.to_owned());
    let (documents, errors) = documents(&source, &Limits::default());
    assert!(errors.is_empty(), "{text}: {errors:?}");
    documents.into_iter().next().unwrap().value
}

/// Lays a value over another one: objects by their keys, lists by their items.
fn lay(base: &mut Value, over: Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                lay(base.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(base), Value::Array(over)) if over.iter().all(Value::is_object) => {
            for (i, value) in over.into_iter().enumerate() {
                match base.get_mut(i) {
                    Some(base) => lay(base, value),
                    None => base.push(value),
                }
            }
        }
        (base, over) => *base = over,
    }
}

/// The schema of the field `spec`.
const SPEC: &str = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";

/// Returns the CRD of an example.
fn crd(part: Part, example: &str) -> CustomResourceDefinition {
    let mut crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "shirts.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "shirts", "singular": "shirt", "kind": "Shirt", "listKind": "ShirtList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "description": "What is wanted.", "properties": {"color": {"type": "string", "description": "The color.", "maxLength": 9}}},
            }}}}],
        },
    });
    let over = yaml(example);
    match part {
        Part::Crd => lay(&mut crd, over),
        Part::Spec => lay(crd.pointer_mut(SPEC).unwrap(), over),
        Part::Size => {
            let bytes: usize = example.split(' ').nth(1).unwrap().parse().unwrap();
            lay(crd.pointer_mut(SPEC).unwrap(), json!({"description": "a".repeat(bytes)}));
        }
    }
    let verdict = Verdict::for_value(crd.clone());
    assert!(verdict.accepted, "{example}: {:?}", verdict.errors);
    CustomResourceDefinition::from_value(crd).unwrap()
}

/// Returns the findings of one rule on an example, whatever its level in a profile is.
fn findings(case: &Case, example: &str) -> Vec<LintFinding> {
    let mut options = LintOptions::default();
    options.levels.extend(rules().map(|rule| (rule.id, (rule.id == case.rule).then_some(LintLevel::Error))));
    let crd = crd(case.part, example);
    let other = CustomResourceDefinition::from_value(json!({
        "metadata": {"name": "shoes.example.com"},
        "spec": {"group": "example.com", "names": {"plural": "shoes", "kind": "Shoe", "shortNames": ["sh"]}},
    }));
    let together = lint_together(&[&other.unwrap(), &crd], &options);
    lint(&crd, &options).into_iter().chain(together.into_iter().map(|(_, finding)| finding)).collect()
}

#[test]
fn each_rule_finds_its_bad_example_and_not_the_good_one() {
    for case in CASES.iter().chain(TWINS) {
        assert!(!findings(case, case.bad).is_empty(), "`{}` finds nothing in {}", case.rule, case.bad);
        let good = findings(case, case.good);
        assert!(good.is_empty(), "`{}` finds {good:?} in {}", case.rule, case.good);
    }
}

#[test]
fn each_rule_has_examples() {
    let rules: BTreeSet<&str> = rules().map(|rule| rule.id).collect();
    let cases: BTreeSet<&str> = CASES.iter().map(|case| case.rule).collect();
    assert_eq!(rules, cases);
}

#[test]
fn what_is_dropped_is_no_rule() {
    let mut seen = BTreeSet::new();
    for (id, reason) in DROPPED {
        assert!(rules().all(|rule| rule.id != *id), "`{id}` is a rule");
        assert!(seen.insert(*id) && !reason.is_empty(), "{id}");
        // Reasons name rules that are there.
        for name in reason.split('`').skip(1).step_by(2).filter(|name| name.contains('-')) {
            assert!(rules().any(|rule| rule.id == name), "{id}: `{name}` is no rule");
        }
    }
}

#[test]
fn profiles_choose_levels() {
    let rule = |id: &str| rules().find(|rule| rule.id == id).unwrap();
    assert_eq!(rule("phase").level(Profile::Crd), None);
    assert_eq!(rule("phase").level(Profile::Kubernetes), Some(LintLevel::Note));
    assert_eq!(rule("list-without-type").level(Profile::Ssa), Some(LintLevel::Warning));
    for profile in Profile::ALL {
        assert_eq!(rule("object-keeps-nothing").level(profile), Some(LintLevel::Warning), "{profile:?}");
    }
}

/// Types of Kubernetes cannot be changed by the author of a CRD.
#[test]
fn types_of_kubernetes_follow_no_conventions() {
    let example = "properties:
  env:
    type: array
    items:
      type: object
      properties: {name: {type: string}, value: {type: string}, valueFrom: {type: object, nullable: true, properties: {a: {type: number}}}}";
    let options = LintOptions::new(Profile::Kubernetes);
    let found = lint(&crd(Part::Spec, example), &options);
    assert!(found.iter().all(|finding| !finding.message.contains("valueFrom")), "{found:#?}");
}

#[test]
fn a_proof_is_as_small_as_it_can_be() {
    let example = "properties:
  size: {type: integer}
  a: {type: string}
  b: {type: string}
x-kubernetes-validations:
- {rule: 'self.size > 0', message: size must be positive}";
    let found = lint(&crd(Part::Spec, example), &LintOptions::default());
    assert_eq!(found[0].rule.id, "rule-fails-without-field");
    assert_eq!(found[0].proof.as_ref().unwrap()["spec"], json!({}));
    assert_eq!(found[0].remedy.as_ref().unwrap().text, "write `!has(self.size) || (self.size > 0)`");
}

/// The page of the book. `UPDATE_GOLDEN=1` writes it.
#[test]
fn the_page_of_rules_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/lint-rules.md");
    let page = page();
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &page).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == page,
        "book/src/lint-rules.md differs: run with UPDATE_GOLDEN=1"
    );
}

fn page() -> String {
    let mut page = "# Rules of `crdkit lint`\n\nThe levels of each rule are in the order of the profiles `minimal`, `crd`, `kubernetes`, `gitops`, `ssa`. \
                    This page is generated from the rules and their tests.\n"
        .to_owned();
    for rule in rules() {
        let case = CASES.iter().find(|case| case.rule == rule.id).unwrap();
        page += &section(rule, case);
    }
    page += "\n## Rules that are left out\n\ncrdkit does not have these rules of other linters, for these reasons:\n\n| rule | reason |\n|---|---|\n";
    for (id, reason) in DROPPED {
        page += &format!("| {id} | {reason} |\n");
    }
    page
}

fn section(rule: &Rule, case: &Case) -> String {
    let levels = Profile::ALL.map(|profile| rule.level(profile).map_or("off", LintLevel::as_str));
    let is_one = levels.iter().all(|level| *level == levels[0]);
    let levels = if is_one { format!("{} in all profiles", levels[0]) } else { levels.join(", ") };
    let finding = &findings(case, case.bad)[0];
    let remedy =
        finding.remedy.as_ref().map_or(String::new(), |remedy| format!("\n\nHelp: {}.", remedy.text));
    let place = match case.part {
        Part::Crd => "In a CRD",
        Part::Spec | Part::Size => "In the schema of `spec`",
    };
    let source = if rule.source.starts_with("https://") {
        format!("<{}>", rule.source)
    } else {
        format!("`{}`", rule.source)
    };
    format!(
        "\n## {}\n\n*{}; {levels}.* {} Source: {source}\n\n{place}:\n\n```yaml\n# wrong\n{}\n\n# right\n{}\n```\n\n> {}{remedy}\n",
        rule.id,
        rule.group.as_str(),
        rule.why,
        case.bad,
        case.good,
        finding.message.replace('\n', " "),
    )
}
