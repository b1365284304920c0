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

/// A folder of this test's own, which is empty.
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

    // Other line breaks are no difference.
    fs::write(&path, Shirt::crd_yaml()?.replace('\n', "\r\n"))?;
    files.check()?;

    fs::write(&path, Shirt::crd_yaml()?.replace("Namespaced", "Cluster"))?;
    let error = files.check().expect_err("it is stale").to_string();
    let expected = "is stale, first in line 11:\n  -   scope: Cluster\n  +   scope: Namespaced; help: write them with \
                    `UPDATE_CRDS=1 cargo test`";
    assert!(error.ends_with(expected), "{error}");
    Ok(())
}

#[test]
fn one_file_has_one_definition() -> Result<(), crdkit::Error> {
    let mut files = CrdFiles::new(folder("twice"));
    files.add::<Shirt>()?;
    let error = files.add::<Shirt>().expect_err("it is there").to_string();
    assert!(error.starts_with("two definitions have the name `shirts.stable.example.com`"), "{error}");
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
    assert!(error.contains("the version `v1` is there twice"), "{error}");
    Ok(())
}
