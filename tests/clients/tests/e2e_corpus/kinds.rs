//! The kinds, with their objects and the requests that only some of them support.

use crd_tests::server::Server;
use serde_json::json;

use super::steps::{self, Kind, names};
use crd_tests_clients::external_secrets_io::v1 as external_secrets;
use crd_tests_clients::kafka_strimzi_io::v1 as kafka;
use crd_tests_clients::karpenter_sh::v1 as karpenter;
use crd_tests_clients::restate_dev::v1beta1 as restate;
use crd_tests_clients::snapshot_storage_k8s_io::v1 as snapshots;
use crd_tests_clients::support::client::{MetadataField, Select};
use crd_tests_clients::traefik_io::v1alpha1 as traefik;

const NAMESPACE: &str = "default";
const MANAGER: &str = "e2e";

/// Selectable fields.
pub(crate) async fn external_secrets(server: &Server) {
    use external_secrets::external_secret::{
        ExternalSecret, ExternalSecretApply, ExternalSecretSelectableField, ExternalSecretSpecApply,
        ExternalSecretStatus,
    };
    let client = external_secrets::Client::new(server.client.clone());
    client.install(MANAGER).await.unwrap();
    let objects = client.external_secrets(NAMESPACE);
    let kind = Kind {
        samples: [
            "external-secrets__external-secrets/externalsecret.external-secrets.io_v1-04.yaml",
            "external-secrets__external-secrets/externalsecret.external-secrets.io_v1-01.yaml",
        ],
        set: |object: &mut ExternalSecret, n| {
            object.spec.get_or_insert_default().refresh_interval = Some(format!("{n}h"));
        },
        form: |name, n| {
            let mut form = ExternalSecretApply::new(name);
            let spec =
                ExternalSecretSpecApply { refresh_interval: Some(format!("{n}h")), ..Default::default() };
            form.spec = Some(spec);
            form
        },
        extract: ExternalSecretApply::extract,
        wrong: (json!({"spec": {"refreshPolicy": "Sometimes"}}), "spec.refreshPolicy: Unsupported value"),
    };
    steps::all(server, &objects, &kind).await;
    let hourly = Select::all().field(ExternalSecretSelectableField::SpecRefreshInterval, "1h");
    assert_eq!(names(&objects, &hourly).await, ["a"]);
    assert_eq!(client.all_external_secrets().list(&hourly).await.unwrap().items.len(), 1);
    let other =
        Select::all().field_not(ExternalSecretSelectableField::SpecTargetName, "database-credentials");
    assert_eq!(names(&objects, &other).await, ["b"]);
    steps::status(&objects, &kind, |object| {
        let version = Some("3".to_owned());
        object.status = Some(ExternalSecretStatus { synced_resource_version: version, ..Default::default() });
    })
    .await;
    steps::clears(&objects).await;
}

/// Transition rules, and a union.
pub(crate) async fn volume_snapshots(server: &Server) {
    use snapshots::volume_snapshot::{
        VolumeSnapshot, VolumeSnapshotApply, VolumeSnapshotSpecApply, VolumeSnapshotStatus,
    };
    let client = snapshots::Client::new(server.client.clone());
    client.install(MANAGER).await.unwrap();
    let objects = client.volume_snapshots(NAMESPACE);
    let kind = Kind {
        samples: [
            "kubernetes-csi__external-snapshotter/volumesnapshot.snapshot.storage.k8s.io_v1-01.yaml",
            "longhorn__longhorn/volumesnapshot.snapshot.storage.k8s.io_v1-02.yaml",
        ],
        set: |object: &mut VolumeSnapshot, n| {
            object.spec.volume_snapshot_class_name = Some(format!("class-{n}"));
        },
        form: |name, n| {
            let mut form = VolumeSnapshotApply::new(name);
            let class = Some(format!("class-{n}"));
            form.spec =
                Some(VolumeSnapshotSpecApply { volume_snapshot_class_name: class, ..Default::default() });
            form
        },
        extract: VolumeSnapshotApply::extract,
        wrong: (
            json!({"spec": {"source": {"volumeSnapshotContentName": "content"}}}),
            "exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set",
        ),
    };
    steps::all(server, &objects, &kind).await;
    steps::status(&objects, &kind, |object| {
        object.status = Some(VolumeSnapshotStatus { ready_to_use: Some(true), ..Default::default() });
    })
    .await;
    steps::clears(&objects).await;
}

/// A kind without namespaces, with quantities.
pub(crate) async fn node_pools(server: &Server) {
    use karpenter::node_pool::{NodePool, NodePoolApply, NodePoolSpecApply, NodePoolStatus};
    let client = karpenter::Client::new(server.client.clone());
    client.install(MANAGER).await.unwrap();
    let objects = client.node_pools();
    let kind = Kind {
        samples: [
            "aws__karpenter-provider-aws/nodepool.karpenter.sh_v1-07.yaml",
            "Azure__karpenter-provider-azure/nodepool.karpenter.sh_v1-03.yaml",
        ],
        set: |object: &mut NodePool, n| object.spec.weight = Some(n.into()),
        form: |name, n| {
            let mut form = NodePoolApply::new(name);
            form.spec = Some(NodePoolSpecApply { weight: Some(n.into()), ..Default::default() });
            form
        },
        extract: NodePoolApply::extract,
        wrong: (
            json!({"spec": {"disruption": {"budgets": [{"nodes": "10%", "schedule": "@daily"}]}}}),
            "'schedule' must be set with 'duration'",
        ),
    };
    steps::all(server, &objects, &kind).await;
    let this = Select::all().field(MetadataField::Name, "a");
    assert_eq!(names(&objects, &this).await, ["a"]);
    steps::status(&objects, &kind, |object| {
        object.status = Some(NodePoolStatus { nodes: Some(2), ..Default::default() });
    })
    .await;
    steps::clears(&objects).await;
}

/// A definition of kube-rs: scale with a selector, and a transition rule.
pub(crate) async fn restate_deployments(server: &Server) {
    use restate::restate_deployment::{
        RestateDeployment, RestateDeploymentApply, RestateDeploymentSpecApply, RestateDeploymentStatus,
    };
    let client = restate::Client::new(server.client.clone());
    client.install(MANAGER).await.unwrap();
    let objects = client.restate_deployments(NAMESPACE);
    let kind = Kind {
        samples: [
            "restatedev__restate-operator/restatedeployment.restate.dev_v1beta1-05.yaml",
            "restatedev__restate-operator/restatedeployment.restate.dev_v1beta1-02.yaml",
        ],
        set: |object: &mut RestateDeployment, n| object.spec.min_ready_seconds = Some(n.into()),
        form: |name, n| {
            let mut form = RestateDeploymentApply::new(name);
            let spec = RestateDeploymentSpecApply { min_ready_seconds: Some(n.into()), ..Default::default() };
            form.spec = Some(spec);
            form
        },
        extract: RestateDeploymentApply::extract,
        wrong: (
            json!({"spec": {"deploymentMode": "knative", "autoscaling": {"a": 1}}}),
            "spec.autoscaling is only supported in replicaset mode (not knative)",
        ),
    };
    steps::all(server, &objects, &kind).await;
    steps::status(&objects, &kind, |object| {
        let label_selector = Some("app=greeter".to_owned());
        object.status = Some(RestateDeploymentStatus {
            replicas: 2,
            label_selector,
            ..RestateDeploymentStatus::default()
        });
    })
    .await;
    steps::scale(&objects, 2, Some("app=greeter")).await;
    steps::clears(&objects).await;
}

/// Scale with a required field.
pub(crate) async fn kafka_bridges(server: &Server) {
    use kafka::kafka_bridge::{KafkaBridge, KafkaBridgeApply, KafkaBridgeSpecApply, KafkaBridgeStatus};
    let client = kafka::Client::new(server.client.clone());
    client.install(MANAGER).await.unwrap();
    let objects = client.kafka_bridges(NAMESPACE);
    let kind = Kind {
        samples: [
            "strimzi__strimzi-kafka-operator/kafkabridge.kafka.strimzi.io_v1-03.yaml",
            "strimzi__strimzi-kafka-operator/kafkabridge.kafka.strimzi.io_v1-04.yaml",
        ],
        set: |object: &mut KafkaBridge, n| object.spec.bootstrap_servers = format!("kafka-{n}:9092"),
        form: |name, n| {
            let mut form = KafkaBridgeApply::new(name);
            let servers = Some(format!("kafka-{n}:9092"));
            form.spec = Some(KafkaBridgeSpecApply { bootstrap_servers: servers, ..Default::default() });
            form
        },
        extract: KafkaBridgeApply::extract,
        wrong: (json!({"spec": {"metricsConfig": {"valueFrom": null}}}), "valueFrom property is required"),
    };
    steps::all(server, &objects, &kind).await;
    steps::status(&objects, &kind, |object| {
        object.status = Some(KafkaBridgeStatus { replicas: Some(1), ..Default::default() });
    })
    .await;
    steps::scale(&objects, 1, None).await;
    steps::clears(&objects).await;
}

/// Neither status nor scale.
pub(crate) async fn servers_transports(server: &Server) {
    use traefik::servers_transport::{ServersTransport, ServersTransportApply, ServersTransportSpecApply};
    let client = traefik::Client::new(server.client.clone());
    client.install(MANAGER).await.unwrap();
    let objects = client.servers_transports(NAMESPACE);
    let kind = Kind {
        samples: [
            "traefik__traefik/serverstransport.traefik.io_v1alpha1-01.yaml",
            "traefik__traefik/serverstransport.traefik.io_v1alpha1-02.yaml",
        ],
        set: |object: &mut ServersTransport, n| object.spec.server_name = Some(format!("server-{n}")),
        form: |name, n| {
            let mut form = ServersTransportApply::new(name);
            let server_name = Some(format!("server-{n}"));
            form.spec = Some(ServersTransportSpecApply { server_name, ..Default::default() });
            form
        },
        extract: ServersTransportApply::extract,
        wrong: (
            json!({"spec": {"rootCAs": [{"secret": "a", "configMap": "b"}]}}),
            "RootCA cannot have both Secret and ConfigMap defined.",
        ),
    };
    steps::all(server, &objects, &kind).await;
    steps::clears(&objects).await;
}
