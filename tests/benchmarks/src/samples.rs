//! Ten definitions of public projects with objects that the API server accepts, in the forms that each validator needs.

use std::path::Path;

use crd_core::CustomResourceDefinition;
use crd_core::admit::Validator;
use crd_core::crd::Version;
use crd_input::{Limits, Source, definitions, documents, sources};
use serde_json::{Map, Value, json};

use crate::corpus;

/// Names of small and large definitions, most of them with many rules.
const KINDS: [&str; 10] = [
    "istio__api/destinationrules.networking.istio.io",
    "istio__api/virtualservices.networking.istio.io",
    "envoyproxy__gateway/securitypolicies.gateway.envoyproxy.io",
    "openshift__api/ingresscontrollers.operator.openshift.io",
    "kubernetes-sigs__karpenter/nodepools.karpenter.sh",
    "aws__karpenter-provider-aws/ec2nodeclasses.karpenter.k8s.aws",
    "kubernetes-sigs__network-policy-api/clusternetworkpolicies.policy.networking.k8s.io",
    "kubernetes-sigs__cluster-api/clusterclasses.cluster.x-k8s.io",
    "argoproj__argo-workflows/workflows.argoproj.io",
    "grafana__grafana-operator/grafanas.grafana.integreatly.org",
];

/// A definition with objects of it.
pub struct Kind {
    /// `virtualservices.networking.istio.io`
    pub name: String,
    pub crd: CustomResourceDefinition,
    /// The number of rules of the version of its objects.
    pub rules: usize,
    /// As they were published.
    pub objects: Vec<Value>,
    pub validator: Validator,
    pub openapi: jsonschema::Validator,
    pub cel: kube_cel::Validator,
    pub compiled: kube_cel::CompiledSchema,
}

/// Returns the definitions and their objects, if the corpus is there.
pub fn kinds() -> Option<Vec<Kind>> {
    let folder = corpus()?;
    let shared = folder.parent().expect("the corpus has several parts");
    let verdicts = std::fs::read_to_string(shared.join("sample-verdicts.jsonl")).ok()?;
    let verdicts: Vec<Value> =
        verdicts.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    Some(KINDS.iter().map(|name| kind(name, shared, &verdicts)).collect())
}

fn kind(name: &str, shared: &Path, verdicts: &[Value]) -> Kind {
    let limits = Limits::default();
    let file = format!("{name}.yaml");
    let (files, _) = sources(&[shared.join("crds").join(&file)], &limits);
    let definition = definitions(&files, &limits, &|| ()).definitions.remove(0);
    let accepted =
        verdicts.iter().filter(|verdict| verdict["crd"] == file.as_str() && verdict["accepted"] == true);
    let objects = accepted.map(|verdict| {
        let path =
            shared.join("samples").join(verdict["sample"].as_str().expect("a verdict names its sample"));
        let source = Source::from_string("sample", std::fs::read_to_string(path).expect("the sample is there"));
        let mut object = documents(&source, &limits).0.remove(0).value;
        if object["metadata"]["name"].is_null() && object["metadata"]["generateName"].is_null() {
            object["metadata"]["name"] = json!("sample");
        }
        object
    });
    let mut objects: Vec<Value> = objects.collect();
    // The API server ignores the status of new objects, and only the peers would validate it.
    let has_status =
        |version: &Version| version.subresources.as_ref().is_some_and(|sub| sub.status.is_some());
    if definition.crd.spec.versions.iter().any(has_status) {
        objects.iter_mut().filter_map(Value::as_object_mut).for_each(|object| drop(object.remove("status")));
    }
    let versions: Vec<&str> = objects
        .iter()
        .map(|object| object["apiVersion"].as_str().and_then(|name| name.split_once('/')).expect("a group").1)
        .collect();
    assert!(
        versions.iter().all(|version| *version == versions[0]),
        "{name}: one version is compiled by the peers"
    );
    let version = definition.crd.spec.versions.iter().find(|version| version.name == versions[0]);
    let schema =
        version.and_then(|version| version.open_api_v3_schema()).expect("it has a schema").to_value();
    Kind {
        name: definition.crd.metadata.name.clone(),
        rules: count_rules(&schema),
        validator: Validator::new(&definition.crd).expect("the API server takes it"),
        openapi: jsonschema::options()
            .with_draft(jsonschema::Draft::Draft4)
            .should_validate_formats(true)
            .build(&as_json_schema(&schema))
            .expect("it is a schema"),
        cel: kube_cel::Validator::new(),
        compiled: kube_cel::compile_schema(&schema),
        objects,
        crd: definition.crd,
    }
}

fn count_rules(schema: &Value) -> usize {
    match schema {
        Value::Object(fields) => {
            let own = fields.get("x-kubernetes-validations").and_then(Value::as_array).map_or(0, Vec::len);
            own + fields.values().map(count_rules).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(count_rules).sum(),
        _ => 0,
    }
}

fn is_pattern(pattern: &Value) -> bool {
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft4).should_validate_formats(true);
    options.build(&json!({"pattern": pattern})).is_ok()
}

/// Returns a schema of OpenAPI as JSON Schema: `nullable` and int-or-string become types, and keywords without a meaning for values are
/// removed.
fn as_json_schema(schema: &Value) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    let mut out = Map::new();
    for (name, value) in fields {
        let new = match (name.as_str(), value) {
            ("description" | "title" | "default" | "example" | "externalDocs" | "nullable", _) => continue,
            (extension, _) if extension.starts_with("x-kubernetes-") => continue,
            ("properties", Value::Object(properties)) => properties
                .iter()
                .map(|(name, schema)| (name.clone(), as_json_schema(schema)))
                .collect::<Map<_, _>>()
                .into(),
            ("items" | "additionalProperties" | "not", schema) => as_json_schema(schema),
            ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                branches.iter().map(as_json_schema).collect()
            }
            // Patterns that Go can read and the peer cannot are removed.
            ("pattern", pattern) if !is_pattern(pattern) => continue,
            (_, value) => value.clone(),
        };
        out.insert(name.clone(), new);
    }
    if fields.get("x-kubernetes-int-or-string") == Some(&json!(true)) {
        out.insert("type".to_owned(), json!(["integer", "string"]));
    }
    if fields.get("nullable") == Some(&json!(true))
        && let Some(type_) = out.get_mut("type")
    {
        *type_ = json!([type_.clone(), "null"]);
    }
    out.into()
}
