//! The files and lines of types and fields in the Rust code. The derives record them.

use crd_core::OrderedMap;
use serde_json::Value;

use crate::marks::MarkOwner;

/// The directories that contain a package's code.
const FOLDERS: [&str; 4] = ["src", "tests", "examples", "benches"];

/// The files and lines of types, by type name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// `None` if two types have the same name.
    by_type: OrderedMap<Option<Source>>,
}

/// The file and lines of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Source {
    file: String,
    /// The names in the type's schema in order, each with its line. The name of the type itself is empty, and a flattened field has
    /// the name `..Type`.
    lines: Vec<(String, u64)>,
}

impl Source {
    fn line(&self, name: &str) -> Option<u64> {
        self.lines.iter().find(|(known, _)| known == name).map(|(_, line)| *line)
    }
}

impl Sources {
    /// Adds a type. `lines` is JSON: a list of pairs of a field name and its line.
    pub(crate) fn insert(&mut self, type_name: &str, file: &str, lines: &str) {
        let Ok(Value::Array(lines)) = serde_json::from_str(lines) else { return };
        let line = |entry: &Value| Some((entry[0].as_str()?.to_owned(), entry[1].as_u64()?));
        let lines = lines.iter().filter_map(line).collect();
        self.add(type_name, Some(Source { file: shown(file), lines }));
    }

    fn add(&mut self, type_name: &str, source: Option<Source>) {
        match self.by_type.get_mut(type_name) {
            Some(known) if *known != source => *known = None,
            Some(_) => {}
            None => {
                self.by_type.insert(type_name, source);
            }
        }
    }

    /// Adds a mark's type, if its file and lines are known.
    pub(crate) fn insert_owner(&mut self, owner: &MarkOwner) {
        if let Some(source) = &owner.source {
            self.insert(&owner.type_name, &source.file, &source.lines);
        }
    }

    pub(crate) fn extend(&mut self, other: Self) {
        for (type_name, source) in other.by_type {
            self.add(&type_name, source);
        }
    }

    /// Returns a type's property names, in the order of the fields. Empty if the order is unknown.
    pub(crate) fn order<'s>(&'s self, type_name: &'s str) -> Vec<&'s str> {
        let mut order = Vec::new();
        self.add_order(type_name, &mut Vec::new(), &mut order);
        order
    }

    fn add_order<'s>(&'s self, type_name: &'s str, around: &mut Vec<&'s str>, order: &mut Vec<&'s str>) {
        let Some(Some(source)) = self.by_type.get(type_name) else { return };
        if around.contains(&type_name) {
            return;
        }
        around.push(type_name);
        for (name, _) in &source.lines {
            match name.strip_prefix("..") {
                Some(flattened) => self.add_order(flattened, around, order),
                None => order.push(name),
            }
        }
        around.pop();
    }

    /// Returns the file and line of a type or field, such as `Container.port`. Empty if unknown.
    pub(crate) fn location(&self, place: &str) -> String {
        let (type_name, field) = place.split_once('.').unwrap_or((place, ""));
        let Some(Some(source)) = self.by_type.get(type_name) else { return String::new() };
        // A place within a field without a type of its own is at that field.
        let mut fields =
            std::iter::successors(Some(field), |field| field.rsplit_once('.').map(|(before, _)| before));
        let line = fields.find_map(|field| source.line(field)).or_else(|| source.line(""));
        line.map(|line| format!("{}:{line}", source.file)).unwrap_or_default()
    }
}

/// Sorts names by a given order, and returns each with its old index. Names that are missing from the order come last, in
/// alphabetical order.
pub(crate) fn sorted<'n, N: AsRef<str> + ?Sized + 'n>(
    order: &[&str],
    names: impl Iterator<Item = &'n N>,
) -> Vec<(String, usize)> {
    let place = |name: &str| order.iter().position(|known| *known == name).unwrap_or(order.len());
    let names = names.map(AsRef::as_ref).enumerate();
    let mut names: Vec<_> = names.map(|(at, name)| (place(name), name.to_owned(), at)).collect();
    names.sort_unstable();
    names.into_iter().map(|(_, name, at)| (name, at)).collect()
}

/// Sorts names alphabetically.
pub(crate) fn by_name(names: &mut dyn Iterator<Item = &String>) -> Vec<String> {
    sorted(&[], names).into_iter().map(|(name, _)| name).collect()
}

/// Returns a file's name for messages. Only the path inside the package is shown, because an absolute path would reveal where the crate was
/// built.
fn shown(file: &str) -> String {
    let is_absolute =
        file.starts_with(['/', '\\']) || file.get(1..3).is_some_and(|drive| drive.starts_with(':'));
    if !is_absolute {
        return file.to_owned();
    }
    let parts: Vec<&str> = file.split(['/', '\\']).collect();
    let start = parts.iter().rposition(|part| FOLDERS.contains(part)).unwrap_or(parts.len() - 1);
    parts[start..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_locations() {
        let mut sources = Sources::default();
        sources.insert("Port", "src/port.rs", r#"[["", 3], ["number", 4], ["a.b", 5]]"#);
        for (place, location) in [
            ("Port", "src/port.rs:3"),
            ("Port.number", "src/port.rs:4"),
            ("Port.number.inner", "src/port.rs:4"),
            ("Port.a.b", "src/port.rs:5"),
            ("Port.flattened", "src/port.rs:3"),
            ("Other.number", ""),
        ] {
            assert_eq!(sources.location(place), location, "{place}");
        }
        sources.insert("Port", "src/port.rs", r#"[["", 3], ["number", 4], ["a.b", 5]]"#);
        assert_eq!(sources.location("Port"), "src/port.rs:3");
        // Another type of the name: neither is meant for sure.
        sources.insert("Port", "src/other.rs", r#"[["", 3]]"#);
        assert_eq!(sources.location("Port"), "");
    }

    #[test]
    fn flattened_types_have_their_place_in_the_order() {
        let mut sources = Sources::default();
        sources.insert(
            "Outer",
            "src/a.rs",
            r#"[["", 3], ["b", 4], ["..Inner", 5], ["..Other", 6], ["a", 7]]"#,
        );
        sources.insert("Inner", "src/a.rs", r#"[["", 9], ["d", 10], ["..Outer", 11], ["c", 12]]"#);
        assert_eq!(sources.order("Outer"), ["", "b", "", "d", "c", "a"]);
        assert!(sources.order("Other").is_empty());
    }

    #[test]
    fn no_location_says_where_the_crate_was_built() {
        for (file, expected) in [
            ("src/a.rs", "src/a.rs"),
            ("api/src/a.rs", "api/src/a.rs"),
            ("/home/me/api/src/a/b.rs", "src/a/b.rs"),
            ("C:\\me\\api\\src\\b.rs", "src/b.rs"),
            ("/build/generated.rs", "generated.rs"),
        ] {
            assert_eq!(shown(file), expected);
        }
    }
}
