//! A table of k8s-openapi types that custom resources may contain.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// A type of k8s-openapi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kubernetes {
    IntOrString,
    Quantity,
    Time,
    /// A struct, by its index in the table.
    Struct(u16),
}

/// A k8s-openapi struct.
#[derive(Debug)]
pub(crate) struct KubernetesStruct {
    /// The struct's path in the crate `k8s_openapi`.
    pub(crate) path: &'static str,
    pub(crate) has_default: bool,
    pub(crate) fields: Vec<KubernetesField>,
    /// An estimate of the struct's size in memory.
    pub(crate) size: usize,
}

/// A field of a [`KubernetesStruct`].
#[derive(Debug)]
pub(crate) struct KubernetesField {
    pub(crate) property: &'static str,
    pub(crate) shape: Shape,
    /// `true` if the field is always serialized, even if it was absent when the object was deserialized.
    pub(crate) is_written: bool,
    /// The minor version of Kubernetes that added the field, or 0 if the type always had the field.
    pub(crate) since: u32,
    /// The first words of the field's description, from [`words`].
    pub(crate) says: &'static str,
}

/// The type of a [`KubernetesField`].
#[derive(Debug)]
pub(crate) enum Shape {
    Boolean,
    I32,
    I64,
    F64,
    String,
    Bytes,
    /// A time, with a precision of microseconds or seconds.
    Time,
    IntOrString,
    Quantity,
    /// Any JSON value.
    Json,
    List(Box<Self>),
    Map(Box<Self>),
    Struct(u16),
}

impl KubernetesStruct {
    /// Returns the struct's name without the modules.
    pub(crate) fn name(&self) -> &'static str {
        self.path.rsplit("::").next().unwrap_or(self.path)
    }

    pub(crate) fn field(&self, property: &str) -> Option<&KubernetesField> {
        self.fields.iter().find(|field| field.property == property)
    }
}

/// All structs, with indexes for searches.
pub(crate) struct Table {
    structs: Vec<KubernetesStruct>,
    /// The structs by their properties in the current and in earlier versions of Kubernetes. In a key, the properties are sorted and
    /// separated by spaces.
    by_properties: HashMap<String, BTreeSet<u16>>,
    /// For each property, the structs that have it.
    by_property: HashMap<&'static str, Vec<u16>>,
}

/// The k8s-openapi types.
pub(crate) static TABLE: LazyLock<Table> =
    LazyLock::new(|| Table::parse(include_str!("kubernetes/types.txt")));

impl Table {
    pub(crate) fn get(&self, index: u16) -> &KubernetesStruct {
        &self.structs[usize::from(index)]
    }

    /// Returns the structs that have exactly these properties in some version of Kubernetes.
    pub(crate) fn with_exact_properties(&self, properties: &[&str]) -> Vec<u16> {
        let found = self.by_properties.get(&key(properties));
        found.map(|found| found.iter().copied().collect()).unwrap_or_default()
    }

    /// Returns the structs that have the property.
    pub(crate) fn with_property(&self, property: &str) -> &[u16] {
        self.by_property.get(property).map_or(&[], Vec::as_slice)
    }

    fn parse(text: &'static str) -> Self {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let heads = lines.clone().filter(|line| !line.starts_with(' '));
        let index: HashMap<&str, u16> =
            heads.map(|line| line.split(' ').next().unwrap_or_default()).zip(0..).collect();
        let mut structs: Vec<KubernetesStruct> = Vec::with_capacity(index.len());
        for line in lines {
            match (line.strip_prefix(' '), structs.last_mut()) {
                (Some(line), Some(struct_)) => struct_.fields.push(field(line, &index)),
                _ => {
                    let (path, has_default) =
                        line.strip_suffix(" no-default").map_or((line, true), |path| (path, false));
                    structs.push(KubernetesStruct { path, has_default, fields: Vec::new(), size: 0 });
                }
            }
        }
        let mut sizes = vec![None; structs.len()];
        for at in 0..structs.len() {
            size(&structs, at, &mut sizes);
        }
        let mut by_properties: HashMap<String, BTreeSet<u16>> = HashMap::new();
        let mut by_property: HashMap<&str, Vec<u16>> = HashMap::new();
        for ((struct_, size), at) in structs.iter_mut().zip(sizes).zip(0..) {
            struct_.size = size.unwrap_or_default();
            for version in struct_.fields.iter().map(|field| field.since).collect::<BTreeSet<_>>() {
                let then = struct_.fields.iter().filter(|field| field.since <= version);
                let properties: Vec<&str> = then.map(|field| field.property).collect();
                by_properties.entry(key(&properties)).or_default().insert(at);
            }
            for field in &struct_.fields {
                by_property.entry(field.property).or_default().push(at);
            }
        }
        Self { structs, by_properties, by_property }
    }
}

/// Returns the first words of a description, normalized as in the table.
pub(crate) fn words(text: &str) -> String {
    let text: String = text.chars().take(200).collect::<String>().to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(8).collect::<Vec<_>>().join(" ")
}

fn key(properties: &[&str]) -> String {
    let mut sorted = properties.to_vec();
    sorted.sort_unstable();
    sorted.join(" ")
}

/// Parses a line such as `property! type since | first words`.
fn field(line: &'static str, index: &HashMap<&str, u16>) -> KubernetesField {
    let (line, says) = line.split_once(" | ").unwrap_or((line.trim_end_matches([' ', '|']), ""));
    let mut parts = line.split(' ');
    let property = parts.next().unwrap_or_default();
    let shape = shape(parts.next().unwrap_or_default(), index);
    let since = parts.next().and_then(|since| since.parse().ok()).unwrap_or_default();
    let (property, is_written) = property.strip_suffix('!').map_or((property, false), |name| (name, true));
    KubernetesField { property, shape, is_written, since, says }
}

fn shape(text: &str, index: &HashMap<&str, u16>) -> Shape {
    let inside = |open, close| text.strip_prefix(open).and_then(|text| text.strip_suffix(close));
    if let Some(items) = inside('[', ']') {
        return Shape::List(Box::new(shape(items, index)));
    }
    if let Some(values) = inside('{', '}') {
        return Shape::Map(Box::new(shape(values, index)));
    }
    match text {
        "boolean" => Shape::Boolean,
        "i32" => Shape::I32,
        "i64" => Shape::I64,
        "f64" => Shape::F64,
        "string" => Shape::String,
        "ByteString" => Shape::Bytes,
        "Time" | "MicroTime" => Shape::Time,
        "IntOrString" => Shape::IntOrString,
        "Quantity" => Shape::Quantity,
        "json" => Shape::Json,
        path => Shape::Struct(*index.get(path).expect("the table has every type that it names")),
    }
}

/// Estimates a struct's size in memory, by the same rules as for generated types. Types in the table are recursive only through lists and
/// maps.
fn size(structs: &[KubernetesStruct], at: usize, sizes: &mut [Option<usize>]) -> usize {
    if let Some(size) = sizes[at] {
        return size;
    }
    sizes[at] = Some(24);
    let mut sum = 0;
    for field in &structs[at].fields {
        sum += 8 + match &field.shape {
            Shape::Boolean => 1,
            Shape::I32 | Shape::I64 | Shape::F64 => 8,
            Shape::Json => 72,
            Shape::Struct(part) => size(structs, usize::from(*part), sizes),
            _ => 24,
        };
    }
    sizes[at] = Some(sum);
    sum
}

/// Splits a name in `UpperCamelCase` into words: `SecretKeySelector` has `secret`, `key` and `selector`.
pub(crate) fn name_words(name: &str) -> BTreeSet<String> {
    let mut words: Vec<String> = Vec::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() || words.is_empty() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words.into_iter().collect()
}

/// Returns all structs in the table by name.
#[cfg(test)]
pub(crate) fn by_name() -> HashMap<&'static str, &'static KubernetesStruct> {
    TABLE.structs.iter().map(|struct_| (struct_.name(), struct_)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        let all = by_name();
        let selector = all["SecretKeySelector"];
        assert_eq!(selector.path, "api::core::v1::SecretKeySelector");
        let fields: Vec<_> = selector.fields.iter().map(|field| (field.property, field.is_written)).collect();
        assert_eq!(fields, [("key", true), ("name", true), ("optional", false)]);
        assert_eq!(selector.fields[0].says, "the key of the secret to select from");
        assert!(!all["Condition"].has_default);
        assert!(all["PodSpec"].size > 1024);
    }

    #[test]
    fn structs_are_found_as_they_were() {
        let names = |properties: &[&str]| {
            let found = TABLE.with_exact_properties(properties);
            found.into_iter().map(|at| TABLE.get(at).name()).collect::<Vec<_>>()
        };
        assert_eq!(names(&["matchLabels", "matchExpressions"]), ["LabelSelector"]);
        assert_eq!(names(&["key", "optional", "name"]), ["ConfigMapKeySelector", "SecretKeySelector"]);
        // Before Kubernetes 1.26 there were no claims.
        assert_eq!(names(&["limits", "requests"]), ["ResourceRequirements", "VolumeResourceRequirements"]);
        assert!(
            TABLE.with_property("tolerationSeconds").iter().any(|at| TABLE.get(*at).name() == "Toleration")
        );
    }

    #[test]
    fn names_have_words() {
        let words: Vec<String> = name_words("SecretKeySelector").into_iter().collect();
        assert_eq!(words, ["key", "secret", "selector"]);
    }
}
