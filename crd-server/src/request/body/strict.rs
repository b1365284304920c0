//! Collects the problems that strict decoding reports: unknown fields, and fields that occur twice.

use std::collections::HashSet;

use crd_go::strings::quote;

use super::duplicates::MOST;

/// Collects the problems in a value while the value is read.
pub(crate) struct StrictReader {
    path: String,
    /// The paths of fields that the text contains twice.
    repeated: HashSet<String>,
    pub(crate) problems: Vec<String>,
}

impl StrictReader {
    pub(crate) fn new(repeated: HashSet<String>) -> Self {
        Self { path: String::new(), repeated, problems: Vec::new() }
    }

    /// Reads the value of a field or map key.
    pub(crate) fn field<T>(&mut self, name: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.below(&format!(".{name}"), |reader| {
            if !reader.repeated.is_empty() && reader.repeated.contains(&reader.path[1..]) {
                reader.report("duplicate");
            }
            read(reader)
        })
    }

    /// Reads a value below the current path. `place` is `.name` for a field, and `[0]` for an item.
    pub(crate) fn below<T>(&mut self, place: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        self.path.push_str(place);
        let result = read(self);
        self.path.truncate(length);
        result
    }

    /// Records a problem at the current path.
    pub(crate) fn report(&mut self, problem: &str) {
        if self.problems.len() < MOST {
            self.problems.push(format!("{problem} field {}", quote(&self.path[1..])));
        }
    }
}
