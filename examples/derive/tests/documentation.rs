//! The definitions equal those of the Kubernetes documentation, as data and as YAML.

use crdkit::CustomResource;
use example_derive::{CronTab, CronTabSpec, CronTabStatus, Shirt};
use serde_json::{Value, json};

#[test]
fn the_cron_tab_of_the_documentation() {
    assert_definition::<CronTab>(include_str!("crontab.yaml"));
}

#[test]
fn the_shirt_of_the_documentation() {
    assert_definition::<Shirt>(include_str!("shirt.yaml"));
}

fn assert_definition<R: CustomResource>(expected: &str) {
    let expected: Value = serde_yaml::from_str(expected).expect("the fixture is YAML");
    assert_eq!(R::crd().expect("it has a definition").to_value(), expected);
    let yaml = R::crd_yaml().expect("it has a definition");
    assert_eq!(serde_yaml::from_str::<Value>(&yaml).expect("the definition is YAML"), expected);
}

#[test]
fn objects_are_written_and_read() -> Result<(), Box<dyn std::error::Error>> {
    let written = json!({
        "apiVersion": "stable.example.com/v1",
        "kind": "CronTab",
        "metadata": {"name": "mine", "labels": {"a": "b"}, "uid": "1"},
        "spec": {"cronSpec": "* * * * */5", "image": "my-image", "replicas": 3},
        "status": {"replicas": 2},
    });
    let cron_tab: CronTab = serde_json::from_value(written.clone())?;
    assert_eq!(cron_tab.spec.image.as_deref(), Some("my-image"));
    assert_eq!(cron_tab.status, Some(CronTabStatus { replicas: Some(2), label_selector: None }));
    assert_eq!(serde_json::to_value(&cron_tab)?, written);

    let bare: CronTab = serde_json::from_value(json!({"metadata": {"name": "mine"}}))?;
    assert_eq!(bare.spec, CronTabSpec::default());
    Ok(())
}

#[test]
fn objects_of_another_type_are_refused() {
    let shirt = json!({"apiVersion": "stable.example.com/v1", "kind": "Shirt", "metadata": {}, "spec": {}});
    let error = serde_json::from_value::<CronTab>(shirt).expect_err("it is not a CronTab");
    assert_eq!(error.to_string(), "kind is `Shirt`, not `CronTab`");
}
