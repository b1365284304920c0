//! Definitions of types against those of an earlier release.
#![cfg(feature = "diff")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use crdkit::comparison::Profile;
use crdkit::{CrdFiles, CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "stable.example.com", version = "v1", kind = "Shirt", namespaced)]
struct ShirtSpec {
    #[schemars(range(max = 60))]
    size: Option<i32>,
}

/// Returns a folder with the CRD of an earlier release.
fn earlier(name: &str, change: impl Fn(String) -> String) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    let text = crdkit::to_yaml(&Shirt::crd().unwrap());
    fs::write(folder.join("shirts.yaml"), change(text)).unwrap();
    folder
}

#[test]
fn changes_fail_by_profile() {
    let mut files = CrdFiles::new("crds");
    files.add::<Shirt>().unwrap();
    let same = earlier("comparison-same", |text| text);
    files.against(same.to_str().unwrap()).unwrap().check(Profile::Strict).unwrap();

    let looser = earlier("comparison-looser", |text| text.replace("maximum: 60", "maximum: 80"));
    let mut comparison = files.against(looser.to_str().unwrap()).unwrap();
    comparison.check(Profile::Stored).unwrap();
    let error = comparison.check(Profile::Clients).unwrap_err().to_string();
    assert!(error.contains("maximum-tightened"), "{error}");
    assert!(error.contains("should be less than or equal to 60"), "{error}");
    let fingerprint = comparison.findings()[0].fingerprint.clone();
    comparison.waive(&fingerprint, "nobody has such sizes").check(Profile::Clients).unwrap();
}

#[test]
fn missing_releases_are_errors() {
    let mut files = CrdFiles::new("crds");
    files.add::<Shirt>().unwrap();
    for earlier in ["no-such-folder", "git:no-such-release:crds"] {
        let error = files.against(earlier).unwrap_err().to_string();
        assert!(error.contains("no such") || error.contains("no commit"), "{error}");
    }
}
