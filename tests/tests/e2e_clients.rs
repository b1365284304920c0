//! Generated clients against a real API server: everything that they can do, on the definitions of
//! `crd-codegen/tests/fixtures/clients.json`.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![deny(warnings)]

#[allow(clippy::semicolon_if_nothing_returned, clippy::doc_markdown, reason = "generated")]
mod generated {
    include!("../../crd-codegen/tests/golden/clients.rs");
}

use std::collections::BTreeMap;

use crd_tests::server::Server;
use futures::{StreamExt as _, TryStreamExt as _};
use generated::clients_example_com::v1::shirt::{
    ShirtApply, ShirtPartApply, ShirtSelectableField, ShirtSpec, ShirtSpecApply, ShirtStatus,
};
use generated::clients_example_com::v1::shirt_policy::ShirtPolicySpec;
use generated::clients_example_com::v1::{Client, Shirt, ShirtPolicy};
use generated::support::client::{MetadataField, Objects, Select};
use kube::api::{Patch, WatchEvent};
use serde_json::json;

const NAMESPACE: &str = "default";

fn shirt(name: &str, color: &str) -> Shirt {
    Shirt::new(name, ShirtSpec { color: color.into(), replicas: Some(1), ..ShirtSpec::default() })
}

async fn names(shirts: &Objects<Shirt>, select: &Select<Shirt>) -> Vec<String> {
    let list = shirts.list(select).await.unwrap();
    list.items.into_iter().filter_map(|shirt| shirt.metadata.name).collect()
}

/// Returns the code of the refusal.
fn refused<T>(result: kube::Result<T>) -> u16 {
    match result {
        Err(kube::Error::Api(status)) => status.code,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("not refused"),
    }
}

#[tokio::test]
async fn clients_do_what_the_definitions_allow() {
    let Some(server) = Server::start_with_all_features().await else { return };
    let client = Client::new(server.client.clone());
    client.install("e2e").await.unwrap();
    // Installing again is not an error.
    client.install("e2e").await.unwrap();
    let shirts = client.shirts(NAMESPACE);

    reads_and_writes(&client, &shirts).await;
    subresources(&shirts).await;
    applies(&shirts).await;
    watches(&shirts).await;
    cluster_scope(&client).await;

    assert_eq!(shirts.delete_collection(&Select::all()).await.unwrap().len(), 5);
    assert_eq!(names(&shirts, &Select::all()).await, [""; 0]);
}

async fn reads_and_writes(client: &Client, shirts: &Objects<Shirt>) {
    for (name, color) in [("a", "red"), ("b", "blue"), ("c", "red"), ("d", "a,b=c")] {
        let created = shirts.create(&shirt(name, color)).await.unwrap();
        assert_eq!(created.spec, shirt(name, color).spec);
    }
    assert_eq!(refused(shirts.create(&shirt("a", "red")).await), 409);

    let red = Select::all().field(ShirtSelectableField::SpecColor, "red");
    assert_eq!(names(shirts, &red).await, ["a", "c"]);
    let odd = Select::all().field(ShirtSelectableField::SpecColor, "a,b=c");
    assert_eq!(names(shirts, &odd).await, ["d"]);
    let other = Select::all().field_not(ShirtSelectableField::MetadataName, "a");
    assert_eq!(names(shirts, &other).await, ["b", "c", "d"]);

    let paged: Vec<Shirt> = shirts.stream(&Select::all(), 1).try_collect().await.unwrap();
    assert_eq!(paged.len(), 4);
    assert_eq!(client.all_shirts().list(&red).await.unwrap().items.len(), 2);

    let mut changed = shirts.get("b").await.unwrap();
    let before = changed.clone();
    changed.spec.color = "green".into();
    changed.metadata.labels = Some(BTreeMap::from([("tier".into(), "x".into())]));
    assert_eq!(shirts.replace(&changed).await.unwrap().spec.color, "green");
    assert_eq!(refused(shirts.replace(&before).await), 409);
    assert_eq!(names(shirts, &Select::all().label("tier", "x")).await, ["b"]);
    assert_eq!(names(shirts, &Select::all().labels("!tier")).await, ["a", "c", "d"]);

    let patch = Patch::Merge(json!({"spec": {"color": "blue"}}));
    assert_eq!(shirts.patch("b", &patch).await.unwrap().spec.color, "blue");
    let nothing = Patch::Merge(json!({"spec": {"color": null}}));
    assert_eq!(refused(shirts.patch("b", &nothing).await), 422);

    assert!(shirts.delete("d").await.unwrap().is_none());
    assert!(shirts.get_opt("d").await.unwrap().is_none());
    assert_eq!(shirts.api().get("a").await.unwrap().spec.color, "red");
}

async fn subresources(shirts: &Objects<Shirt>) {
    let mut shirt = shirts.get("a").await.unwrap();
    shirt.status =
        Some(ShirtStatus { replicas: Some(1), selector: Some("a=b".into()), ..ShirtStatus::default() });
    shirt.spec.color = "no change of this".into();
    let stored = shirts.replace_status(&shirt).await.unwrap();
    assert_eq!((stored.spec.color.as_str(), stored.status), ("red", shirt.status));
    let patch = Patch::Merge(json!({"status": {"phase": "Ready"}}));
    assert_eq!(
        shirts.patch_status("a", &patch).await.unwrap().status.unwrap().phase.as_deref(),
        Some("Ready")
    );
    assert_eq!(shirts.get_status("a").await.unwrap().status.unwrap().replicas, Some(1));

    let scale = shirts.get_scale("a").await.unwrap();
    assert_eq!((scale.wanted, scale.present, scale.selector.as_deref()), (Some(1), 1, Some("a=b")));
    assert_eq!(shirts.patch_scale("a", 3).await.unwrap().wanted, Some(3));
    assert_eq!(shirts.get("a").await.unwrap().spec.replicas, Some(3));
}

async fn applies(shirts: &Objects<Shirt>) {
    let mine = shirt("applied", "red");
    assert_eq!(shirts.apply("one", &mine).await.unwrap().spec.color, "red");
    let mut theirs = mine.clone();
    theirs.spec.color = "blue".into();
    assert_eq!(refused(shirts.apply("two", &theirs).await), 409);
    assert_eq!(shirts.force_apply("two", &theirs).await.unwrap().spec.color, "blue");
    assert_eq!(refused(shirts.apply("one", &mine).await), 409);
    // Each manager owns exactly the fields that it has applied.
    let parts = |name: &str| Some(vec![ShirtPartApply { name: name.into(), size: None }]);
    let mut form = ShirtApply::new("shared");
    form.spec =
        Some(ShirtSpecApply { color: Some("red".into()), parts: parts("collar"), ..Default::default() });
    shirts.apply("one", &form).await.unwrap();
    let mut other = ShirtApply::new("shared");
    other.spec = Some(ShirtSpecApply { parts: parts("sleeve"), ..Default::default() });
    let stored = shirts.apply("two", &other).await.unwrap();
    assert_eq!(stored.spec.parts.as_ref().map(Vec::len), Some(2));
    assert_eq!(ShirtApply::extract(&stored, "one").unwrap().unwrap().spec, form.spec);
    assert_eq!(ShirtApply::extract(&stored, "two").unwrap().unwrap().spec, other.spec);
    assert_eq!(ShirtApply::extract(&stored, "three").unwrap(), None);
    // Fields that are no longer applied are removed.
    other.spec = Some(ShirtSpecApply::default());
    let stored = shirts.apply("two", &other).await.unwrap();
    assert_eq!(stored.spec.parts.as_ref().map(Vec::len), Some(1));

    // An object from the server can be applied, because its managed fields are not sent.
    let read = shirts.get("applied").await.unwrap();
    let mut again = Shirt::new("applied", read.spec.clone());
    again.metadata.managed_fields = read.metadata.managed_fields;
    shirts.apply("two", &again).await.unwrap();
}

async fn watches(shirts: &Objects<Shirt>) {
    let version = shirts.list(&Select::all()).await.unwrap().metadata.resource_version.unwrap();
    let only = Select::all().field(ShirtSelectableField::MetadataName, "b");
    let events = shirts.watch(&only, &version).await.unwrap();
    shirts.patch("a", &Patch::Merge(json!({"spec": {"color": "white"}}))).await.unwrap();
    shirts.patch("b", &Patch::Merge(json!({"spec": {"color": "black"}}))).await.unwrap();
    let event = events.take(1).collect::<Vec<_>>().await.remove(0).unwrap();
    let WatchEvent::Modified(shirt) = event else { panic!("{event:?}") };
    assert_eq!((shirt.metadata.name.as_deref(), shirt.spec.color.as_str()), (Some("b"), "black"));
}

async fn cluster_scope(client: &Client) {
    let policies = client.shirt_policies();
    let policy = ShirtPolicy::new("p", ShirtPolicySpec { maximum: Some(3), ..ShirtPolicySpec::default() });
    policies.create(&policy).await.unwrap();
    let this = Select::all().field(MetadataField::Name, "p");
    assert_eq!(policies.list(&this).await.unwrap().items[0].spec, policy.spec);
    policies.delete("p").await.unwrap();
}
