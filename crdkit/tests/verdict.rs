//! `crd()` answers with the API server's whole verdict, at the places of the Rust types and with what to do.

use std::collections::BTreeMap;
use std::error::Error as _;

use crdkit::{CrdFiles, CrdSchema, CustomResource, UncheckedCrd};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Texts that a macro cannot read.
const MISTYPED: &str = "self.size == 'a'";
const MISSPELT: &str = "self.colour == 'red'";
const DEAR: &str = "self.all(a, self.all(b, a == b || self.exists(c, c > a)))";

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "stable.example.com", version = "v1", kind = "Shirt", no_test)]
struct ShirtSpec {
    #[crd(validation = MISSPELT)]
    cut: Cut,
    #[crd(validation = DEAR)]
    sizes: Vec<i64>,
    pockets: BTreeMap<String, Vec<Cut>>,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(validation = MISTYPED)]
struct Cut {
    color: String,
    size: i32,
}

#[test]
fn rules_are_checked_and_priced() {
    let error = Shirt::crd().expect_err("three rules are wrong");
    assert!(error.is_rejected() && !error.is_schema() && !error.is_definition());
    let causes: Vec<_> =
        error.causes().iter().map(|cause| (cause.type_name(), cause.field(), cause.place())).collect();
    let expected = [
        ("Cut", ".spec.cut", "ShirtSpec.cut"),
        ("Cut", ".spec.cut", "ShirtSpec.cut"),
        ("Cut", ".spec.pockets[*][]", "ShirtSpec.pockets"),
        ("ShirtSpec", ".spec.sizes", "ShirtSpec.sizes"),
    ];
    for expected in expected {
        assert!(causes.contains(&expected), "{expected:?}: {error}");
    }
    let text = error.to_string();
    assert!(
        text.starts_with("the API server would reject `shirts.stable.example.com`:\nspec.validation."),
        "{text}"
    );
    let lines: Vec<&str> = text.lines().collect();
    for line in [
        "  --> ShirtSpec.cut (crdkit/tests/verdict.rs:",
        "  help: did you mean `color`?",
        "  --> ShirtSpec.sizes (crdkit/tests/verdict.rs:",
    ] {
        assert!(lines.iter().any(|other| other.starts_with(line)), "{line}: {text}");
    }
    assert!(text.contains("found no matching overload for '_==_' applied to '(int, string)'"), "{text}");
    assert!(text.contains("  help: add `maxItems: "), "{text}");
    assert_eq!(Shirt::crd_yaml().expect_err("it is the same").to_string(), text);
    let mut files = CrdFiles::new("crds");
    assert_eq!(files.add::<Shirt>().expect_err("it is the same").to_string(), text);
    // Who asks for the definition all the same gets it.
    assert!(Shirt::unchecked().map(UncheckedCrd::into_crd).is_ok());
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "stable.example.com", version = "v1", kind = "Hat", no_test)]
struct HatSpec {
    #[serde(default)]
    #[crd(validation = "self.min < self.max")]
    range: Range,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, Default)]
struct Range {
    min: i32,
    max: i32,
}

#[test]
fn rules_are_run_over_defaults() {
    let error = Hat::crd().expect_err("the default breaks the rule");
    assert_eq!((error.field(), error.causes()[0].place()), (".spec.range", "HatSpec.range"));
    assert!(error.to_string().contains("failed rule: self.min < self.max"), "{error}");
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "stable.example.com", version = "v1", kind = "Shoe", storage = false)]
struct ShoeSpec {
    colors: Vec<String>,
}

#[test]
fn advice_is_not_an_error() -> Result<(), crdkit::Error> {
    // A version that is not stored is installed with one that is.
    assert!(!Shoe::crd()?.spec.versions[0].storage);
    let advice = Shoe::advice()?;
    assert_eq!(advice.len(), 1, "{advice:?}");
    assert_eq!((advice[0].name, &*advice[0].place), ("list-without-type", "ShoeSpec.colors"));
    Ok(())
}

/// A schema that somebody wrote by hand.
#[derive(Serialize, Deserialize, Clone, Debug)]
struct Foreign;

impl JsonSchema for Foreign {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Foreign".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "x-enum-names": ["a"], "x-go-type": "int"})
    }
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "stable.example.com", version = "v1", kind = "Glove")]
struct GloveSpec {
    foreign: Foreign,
}

#[test]
fn unknown_extensions_are_dropped_with_advice() -> Result<(), crdkit::Error> {
    let crd = Glove::crd()?.to_value();
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
    assert_eq!(schema["foreign"], json!({"type": "string"}));
    let at = location("    foreign: Foreign,");
    let advice: Vec<String> = Glove::advice()?.iter().map(ToString::to_string).collect();
    assert_eq!(
        advice,
        ["x-enum-names", "x-go-type"].map(|keyword| format!(
            ".spec.foreign: `{keyword}` is not a keyword of a CRD's schema and is dropped\n  --> GloveSpec.foreign \
             ({at})\n  \
             help: remove it from the type's `JsonSchema` or from `extend`"
        ))
    );
    Ok(())
}

/// A group that a macro cannot read.
const PROTECTED: &str = "gadgets.k8s.io";

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = PROTECTED, version = "v1", kind = "Gadget", unchecked)]
struct GadgetSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = PROTECTED, version = "v1", kind = "Client")]
struct ClientSpec {}

#[test]
fn a_group_of_the_kubernetes_project_needs_approval() -> Result<(), Box<dyn std::error::Error>> {
    let error = Client::crd().expect_err("it is not approved");
    assert!(error.help().starts_with("add `annotation(\"api-approved.kubernetes.io\", \"...\")`"), "{error}");
    // The annotation may be added to the file.
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("verdict");
    let mut files = CrdFiles::new(folder);
    files.add::<Client>()?;
    assert!(files.write().expect_err("it is not approved").is_rejected());
    files.annotation("api-approved.kubernetes.io", "unapproved, a test").write()?;
    files.check()?;
    assert!(files.label("a b", "c").check().expect_err("the label is wrong").is_rejected());
    // Nobody asks here.
    assert!(Gadget::crd().is_ok());
    Ok(())
}

#[test]
fn an_error_has_its_source() {
    let mut files = CrdFiles::new("/dev/null/nowhere");
    files.add::<Shoe>().expect("it is sound");
    let error = files.write().expect_err("there is no such folder");
    assert!(error.is_files() && error.source().is_some(), "{error}");
}

/// A rule that fits no text, where a macro cannot read it.
const NUMERIC: &str = "self > 1";

#[crdkit::versions(v1, v2(storage))]
mod socks {
    use crdkit::{CrdSchema, CustomResource};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "stable.example.com", kind = "Sock", no_test)]
    pub(crate) struct SockSpec {
        #[crd(validation = crate::NUMERIC)]
        pub(crate) color: String,
    }
}

#[test]
fn all_versions_are_judged() {
    let error = socks::crd().expect_err("a rule is wrong");
    assert!(error.is_rejected(), "{error}");
    assert_eq!(error.causes()[0].place(), "SockSpec.color");
}

/// Returns the line in which `text` first stands in this file.
fn location(text: &str) -> String {
    let line = include_str!("verdict.rs").lines().position(|line| line.contains(text)).expect("it is here");
    format!("crdkit/tests/verdict.rs:{}", line + 1)
}

#[test]
fn causes_have_a_file_and_a_line() {
    let error = Shirt::crd().map(drop).expect_err("three rules are wrong");
    let locations: Vec<(&str, &str)> =
        error.causes().iter().map(|cause| (cause.place(), cause.location())).collect();
    let expected =
        [("ShirtSpec.cut", location("    cut: Cut,")), ("ShirtSpec.sizes", location("    sizes: Vec<i64>,"))];
    for (place, location) in &expected {
        assert!(locations.contains(&(place, location)), "{locations:?}");
    }
    assert!(error.to_string().contains(&format!("\n  --> ShirtSpec.sizes ({})\n", expected[1].1)), "{error}");
    assert!(!Shirt::unchecked().expect("it can be made").into_crd().to_value().to_string().contains(".rs"));
}

#[test]
fn advice_and_other_errors_have_a_file_and_a_line() {
    let advice = Shirt::advice().expect("it can be made");
    let list = advice.iter().find(|advice| advice.name == "list-without-type").expect("there are lists");
    assert_eq!(list.location, location("    sizes: Vec<i64>,"));

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Sock", no_test)]
    struct SockSpec {
        #[serde(default)]
        pair: (String, bool), // two types
    }
    let error = Sock::crd().map(drop).expect_err("a tuple of two types");
    assert_eq!(error.causes()[0].location(), location("// two types"));
    assert_eq!(SockSpec { pair: Default::default() }.pair, Default::default());
}
