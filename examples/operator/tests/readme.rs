//! The snippets of the README.

use crdkit::testing::ApiServer;
use crdkit::{CrdSchema, CustomResource};
use kube::api::PostParams;
use kube::{Api, Client};
use serde::{Deserialize, Serialize};

// ANCHOR: derive
/// Command that runs on a schedule.
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
    let spec = CronTabSpec { image: "backup".into(), replicas: 12 };
    let answer = cron_tabs.create(&PostParams::default(), &CronTab::new("nightly", spec)).await;
    let message = answer.expect_err("12 replicas are too many").to_string();
    assert!(message.contains("spec.replicas in body should be less than or equal to 10"), "{message}");
}
// ANCHOR_END: server
