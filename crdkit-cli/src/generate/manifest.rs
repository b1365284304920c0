//! Checks that a user's own manifest contains everything that the generated code needs.

use toml::{Table, Value};

/// Returns the entries in the generated manifest that the user's manifest lacks.
///
/// # Errors
/// The manifest cannot be read, or belongs to another package.
pub(super) fn check(own: &str, generated: &str) -> Result<Vec<String>, String> {
    let own: Table = own.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let generated: Table = generated.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let name = |manifest: &Table| Some(manifest.get("package")?.get("name")?.as_str()?.to_owned());
    let (found, expected) = (name(&own), name(&generated).unwrap_or_default());
    if found.as_ref() != Some(&expected) {
        let found = found.map_or_else(|| "no package".to_owned(), |found| format!("the package `{found}`"));
        return Err(format!("expected the manifest of the package `{expected}`, found {found}"));
    }
    let mut missing = Vec::new();
    for table in ["features", "dependencies"] {
        let empty = Table::new();
        let entries =
            |manifest: &Table| manifest.get(table).and_then(Value::as_table).unwrap_or(&empty).clone();
        let own = entries(&own);
        for (key, value) in &entries(&generated) {
            if !own.get(key).is_some_and(|own| table == "features" || has_features(own, value)) {
                missing.push(format!("`{key} = {value}` in `[{table}]`"));
            }
        }
    }
    Ok(missing)
}

/// Returns `true` if a dependency has all needed features. Workspace dependencies count as having all features, because their features are
/// unknown here.
fn has_features(own: &Value, needed: &Value) -> bool {
    let features = |dependency: &Value| -> Vec<Value> {
        dependency.get("features").and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let is_inherited = own.get("workspace").and_then(Value::as_bool) == Some(true);
    is_inherited || features(needed).iter().all(|feature| features(own).contains(feature))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GENERATED: &str = "[package]\nname = \"a\"\n[features]\ndefault = [\"v1\"]\nv1 = []\n[dependencies]\n\
                             serde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"\n";

    fn missing(own: &str) -> Vec<String> {
        check(own, GENERATED).unwrap()
    }

    #[test]
    fn entries_that_are_missing_are_found() {
        let own = "[package]\nname = \"a\"\n[features]\nv1 = []\n[dependencies]\nserde = \"1\"\n";
        assert_eq!(
            missing(own),
            [
                "`default = [\"v1\"]` in `[features]`",
                "`serde = { features = [\"derive\"], version = \"1\" }` in `[dependencies]`",
                "`serde_json = \"1\"` in `[dependencies]`"
            ]
        );
    }

    #[test]
    fn more_than_what_is_needed_is_fine() {
        let own = "[package]\nname = \"a\"\nversion = \"3.0.0\"\n[features]\ndefault = []\nv1 = []\nmine = []\n[dependencies]\n\
                   serde.workspace = true\nserde_json = { version = \"1\", features = [\"raw_value\"] }\nlog = \"0.4\"\n";
        assert_eq!(missing(own), [""; 0]);
    }

    #[test]
    fn the_manifest_of_another_package_is_refused() {
        for (own, expected) in [("[package]\nname = \"b\"", "the package `b`"), ("[workspace]", "no package")]
        {
            assert!(check(own, GENERATED).unwrap_err().ends_with(expected));
        }
    }
}
