#![deny(warnings)]

mod fields;
mod kubernetes;
mod kubernetes_exact;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn main() {
    table();
    let object = |mut spec: Value, status: Value| {
        spec["passwordSecretRef"] = json!({"key": "k", "name": "n"});
        json!({
            "apiVersion": "kitchen.example.com/v1", "kind": "Kettle", "metadata": {"name": "k"},
            "spec": spec, "status": status,
        })
    };
    let condition = json!({
        "lastTransitionTime": "2024-01-01T00:00:00Z", "message": "", "reason": "Boiled", "status": "True", "type": "Hot",
    });
    let both = object(
        json!({
            "selector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "k", "operator": "Exists"}]},
            "recipe": {"key": "k", "name": "", "optional": true}, "lid": {"key": "k", "name": ""},
            "looseSecretRef": {"key": "k"}, "owner": {"name": "o"},
            "tolerations": [{"key": "k", "operator": "Exists", "tolerationSeconds": 9_000_000_000_i64}],
            "resources": {"limits": {"cpu": "500m"}}, "strictResources": {"limits": {"cpu": null}},
            "port": 80, "since": "2024-01-01T00:00:00Z", "mine": {"matchLabels": {}},
        }),
        json!({"conditions": [condition], "oldConditions": [{"status": "True", "type": "Hot"}]}),
    );
    keeps::<kubernetes::kitchen_example_com::v1::Kettle>(&both);
    keeps::<kubernetes_exact::kitchen_example_com::v1::Kettle>(&both);
    // The round trip is exact only with the option `exact`.
    let numbers = object(json!({"resources": {"limits": {"cpu": 1}}, "since": "2024-01-01T01:00:00.5+01:00"}), json!({}));
    keeps::<kubernetes_exact::kitchen_example_com::v1::Kettle>(&numbers);
    let again = again::<kubernetes::kitchen_example_com::v1::Kettle>(&numbers);
    assert_eq!(again["spec"]["resources"]["limits"]["cpu"], "1");
    assert_eq!(again["spec"]["since"], "2024-01-01T00:00:00Z");
    apply_forms(&both);
    println!("as expected");
}

/// A type of k8s-openapi writes fields that were not set, its apply form does not.
fn apply_forms(object: &Value) {
    use kubernetes_exact::kitchen_example_com::v1::Kettle;
    use kubernetes_exact::kitchen_example_com::v1::kettle::{KettleApply, KettlePasswordSecretRefApply, KettleSpecApply};

    let full: Kettle = serde_json::from_value(object.clone()).unwrap();
    let all = KettleApply::try_from(full).unwrap();
    assert_eq!(serde_json::to_value(&all).unwrap(), *object);

    let name = KettlePasswordSecretRefApply { name: Some("n".to_owned()), ..Default::default() };
    let mut one = KettleApply::new("k");
    one.spec = Some(KettleSpecApply { password_secret_ref: Some(name), ..Default::default() });
    let spec = serde_json::to_value(&one).unwrap()["spec"].clone();
    assert_eq!(spec, json!({"passwordSecretRef": {"name": "n"}}));

    let selector = k8s_openapi::api::core::v1::SecretKeySelector { key: "k".to_owned(), ..Default::default() };
    let form = KettlePasswordSecretRefApply::try_from(selector).unwrap();
    assert_eq!(serde_json::to_value(&form).unwrap(), json!({"key": "k", "name": ""}));
}

fn keeps<T: Serialize + DeserializeOwned>(object: &Value) {
    assert_eq!(again::<T>(object), *object);
}

fn again<T: Serialize + DeserializeOwned>(object: &Value) -> Value {
    serde_json::to_value(serde_json::from_value::<T>(object.clone()).unwrap()).unwrap()
}
