//! The first test of the page "Testing an operator" of the book.

// ANCHOR: first
use crdkit::testing::ApiServer;
use example_operator::{Operator, Website, WebsiteSpec, controller};
use k8s_openapi::api::apps::v1::Deployment;
use kube::api::PostParams;
use kube::runtime::wait::await_condition;
use kube::{Api, Client};
use tokio::time::{Duration, timeout};

#[tokio::test]
async fn a_website_gets_a_deployment() {
    let server = ApiServer::with::<Website>().expect("the CRD is valid");
    let client = Client::new(server.service(), "default");
    let operator = Operator { client: client.clone(), directory: "default".into(), watched: None };
    tokio::spawn(controller::run(operator));

    let websites: Api<Website> = Api::default_namespaced(client.clone());
    let spec = WebsiteSpec { host: "blog.example.com".into(), image: "nginx".into(), replicas: 2 };
    websites.create(&PostParams::default(), &Website::new("blog", spec)).await.expect("it is accepted");

    let deployments: Api<Deployment> = Api::default_namespaced(client);
    let exists = await_condition(deployments, "blog", |found: Option<&Deployment>| found.is_some());
    timeout(Duration::from_secs(60), exists).await.expect("it comes in time").expect("it can be watched");
}
// ANCHOR_END: first
