//! Fields of a spec, and the names of its definition.

use super::*;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "clux.dev",
    version = "v1",
    kind = "Gizmo",
    category = "gadgets",
    shortname = "gz",
    namespaced,
    status = "GizmoStatus",
    derive = "PartialEq",
    label("team", "a"),
    annotation("note", "b"),
    selectable = ".spec.name",
    deprecated = "use v2",
    // The only version is not stored, which kube-derive's own definition says too.
    storage = false,
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    )
)]
#[serde(rename_all = "camelCase")]
pub(super) struct GizmoSpec {
    name: String,
    replicas: u32,
    /// With a null.
    maybe: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
    #[serde(default = "forty_two")]
    with_default: u8,
    when: Option<DateTime<Utc>>,
    #[x_kube(validation = "!has(self.numbered) || self.numbered.int > 22")]
    complex: Complex,
    untagged: Size,
    #[schemars(length(min = 1))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    tags: Vec<String>,
    #[validate(length(min = 1))]
    list: Vec<String>,
    #[serde(default = "nullable")]
    nullable_with_default: Option<String>,
    #[serde(default = "GizmoSpec::default_flag")]
    flag: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<IntOrString>,
    unique: HashSet<String>,
}

fn forty_two() -> u8 {
    42
}

fn nullable() -> Option<String> {
    Some("a".to_owned())
}

impl GizmoSpec {
    fn default_flag() -> bool {
        true
    }
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
enum Complex {
    /// By number.
    Numbered {
        int: i32,
    },
    Named {
        text: String,
    },
    Open {},
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(untagged)]
enum Size {
    Area {
        width: i32,
        unit: String,
    },
    /// The schema does not contain this variant, although its field does not say so.
    Bought {
        bought: DateTime<Utc>,
    },
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(super) struct GizmoStatus {
    pub(super) replicas: i32,
    pub(super) selector: String,
}

pub(super) fn gizmo() -> Gizmo {
    let spec = GizmoSpec {
        name: "a".to_owned(),
        replicas: 1,
        maybe: None,
        skipped: None,
        with_default: 42,
        when: None,
        complex: Complex::Numbered { int: 23 },
        untagged: Size::Area { width: 1, unit: "x".to_owned() },
        tags: vec!["t".to_owned()],
        list: vec![String::new()],
        nullable_with_default: None,
        flag: false,
        port: None,
        unique: HashSet::new(),
    };
    Gizmo::new("mine", spec)
}

#[test]
fn names_and_flags() {
    assert_eq!(Gizmo::crd_name(), "gizmos.clux.dev");
    assert_eq!(Gizmo::shortnames(), ["gz"]);
    assert_eq!(Gizmo::kind(&()), "Gizmo");
    let crd = serde_json::to_value(Gizmo::crd()).expect("it is data");
    assert_eq!(crd["metadata"]["labels"], json!({"team": "a"}));
    assert_eq!(crd["spec"]["names"]["categories"], json!(["gadgets"]));
    let version = &crd["spec"]["versions"][0];
    assert_eq!((&version["storage"], &version["served"]), (&json!(false), &json!(true)));
    assert_eq!(version["deprecationWarning"], "use v2");
    assert_eq!(version["selectableFields"], json!([{"jsonPath": ".spec.name"}]));
    assert_eq!(version["subresources"]["scale"]["labelSelectorPath"], ".status.selector");
    assert_eq!(version["subresources"]["status"], json!({}));
    // Nothing is there that was not asked for: an empty list would be a difference for ever.
    assert_eq!(version.get("additionalPrinterColumns"), None);
}

#[test]
fn objects_are_written_as_kube_derive_writes_them() {
    let written = serde_json::to_value(gizmo()).expect("it is data");
    let expected = json!({
        "apiVersion": "clux.dev/v1",
        "kind": "Gizmo",
        "metadata": {"name": "mine", "labels": {"team": "a"}, "annotations": {"note": "b"}},
        "spec": {
            "name": "a", "replicas": 1, "maybe": null, "withDefault": 42, "when": null,
            "complex": {"numbered": {"int": 23}}, "untagged": {"width": 1, "unit": "x"}, "tags": ["t"], "list": [""],
            "nullableWithDefault": null, "flag": false, "unique": [],
        },
    });
    assert_eq!(written, expected);
    let mut read: Gizmo = serde_json::from_value(written).expect("it was just written");
    assert_eq!((read.spec(), read.status()), (&gizmo().spec, None));
    *read.status_mut() = Some(GizmoStatus { replicas: 1, selector: "a=b".to_owned() });
    assert_eq!(serde_json::to_value(&read).expect("it is data")["status"]["replicas"], 1);
}

#[test]
fn fields_of_the_schema() {
    assert_eq!(
        field::<Gizmo>("maybe"),
        json!({"description": "With a null.", "type": "string", "nullable": true})
    );
    assert_eq!(field::<Gizmo>("skipped"), json!({"type": "string", "nullable": true}));
    assert_eq!(field::<Gizmo>("when"), json!({"type": "string", "format": "date-time", "nullable": true}));
    assert_eq!(field::<Gizmo>("withDefault")["default"], 42);
    let port = field::<Gizmo>("port");
    assert_eq!((&port["nullable"], &port["x-kubernetes-int-or-string"]), (&json!(true), &json!(true)));
    let tags = field::<Gizmo>("tags");
    assert_eq!((&tags["x-kubernetes-list-type"], &tags["minItems"]), (&json!("set"), &json!(1)));
    // What `validator` is told counts too.
    assert_eq!(field::<Gizmo>("list")["minItems"], 1);
    let default = json!({"type": "string", "nullable": true, "default": "a"});
    assert_eq!(field::<Gizmo>("nullableWithDefault"), default);
    assert_eq!(field::<Gizmo>("flag"), json!({"type": "boolean", "default": true}));
    // Differs: true bounds in place of a format that the API server warns of, and sets that are sets.
    let replicas = field::<Gizmo>("replicas");
    assert_eq!((&replicas["format"], &replicas["maximum"]), (&json!("int64"), &json!(f64::from(u32::MAX))));
    assert_eq!(field::<Gizmo>("unique")["x-kubernetes-list-type"], "set");
    // Differs: no title, and no description that nobody wrote.
    assert_eq!((schema::<Gizmo>().get("title"), schema::<Gizmo>().get("description")), (None, None));
    let required = &schema::<Gizmo>()["properties"]["spec"]["required"];
    assert_eq!(*required, json!(["name", "replicas", "complex", "untagged", "tags", "list", "unique"]));
}

#[test]
fn enums_of_the_schema() {
    let complex = field::<Gizmo>("complex");
    let branches = json!([
        {"required": ["numbered"]}, {"required": ["named"]}, {"required": ["open"]},
    ]);
    assert_eq!(complex["oneOf"], branches);
    let rules = json!([{"rule": "!has(self.numbered) || self.numbered.int > 22"}]);
    assert_eq!(complex["x-kubernetes-validations"], rules);
    assert_eq!(complex["properties"]["numbered"]["description"], "By number.");
    let untagged = field::<Gizmo>("untagged");
    assert_eq!(untagged["anyOf"], json!([{"required": ["width", "unit"]}, {"required": ["bought"]}]));
    assert_eq!(untagged["properties"]["bought"], json!({"type": "string", "format": "date-time"}));
}

/// About the letters.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
enum Letters {
    /// The first.
    A,
    /// The second.
    B,
    C,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
enum Held {
    /// About the variant.
    Letters(Letters),
    Number(i32),
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
enum PlainLetters {
    A,
    B,
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "clux.dev", version = "v1", kind = "Chooser")]
struct ChooserSpec {
    letters: Letters,
    plain: PlainLetters,
    /// About the field.
    maybe: Option<Letters>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<Letters>,
    maybe_complex: Option<Complex>,
    held: Held,
    #[serde(flatten)]
    untagged: Size,
    #[serde(flatten)]
    rest: HashMap<String, Value>,
}

#[test]
fn enums_where_null_may_be() {
    assert_eq!(field::<Chooser>("plain"), json!({"type": "string", "enum": ["A", "B"]}));
    let letters = field::<Chooser>("letters");
    assert!(letters["description"].as_str().is_some_and(|text| text.starts_with("About the letters.")));
    // Differs: what is said of the variants is kept.
    assert!(letters["description"].as_str().is_some_and(|text| text.contains("- `A`: The first.")));
    // Differs: a pattern takes the null that serde writes; an enum takes none, whatever `nullable` says.
    let maybe = field::<Chooser>("maybe");
    assert_eq!((&maybe["nullable"], maybe.get("enum")), (&json!(true), None));
    assert!(maybe["description"].as_str().is_some_and(|text| text.starts_with("About the field.")));
    assert_eq!(field::<Chooser>("maybe_complex")["nullable"], true);
    // What is said of a variant goes before what is said of the type that it holds.
    let held = &field::<Chooser>("held")["properties"]["Letters"]["description"];
    assert!(held.as_str().is_some_and(|text| text.starts_with("About the variant.\n\n- `A`")), "{held}");
    // A type that derives schemars' trait alone does not say how serde writes the field.
    assert_eq!(field::<Chooser>("skipped")["nullable"], true);
}

#[test]
fn flattened_fields() {
    let spec = &schema::<Chooser>()["properties"]["spec"];
    assert_eq!(spec["anyOf"], json!([{"required": ["width", "unit"]}, {"required": ["bought"]}]));
    assert_eq!(spec["x-kubernetes-preserve-unknown-fields"], true);
}
