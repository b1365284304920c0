//! Searches a large text for lists, so that their items can be read one by one. The search runs first, because the keys
//! that identify a list can follow its items.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::Limits;
use super::scalar;
use super::yaml::{Event, Events};

/// A list without its items.
pub(super) type Head = Map<String, Value>;

/// Returns the lists in a YAML text, by the offset at which their document begins.
pub(super) fn scan_yaml(text: &str, limits: &Limits) -> HashMap<usize, Head> {
    let mut heads = HashMap::new();
    let mut events = Events::new(text, limits.depth);
    let mut document = None;
    // After `...`, another document can begin without `---`, which the search for the next document would miss.
    let can_skip = memchr::memmem::find(text.as_bytes(), b"\n...").is_none();
    while let Some(next) = events.next() {
        match next {
            // A document with a fault is rejected as a whole.
            Err(_) => document = None,
            Ok((Event::DocumentStart, bytes)) => document = Some((bytes.start, Scan::default())),
            Ok((Event::DocumentEnd, _)) => {
                if let Some((start, scan)) = document.take()
                    && let Some(head) = scan.head()
                {
                    heads.insert(start, head);
                }
            }
            Ok((event, bytes)) => {
                let Some((_, scan)) = &mut document else { continue };
                scan.take(event);
                if scan.is_other && can_skip {
                    // A definition names its kind at the beginning, so that nearly nothing of it is read twice.
                    document = None;
                    events.skip_document(bytes.end);
                }
            }
        }
    }
    heads
}

/// The state of the search in one document.
#[derive(Default)]
struct Scan {
    depth: usize,
    /// The last key of the outermost map, if its value follows.
    key: Option<String>,
    keys: HashSet<String>,
    head: Head,
    in_items: bool,
    has_items: bool,
    /// `true` if the document is not a list, or cannot be read item by item.
    is_other: bool,
}

/// Maximum number of keys in a list object.
const MOST_KEYS: usize = 16;

impl Scan {
    fn take(&mut self, event: Event<'_>) {
        if self.is_other {
            return;
        }
        if matches!(event, Event::SequenceEnd | Event::MappingEnd) {
            self.depth = self.depth.saturating_sub(1);
            return;
        }
        match (self.depth, event) {
            (0, Event::MappingStart { anchor: 0 }) => self.depth = 1,
            (0, _) => self.is_other = true,
            (1, event) if self.key.is_none() => self.begin(event),
            (1, event) => self.value(event),
            (2, event) if self.in_items => {
                self.has_items = true;
                self.depth +=
                    usize::from(matches!(event, Event::SequenceStart { .. } | Event::MappingStart { .. }));
            }
            (_, Event::SequenceStart { .. } | Event::MappingStart { .. }) => self.depth += 1,
            _ => {}
        }
    }

    fn begin(&mut self, event: Event<'_>) {
        self.in_items = false;
        let key = match event {
            Event::Scalar { text, plain, tag, anchor: 0 } if !scalar::is_merge(&text, plain, tag) => {
                scalar::key(text, plain, tag).ok().map(Cow::into_owned)
            }
            _ => None,
        };
        match key {
            Some(key) if self.keys.len() < MOST_KEYS && self.keys.insert(key.clone()) => self.key = Some(key),
            _ => self.is_other = true,
        }
    }

    fn value(&mut self, event: Event<'_>) {
        let key = self.key.take().unwrap_or_default();
        match event {
            Event::Scalar { text, plain, tag, .. } => match &*key {
                "kind" | "apiVersion" => {
                    if let Ok(value) = scalar::value(text, plain, tag) {
                        self.is_other |= key == "kind" && !is_list(&value);
                        self.head.insert(key, value);
                    }
                }
                _ => self.is_other |= key == "items",
            },
            Event::SequenceStart { anchor } => {
                self.depth += 1;
                if key == "items" {
                    self.in_items = true;
                    self.is_other |= anchor != 0;
                }
            }
            Event::MappingStart { .. } => {
                self.depth += 1;
                self.is_other |= key == "items";
            }
            _ => self.is_other = true,
        }
    }

    fn head(self) -> Option<Head> {
        let is_list = self.head.get("kind").is_some_and(is_list);
        (is_list && self.has_items && !self.is_other).then_some(self.head)
    }
}

/// Returns `true` if this is the kind of a list.
fn is_list(kind: &Value) -> bool {
    kind.as_str().is_some_and(|kind| kind.ends_with("List"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_found_between_other_documents() {
        let kinds = |text: &str| {
            let mut heads: Vec<(usize, Head)> = scan_yaml(text, &Limits::default()).into_iter().collect();
            heads.sort_by_key(|(start, _)| *start);
            heads.into_iter().map(|(_, head)| head["kind"].to_string()).collect::<Vec<_>>()
        };
        let list = "kind: List\nitems: [1]\n";
        let last = "items: [1]\nkind: XList\n";
        let other = "kind: X\nitems: [1]\nb: [\n";
        assert_eq!(
            kinds(&format!("{other}---\n{list}--- # c\n{other}---x\n---\n{last}")),
            ["\"List\"", "\"XList\""]
        );
        // After `...`, a document needs no `---`.
        assert_eq!(kinds(&format!("kind: X\n...\n{list}")), ["\"List\""]);
        for text in
            [other, "kind: 1\nitems: [1]\n", "kind: List\nkind: List\nitems: [1]\n", "kind: List\nitems: 1\n"]
        {
            assert!(kinds(text).is_empty(), "{text}");
        }
    }
}
