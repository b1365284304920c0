//! Derived types with `#[crd(kube)]` against a real API server, through `kube::Api`: all requests that the definition allows, and
//! the server's answers compared with those of `validator_at()`.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::Duration;

use crd_tests::predictions::Predictions;
use crd_tests::server::{Server, refused};
use crdkit::{CrdSchema, CustomResource};
use futures::{StreamExt as _, TryStreamExt as _};
use kube::CustomResourceExt;
use kube::api::{
    Api, DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A boiler, with everything that a definition can allow.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(
    group = "plant.example.com",
    version = "v1",
    kind = "Boiler",
    namespaced,
    kube,
    status = "BoilerStatus",
    scale(
        spec_replicas_path = ".spec.burners",
        status_replicas_path = ".status.burners",
        label_selector_path = ".status.selector"
    ),
    selectable = ".spec.site"
)]
#[serde(rename_all = "camelCase")]
#[crd(validation(rule = "self.spec.low < self.spec.high", message = "low must be below high"))]
struct BoilerSpec {
    /// Where it stands.
    #[crd(immutable)]
    #[schemars(regex(pattern = "^[a-z]+$"))]
    site: String,
    #[schemars(range(min = 0, max = 9))]
    burners: i32,
    low: i32,
    high: i32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(list_type = "map", list_map_keys = ["name"])]
    valves: Vec<Valve>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fuel: Option<Fuel>,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Valve {
    #[schemars(length(min = 1))]
    name: String,
    #[serde(default)]
    open: bool,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
enum Fuel {
    Gas,
    Wood,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
struct BoilerStatus {
    burners: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    selector: Option<String>,
}

/// A kind without namespaces and subresources.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "plant.example.com", version = "v1", kind = "Site", kube)]
struct SiteSpec {
    #[schemars(length(min = 2))]
    town: String,
}

fn boiler(name: &str, site: &str) -> Boiler {
    let valves = vec![Valve { name: "main".into(), open: true }];
    Boiler::new(
        name,
        BoilerSpec { site: site.into(), burners: 1, low: 10, high: 90, valves, fuel: Some(Fuel::Gas) },
    )
}

#[tokio::test]
async fn derived_types_do_what_their_definitions_allow() {
    let Some(server) = Server::start_with_all_features().await else { return };
    install(&server, &<Boiler as CustomResource>::crd().unwrap().to_value()).await;
    // kube's own trait has the same definition, in its own type.
    install(&server, &json(&<Site as CustomResourceExt>::crd())).await;
    assert_eq!(<Boiler as CustomResourceExt>::api_resource().plural, "boilers");

    let boilers: Api<Boiler> = Api::namespaced(server.client.clone(), "default");
    let events = creates(&boilers).await;
    reads(&boilers).await;
    replaces(&boilers).await;
    sees(events).await;
    subresources(&boilers).await;
    applies(&boilers).await;
    answers(&server, &boilers).await;
    let deleted = boilers.delete_collection(&DeleteParams::default(), &ListParams::default()).await.unwrap();
    assert_eq!(deleted.left().unwrap().items.len(), 3);
    sites(&server).await;
}

/// Creates the definition, and waits until the server serves it.
async fn install(server: &Server, definition: &Value) {
    const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let answer = server.post(&format!("{CRDS}?fieldValidation=Strict"), definition).await;
    assert_eq!(answer["kind"], "CustomResourceDefinition", "{answer}");
    let spec = &definition["spec"];
    let (group, plural) = (spec["group"].as_str().unwrap(), spec["names"]["plural"].as_str().unwrap());
    for _ in 0..200 {
        let list = http::Request::get(format!("/apis/{group}/v1/{plural}")).body(Vec::new()).unwrap();
        if server.client.request_text(list).await.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{plural}.{group} is not served");
}

type Events = futures::stream::BoxStream<'static, kube::Result<WatchEvent<Boiler>>>;

async fn creates(boilers: &Api<Boiler>) -> Events {
    let version = boilers.list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap();
    let events = boilers.watch(&WatchParams::default(), &version).await.unwrap().boxed();
    for (name, site) in [("a", "north"), ("b", "south"), ("c", "north")] {
        let wanted = boiler(name, site);
        let created = boilers.create(&PostParams::default(), &wanted).await.unwrap();
        assert_eq!(created.spec, wanted.spec);
    }
    assert_eq!(refused(boilers.create(&PostParams::default(), &boiler("a", "north")).await), 409);
    events
}

async fn reads(boilers: &Api<Boiler>) {
    let north = ListParams::default().fields("spec.site=north");
    assert_eq!(names(boilers, &north).await, ["a", "c"]);
    let page = boilers.list(&ListParams::default().limit(2)).await.unwrap();
    let rest = ListParams::default().limit(2).continue_token(&page.metadata.continue_.unwrap());
    assert_eq!((page.items.len(), names(boilers, &rest).await), (2, vec!["c".to_owned()]));
    assert!(boilers.get_opt("x").await.unwrap().is_none());
}

async fn replaces(boilers: &Api<Boiler>) {
    let before = boilers.get("b").await.unwrap();
    let mut changed = before.clone();
    changed.spec.fuel = Some(Fuel::Wood);
    let stored = boilers.replace("b", &PostParams::default(), &changed).await.unwrap();
    assert_eq!(stored.spec, changed.spec);
    assert_eq!(refused(boilers.replace("b", &PostParams::default(), &before).await), 409);
}

async fn sees(events: Events) {
    let seen: Vec<WatchEvent<Boiler>> = events.take(4).try_collect().await.unwrap();
    match &*seen {
        [WatchEvent::Added(a), WatchEvent::Added(_), WatchEvent::Added(_), WatchEvent::Modified(b)] => {
            assert_eq!((&a.spec, &b.spec.fuel), (&boiler("a", "north").spec, &Some(Fuel::Wood)));
        }
        other => panic!("{other:?}"),
    }
}

async fn subresources(boilers: &Api<Boiler>) {
    let mut wanted = boilers.get("a").await.unwrap();
    wanted.spec.high = 50;
    wanted.status = Some(BoilerStatus { burners: 1, selector: Some("boiler=a".into()) });
    let stored = boilers.replace_status("a", &PostParams::default(), &wanted).await.unwrap();
    assert_eq!((&stored.status, stored.spec.high), (&wanted.status, 90));

    let scale = boilers.get_scale("a").await.unwrap();
    let status = scale.status.unwrap();
    assert_eq!((status.replicas, status.selector.as_deref()), (1, Some("boiler=a")));
    let patch = |burners: i32| Patch::Merge(json!({"spec": {"replicas": burners}}));
    boilers.patch_scale("a", &PatchParams::default(), &patch(4)).await.unwrap();
    assert_eq!(boilers.get("a").await.unwrap().spec.burners, 4);
    // The schema has the same limit there.
    assert_eq!(refused(boilers.patch_scale("a", &PatchParams::default(), &patch(10)).await), 422);
}

async fn applies(boilers: &Api<Boiler>) {
    let (one, two) = (PatchParams::apply("one"), PatchParams::apply("two"));
    boilers.patch("applied", &one, &Patch::Apply(&boiler("applied", "west"))).await.unwrap();
    let mut other = boiler("applied", "west");
    other.spec.high = 80;
    assert_eq!(refused(boilers.patch("applied", &two, &Patch::Apply(&other)).await), 409);
    let forced = boilers.patch("applied", &two.clone().force(), &Patch::Apply(&other)).await.unwrap();
    assert_eq!(forced.spec.high, 80);
    assert_eq!(refused(boilers.patch("applied", &one, &Patch::Apply(&boiler("applied", "west"))).await), 409);
    // The list has keys, so that each manager owns its items.
    other.spec.valves = vec![Valve { name: "spare".into(), open: false }];
    let merged = boilers.patch("applied", &two, &Patch::Apply(&other)).await.unwrap();
    assert_eq!(merged.spec.valves.iter().map(|valve| &*valve.name).collect::<Vec<_>>(), ["main", "spare"]);
    boilers.delete("applied", &DeleteParams::default()).await.unwrap();
}

async fn answers(server: &Server, boilers: &Api<Boiler>) {
    let mut predictions = Predictions::new(
        server,
        boilers.resource_url(),
        &Boiler::validator_at(server.options.kube_version).unwrap(),
    );
    let mut wrong = boiler("new", "east");
    wrong.spec.low = 95;
    predictions.create(&json(&wrong)).await;
    let stored = json(&boilers.get("b").await.unwrap());
    predictions.break_everywhere(&[json(&boiler("new", "east"))], &stored).await;
    let causes = ["low must be below high", "is immutable", "Unsupported value", "should match '^[a-z]+$'"];
    predictions.finish("Boiler", &causes);
}

async fn sites(server: &Server) {
    let sites: Api<Site> = Api::all(server.client.clone());
    let mut site = Site::new("north", SiteSpec { town: "Aa".into() });
    site.metadata = ObjectMeta { labels: Some([("zone".into(), "one".into())].into()), ..site.metadata };
    sites.create(&PostParams::default(), &site).await.unwrap();
    let zone = ListParams::default().labels("zone=one");
    assert_eq!(sites.list(&zone).await.unwrap().items[0].spec, site.spec);
    let wrong = Site::new("south", SiteSpec { town: "A".into() });
    assert_eq!(refused(sites.create(&PostParams::default(), &wrong).await), 422);
    assert_eq!(refused(sites.get_status("north").await), 404);
    sites.delete("north", &DeleteParams::default()).await.unwrap();
}

async fn names(boilers: &Api<Boiler>, params: &ListParams) -> Vec<String> {
    let list = boilers.list(params).await.unwrap();
    list.items.into_iter().filter_map(|boiler| boiler.metadata.name).collect()
}

fn json(object: &impl Serialize) -> Value {
    serde_json::to_value(object).unwrap()
}
