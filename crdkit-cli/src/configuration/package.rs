//! Reads a job's key `package`, which is a table like `[package]` in a manifest, or just a name.

use crd_codegen::{Package, check_package_name as check_name};
use toml::Value;

use super::keys::{Fault, Keys};

/// The keys of `[package]`, in the order of the file. Cargo checks their values.
const KEYS: [&str; 15] = [
    "version",
    "edition",
    "rust-version",
    "authors",
    "description",
    "documentation",
    "homepage",
    "repository",
    "license",
    "license-file",
    "readme",
    "keywords",
    "categories",
    "publish",
    "links",
];
/// The key for dependencies that the generated code itself does not need.
const DEPENDENCIES: &str = "dependencies";
const NAME: &str = "name";

/// The default values of keys that every package must have.
const DEFAULTS: [(&str, &str); 2] = [("version", "0.1.0"), ("edition", "2024")];

/// Reads a job's package, if the job has one.
pub(super) fn package(keys: &mut Keys<'_>) -> Result<Option<Package>, Fault> {
    let expected = "`package = \"NAME\"`, or a table with the keys of Cargo's `[package]`";
    let Some(mut keys) = keys.take_table_or_string("package", NAME, expected)? else { return Ok(None) };
    let name: Option<String> = keys.take(NAME, "`name = \"...\"`")?;
    let name = name.ok_or_else(|| Fault::new("expected `name = \"...\"` in `package`"))?;
    let mut package = Package::new(&name).map_err(|error| Fault::new(error.to_string()))?;
    for key in KEYS {
        let default = DEFAULTS.iter().find(|(name, _)| *name == key).map(|(_, value)| Value::from(*value));
        let Some(value) = keys.take::<Value>(key, "a value")?.or(default) else { continue };
        match (key, value.as_str()) {
            ("version", version) => package.version = version.map(str::to_owned),
            // A text that is not there is taken from the workspace.
            ("description", description) => package.description = description.map(str::to_owned),
            _ => {}
        }
        package.keys.push((key.to_owned(), value.to_string()));
    }
    if let Some(mut dependencies) = keys.take_table(DEPENDENCIES, "a table of dependencies")? {
        for (name, place) in dependencies.names() {
            check_name(&name).map_err(|error| Fault::new(error.to_string()).at(place))?;
            let value: Option<Value> = dependencies.take(&name, "a dependency")?;
            package.dependencies.extend(value.map(|value| (name, value.to_string())));
        }
    }
    let known: Vec<&str> = [NAME].into_iter().chain(KEYS).chain([DEPENDENCIES]).collect();
    keys.expect_none(&known)?;
    Ok(Some(package))
}
