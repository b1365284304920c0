//! Files of definitions: written, found current, missing and stale.

use std::fs;
use std::path::PathBuf;

use crdkit::{CrdFiles, CrdSchema, CustomResource, FileState};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "stable.example.com", version = "v1", kind = "Shirt", namespaced)]
struct ShirtSpec {
    color: String,
}

/// Returns a folder of this test's own, which is empty.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("files").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the folder is this test's own");
    }
    folder
}

#[test]
fn files_are_missing_then_current_then_stale() -> Result<(), Box<dyn std::error::Error>> {
    let folder = folder("states");
    let mut files = CrdFiles::new(&folder);
    files.add::<Shirt>()?;
    let path = folder.join("stable.example.com_shirts.yaml");
    assert_eq!(files.states()?, [(path.clone(), FileState::Missing)]);
    assert!(files.check().is_err_and(|error| error.is_files()));

    files.write()?;
    assert_eq!(files.states()?, [(path.clone(), FileState::Current)]);
    files.check()?;
    assert_eq!(fs::read_to_string(&path)?, Shirt::crd_yaml()?);
    assert_eq!(fs::read_dir(&folder)?.count(), 1);

    // Other line breaks do not make a file stale.
    fs::write(&path, Shirt::crd_yaml()?.replace('\n', "\r\n"))?;
    files.check()?;

    fs::write(&path, Shirt::crd_yaml()?.replace("Namespaced", "Cluster"))?;
    let error = files.check().expect_err("it is stale").to_string();
    let expected = "is stale, first in line 11:\n  -   scope: Cluster\n  +   scope: Namespaced\n  help: write them with \
                    `UPDATE_CRDS=1 cargo test`";
    assert!(error.ends_with(expected), "{error}");
    Ok(())
}

#[test]
fn one_file_has_one_definition() -> Result<(), crdkit::Error> {
    let mut files = CrdFiles::new(folder("twice"));
    files.add::<Shirt>()?;
    let error = files.add::<Shirt>().expect_err("it is there").to_string();
    assert!(error.starts_with("two CRDs have the name `shirts.stable.example.com`"), "{error}");
    Ok(())
}

#[test]
fn versions_of_a_kind_agree_on_it() -> Result<(), crdkit::Error> {
    let shirt = || Shirt::crd();
    let mut other = shirt()?;
    other.spec.versions[0].name = "v2".to_owned();
    let merged = crdkit::merge_crds([shirt()?, other.clone()], "v2")?;
    assert_eq!(merged.spec.versions.iter().filter(|version| version.storage).count(), 1);

    other.spec.names.short_names = Some(vec!["sh".to_owned()]);
    let error = crdkit::merge_crds([shirt()?, other], "v1").expect_err("they differ").to_string();
    assert!(error.contains("its versions differ in short names"), "{error}");
    let error = crdkit::merge_crds([shirt()?, shirt()?], "v1").expect_err("it is there twice").to_string();
    assert!(error.contains("the version `v1` occurs twice"), "{error}");
    Ok(())
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "stable.example.com", version = "v1", kind = "Hat", shortname = "shirt", label("team", "a"))]
struct HatSpec {
    /// A `{{` and a `{{{`, "quoted".
    #[schemars(regex(pattern = "^[^{{]*$"))]
    text: String,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "stable.example.com", version = "v1", kind = "Shoe", annotation("note", "a: b"))]
struct ShoeSpec {
    size: u8,
}

#[test]
fn one_file_for_all() -> Result<(), Box<dyn std::error::Error>> {
    let folder = folder("bundle");
    let path = folder.join("nested/crds.yaml");
    let mut files = CrdFiles::bundle(&path);
    files.add::<Shirt>()?.add::<Shoe>()?;
    assert_eq!(files.states()?, [(path.clone(), FileState::Missing)]);
    files.write()?;
    files.check()?;
    assert_eq!(fs::read_to_string(&path)?, format!("{}---\n{}", Shirt::crd_yaml()?, Shoe::crd_yaml()?));
    Ok(())
}

#[test]
fn metadata_is_added_on_the_way_out() -> Result<(), Box<dyn std::error::Error>> {
    let mut files = CrdFiles::new("crds");
    files.add::<Hat>()?.label("team", "b").label("part-of", "x").annotation("example.com/yes", "yes");
    let crd: serde_json::Value = serde_yaml::from_str(&files.contents()[0].1)?;
    assert_eq!(crd["metadata"]["labels"], serde_json::json!({"team": "b", "part-of": "x"}));
    assert_eq!(crd["metadata"]["annotations"], serde_json::json!({"example.com/yes": "yes"}));
    Ok(())
}

#[test]
fn texts_are_none_of_helms() -> Result<(), Box<dyn std::error::Error>> {
    let mut files = CrdFiles::new("chart/templates");
    let plain = files.add::<Hat>()?.contents().remove(0).1;
    let escaped = files.for_helm().contents().remove(0).1;
    assert!(plain.contains("{{") && plain != escaped);
    // Every `{{` is a template's, and prints one: what remains without them is the text.
    assert_eq!(escaped.replace("{{`{{`}}", "\0").matches("{{").count(), 0);
    assert_eq!(escaped.replace("{{`{{`}}", "{{"), plain);
    // It is YAML as it stands too.
    assert!(serde_yaml::from_str::<serde_json::Value>(&escaped).is_ok());
    Ok(())
}

#[test]
fn names_of_a_group_are_taken_once() -> Result<(), crdkit::Error> {
    let mut files = CrdFiles::new("crds");
    let error = files.add::<Shirt>()?.add::<Hat>().expect_err("`shirt` is taken").to_string();
    let expected = "`shirts.stable.example.com` and `hats.stable.example.com` both have the name `shirt`\n  help: give one \
                    of them another kind, plural, singular or short name";
    assert_eq!(error, expected);
    Ok(())
}

/// Otherwise a GitOps tool would report a field that the API server drops or adds as a difference for ever.
#[test]
fn files_say_nothing_that_the_server_drops() -> Result<(), Box<dyn std::error::Error>> {
    let yaml = Shoe::crd_yaml()?;
    for dropped in
        ["status:\n", "creationTimestamp", "null", ": []", ": {}", "preserveUnknownFields", "255.0"]
    {
        assert!(!yaml.contains(dropped), "{dropped}");
    }
    Ok(())
}
