//! A CRD, and its API server in this process: the snippets of the README.

use crdkit::testing::ApiServer;
use crdkit::{CrdSchema, CustomResource};
use kube::api::PostParams;
use kube::{Api, Client};
use serde::{Deserialize, Serialize};

// ANCHOR: derive
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "stable.example.com", version = "v1", kind = "CronTab", namespaced, kube)]
#[crd(validation = "self.spec.replicas < 5 || self.spec.image != ''")]
struct CronTabSpec {
    image: String,
    #[schemars(range(min = 1, max = 10))]
    replicas: i32,
}
// ANCHOR_END: derive

// ANCHOR: server
#[tokio::test]
async fn too_many_replicas_are_rejected() {
    let server = ApiServer::with::<CronTab>().expect("the CRD is valid");
    let cron_tabs: Api<CronTab> = Api::default_namespaced(Client::new(server.service(), "default"));
    let cron_tab = CronTab::new("nightly", CronTabSpec { image: "backup".into(), replicas: 12 });
    let error = cron_tabs.create(&PostParams::default(), &cron_tab).await.expect_err("12 are too many");
    assert!(error.to_string().contains("should be less than or equal to 10"), "{error}");
}
// ANCHOR_END: server
