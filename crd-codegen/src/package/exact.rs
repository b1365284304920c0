/// Reads each object as its type, writes it, and compares.
// Without the feature of any version there is no test.
#[allow(dead_code)]
#[rustfmt::skip]
fn keeps_every_field<T: serde::de::DeserializeOwned + serde::Serialize>(objects: &[&str]) {
    for object in objects {
        let before: serde_json::Value = serde_json::from_str(object).expect("a sample is JSON");
        let read: T = serde_json::from_str(object).unwrap_or_else(|error| panic!("{error}\n{object}"));
        let after = serde_json::to_value(read).expect("a sample can be written");
        assert!(before == after, "{object}\nbecame\n{after:#}");
    }
}
