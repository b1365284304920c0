//! Keys that a map has twice, named as the API server names them: `spec.items[1].name`.

/// What becomes of a key that a map has twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keys {
    /// It is a fault.
    Once,
    /// It is noted, and the last value stands.
    Noted,
}

/// The places of such keys, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Duplicates(Vec<String>);

/// The API server's decoder notes no more.
const MOST: usize = 100;

impl Duplicates {
    pub(super) fn add(&mut self, place: &Place) {
        if self.0.len() < MOST && !self.0.contains(&place.0) {
            self.0.push(place.0.clone());
        }
    }

    /// Those below `prefix`, named from there.
    pub(super) fn below(&self, prefix: &str) -> Vec<String> {
        self.0.iter().filter_map(|place| place.strip_prefix(prefix)).map(str::to_owned).collect()
    }
}

/// A place while a text is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Place(String);

/// How long the text of a place was.
#[derive(Clone, Copy)]
pub(super) struct Outer(usize);

impl Place {
    /// Goes to a key. Places are made only where keys are noted.
    pub(super) fn key(&mut self, keys: Keys, key: &str) -> Outer {
        let outer = Outer(self.0.len());
        if keys == Keys::Noted {
            if !self.0.is_empty() {
                self.0.push('.');
            }
            self.0.push_str(key);
        }
        outer
    }

    /// Goes to an item.
    pub(super) fn index(&mut self, keys: Keys, index: usize) -> Outer {
        let outer = Outer(self.0.len());
        if keys == Keys::Noted {
            self.0.push_str(&format!("[{index}]"));
        }
        outer
    }

    /// Goes back.
    pub(super) fn leave(&mut self, outer: Outer) {
        self.0.truncate(outer.0);
    }
}
