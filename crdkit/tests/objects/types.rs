//! Objects of Rust types.

use super::*;

/// Bounds, lengths, patterns, formats, enums, optional fields and defaults.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Scalar", namespaced)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScalarSpec {
    #[schemars(range(min = 1, max = 60))]
    size: u8,
    signed: i32,
    long: Option<i64>,
    #[schemars(range(min = 0.25, max = 0.75))]
    share: f64,
    #[schemars(length(min = 2, max = 5))]
    short: String,
    #[schemars(regex(pattern = r"^[a-z]([-a-z0-9]*[a-z0-9])?\.v\d+$"), length(max = 20))]
    versioned: String,
    #[schemars(extend("format" = "date-time"))]
    at: Option<String>,
    #[schemars(extend("format" = "ipv4"))]
    address: Option<String>,
    #[serde(default = "three")]
    #[schemars(range(max = 9))]
    replicas: u32,
    color: Color,
    is_on: bool,
}

fn three() -> u32 {
    3
}

#[derive(
    schemars::JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord,
)]
enum Color {
    Red,
    Green,
    Blue,
}

/// Lists and maps, the status as a subresource.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Nested", status = NestedStatus)]
pub(super) struct NestedSpec {
    #[crd(list_type = "set")]
    #[schemars(length(min = 1, max = 4), inner(length(max = 8)))]
    tags: Vec<String>,
    colors: BTreeSet<Color>,
    #[crd(list_type = "map", list_map_keys("name"))]
    #[schemars(length(max = 3))]
    ports: Vec<Port>,
    #[schemars(length(max = 2))]
    plain: Vec<i32>,
    labels: BTreeMap<String, String>,
    inner: Option<Box<Port>>,
    anything: Option<Value>,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Port {
    name: String,
    #[schemars(range(min = 1, max = 65535))]
    port: u16,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
pub(super) struct NestedStatus {
    ready: bool,
}

/// Enums with data, in their three forms.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Choice")]
struct ChoiceSpec {
    source: Source,
    #[serde(flatten)]
    rollout: Rollout,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
enum Source {
    Git { url: String, depth: Option<u8> },
    Image(String),
    Bucket { name: String },
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "kind")]
enum Rollout {
    Recreate,
    Rolling { surge: u8 },
}

/// Rules, which filter what the schema alone allows.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Ruled")]
#[crd(spec_validation = ("self.min <= self.max", "min is above max"))]
#[crd(spec_validation = ("!has(self.name) || self.name.startsWith('a')", "names start with a"))]
struct RuledSpec {
    #[schemars(range(min = 0, max = 10))]
    min: i32,
    #[schemars(range(min = 0, max = 10))]
    max: i32,
    name: Option<String>,
}

/// A type without a valid object.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Impossible")]
#[crd(spec_validation = ("self.a < 0 && self.a > 0", "a is both"))]
struct ImpossibleSpec {
    a: i32,
}

#[test]
fn scalars() {
    check::<Scalar>();
}

#[test]
fn lists_and_maps() {
    check::<Nested>();
}

#[test]
fn enums_with_data() {
    check::<Choice>();
}

#[test]
fn rules() {
    check::<Ruled>();
}

/// Every valid object is one of the type.
#[test]
fn objects_are_read_by_the_type() {
    fn read<R: CustomResource + serde::de::DeserializeOwned>() {
        run(valid_objects::<R>(), |object| {
            serde_json::from_value::<R>(object.clone()).map_err(|error| fail(&object, error))?;
            Ok(())
        });
    }
    read::<Scalar>();
    read::<Nested>();
    read::<Choice>();
    read::<Ruled>();
}

#[test]
fn an_impossible_type_is_reported() {
    let result = TestRunner::deterministic().run(&valid_objects::<Impossible>(), |_| Ok(()));
    let Err(TestError::Abort(reason)) = result else { panic!("{result:?}") };
    let reason = reason.to_string();
    assert!(reason.starts_with("Impossible: no object generated from the schema is accepted"), "{reason}");
    assert!(reason.contains("spec: Invalid value: a is both"), "{reason}");
}

/// The least object that fails is still a valid one.
#[test]
fn objects_shrink_to_valid_ones() {
    let result = TestRunner::deterministic().run(&valid_objects::<Ruled>(), |object| {
        prop_assert!(object["spec"]["max"].as_i64() < Some(5));
        Ok(())
    });
    let Err(TestError::Fail(_, least)) = result else { panic!("{result:?}") };
    assert_eq!(least["spec"], json!({"min": 0, "max": 5}));
}

/// The least object that fails is refused for the same causes as the first one.
#[test]
fn objects_shrink_to_invalid_ones() {
    let result = TestRunner::deterministic().run(&invalid_objects::<Ruled>(), |invalid| {
        prop_assert!(!invalid.fault.contains("self.min <= self.max"));
        Ok(())
    });
    let Err(TestError::Fail(_, least)) = result else { panic!("{result:?}") };
    assert_eq!(least.object["spec"], json!({"min": 1, "max": 0}));
    let causes = causes(&Validator::new(&Ruled::crd().unwrap()).unwrap(), &least.object);
    assert_eq!(causes.iter().map(|cause| &cause.field).collect::<Vec<_>>(), [&least.field]);
}

/// An object depends on its seed only: stored seeds of failures stay true, whatever was made before.
#[test]
fn the_same_seed_gives_the_same_object() {
    let objects = |before: usize| {
        let (valid, invalid) = (valid_objects::<Nested>(), invalid_objects::<Nested>());
        let mut other = TestRunner::deterministic();
        for _ in 0..before {
            valid.new_tree(&mut other).unwrap();
            invalid.new_tree(&mut other).unwrap();
        }
        let config = ProptestConfig { rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() };
        let mut runner = TestRunner::new(config);
        [(); 20].map(|()| {
            (valid.new_tree(&mut runner).unwrap().current(), invalid.new_tree(&mut runner).unwrap().current())
        })
    };
    assert_eq!(objects(0), objects(9));
}
