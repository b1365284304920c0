//! Types with builders, and types that the user writes: the files of `golden/` compile without a warning and can be put to use.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
#![deny(warnings)]

mod common;

use common::fixture;
use crd_codegen::{Builders, Config, generate};
use serde_json::{Value, json};

/// The support module of all goldens.
#[expect(dead_code, unused_imports, unused_macros, reason = "`discriminators.rs` uses the rest of it")]
pub mod support {
    include!("golden/support.rs");
}

macro_rules! golden {
    ($($name:ident),*) => {$(
        #[allow(dead_code, unused_imports, reason = "as in the module that declares generated ones")]
        mod $name {
            include!(concat!("golden/", stringify!($name), ".rs"));
        }
    )*};
}
golden!(
    bon,
    bon_of_names,
    bon_with_all,
    elided,
    typed_builder,
    typed_builder_of_names,
    typed_builder_with_all
);

/// The type that stands next to the generated module `elided`.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ImageBuilder {
    /// In the schema.
    pub name: String,
    /// Not in the schema.
    #[serde(default)]
    pub mine: u8,
}

/// Another one, which is an item of a list.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ImageStatusLayer {
    /// In bytes.
    pub size: u64,
}

#[test]
fn the_crate_of_builders_is_among_the_dependencies() {
    for (builders, line) in
        [(Builders::TypedBuilder, "// typed-builder = \"0.23\"\n"), (Builders::Bon, "// bon = \"3\"\n")]
    {
        let generated = generate(&fixture("builders"), Config::new().builders(builders));
        let root = generated.files.iter().find(|file| file.path == "mod.rs").unwrap();
        assert!(root.contents.contains(line), "{}", root.contents);
    }
}

fn built() -> Value {
    json!({
        "apiVersion": "builders.example.com/v1",
        "kind": "Image",
        "metadata": {"name": "web"},
        "spec": {
            "name": "web", "tag": "v1", "steps": [], "labels": {"a": "b"}, "parent": null, "pull": null,
            "memory": "1Gi", "anything": "x", "9lives": 9,
            "builder": {"name": "kaniko", "build": "now"},
        },
    })
}

macro_rules! image {
    ($module:ident) => {{
        use self::$module::builders_example_com::v1::image::{Image, ImageBuilder, ImageSpec};
        let labels = [("a".to_owned(), "b".to_owned())].into();
        let builder = ImageBuilder::builder().name("kaniko").build("now").finish();
        let spec = ImageSpec::builder().name("web").tag("v1").labels(labels).parent(None).pull(None);
        let spec = spec.memory("1Gi").anything("x").builder(builder);
        (Image::builder(), spec)
    }};
}

#[test]
fn objects_are_built() {
    use crate::support::ObjectMeta;

    let metadata = || ObjectMeta { name: Some("web".to_owned()), ..ObjectMeta::default() };
    let (image, spec) = image!(typed_builder);
    let image = image.metadata(metadata()).spec(spec._9lives(9).finish()).build();
    assert_eq!(serde_json::to_value(image).unwrap(), built());
    let (image, spec) = image!(bon);
    let image = image.metadata(metadata()).spec(spec.n9lives(9).finish()).build();
    assert_eq!(serde_json::to_value(image).unwrap(), built());
}

/// With `defaults = "schema"`, a builder fills in what `Default` and `new` do.
#[test]
fn builders_fill_in_the_defaults_of_the_schema() {
    let expected = json!({
        "name": "web", "steps": [], "labels": {}, "parent": "none", "pull": "always", "replicas": 2, "base": "scratch",
        "policy": "fast",
    });
    let spec = typed_builder_with_all::builders_example_com::v1::image::ImageSpec::builder();
    let spec = spec.name("web").parent("none".to_owned()).finish();
    assert_eq!(serde_json::to_value(spec).unwrap(), expected);
    let spec = bon_with_all::builders_example_com::v1::image::ImageSpec::builder();
    let spec = spec.name("web").parent("none".to_owned()).finish();
    assert_eq!(serde_json::to_value(spec).unwrap(), expected);
    let spec = bon_with_all::builders_example_com::v1::image::ImageSpec::builder();
    let spec = spec.name("web").parent("none".to_owned()).pull(None).replicas(3).base("alpine").finish();
    let spec = serde_json::to_value(spec).unwrap();
    assert_eq!(
        (&spec["pull"], &spec["replicas"], &spec["base"]),
        (&Value::Null, &json!(3), &json!("alpine"))
    );
}

#[test]
fn types_of_the_user_take_the_place_of_generated_ones() {
    use elided::builders_example_com::v1::{Image, image::ImageStatus};
    let mut image: Image = serde_json::from_value(built()).unwrap();
    assert_eq!(image.spec.builder, Some(ImageBuilder { name: "kaniko".to_owned(), mine: 0 }));
    image.status = Some(ImageStatus { digest: None, layers: Some(vec![ImageStatusLayer { size: 1 }]) });
    assert_eq!(serde_json::to_value(image).unwrap()["status"], json!({"layers": [{"size": 1}]}));
}

#[test]
fn types_that_are_not_there_cannot_be_left_out() {
    let mut config = Config::new();
    config.elide("ImageBuildr".parse().unwrap()).elide("Image.status.layer[]".parse().unwrap());
    // Neither whole objects nor numbers are types that the user could write.
    config.elide("Image".parse().unwrap()).elide("Image.spec.replicas".parse().unwrap());
    let generated = generate(&fixture("builders"), &config);
    let unknown = |rule: &str| {
        format!("Error elide: Invalid value: \"{rule}\": no generated type has that place or name")
    };
    let rules = ["ImageBuildr", "Image.status.layer[]", "Image", "Image.spec.replicas"];
    let said =
        generated.findings.iter().map(|finding| format!("{:?} {}", finding.severity, finding.diagnostic));
    assert_eq!(said.collect::<Vec<_>>(), rules.map(unknown));
    let helps: Vec<_> = generated.findings.iter().map(|finding| finding.diagnostic.help()).collect();
    assert_eq!(
        helps[..2],
        [Some("did you mean `ImageBuilder`?"), Some("did you mean `Image.status.layers[]`?")]
    );
}
