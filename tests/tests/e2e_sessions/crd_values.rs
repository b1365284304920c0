//! CRDs of random sessions, mostly ones that the server accepts, and statuses.

use serde_json::{Map, Value, json};

use super::Random;

/// Returns a CRD, mostly one that the server accepts.
pub(crate) fn crd(random: &mut Random, plural: &str) -> Value {
    let mut metadata = json!({"name": format!("{plural}.$G"), "labels": {"group": "$G"}});
    if random.one_in(5) {
        metadata["labels"][*random.choose(&["a", "b"])] = (*random.choose(&["b", "c", ""])).into();
    }
    if random.one_in(5) {
        metadata["annotations"] = random
            .choose(&[json!({"a": "b"}), json!({"api-approved.kubernetes.io": "unapproved, x"}), json!({})])
            .clone();
    }
    if random.one_in(10) {
        metadata["finalizers"] =
            random.choose(&[json!(["x.io/a"]), json!(["x.io/a", "x.io/b"]), json!([])]).clone();
    }
    if random.one_in(12) {
        let managed_fields = managed_fields(random);
        let (name, value) = random
            .choose(&[
                ("namespace", json!("default")),
                ("generateName", json!("x-")),
                ("generation", json!(7)),
                ("uid", json!("x")),
                ("ownerReferences", json!([{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "y"}])),
                ("managedFields", managed_fields),
                ("deletionTimestamp", json!("2020-01-01T00:00:00Z")),
                ("creationTimestamp", json!("2020-01-01T00:00:00Z")),
            ])
            .clone();
        metadata[name] = value;
    }
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata,
        "spec": spec(random, plural),
    })
}

/// Returns `managedFields`, mostly ones that cannot be read. At most one field of an entry is wrong: the API server lists the errors of an
/// entry in any order.
fn managed_fields(random: &mut Random) -> Value {
    if random.one_in(3) {
        return random.choose(&[json!([]), Value::Null, json!({}), json!("x")]).clone();
    }
    let entry = |random: &mut Random| {
        random
            .choose(&[
                json!("x"),
                Value::Null,
                json!({}),
                json!({"manager": 1}),
                json!({"time": "x"}),
                json!({"time": 1}),
                json!({"time": "2020-01-01T00:00:00Z"}),
                json!({"other": 1}),
                json!({"fieldsV1": "x"}),
                json!({"manager": "m", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}}),
                json!({"manager": "m", "operation": "Apply", "apiVersion": "apiextensions.k8s.io/v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}}),
            ])
            .clone()
    };
    if random.one_in(2) { json!([entry(random)]) } else { json!([entry(random), entry(random)]) }
}

fn spec(random: &mut Random, plural: &str) -> Value {
    let scope = if random.one_in(4) { "Cluster" } else { "Namespaced" };
    let mut spec =
        json!({"group": "$G", "scope": scope, "names": names(random, plural), "versions": versions(random)});
    if random.one_in(6) {
        let client = |config: Value| json!({"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": config}});
        spec["conversion"] = random
            .choose(&[
                json!({"strategy": "None"}),
                json!({"strategy": "Webhook"}),
                json!({"strategy": "Other"}),
                json!({"strategy": "None", "webhook": {"conversionReviewVersions": ["v1"]}}),
                client(json!({"service": {"name": "a", "namespace": "b"}})),
                client(json!({"service": {"name": "a", "namespace": "b", "path": "/x", "port": 444}})),
                client(json!({"url": "https://example.com/x"})),
                // `caBundle` is absent: certificates are not parsed.
                client(json!({"url": "http://example.com/x"})),
                client(json!({})),
            ])
            .clone();
    }
    if random.one_in(12) {
        spec["preserveUnknownFields"] = random.one_in(2).into();
    }
    spec
}

/// Names, which are sometimes those of the other CRD.
fn names(random: &mut Random, plural: &str) -> Value {
    let own = if plural == "hats" { ["Hat", "hat", "ht"] } else { ["Shirt", "shirt", "sh"] };
    let mut name = |at: usize| if random.one_in(8) { ["Hat", "hat", "ht"][at] } else { own[at] };
    let (kind, singular, short) = (name(0), name(1), name(2));
    let mut names = json!({"plural": plural, "kind": kind});
    if random.one_in(2) {
        names["singular"] = singular.into();
    }
    if random.one_in(3) {
        names["shortNames"] = random
            .choose(&[json!([short]), json!(["sh", "ht"]), json!([]), json!([plural]), json!(["x", "x"])])
            .clone();
    }
    if random.one_in(5) {
        names["listKind"] = format!("{}List", random.choose(&["Hat", "Shirt"])).into();
    }
    if random.one_in(5) {
        names["categories"] =
            random.choose(&[json!(["all"]), json!(["clothes", "all"]), json!([]), json!(["No"])]).clone();
    }
    names
}

fn versions(random: &mut Random) -> Value {
    let count = 1 + random.below(2);
    let stored = random.below(count);
    let mut versions = Vec::new();
    for at in 0..count {
        let name =
            if random.one_in(8) { *random.choose(&["v1", "v2", "v1beta1", "x"]) } else { ["v1", "v2"][at] };
        let mut version = Map::new();
        version.insert("name".to_owned(), name.into());
        version.insert("served".to_owned(), (!random.one_in(8)).into());
        version.insert(
            "storage".to_owned(),
            (if random.one_in(20) { at != stored } else { at == stored }).into(),
        );
        version.insert("schema".to_owned(), json!({"openAPIV3Schema": schema(random)}));
        let mut add = |random: &mut Random, name: &str, values: &[Value]| {
            if random.one_in(6) {
                version.insert(name.to_owned(), random.choose(values).clone());
            }
        };
        add(
            random,
            "subresources",
            &[
                json!({}),
                json!({"status": {}}),
                json!({"status": null}),
                json!({"status": {}, "scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}}),
                json!({"scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n", "labelSelectorPath": ".x"}}),
            ],
        );
        add(
            random,
            "additionalPrinterColumns",
            &[
                json!([]),
                json!([{"name": "A", "type": "string", "jsonPath": ".spec.a"}]),
                json!([{"name": "A", "type": "date", "jsonPath": ".spec.a", "priority": 0, "format": "", "description": ""}]),
                json!([{"name": "A", "type": "string", "jsonPath": ".spec.a", "priority": 1}, {"name": "A", "type": "wrong", "jsonPath": "a"}]),
            ],
        );
        add(
            random,
            "selectableFields",
            &[
                json!([]),
                json!([{"jsonPath": ".spec.a"}]),
                json!([{"jsonPath": ".spec.n"}, {"jsonPath": ".spec.n"}]),
                json!([{"jsonPath": ".spec.none"}]),
            ],
        );
        add(random, "deprecated", &[json!(true), json!(false)]);
        add(random, "deprecationWarning", &[json!("old"), json!(""), Value::Null]);
        versions.push(Value::Object(version));
    }
    versions.into()
}

fn schema(random: &mut Random) -> Value {
    let fields = random
        .choose(&[
            json!({"a": {"type": "string"}, "n": {"type": "integer"}}),
            json!({"a": {"type": "string", "maxLength": 5, "default": "d", "nullable": false}, "n": {"type": "integer", "minimum": 0}}),
            json!({"a": {"type": "string", "enum": ["x", "y"]}, "n": {"type": "integer", "default": 3}}),
            json!({"a": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}, "n": {"type": "integer"}}),
            json!({"a": {"type": "string"}, "n": {"type": "number"}, "l": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}}),
            json!({"a": {"type": "string", "description": "", "title": "", "format": ""}, "m": {"type": "object", "additionalProperties": {"type": "string"}}}),
            json!({"a": {"x-kubernetes-int-or-string": true}, "p": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}),
            json!({"a": {"type": "string", "default": 1}}),
            json!({"a": {"type": "wrong"}}),
            json!({"a": {"properties": {"b": {"type": "string"}}}}),
            json!({"a": {"type": "string", "x-kubernetes-validations": [{"rule": "self.x"}]}}),
            json!({}),
        ])
        .clone();
    let mut schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": fields}, "status": {"type": "object", "properties": {"n": {"type": "integer"}}}}});
    if random.one_in(10) {
        schema["required"] = random.choose(&[json!([]), json!(["spec"])]).clone();
    }
    if random.one_in(20) {
        schema = random
            .choose(&[
                json!({}),
                json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
                json!({"type": "string"}),
                Value::Null,
            ])
            .clone();
    }
    schema
}

pub(crate) fn with_status(random: &mut Random, plural: &str) -> Value {
    let mut crd = crd(random, plural);
    if random.one_in(3) {
        crd["status"] = status(random);
    }
    crd
}

pub(crate) fn status(random: &mut Random) -> Value {
    random
        .choose(&[
            json!({}),
            json!({"storedVersions": []}),
            json!({"storedVersions": ["v1"]}),
            json!({"storedVersions": ["v2"]}),
            json!({"storedVersions": ["v1", "v2"]}),
            json!({"storedVersions": ["v9"]}),
            json!({"acceptedNames": {"plural": "x", "kind": "X"}, "storedVersions": ["v1"]}),
            json!({"conditions": []}),
            json!({"conditions": [{"type": "Mine", "status": "True", "lastTransitionTime": null, "reason": "R", "message": "m"}]}),
            json!({"conditions": [{"type": "Mine", "status": "Maybe"}]}),
            json!({"conditions": [{"type": "Established", "status": "False"}]}),
            json!({"observedGeneration": 5}),
            Value::Null,
        ])
        .clone()
}
