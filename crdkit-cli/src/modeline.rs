//! Writes modelines. A modeline is the first line of a YAML file, and tells editors where the JSON Schema is: `# yaml-language-server:
//! $schema=...`.
//!
//! yaml-language-server reads this line. Relative paths are relative to the YAML file.

use crd_docs::pages::group_directory;
use serde_json::Value;

/// The beginning of a modeline.
const MODELINE: &str = "# yaml-language-server: $schema=";

/// Returns the line for the schema at `path` below a URL or directory.
pub(crate) fn line(base: &str, path: &str) -> String {
    format!("{MODELINE}{}/{path}\n", base.trim_end_matches('/'))
}

/// Returns the path that `crdkit schema` uses for an object's schema, such as `stable.example.com/shirt_v1.json`. Returns `None` for an
/// object without a group.
pub(crate) fn schema_path(object: &Value) -> Option<String> {
    let (group, version) = object["apiVersion"].as_str()?.split_once('/')?;
    Some(catalogue_path(group, object["kind"].as_str()?, version))
}

/// Returns a schema's path in the layout of the CRDs catalogue.
pub(crate) fn catalogue_path(group: &str, kind: &str, version: &str) -> String {
    format!("{}/{kind}_{version}.json", group_directory(group)).to_lowercase()
}

/// Adds a line as the first line of a text. An existing modeline is replaced.
pub(crate) fn with_line(text: &str, line: &str) -> String {
    let rest = match text.split_once('\n') {
        Some((first, rest)) if first.starts_with(MODELINE) => rest,
        _ if text.starts_with(MODELINE) => "",
        _ => text,
    };
    format!("{line}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_is_added_once() {
        let object = json!({"apiVersion": "stable.example.com/v1", "kind": "Shirt"});
        let path = schema_path(&object).unwrap();
        let line = line("../schemas/", &path);
        assert_eq!(line, "# yaml-language-server: $schema=../schemas/stable.example.com/shirt_v1.json\n");
        let text = with_line("kind: Shirt\n", &line);
        assert_eq!(text, format!("{line}kind: Shirt\n"));
        assert_eq!(with_line(&text, &line), text);
        assert_eq!(with_line("# yaml-language-server: $schema=none", &line), line);
        assert_eq!(schema_path(&json!({"apiVersion": "v1", "kind": "Pod"})), None);
    }
}
