//! The sizes of a CRD's parts, by version and path.

use serde_json::Value;

use super::advice::size::{ANNOTATION_BYTES, STORED_BYTES};
use crate::CustomResourceDefinition;
use crate::crd::weight::{weigh, weigh_escaped};

/// Maximum number of parts that are returned.
const MOST_PARTS: usize = 1_000;

/// Maximum length of a part's path, in bytes. Parts with longer paths are not listed.
const LONGEST_PATH: usize = 1_000;

/// The sizes of a CRD, and of the schemas in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CrdSizes {
    /// The size of the annotation in which `kubectl apply` keeps the CRD: compact JSON, where Go escapes `<`, `>` and
    /// `&`.
    pub apply: usize,
    /// The size of the CRD in etcd, in bytes: compact JSON, without the fields that the API server adds.
    pub stored: usize,
    /// The sizes of the largest schemas, in descending order. A schema's size includes everything inside the schema. The list has at most a
    /// thousand elements.
    pub parts: Vec<SizedPart>,
}

/// The size of one schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SizedPart {
    /// The name of the version that has the schema.
    pub version: String,
    /// The path of the value in an object, such as `spec.ports[].name`; empty for the whole object.
    pub path: String,
    /// The size of the schema as compact JSON, in bytes.
    pub bytes: usize,
}

impl CrdSizes {
    /// Maximum size of all annotations of an object together, in bytes. `kubectl apply` stores the whole object in an annotation.
    ///
    /// Source: `TotalAnnotationSizeLimitB` in `k8s.io/apimachinery/pkg/api/validation/objectmeta.go`.
    pub const MOST_APPLIED: usize = ANNOTATION_BYTES;
    /// Maximum size of a request that etcd accepts by default, in bytes.
    pub const MOST_STORED: usize = STORED_BYTES;

    /// Measures a CRD and the schemas in it.
    ///
    /// ```
    /// use crd_core::CustomResourceDefinition;
    /// use crd_core::check::CrdSizes;
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}}});
    /// let crd = CustomResourceDefinition::from_value(json!({"spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]}}))?;
    /// let sizes = CrdSizes::measure(&crd);
    /// assert_eq!((sizes.parts[1].path.as_str(), sizes.parts[1].bytes), ("spec", 54));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn measure(crd: &CustomResourceDefinition) -> Self {
        let crd = crd.to_value();
        let versions: Vec<(&str, &Value)> = crd["spec"]["versions"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|version| {
                Some((version["name"].as_str()?, version["schema"].get("openAPIV3Schema")?))
            })
            .collect();
        let mut bytes = Vec::new();
        for (_, schema) in &versions {
            measure(schema, &mut bytes);
        }
        let mut largest = bytes.clone();
        largest.sort_unstable_by_key(|bytes| std::cmp::Reverse(*bytes));
        let least = largest.get(MOST_PARTS - 1).copied().unwrap_or_default();
        let (mut parts, mut sizes) = (Vec::new(), bytes.into_iter());
        for (version, schema) in &versions {
            let mut named =
                Named { version, path: String::new(), least, sizes: &mut sizes, parts: &mut parts };
            named.visit(schema);
        }
        parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
        parts.truncate(MOST_PARTS);
        Self { apply: weigh_escaped(&crd), stored: weigh(&crd), parts }
    }
}

/// Returns the size of a schema in bytes. Appends the sizes of all schemas for values in `schema` to `all`, outer schemas first.
fn measure(schema: &Value, all: &mut Vec<usize>) -> usize {
    let at = all.len();
    all.push(0);
    let Some(keywords) = schema.as_object() else { return weigh(schema) };
    let mut bytes = 1 + keywords.len().max(1);
    for (keyword, value) in keywords {
        bytes += weigh_key(keyword) + 1;
        bytes += match (keyword.as_str(), value) {
            ("properties", Value::Object(fields)) => {
                let names: usize = fields.keys().map(|name| weigh_key(name) + 1).sum();
                1 + fields.len().max(1)
                    + names
                    + fields.values().map(|field| measure(field, all)).sum::<usize>()
            }
            ("items" | "additionalProperties", Value::Object(_)) => measure(value, all),
            _ => weigh(value),
        };
    }
    all[at] = bytes;
    bytes
}

fn weigh_key(key: &str) -> usize {
    weigh(&Value::from(key))
}

/// Collects the parts that are large enough, with their paths.
struct Named<'s> {
    version: &'s str,
    path: String,
    least: usize,
    /// The sizes of all schemas that describe values, in the order in which [`measure`] returns them.
    sizes: &'s mut dyn Iterator<Item = usize>,
    parts: &'s mut Vec<SizedPart>,
}

impl Named<'_> {
    fn visit(&mut self, schema: &Value) {
        let bytes = self.sizes.next().unwrap_or_default();
        if bytes >= self.least && self.path.len() <= LONGEST_PATH {
            let (version, path) = (self.version.to_owned(), self.path.clone());
            self.parts.push(SizedPart { version, path, bytes });
        }
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(fields)) => {
                    for (name, field) in fields {
                        let dot = if self.path.is_empty() { "" } else { "." };
                        self.below(&[dot, name], field);
                    }
                }
                ("items", Value::Object(_)) => self.below(&["[]"], value),
                ("additionalProperties", Value::Object(_)) => self.below(&["[*]"], value),
                _ => {}
            }
        }
    }

    fn below(&mut self, step: &[&str], schema: &Value) {
        let end = self.path.len();
        if end <= LONGEST_PATH {
            step.iter().for_each(|part| self.path.push_str(part));
        }
        self.visit(schema);
        self.path.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A part's size is the length of its JSON.
    #[test]
    fn parts_have_the_bytes_of_their_json() {
        let name = json!({"type": "string", "description": "\"<\u{2028}\n"});
        let ports = json!({"type": "array", "items": {"type": "object", "properties": {"n": name}, "required": ["n"]}});
        let labels = json!({"type": "object", "additionalProperties": {"type": "string"}});
        let spec = json!({"type": "object", "properties": {"ports": ports, "a b": labels, "empty": {}}});
        let schema = json!({"type": "object", "properties": {"spec": spec}});
        let versions = json!([{"name": "v1", "schema": {"openAPIV3Schema": schema}}, {"name": "v2"}]);
        let crd = CustomResourceDefinition::from_value(json!({"spec": {"versions": versions}})).unwrap();
        let sizes = CrdSizes::measure(&crd);
        let expected = [
            ("", &schema),
            ("spec", &spec),
            ("spec.ports", &ports),
            ("spec.ports[]", &ports["items"]),
            ("spec.a b", &labels),
            ("spec.ports[].n", &name),
            ("spec.a b[*]", &labels["additionalProperties"]),
            ("spec.empty", &json!({})),
        ];
        let found: Vec<(&str, usize)> =
            sizes.parts.iter().map(|part| (part.path.as_str(), part.bytes)).collect();
        let mut expected: Vec<(&str, usize)> =
            expected.into_iter().map(|(path, value)| (path, value.to_string().len())).collect();
        expected.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        assert_eq!(found, expected);
        assert_eq!(sizes.stored, crd.to_value().to_string().len());
        // `<` and U+2028 are six bytes each for Go.
        assert_eq!(sizes.apply, sizes.stored + 5 + 3);
    }
}
