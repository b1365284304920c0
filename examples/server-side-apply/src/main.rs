//! Applies two fields of an object, and leaves the others to their managers.
//!
//! This command generated `src/api`:
//!
//! ```console
//! crdkit generate crds --out src/api --client --apply --setters
//! ```

// Generated code has its own formatting.
#[rustfmt::skip]
mod api;

// ANCHOR: apply
use api::monitoring_example_org::v1::prometheus::{PrometheusApply, PrometheusSpecApply};
use api::monitoring_example_org::v1::{Client, Prometheus};

/// The owner of the two fields.
const MANAGER: &str = "capacity-planner";

/// Sets how many servers there are and how long they keep samples.
async fn plan(client: &Client, name: &str, replicas: i32, retention: &str) -> kube::Result<Prometheus> {
    let spec = PrometheusSpecApply::default().with_replicas(replicas).with_retention(retention);
    let wanted = PrometheusApply::new(name).with_spec(spec);
    client.prometheuses("monitoring").apply(MANAGER, &wanted).await
}
// ANCHOR_END: apply

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(kube::Client::try_default().await?);
    let prometheus = plan(&client, "main", 3, "30d").await?;
    println!("{}", serde_json::to_string_pretty(&prometheus.spec)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crd_server::Server;
    use serde_json::{Value, json};

    use super::*;

    /// Returns a client of a server that has an object of somebody else.
    fn client() -> Client {
        let server = Server::new();
        let crd: Value = serde_yaml::from_str(include_str!("../crds/prometheuses.yaml")).unwrap();
        server.create(&crd).unwrap();
        let prometheus = json!({
            "apiVersion": "monitoring.example.org/v1",
            "kind": "Prometheus",
            "metadata": {"name": "main", "namespace": "monitoring"},
            "spec": {
                "serviceAccountName": "prometheus",
                "scrapeInterval": "30s",
                "storage": {"size": "50Gi"},
            },
        });
        server.create(&prometheus).unwrap();
        Client::new(kube::Client::new(server, "monitoring"))
    }

    #[tokio::test]
    async fn two_fields_are_applied_and_the_others_stay() {
        let prometheus = plan(&client(), "main", 3, "30d").await.unwrap();
        let expected = json!({
            "serviceAccountName": "prometheus",
            "replicas": 3,
            "retention": "30d",
            "scrapeInterval": "30s",
            "storage": {"size": "50Gi"},
        });
        assert_eq!(serde_json::to_value(&prometheus.spec).unwrap(), expected);
        // The form has the fields of this manager, and no others.
        let applied = PrometheusApply::extract(&prometheus, MANAGER).unwrap();
        let expected = json!({"replicas": 3, "retention": "30d"});
        assert_eq!(serde_json::to_value(&applied).unwrap()["spec"], expected);
    }

    #[tokio::test]
    async fn a_field_of_another_manager_is_a_conflict() {
        let client = client();
        plan(&client, "main", 3, "30d").await.unwrap();
        let wanted = PrometheusApply::new("main").with_spec(PrometheusSpecApply::default().with_replicas(5));
        let error = client.prometheuses("monitoring").apply("autoscaler", &wanted).await.unwrap_err();
        assert!(error.to_string().contains(".spec.replicas"), "{error}");
    }
}
