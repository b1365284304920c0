//! Goldens of the code that is generated for the definitions of `fixtures/`: `UPDATE_GOLDEN=1` rewrites `golden/`.
//! `golden_code.rs` and `discriminators.rs` compile these files and put values through them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

#[path = "common/check.rs"]
mod check;
mod common;

use std::fs;

use check::{check, said};
use common::{fixture, here};
use crd_codegen::{
    Builders, BytesType, Config, DateTimeType, Defaults, Form, K8sOpenapi, KeptNames, Layout, MapType,
    NumberType, Rejected, generate,
};
use crd_core::CustomResourceDefinition;

/// The code is compiled in `crd-tests`, which depends on crdkit: here it only has to be Rust.
#[test]
fn every_fixture_generates_with_derives() {
    for entry in fs::read_dir(here("fixtures")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let mut config = Config::new();
        config.form(Form::Derive).layout(Layout::SingleFile).rejected(Rejected::Ignore);
        let generated = generate(&fixture(name), &config);
        let errors = said(&generated).into_iter().filter(|line| line.starts_with("Error"));
        assert_eq!(errors.collect::<Vec<_>>(), [""; 0], "{name}");
        assert!(generated.files[0].contents.contains("CrdSchema"), "{name}");
    }
}

#[test]
fn names() {
    check("names", "names", &mut Config::new());
}

#[test]
fn enums() {
    let generated = check("enums", "enums", &mut Config::new());
    assert_eq!(
        said(&generated),
        ["Warning spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[mixed]: \
          no value of the enum has the type of the schema, so it is left out"]
    );
}

#[test]
fn open_enums() {
    check("enums", "open_enums", Config::new().open_enums(true).defaults(Defaults::Schema));
}

#[test]
fn values() {
    let generated = check("values", "values", &mut Config::new());
    assert_eq!(said(&generated), [""; 0]);
}

#[test]
fn values_with_other_types() {
    let mut config = Config::new();
    config
        .defaults(Defaults::Schema)
        .bytes(BytesType::Bytes)
        .numbers(NumberType::Exact)
        .map_type(MapType::Hash);
    config.explicit_null(true).derive("Eq".parse().unwrap()).derive("@enum=Ord".parse().unwrap());
    config.attribute("@struct=#[must_use]".parse().unwrap()).no_derive("Sample=Debug".parse().unwrap());
    config.type_override("Sample.spec.open=std::collections::LinkedList<u8>".parse().unwrap());
    config.name_override("Sample.spec.matrix[][]=Cell".parse().unwrap());
    check("values", "values_with_other_types", &mut config);
}

#[test]
fn roots() {
    let generated = check("roots", "roots", &mut Config::new());
    assert_eq!(
        said(&generated),
        ["Warning spec.versions[0].schema.openAPIV3Schema: no schema, so the whole object is kept as JSON"]
    );
}

#[test]
fn shared() {
    check("shared", "shared", &mut Config::new());
}

#[test]
fn family() {
    let generated = check("family", "family", &mut Config::new());
    assert_eq!(said(&generated), [""; 0]);
    let mut backwards = fixture("family");
    backwards.reverse();
    let again = generate(&backwards, Config::new().layout(Layout::SingleFile).rejected(Rejected::Ignore));
    assert_eq!(again.files, generated.files);
}

#[test]
fn constructors() {
    let mut config = Config::new();
    config.constructors(true).setters(true).apply(true);
    check("values", "constructors", config.clone().defaults(Defaults::Schema).explicit_null(true));
    check("names", "constructors_of_names", config.clone().defaults(Defaults::None).docs(false));
    check("roots", "constructors_of_roots", config.apply(false).docs(true).samples(true));
}

/// In the form `derive` these two are imported.
#[test]
fn kinds_may_have_the_names_of_derives() {
    for kind in ["CustomResource", "CrdSchema"] {
        let text = |form: Form| {
            let mut definitions = fixture("shared");
            definitions[0].crd.spec.names.kind = kind.to_owned();
            let mut config = Config::new();
            let generated = generate(&definitions, config.form(form).rejected(Rejected::Ignore));
            generated.files.iter().map(|file| file.contents.as_str()).collect::<String>()
        };
        assert!(text(Form::Types).contains(&format!("pub struct {kind} {{")));
        assert!(text(Form::Derive).contains(&format!("root = \"{kind}Resource\"")));
    }
}

#[test]
fn apply_forms() {
    check("clients", "apply", Config::new().apply(true));
    check("values", "apply_values", Config::new().apply(true).explicit_null(true).bytes(BytesType::Bytes));
}

#[test]
fn unions() {
    let generated = check("unions", "unions", Config::new().unions(true));
    let said = said(&generated).join("\n");
    let said = said.replace("spec.versions[0].schema.openAPIV3Schema.properties[spec].properties", "");
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        [
            "Warning [defaulted]: no enum is generated for this union, because `a` has a default: Exactly one of `a`, `b`",
            "Warning [nullable]: no enum is generated for this union, because `a` may be `null`: Exactly one of `a`, `b`",
            "Warning [needed]: no enum is generated for this union, because `a` is required: Exactly one of `a`, `b`",
            "Warning [both]: no enum is generated for this `oneOf`: its branches do not require one property each",
        ]
    );
    let mut config = Config::new();
    config.unions(true).apply(true).constructors(true).setters(true);
    config.name_override("Choice.spec.beside.oneOf=Source".parse().unwrap());
    check("unions", "unions_with_forms", &mut config);
}

#[test]
fn discriminators() {
    let generated = check("discriminators", "discriminators", Config::new().unions(true));
    assert_eq!(said(&generated), [""; 0]);
    let mut config = Config::new();
    config.unions(true).apply(true).constructors(true).setters(true).open_enums(true);
    check("discriminators", "discriminators_with_forms", &mut config);
}

/// Compiled and put to use in `tests/tests/validate.rs`: crdkit is no dependency of this package.
#[test]
fn validate() {
    let generated =
        check("clients", "validate", Config::new().validate(true).constructors(true).setters(true));
    assert_eq!(said(&generated), [""; 0]);
}

/// Compiled and put to use in `tests/tests/kube_versions.rs`.
#[test]
fn types_of_k8s_openapi() {
    let mine = "Kettle.spec.mine=Burners".parse().unwrap();
    let mut config = Config::new();
    config.name_override(mine).constructors(true).defaults(Defaults::Schema);
    let generated = check("kubernetes", "kubernetes", config.k8s_openapi(K8sOpenapi::Equivalent));
    let said = said(&generated).join("\n");
    let said =
        said.replace("spec.versions[0].schema.openAPIV3Schema.properties", "").replace(" of k8s-openapi", "");
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        [
            "Warning [spec].properties[lid]: matches several types, so none is used: `api::core::v1::ConfigMapKeySelector`, `api::core::v1::SecretKeySelector`",
            "Warning [spec].properties[looseSecretRef]: nearly matches `api::core::v1::SecretKeySelector`: `name` may be absent, but the type always writes it",
            "Warning [spec].properties[strictResources]: nearly matches `api::core::v1::ResourceRequirements`: `limits{}` may be `null`, which the type does not accept",
            "Warning [spec].properties[mine].properties[matchExpressions].items: matches several types, so none is used: `api::core::v1::NodeSelectorRequirement`, `apimachinery::pkg::apis::meta::v1::LabelSelectorRequirement`",
            "Warning [status].properties[oldConditions].items: nearly matches `apimachinery::pkg::apis::meta::v1::Condition`: `lastTransitionTime` may be absent, but the type always writes it",
            "Warning [status].properties[moreConditions].items: nearly matches `apimachinery::pkg::apis::meta::v1::Condition`: has `severity`, which the type does not have",
        ]
    );
    check(
        "kubernetes",
        "kubernetes_exact",
        config.k8s_openapi(K8sOpenapi::Exact).apply(true).constructors(false),
    );
}

/// The code refuses releases of k8s-openapi that would drop fields, also if every type of it has an apply form of the generator.
#[test]
fn types_with_forms_of_their_own_need_their_release() {
    let mut definitions = fixture("kubernetes");
    for version in &mut definitions[0].crd.spec.versions {
        let schema = serde_json::json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "passwordSecretRef": {
                "type": "object",
                "description": "A key of a Secret.",
                "required": ["key", "name"],
                "properties": {"key": {"type": "string"}, "name": {"type": "string"}, "optional": {"type": "boolean"}},
            },
        }}}});
        let schema = crd_core::crd::JsonSchemaProps::from_value(schema).unwrap();
        version.schema.as_mut().unwrap().open_api_v3_schema = Some(Box::new(schema));
    }
    let mut config = Config::new();
    config.k8s_openapi(K8sOpenapi::Exact).apply(true).layout(Layout::SingleFile).rejected(Rejected::Ignore);
    let generated = generate(&definitions, &config);
    let text = &generated.files[0].contents;
    assert!(text.contains("impl TryFrom<k8s_openapi::api::core::v1::SecretKeySelector>"), "{text}");
    assert!(text.contains("k8s_if_le_1_35"), "{text}");
}

/// Compiled and put to use in `tests/tests/e2e_clients.rs`: kube is no dependency of this package.
#[test]
fn clients() {
    let generated = check("clients", "clients", Config::new().client(true).apply(true));
    assert_eq!(said(&generated), [""; 0]);
}

/// Attributes of a type belong to one definition there.
#[test]
fn with_derives_no_type_belongs_to_several_kinds() {
    let config = |form: Form| Config::new().form(form).rejected(Rejected::Ignore).clone();
    let shared = |form: Form| {
        let generated = generate(&fixture("family"), &config(form));
        generated.files.iter().filter(|file| file.path.ends_with("/shared.rs")).count()
    };
    assert_ne!(shared(Form::Types), 0);
    assert_eq!(shared(Form::Derive), 0);

    // Names are kept there, too, kind by kind.
    let before = generate(&fixture("family"), &config(Form::Derive));
    let lock = before.files.iter().find(|file| file.path == "names.lock").unwrap();
    assert_eq!(KeptNames::parse(&lock.contents).as_ref(), Ok(&before.names));
    let again = generate(&fixture("family"), config(Form::Derive).kept_names(before.names.clone()));
    assert_eq!(again.files, before.files);
}

#[test]
fn with_derives_there_are_no_clients_and_no_apply_forms() {
    let mut config = Config::new();
    config.form(Form::Derive).client(true).apply(true);
    let generated = generate(&fixture("clients"), &config);
    assert_eq!(generated.files, []);
    assert_eq!(
        said(&generated),
        [
            "Error client: Forbidden: the form `derive` does not support this option",
            "Error apply: Forbidden: the form `derive` does not support this option",
        ]
    );
    assert!(generated.findings.iter().all(|finding| finding.diagnostic.remedy.is_some()));
    let generated = generate(&fixture("clients"), config.client(false).apply(false));
    assert_ne!(generated.files, []);
}

#[test]
fn hostile() {
    check("hostile", "hostile", &mut Config::new());
}

#[test]
fn hostile_with_defaults() {
    check("hostile", "hostile_with_defaults", Config::new().defaults(Defaults::Schema).open_enums(true));
}

#[test]
fn without_docs() {
    check("shared", "without_docs", Config::new().docs(false).defaults(Defaults::None));
}

#[test]
fn a_tree_is_the_same_in_many_files() {
    let generated = generate(&fixture("roots"), &Config::new());
    let paths: Vec<&str> = generated.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "mod.rs",
            "names.lock",
            "roots_example_com/mod.rs",
            "roots_example_com/v1/blank.rs",
            "roots_example_com/v1/clash.rs",
            "roots_example_com/v1/loose.rs",
            "roots_example_com/v1/mod.rs",
            "roots_example_com/v1/old.rs",
            "roots_example_com/v1/report.rs",
            "roots_example_com/v1beta1/mod.rs",
            "roots_example_com/v1beta1/old.rs",
            "support.rs",
        ]
    );
    let again = generate(&fixture("roots"), &Config::new());
    assert_eq!(generated.files, again.files);
}

#[test]
fn names_that_the_api_server_refuses_are_errors() {
    let wrong = |change: fn(&mut CustomResourceDefinition, &str), name: &str| {
        let mut definitions = fixture("shared");
        change(&mut definitions[0].crd, name);
        let generated = generate(&definitions, Config::new().rejected(Rejected::Ignore));
        assert_eq!(generated.files, [], "{name:?}");
        generated
            .findings
            .iter()
            .map(|finding| finding.diagnostic.field.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for name in
        ["", "..", "../../etc/passwd", "a/b", "a\\b", "/tmp", "\"; drop", "\u{202e}x", "a\nb", "\u{e9}"]
    {
        assert_eq!(wrong(|crd, name| crd.spec.group = name.to_owned(), name), "spec.group", "{name:?}");
        assert_eq!(
            wrong(|crd, name| crd.spec.names.kind = name.to_owned(), name),
            "spec.names.kind",
            "{name:?}"
        );
        assert_eq!(
            wrong(|crd, name| crd.spec.names.plural = name.to_owned(), name),
            "spec.names.plural",
            "{name:?}"
        );
        let field = wrong(|crd, name| crd.spec.versions[0].name = name.to_owned(), name);
        assert_eq!(field, "spec.versions[0].name", "{name:?}");
    }
}

#[test]
fn versions_are_chosen() {
    let versions = |choice: &str| {
        let generated = generate(&fixture("roots"), Config::new().versions(choice.parse().unwrap()));
        let old = generated.files.iter().filter(|file| file.path.ends_with("/old.rs"));
        let names: Vec<_> = old.map(|file| file.path.split('/').nth(1).unwrap().to_owned()).collect();
        (names.join(" "), said(&generated).join("\n"))
    };
    assert_eq!(versions("served").0, "v1 v1beta1");
    assert_eq!(versions("all").0, "v1 v1alpha1 v1beta1");
    assert_eq!(versions("storage").0, "v1");
    let (names, said) = versions("v1alpha1");
    assert_eq!(names, "v1alpha1");
    assert!(
        said.contains("Error spec.versions: nothing to generate: the option `versions` selects none of the versions: `v1alpha1`"),
        "{said}"
    );
}

#[test]
fn a_kind_that_comes_twice() {
    let mut definitions = fixture("shared");
    definitions.extend(fixture("shared"));
    let generated = generate(&definitions, &Config::new());
    assert_eq!(
        said(&generated),
        [
            "Warning metadata.name: Duplicate value: the same kind is already in shared.json; not generated again"
        ]
    );
    definitions[1].crd.spec.scope = "Cluster".to_owned();
    let generated = generate(&definitions, &Config::new());
    assert!(generated.files.iter().any(|file| file.path == "shared_example_com/v1/store_2.rs"));
}

#[test]
fn rules_about_nothing_are_errors() {
    let mut config = Config::new();
    config.type_override("Store.spec.nowhere=u8".parse().unwrap());
    config.name_override("Shop.spec=Shop".parse().unwrap());
    config.derive("StoreSpecs=Eq".parse().unwrap());
    let generated = generate(&fixture("shared"), &config);
    assert_eq!(
        said(&generated),
        [
            "Error type-override: Invalid value: \"Store.spec.nowhere=u8\": no generated type has that place or name",
            "Error name-override: Invalid value: \"Shop.spec=Shop\": no generated type has that place or name",
            "Error derive: Invalid value: \"StoreSpecs=Eq\": no generated type has that place or name",
        ]
    );
}

#[test]
fn what_is_far_too_large_is_refused() {
    let mut definitions = fixture("shared");
    let properties = (0..100_000).map(|i| (format!("p{i}"), serde_json::json!({"type": "string"})));
    let schema =
        serde_json::json!({"type": "object", "properties": properties.collect::<serde_json::Map<_, _>>()});
    let mut value = definitions[0].crd.to_value();
    value["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema;
    definitions[0].crd = CustomResourceDefinition::from_value(value).unwrap();
    let generated = generate(&definitions, &Config::new());
    assert_eq!(generated.files, []);
    assert_eq!(
        said(&generated),
        [
            "Error spec.versions[0].schema.openAPIV3Schema: Too many: 100000: must have at most 1000 properties in one object"
        ]
    );
}

/// Options that add functions and types to structs.
fn with_all(builders: Builders) -> Config {
    let mut config = Config::new();
    config
        .builders(builders)
        .constructors(true)
        .setters(true)
        .apply(true)
        .unions(true)
        .defaults(Defaults::Schema);
    config
}

/// Compiled and put to use in `builders.rs`.
#[test]
fn builders_are_generated() {
    for (name, builders) in [("typed_builder", Builders::TypedBuilder), ("bon", Builders::Bon)] {
        let generated = check("builders", name, Config::new().builders(builders));
        assert_eq!(said(&generated), [""; 0]);
        check("builders", &format!("{name}_with_all"), &mut with_all(builders));
        check("names", &format!("{name}_of_names"), Config::new().builders(builders));
    }
}

/// Compiled and put to use in `builders.rs`.
#[test]
fn types_of_the_user() {
    let mut config = Config::new();
    config.elide("ImageBuilder".parse().unwrap()).elide("Image.status.layers[]".parse().unwrap());
    assert_eq!(said(&check("builders", "elided", &mut config)), [""; 0]);
}

#[test]
fn the_needed_crates_are_those_of_the_types_that_stay() {
    let mut config = Config::new();
    config.layout(Layout::SingleFile).date_time(DateTimeType::Chrono);
    let needs_chrono = |config: &Config| {
        let generated = generate(&fixture("kubernetes"), config);
        generated.files[0].contents.lines().any(|line| line.starts_with("// chrono = "))
    };
    assert!(needs_chrono(&config));
    for place in ["Kettle.spec", "Kettle.status"] {
        config.elide(place.parse().unwrap());
    }
    assert!(!needs_chrono(&config));
}

/// Compiled and put to use in `tests/tests/kube_versions.rs`.
#[test]
fn with_the_derive_of_kube() {
    let generated = check("derives", "derives", Config::new().form(Form::Kube).unions(true).setters(true));
    let said = said(&generated).join("\n").replace("spec.versions[0].schema.openAPIV3Schema", "schema");
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        [
            "Warning schema.properties[spec]: kube's derive requires it: objects without a `spec` cannot be read",
            "Warning spec.names.listKind: kube's derive has no attribute for it",
            "Warning schema.properties: kube 4 has no derive for objects with properties other than `spec` and `status`: `no_spec` needs kube 5",
            "Warning schema: the type of the whole object does not use kube's derive, which would not keep all properties",
        ]
    );
}

#[test]
fn with_the_derive_of_kube_there_are_no_clients_and_no_second_derives() {
    let mut config = Config::new();
    config.form(Form::Kube).client(true).apply(true).validate(true);
    config.derive("kube::CustomResource".parse().unwrap()).no_derive("Debug".parse().unwrap());
    let generated = generate(&fixture("derives"), &config);
    assert_eq!(generated.files, []);
    assert_eq!(
        said(&generated),
        [
            "Error client: Forbidden: the form `kube` does not support this option",
            "Error apply: Forbidden: the form `kube` does not support this option",
            "Error validate: Forbidden: the form `kube` does not support this option",
            "Error derive: Forbidden: the form `kube` puts `kube::CustomResource` on the types that need it",
            "Error no-derive: Forbidden: kube's derive needs `Debug`",
        ]
    );
}
