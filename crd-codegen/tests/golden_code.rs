//! The files of `golden/` compile without a warning, and values go through their types without a loss.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
#![deny(warnings)]
#![allow(clippy::needless_pass_by_value, reason = "values are written in place")]

mod round_trip;

use serde_json::{Value, json};

use round_trip::{keeps, object, refuses};

/// The support module of all goldens.
#[expect(dead_code, reason = "`discriminators.rs` uses the rest of it")]
pub mod support {
    include!("golden/support.rs");
}

macro_rules! golden {
    ($($name:ident),*) => {$(
        mod $name {
            include!(concat!("golden/", stringify!($name), ".rs"));
        }
    )*};
}
golden!(
    apply,
    apply_values,
    constructors,
    constructors_of_names,
    constructors_of_roots,
    enums,
    family,
    hostile,
    hostile_with_defaults,
    names,
    open_enums,
    roots,
    shared,
    unions,
    unions_with_forms,
    values,
    values_with_other_types,
    without_docs
);

#[test]
fn properties_keep_their_names() {
    use names::names_example_com::v1::{HttpGateway, OptionResource, StringResource};
    let spec = json!({
        "type": "t", "self": "s", "Self": 1, "super": true, "crate": "c", "match": "m", "async": "a", "gen": "g", "_": "u",
        "9lives": "9", "*": "star", "": "empty", "==": "equal", "$ref": "r", "a-b": "dash", "a_b": 2, "aB": false,
        "clusterIPs": ["::1"], "podCIDR": "p", "gr\u{fc}n": "green", "rest": "no rest", "foo_bar": "f",
        "endpoints": {"metrics": {"relabelings": {"a": "1"}}, "metricsRelabelings": {"b": "2"}, "metrics_relabelings": {"c": "3"}},
        "spec": {"x": "1"}, "status": {"y": "2"}, "option": {"string": {"vec": "v"}},
    });
    keeps::<HttpGateway>(object("names.example.com/v1", "HTTPGateway", spec));
    let value = json!({"value": {"some": "x"}});
    keeps::<OptionResource>(object("names.example.com/v1", "Option", value));
    let value = json!({"vec": [{"box": "x"}]});
    keeps::<StringResource>(object("names.example.com/v1", "String", value));
}

#[test]
fn enums_keep_their_values() {
    use enums::enums_example_com::v1::Switch;
    let switch = |spec: Value| {
        let mut all = json!({"required": "x"});
        all.as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
        object("enums.example.com/v1", "Switch", all)
    };
    let lists = [
        ("empty", json!(["", "*", "+", "-", "on", "ON", "On"])),
        ("versions", json!(["1.2", "12", "v1.2", "TLS_1_3", "Self", "self", "Unknown"])),
        ("quoted", json!(["\"", "\\", "a\"b", "*/", "\u{202e}"])),
        ("symbols", json!(["a+", "a-", "a"])),
        ("digits", json!([0, 1, -1, 10])),
        ("only", json!([true])),
        ("both", json!([true, false])),
        ("ratio", json!([0.5, 1.5, -2.25])),
        ("nullable", json!(["a", "b"])),
        ("mixed", json!(["anything"])),
    ];
    for (property, values) in lists {
        for value in values.as_array().unwrap() {
            keeps::<Switch>(switch(json!({ property: value })));
        }
    }
    keeps::<Switch>(switch(
        json!({"operators": ["==", "!=", "<", ">", "in"], "levels": {"a": "low", "b": "high"}}),
    ));
    assert!(refuses::<Switch>(&switch(json!({"empty": "off"}))).contains("unknown variant `off`"));
    assert_eq!(
        refuses::<Switch>(&switch(json!({"digits": 2}))),
        "unknown value `2`, expected `0` or `1` or `-1` or `10`"
    );
    assert_eq!(refuses::<Switch>(&switch(json!({"only": false}))), "unknown value `false`, expected `true`");
    assert!(refuses::<Switch>(&switch(json!({"ratio": 2}))).starts_with("unknown value `2`"));
}

#[test]
fn open_enums_keep_unknown_values() {
    use open_enums::enums_example_com::v1::Switch;
    keeps::<Switch>(object(
        "enums.example.com/v1",
        "Switch",
        json!({"required": "new", "empty": "off", "operators": ["==", "~"], "levels": {"a": "medium"}, "versions": "Unknown"}),
    ));
}

fn sample_spec() -> Value {
    json!({"requiredNullable": null, "requiredDefaulted": 3, "requiredAnything": null})
}

fn sample(more: &Value) -> Value {
    let mut spec = sample_spec();
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    object("values.example.com/v1", "Sample", spec)
}

#[test]
fn values_are_kept() {
    let values = [
        json!({}),
        json!({"int8": -129, "port": 65535, "unbounded": -1, "count": -5, "large": i64::MAX, "plain": i64::MIN, "ports": [1, 2], "portsByName": {"a": 80}}),
        json!({"number": 5, "single": 0.1, "numbers": [1, 2.5, -3], "numbersByName": {"a": [1, 0.25]}}),
        json!({"number": 9_007_199_254_740_992_i64, "numbers": [i64::MIN, -1e300, 1_000_000_000_000_000_000_i64]}),
        json!({"openList": [{"known": "k", "extra": {"a": 1}}, {"extra": null}], "openMatrix": [[{"known": "k", "extra": []}]]}),
        json!({"openListOfObjects": [{"extra": {"a": 1}}, {}], "openLists": {"a": [{"known": "k", "extra": "b"}]}}),
        json!({"target": "80%"}),
        json!({"target": 8_589_934_592_i64}),
        json!({"limits": {"cpu": 0.5, "memory": 8_589_934_592_i64, "disk": "1Gi"}}),
        json!({"time": "2024-01-01T00:00:00.120Z", "data": "aGk=", "dataByName": {"a": "aGkh", "b": "aA=="}}),
        json!({"anything": null}),
        json!({"anything": {"a": [1, null, "x"]}}),
        json!({"open": {"known": "k", "extra": {"a": 1}}, "openMap": {"a": null}, "bare": {}, "noMore": {}, "more": {"x": 1.5}}),
        json!({"template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"a": "b"}}, "spec": {"x": 1}}}),
        json!({"typedTemplate": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"a": "1"}}}),
        json!({"requiredNullable": "x", "defaultedNullable": null}),
        json!({"nullableItems": ["a", null], "nullableValues": {"a": null, "b": 1}}),
        json!({"byName": {"a": {"must": "m"}}, "matrix": [[{"cell": 1}], []]}),
    ];
    for value in values {
        keeps::<values::values_example_com::v1::Sample>(sample(&value));
        if value.get("open").is_none() {
            keeps::<values_with_other_types::values_example_com::v1::Sample>(sample(&value));
        }
    }
    // Only with `explicit-null`: without a default, `null` says no more than absent.
    keeps::<values_with_other_types::values_example_com::v1::Sample>(sample(
        &json!({"optionalNullable": null}),
    ));
}

#[test]
fn what_is_required_is_required() {
    use values::values_example_com::v1::Sample;
    let by_name = sample(&json!({"byName": {"a": {"may": "m"}}}));
    assert!(refuses::<Sample>(&by_name).contains("missing field `must`"));
    let out_of_range = sample(&json!({"port": 65536}));
    assert!(refuses::<Sample>(&out_of_range).contains("expected u16"));
    // The API server puts a default in before it asks for what is required.
    let mut without_default = sample(&json!({}));
    without_default["spec"].as_object_mut().unwrap().remove("requiredDefaulted");
    keeps::<Sample>(without_default);
}

#[test]
fn schema_defaults_are_in_default() {
    use values_with_other_types::values_example_com::v1::sample::SampleDefaults;
    let defaults = serde_json::to_value(SampleDefaults::default()).unwrap();
    assert_eq!(
        defaults,
        json!({
            "text": "a \"quoted\" one", "flag": true, "list": [1, -2], "map": {"k": "v"}, "ratio": -0.5, "choice": "q",
            "nested": {"depth": 2}, "target": "80%", "most": u64::MAX, "quantity": 3_000_000_000_u64, "large": 3_000_000_000_u64,
            "json": {"a": [1, null, "x", 3_000_000_000_u64, -3_000_000_000_i64, u64::MAX, -0.5]},
        })
    );
}

#[test]
fn roots_are_what_the_schema_says() {
    use roots::roots_example_com::{v1, v1beta1};
    keeps::<v1::Report>(json!({
        "apiVersion": "roots.example.com/v1", "kind": "Report", "metadata": {"name": "r"},
        "results": [{"result": "pass"}], "summary": {"pass": 1}, "scope": "a",
    }));
    keeps::<v1::Loose>(json!({
        "apiVersion": "roots.example.com/v1", "kind": "Loose", "metadata": {"name": "r"}, "spec": "s", "more": [1],
    }));
    keeps::<v1::Blank>(object("roots.example.com/v1", "Blank", json!({"any": "thing"})));
    keeps::<v1::Old>(object("roots.example.com/v1", "Old", json!({"a": "1", "b": "2"})));
    keeps::<v1beta1::Old>(json!({"apiVersion": "roots.example.com/v1beta1", "kind": "Old", "metadata": {}}));
    keeps::<v1::Clash>(json!({
        "apiVersion": "roots.example.com/v1", "kind": "Clash", "metadata": {"name": "r"},
        "Metadata": "m", "api_version": "v", "Kind": "k", "name": "n", "spec": {"a": "1"},
    }));
    const { assert!(!v1::Report::NAMESPACED) };
    assert_eq!(v1::Old::new("x", v1::old::OldSpec::default()).metadata.name.as_deref(), Some("x"));
}

#[test]
fn objects_of_another_kind_are_refused() {
    use roots::roots_example_com::v1::Old;
    let other = object("roots.example.com/v1", "Other", json!({"a": "1"}));
    assert_eq!(refuses::<Old>(&other), "expected `Old`, found `Other`");
    let other = object("roots.example.com/v2", "Old", json!({"a": "1"}));
    assert_eq!(refuses::<Old>(&other), "expected `roots.example.com/v1`, found `roots.example.com/v2`");
    // As items of lists come.
    assert!(serde_json::from_value::<Old>(json!({"metadata": {}, "spec": {"a": "1"}})).is_ok());
}

#[test]
fn equal_shapes_are_one_type() {
    use shared::shared_example_com::v1::store::{StorePassword, StoreSpec};
    let select = StorePassword { key: "k".into(), name: None };
    let spec = StoreSpec {
        password: Some(select.clone()),
        auth: Some(shared::shared_example_com::v1::store::StoreAuth {
            secret_ref: Some(select.clone()),
            token_ref: Some(select),
        }),
        ..Default::default()
    };
    assert_eq!(serde_json::to_value(spec).unwrap()["auth"]["tokenRef"], json!({"key": "k"}));
}

#[test]
fn objects_are_made_step_by_step() {
    use constructors::support::IntOrString;
    use constructors::values_example_com::v1::sample::{
        Sample, SampleApply, SampleDefaults, SampleOpen, SampleSpec, SampleSpecApply,
    };
    let spec = SampleSpec::new(None, Value::Null)
        .with_count(3)
        .with_target("80%")
        .with_limits([("cpu", "1"), ("memory", "1Gi")])
        .with_nullable_items([Some("a".to_owned()), None])
        .with_numbers([1.0, 2.5])
        .with_optional_nullable(None)
        .with_anything("any")
        .with_open(SampleOpen::new().with_known("k"));
    let sample = Sample::new("a", spec).with_namespace("n");
    assert_eq!(
        serde_json::to_value(&sample).unwrap(),
        json!({
            "apiVersion": "values.example.com/v1", "kind": "Sample", "metadata": {"name": "a", "namespace": "n"},
            "spec": {
                "requiredNullable": null, "requiredAnything": null, "count": 3, "target": "80%",
                "limits": {"cpu": "1", "memory": "1Gi"}, "nullableItems": ["a", null], "numbers": [1, 2.5],
                "optionalNullable": null, "anything": "any", "open": {"known": "k"},
                "requiredDefaulted": 3, "defaultedNullable": "x",
            },
        })
    );
    // What `Default` has is there, and what is set goes before it.
    let defaults = SampleDefaults::new().with_text("own").with_target(IntOrString::Int(1));
    assert_eq!(
        defaults,
        SampleDefaults { text: Some("own".into()), target: Some(1.into()), ..Default::default() }
    );
    assert_eq!(defaults.flag, Some(true));
    let form = SampleApply::new("a").with_spec(SampleSpecApply::new().with_count(1));
    assert_eq!(serde_json::to_value(form).unwrap()["spec"], json!({"count": 1}));
}

#[test]
fn objects_are_made_with_what_they_require() {
    use constructors_of_roots::roots_example_com::v1::{Clash, clash::ClashSpec};
    let clash = Clash::new("of the object", "its own", ClashSpec::new()).with_kind_2("k");
    assert_eq!((clash.metadata.name.as_deref(), clash.name.as_str()), (Some("of the object"), "its own"));
}

#[test]
fn setters_have_the_names_of_fields() {
    use constructors_of_names::names_example_com::v1::{HttpGateway, http_gateway::HttpGatewaySpec};
    let spec = HttpGatewaySpec::new("t").with_self_("s").with_9lives("9").with_rest("r");
    let gateway = HttpGateway::new("g", spec);
    assert_eq!(
        serde_json::to_value(gateway).unwrap()["spec"],
        json!({"type": "t", "self": "s", "9lives": "9", "rest": "r"})
    );
}

/// Objects of the kind that has a choice of each kind.
fn choice(spec: Value) -> Value {
    object("unions.example.com/v1", "Choice", spec)
}

#[test]
fn unions_keep_the_wire_form() {
    use unions::unions_example_com::v1::Choice;
    let secret = json!({"name": "s", "key": "k"});
    for spec in [
        json!({"beside": {"note": "n", "secret": secret}}),
        json!({"beside": {"note": "n", "path": "p", "after": "a"}}),
        json!({"beside": {"note": "n", "weight": 2}}),
        json!({"alone": {"items": ["a", "b"]}}),
        json!({"alone": {"any-port": 80}}),
        json!({"emptySchemas": {"external": true}}),
        json!({"alone2": [{"self": "s"}, {"ratio": 2}, {"ratio": 0.5}]}),
        json!({"counted": {"c": "c"}}),
        json!({"sum": {}, "istio": {}}),
        json!({"sum": {"b": "b", "c": "c"}, "istio": {"a": "a"}, "pairs": {"c": "c"}}),
        json!({"filtered": {"a": "a"}, "onlyOne": {"b": "b", "type": "t"}}),
        json!({"two": {"b": "b", "c": "c", "e": "e"}}),
        json!({"two": {"a": "a"}}),
        json!({"open": {"a": "a", "other": [null, 1]}}),
        json!({"named": {"oneOf": "o", "b": {"c": {"d": "d"}, "e": "e"}}}),
        // No unions: whatever a struct takes.
        json!({"defaulted": {"b": "b"}, "needed": {"a": "a"}, "atLeast": {"a": "a", "b": "b"}, "both": {"a": "a", "b": "b"}}),
    ] {
        keeps::<Choice>(choice(spec.clone()));
        keeps::<unions_with_forms::unions_example_com::v1::Choice>(choice(spec));
    }
}

#[test]
fn what_breaks_a_union_is_refused() {
    use unions::unions_example_com::v1::Choice;
    let refused = |spec: Value| refuses::<Choice>(&choice(spec));
    assert_eq!(
        refused(json!({"beside": {"note": "n"}})),
        "exactly one of `secret`, `path`, `weight` must be set, found none"
    );
    assert_eq!(
        refused(json!({"beside": {"note": "n", "path": "p", "weight": 1}})),
        "only one of `secret`, `path`, `weight` may be set, found `path`, `weight`"
    );
    assert_eq!(
        refused(json!({"alone": {}})),
        "exactly one of `secret`, `items`, `any-port` must be set, found none"
    );
    assert_eq!(
        refused(json!({"sum": {"a": "a", "b": "b"}})),
        "only one of `a`, `b` may be set, found `a`, `b`"
    );
    // What no API server keeps is left out, as everywhere.
    let read: Choice = serde_json::from_value(choice(json!({"alone": {"items": ["a"], "x": 1}}))).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap()["spec"], json!({"alone": {"items": ["a"]}}));
}

#[test]
fn unions_are_matched_and_made() {
    use unions_with_forms::unions_example_com::v1::Choice;
    use unions_with_forms::unions_example_com::v1::choice::{
        ChoiceAlone, ChoiceApply, ChoiceBeside, ChoiceSpec, ChoiceSum, ChoiceSumOneOf, Source,
    };
    let spec = ChoiceSpec::new()
        .with_beside(ChoiceBeside::new("n", Source::Path("p".to_owned())))
        .with_alone(ChoiceAlone::Items(vec!["a".to_owned()]))
        .with_sum(ChoiceSum::new().with_one_of(ChoiceSumOneOf::B("b".to_owned())).with_c("c"));
    let wire =
        json!({"beside": {"note": "n", "path": "p"}, "alone": {"items": ["a"]}, "sum": {"b": "b", "c": "c"}});
    let object = Choice::new("c", spec);
    assert_eq!(serde_json::to_value(&object).unwrap()["spec"], wire);
    assert!(matches!(object.spec.as_ref().unwrap().alone, Some(ChoiceAlone::Items(_))));
    // In the apply form, each of them is a field that may be absent.
    let form = ChoiceApply::from(object);
    assert_eq!(serde_json::to_value(form).unwrap()["spec"], wire);
    keeps::<ChoiceApply>(choice(json!({"beside": {}, "alone": {}})));
}

#[test]
fn apply_forms_say_only_what_they_are_told() {
    use apply::clients_example_com::v1::shirt::{ShirtApply, ShirtPartApply, ShirtSpecApply};
    let mut shirt = ShirtApply::new("a");
    assert_eq!(
        serde_json::to_value(&shirt).unwrap(),
        json!({"apiVersion": "clients.example.com/v1", "kind": "Shirt", "metadata": {"name": "a"}})
    );
    // The key of the list is no option.
    let part = ShirtPartApply { name: "collar".to_owned(), size: None };
    shirt.spec = Some(ShirtSpecApply { parts: Some(vec![part]), ..Default::default() });
    assert_eq!(serde_json::to_value(&shirt).unwrap()["spec"], json!({"parts": [{"name": "collar"}]}));
}

#[test]
fn apply_forms_hold_what_the_full_types_hold() {
    use apply_values::values_example_com::v1::{Sample, sample::SampleApply};
    for more in [
        json!({}),
        json!({"limits": {"cpu": 0.5}, "data": "aGk=", "anything": null, "open": {"known": "k", "extra": 1}}),
        json!({"template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"x": 1}}}),
        json!({"typedTemplate": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"a": "1"}}}),
        json!({"nullableItems": ["a", null], "byName": {"a": {"must": "m"}}, "matrix": [[{"cell": 1}], []]}),
    ] {
        let value = sample(&more);
        let full: Sample = serde_json::from_value(value.clone()).unwrap();
        let form = SampleApply::from(full);
        assert_eq!(serde_json::from_str::<Value>(&serde_json::to_string(&form).unwrap()).unwrap(), value);
    }
    // Whatever is required is not, here.
    keeps::<SampleApply>(object("values.example.com/v1", "Sample", json!({"byName": {"a": {}}})));
}

#[test]
fn what_a_manager_has_applied_is_extracted() {
    use apply::clients_example_com::v1::{Shirt, shirt::ShirtApply};
    let entry = |manager: &str, fields: Value| json!({"manager": manager, "operation": "Apply", "fieldsType": "FieldsV1", "fieldsV1": fields});
    let shirt: Shirt = serde_json::from_value(json!({
        "metadata": {"name": "a", "namespace": "n", "labels": {"x": "1", "y": "2"}, "managedFields": [
            entry("one", json!({
                "f:metadata": {"f:labels": {"f:x": {}}},
                "f:spec": {"f:color": {}, "f:parts": {"k:{\"name\":\"collar\"}": {".": {}, "f:name": {}, "f:size": {}}}},
            })),
            entry("two", json!({"f:spec": {"f:parts": {"k:{\"name\":\"sleeve\"}": {".": {}}}, "f:tags": {}}})),
            json!({"manager": "three", "operation": "Update", "fieldsV1": {"f:spec": {"f:replicas": {}}}}),
        ]},
        "spec": {
            "color": "red", "replicas": 3, "tags": {"t": "1"},
            "parts": [{"name": "collar", "size": "S"}, {"name": "sleeve", "size": "L"}],
        },
    }))
    .unwrap();
    let extracted = |manager: &str| {
        let form = ShirtApply::extract(&shirt, manager).unwrap();
        form.map(|form| {
            let value = serde_json::to_value(form).unwrap();
            (value["metadata"].clone(), value["spec"].clone())
        })
    };
    assert_eq!(
        extracted("one"),
        Some((
            json!({"name": "a", "namespace": "n", "labels": {"x": "1"}}),
            json!({"color": "red", "parts": [{"name": "collar", "size": "S"}]})
        ))
    );
    assert_eq!(
        extracted("two"),
        Some((
            json!({"name": "a", "namespace": "n"}),
            json!({"parts": [{"name": "sleeve"}], "tags": {"t": "1"}})
        ))
    );
    assert_eq!(extracted("three"), None);
}

#[test]
fn equal_shapes_are_one_type_in_all_kinds() {
    use family::family_example_com::v1::{
        Certificate, ClusterIssuer, Issuer, certificate, cluster_issuer, issuer,
    };
    let spec = cluster_issuer::ClusterIssuerSpec::default();
    let issuer = Issuer::new("i", spec.clone());
    assert_eq!(issuer.spec, ClusterIssuer::new("i", spec).spec);
    let account: Option<certificate::CertificateKeystorePassword> = None;
    assert_eq!(issuer::IssuerAcme::default().account, account);
    keeps::<Certificate>(object(
        "family.example.com/v1",
        "Certificate",
        json!({"secretName": "s", "keystore": {"password": {"key": "k"}}, "issuerRef": {"name": "i"}}),
    ));
}

#[test]
fn hostile_texts_are_kept() {
    let spec = json!({
        "a\"b": "x", "*/": "\u{202e}", "\n": "\n", "\u{202e}": {"../x": "y"}, "#![x]": "z", "r#type": "t",
        "x".repeat(300): {"y".repeat(300): {"z": "z"}},
    });
    keeps::<hostile::hostile_example_com::v1::Hostile>(object("hostile.example.com/v1", "Hostile", spec));
    let defaults =
        serde_json::to_value(hostile_with_defaults::hostile_example_com::v1::hostile::HostileSpec::default());
    assert_eq!(defaults.unwrap(), json!({"\n": "\n\"#*/{{\u{202e}"}));
}
