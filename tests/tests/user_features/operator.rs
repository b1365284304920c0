//! An operator that uses kube alone. It prints what depends on features of serde_json: its CRD, policies that it compares as text, and the
//! hash of a template in the name of a `ReplicaSet`.

use std::hash::{DefaultHasher, Hash, Hasher};

use kube::{CustomResource, CustomResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A tenant with its policy and the template of its Pods.
#[derive(CustomResource, Serialize, Deserialize, JsonSchema, Clone, Debug)]
#[kube(group = "example.com", version = "v1", kind = "Tenant", namespaced)]
#[serde(rename_all = "camelCase")]
pub struct TenantSpec {
    zone: String,
    policy: String,
    #[serde(default)]
    buckets: Vec<String>,
    size: Size,
}

/// A size.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub enum Size {
    /// The given number of replicas.
    Fixed { replicas: u32 },
    /// A part of all nodes.
    Relative { ratio: f64 },
}

fn main() {
    println!("{}", serde_json::to_string(&Tenant::crd()).unwrap());
    println!("{}", json!({"b": 1, "a": 2}));
    let (written, stored) = (
        r#"{"Version": "1", "Statement": [{"Resource": "*", "Effect": "Allow"}]}"#,
        r#"{"Statement":[{"Effect":"Allow","Resource":"*"}],"Version":"1"}"#,
    );
    println!("{} {}", normal(written), normal(written) == normal(stored));
    println!("{}", normal("[122.416294033786585, 1.0e2, 18446744073709551616]"));
    let mut template =
        json!({"spec": {"image": "a"}, "metadata": {"labels": {"z": "1", "a": "2"}}, "kind": "Pod"});
    template.as_object_mut().unwrap().remove("spec");
    println!("{template}");
    println!("tenant-{:x}", hash(&template));
}

/// Returns a policy in the spelling in which policies are compared.
fn normal(policy: &str) -> String {
    serde_json::from_str::<Value>(policy).unwrap().to_string()
}

fn hash(template: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    template.to_string().hash(&mut hasher);
    hasher.finish()
}
