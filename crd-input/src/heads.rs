//! Search for lists in a large text whose items can be read one by one. It runs before the text is read, because the keys that
//! identify a list can follow its items.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::Limits;
use super::scalar;
use super::yaml::{Event, Events};

/// A list without its items.
pub(super) type Head = Map<String, Value>;

/// The lists of a YAML text, by the byte at which their document begins.
pub(super) fn of_yaml(text: &str, limits: &Limits) -> HashMap<usize, Head> {
    let mut heads = HashMap::new();
    let mut events = Events::new(text, limits.depth);
    let mut document = None;
    while let Some(next) = events.next() {
        match next {
            // A document with a fault is refused as a whole.
            Err(_) => document = None,
            Ok((Event::DocumentStart, bytes)) => document = Some((bytes.start, Scan::default())),
            Ok((Event::DocumentEnd, _)) => {
                if let Some((start, scan)) = document.take()
                    && let Some(head) = scan.head()
                {
                    heads.insert(start, head);
                }
            }
            Ok((event, _)) => {
                if let Some((_, scan)) = &mut document {
                    scan.take(event);
                }
            }
        }
    }
    heads
}

/// The state of the search in a document.
#[derive(Default)]
struct Scan {
    depth: usize,
    /// The key of the outermost map whose value comes next.
    key: Option<String>,
    keys: HashSet<String>,
    head: Head,
    in_items: bool,
    has_items: bool,
    /// `true` if the document is not a list, or if its parts depend on each other.
    is_other: bool,
}

/// The greatest number of keys of a list.
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
                scalar::key(text, plain, tag).ok()
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
            Event::Scalar { text, plain, tag, .. } => {
                if let (Ok(value), true) =
                    (scalar::value(text, plain, tag), ["kind", "apiVersion"].contains(&&*key))
                {
                    self.head.insert(key, value);
                } else if key == "items" {
                    self.is_other = true;
                }
            }
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
        let is_list =
            self.head.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("List"));
        (is_list && self.has_items && !self.is_other).then_some(self.head)
    }
}
