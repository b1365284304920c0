//! Resources and schemas with parameters.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::marker::PhantomData;

use crdkit::{CrdSchema, CustomResource};
use kube::core::object::{HasSpec, HasStatus};
use kube::core::{CustomResourceExt, Resource};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One kind of job, with whatever runs it.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq, Default)]
#[crd(
    group = "example.com",
    version = "v1",
    kind = "Job",
    namespaced,
    status = "JobStatus<R>",
    derive = "PartialEq",
    derive = "Default",
    printcolumn(name = "Runner", type = "string", json_path = ".spec.runner.image")
)]
struct JobSpec<R = Container>
where
    R: Runner,
{
    runner: R,
    #[crd(validation = "self >= 0", immutable)]
    retries: i32,
    before: Vec<R>,
}

/// A type that runs a job.
trait Runner {
    fn command(&self) -> String;
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct JobStatus<R> {
    last: Option<R>,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq, Default)]
struct Container {
    image: String,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Script {
    #[schemars(length(max = 4096))]
    code: String,
}

impl Runner for Container {
    fn command(&self) -> String {
        format!("run {}", self.image)
    }
}

impl Runner for Script {
    fn command(&self) -> String {
        self.code.clone()
    }
}

fn spec(crd: &crdkit::CustomResourceDefinition) -> Value {
    let crd = crd.to_value();
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"].clone()
}

#[test]
fn each_type_has_its_own_definition() -> Result<(), Box<dyn std::error::Error>> {
    assert_eq!((Job::<Script>::API_VERSION, <Job>::CRD_NAME), ("example.com/v1", "jobs.example.com"));
    let container = spec(&<Job>::crd()?);
    assert_eq!(container["properties"]["runner"]["properties"]["image"]["type"], "string");
    let script = spec(&Job::<Script>::crd()?);
    assert_eq!(script["properties"]["runner"]["properties"]["code"]["maxLength"], 4096);
    assert_eq!(script["properties"]["before"]["items"], script["properties"]["runner"]);
    assert_eq!(script["properties"]["retries"]["x-kubernetes-validations"][0]["rule"], "self >= 0");
    Ok(())
}

#[test]
fn objects_are_written_and_read() -> Result<(), Box<dyn std::error::Error>> {
    let runner = Script { code: "exit".to_owned() };
    let mut job = Job::new("one", JobSpec { runner: runner.clone(), retries: 1, before: Vec::new() });
    job.status = Some(JobStatus { last: Some(runner) });
    let written = serde_json::to_value(&job)?;
    let expected = json!({
        "apiVersion": "example.com/v1", "kind": "Job", "metadata": {"name": "one"},
        "spec": {"runner": {"code": "exit"}, "retries": 1, "before": []}, "status": {"last": {"code": "exit"}},
    });
    assert_eq!(written, expected);
    assert_eq!(serde_json::from_value::<Job<Script>>(written.clone())?, job);
    assert_eq!(Job::<Script>::try_from(written.clone())?, job);
    assert!(serde_json::from_value::<Job>(written).is_err());
    assert_eq!(<Job>::default().spec.runner.command(), "run ");
    Ok(())
}

/// Parameters of kube's clients: bounds on the struct, a constant, and names that emitted code might use itself.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "example.com", version = "v1", kind = "Grid", status = "BTreeMap<String, D>")]
struct GridSpec<S: Clone + Debug, D: Debug + Clone, const N: usize> {
    #[serde(bound(serialize = "S: Serialize", deserialize = "S: DeserializeOwned"))]
    cells: Vec<S>,
    #[serde(skip)]
    _size: PhantomData<([(); N], D)>,
}

/// Returns the bounds of a controller on its types.
fn name_of<K>(object: &K) -> String
where
    K: Resource<DynamicType = ()>
        + HasSpec
        + HasStatus
        + CustomResourceExt
        + Clone
        + Debug
        + DeserializeOwned,
{
    format!("{}/{}", K::api_resource().plural, object.meta().name.clone().unwrap_or_default())
}

#[test]
fn kube_takes_them() {
    let grid: Grid<i32, bool, 2> = serde_json::from_value(json!({
        "metadata": {"name": "a"}, "spec": {"cells": [1]}, "status": {"done": true},
    }))
    .unwrap();
    assert_eq!(name_of(&grid), "grids/a");
    assert_eq!((grid.spec().cells.as_slice(), grid.status().unwrap()["done"]), ([1].as_slice(), true));
    let crd = serde_json::to_value(Grid::<i32, bool, 2>::crd()).unwrap();
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"];
    assert_eq!(schema["spec"]["properties"]["cells"]["items"]["format"], "int32");
    assert_eq!(schema["status"]["additionalProperties"]["type"], "boolean");
}

/// A schema whose parameters have no bounds of their own; one borrows, one is a number, one is never written.
#[derive(CrdSchema, Serialize, Deserialize)]
struct Page<'a, T, const N: usize, M = ()> {
    #[crd(list_type = "map", list_map_keys = ["name"])]
    items: Vec<T>,
    title: &'a str,
    #[serde(skip)]
    _marker: PhantomData<([(); N], M)>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Either<L, R> {
    Left(L),
    Right {
        #[crd(validation = "self != ''")]
        right: R,
    },
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Wrapper<T>(T);

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Holder")]
struct HolderSpec<T = Value> {
    held: T,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Named {
    name: String,
}

#[test]
fn schemas_have_parameters() -> Result<(), Box<dyn std::error::Error>> {
    let held = |crd: crdkit::CustomResourceDefinition| spec(&crd)["properties"]["held"].clone();
    let page = held(Holder::<Tool<Page<'static, Named, 3>>>::crd()?);
    assert_eq!(page["properties"]["items"]["x-kubernetes-list-map-keys"], json!(["name"]));
    let either = held(Holder::<Tool<Either<i32, String>>>::crd()?);
    assert_eq!(either["properties"]["Left"]["type"], "integer");
    let rules = &either["properties"]["Right"]["properties"]["right"]["x-kubernetes-validations"];
    assert_eq!(rules[0]["rule"], "self != ''");
    assert_eq!(held(Holder::<Tool<Wrapper<bool>>>::crd()?), json!({"type": "boolean"}));
    assert_eq!(held(Holder::<Value>::crd()?)["x-kubernetes-preserve-unknown-fields"], true);
    let error = Holder::<Tool<Page<'static, Either<i32, i32>, 3>>>::crd().unwrap_err();
    assert_eq!((error.type_name(), error.field()), ("Page", ".spec.held.items"));
    Ok(())
}

/// A type that only has a schema.
struct Tool<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for Tool<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}
