//! Builds a JSON value from the YAML events of each document.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crd_core::{FieldPath, Segment};
use serde_json::{Map, Value};

use super::Limits;
use super::duplicates::{self, Duplicates, KeyPath, Keys};
use super::error::{Fault, too_deep};
use super::heads::Head;
use super::recording::Recorder;
use super::room::{CONTAINER, ENTRY, EVENT, Room, TEXT, VALUE};
use super::scalar;
use super::surprise::{self, Surprise, Surprises};
use super::unpack::inherit;
use super::yaml::{Event, Events, Tag};

/// A document, an item or an error.
pub(super) enum Part {
    /// A whole document.
    Document(Value, Noted),
    /// An item of a list that is read item by item, with its path, such as `items[1].`
    Item(Value, String, Noted),
    Fault(Fault),
}

/// The duplicate fields in a document, and the scalars that YAML 1.2 parsers read differently. The paths begin at the root.
#[derive(Default)]
pub(super) struct Noted {
    pub(super) duplicates: Duplicates,
    /// The repeated keys, with their offsets in the text, in the order of the text.
    pub(super) repeated: Vec<(usize, Value)>,
    pub(super) surprises: Vec<Surprise>,
    /// The number of such scalars beyond the limit. After a report, the number is reset to 0.
    pub(super) more: Cell<usize>,
}

impl Noted {
    /// Returns the duplicate fields and the surprising scalars at a path such as `items[1].`, with paths relative to it.
    pub(super) fn below(&self, place: &str) -> (Vec<FieldPath>, Surprises) {
        let depth = 2 * place.matches("items[").count();
        let found = self.surprises.iter().filter(|surprise| {
            depth == 0
                || surprise
                    .field
                    .to_string()
                    .strip_prefix(place.trim_end_matches('.'))
                    .is_some_and(|rest| rest.starts_with('.'))
        });
        let surprises = found
            .map(|surprise| Surprise { field: without_first(&surprise.field, depth), ..surprise.clone() });
        (self.duplicates.below(place), Surprises { noted: surprises.collect(), more: self.more.take() })
    }
}

fn without_first(field: &FieldPath, steps: usize) -> FieldPath {
    field.segments().into_iter().skip(steps).fold(FieldPath::root(), |path, segment| match segment {
        Segment::Child(name) => path.child(name.clone()),
        Segment::Index(index) => path.index(*index),
        Segment::Key(key) => path.key(key.clone()),
    })
}

/// Passes the documents of a text to `give` in order. If a document cannot be read, its error is passed. Lists in `heads` are passed item
/// by item. Values count towards the memory limit until they are passed on. All events are recorded.
pub(super) fn each<'l>(
    text: &str,
    limits: &'l Limits,
    keys: Keys,
    heads: &'l HashMap<usize, Head>,
    room: Room,
    mut recorder: Option<&mut Recorder<'_>>,
    give: &mut dyn FnMut(Part),
) {
    if let Some(fault) = Events::forbidden_character(text) {
        return give(Part::Fault(fault));
    }
    let mut events = Events::new(text, limits.depth);
    let mut composer = Composer::new(limits, keys, room);
    let mut faults = 0;
    while let Some(next) = events.next() {
        recorder.iter_mut().for_each(|recorder| recorder.take(&next));
        if faults == MAX_FAULTS {
            let rest = Fault::new(format!("{MAX_FAULTS} documents have errors: the rest is not read"));
            give(Part::Fault(match next {
                Ok((_, bytes)) => events.place(rest, bytes),
                Err(_) => rest,
            }));
            break;
        }
        match next {
            Err(fault) => {
                faults += 1;
                give(Part::Fault(fault));
            }
            Ok((Event::DocumentStart, bytes)) => {
                composer = Composer::new(limits, keys, composer.room);
                composer.room.empty();
                composer.head = heads.get(&bytes.start);
            }
            Ok((Event::DocumentEnd, _)) => {
                let root = composer.root.take().unwrap_or(Value::Null);
                if composer.head.is_none() {
                    give(Part::Document(root, std::mem::take(&mut composer.noted)));
                }
            }
            Ok((event, bytes)) => {
                composer.offset = bytes.start;
                if let Err(fault) = composer.take(event) {
                    give(Part::Fault(events.place(fault, bytes.clone())));
                    faults += 1;
                    events.skip_document(bytes.end);
                } else if let Some(head) = composer.head
                    && let Some((mut item, index)) = composer.item()
                {
                    inherit(head, &mut item);
                    let noted = std::mem::take(&mut composer.noted);
                    give(Part::Item(item, format!("items[{index}]."), noted));
                }
            }
        }
    }
    recorder.filter(|_| faults == 0).into_iter().for_each(Recorder::end);
}

/// Maximum number of errors in a text. Each error costs a search for the next document.
const MAX_FAULTS: usize = 100;

/// A document that is being read. It has its own stack, so the thread's stack does not limit the depth.
struct Composer<'t, 'l> {
    limits: &'l Limits,
    keys: Keys,
    room: Room,
    /// The list without its items, if the items are passed on one by one.
    head: Option<&'l Head>,
    /// The number of items that were passed on.
    given: usize,
    noted: Noted,
    /// The offset of the event that is being read.
    offset: usize,
    stack: Vec<Frame>,
    root: Option<Value>,
    /// The events of anchors, which are repeated for each alias.
    recorded: Vec<Event<'t>>,
    anchors: HashMap<usize, Range<usize>>,
    /// Anchors of lists and maps that have not ended, each with the depth at which the list or map ends.
    open: Vec<(usize, usize)>,
    /// The number of values from expanded aliases.
    unfolded: usize,
}

enum Frame {
    Sequence(Vec<Value>),
    Mapping(OpenMap),
}

#[derive(Default)]
struct OpenMap {
    /// The entries, while there are few. Most maps of a CRD have one or two entries, and comparing their keys is faster than hashing them.
    few: Vec<(String, Value)>,
    /// All entries, once there are many.
    many: Map<String, Value>,
    key: Option<OpenKey>,
    /// The keys that come from a merge. The map may contain these keys again.
    merged: HashSet<String>,
}

enum OpenKey {
    Name(String),
    Merge,
}

impl<'t, 'l> Composer<'t, 'l> {
    fn new(limits: &'l Limits, keys: Keys, room: Room) -> Self {
        Self {
            limits,
            keys,
            room,
            head: None,
            given: 0,
            noted: Noted::default(),
            offset: 0,
            stack: Vec::new(),
            root: None,
            recorded: Vec::new(),
            anchors: HashMap::new(),
            open: Vec::new(),
            unfolded: 0,
        }
    }

    fn take(&mut self, event: Event<'t>) -> Result<(), Fault> {
        if let Event::Scalar { anchor, .. } | Event::SequenceStart { anchor } | Event::MappingStart { anchor } =
            &event
            && *anchor != 0
        {
            let start = self.recorded.len();
            self.room.take(EVENT)?;
            self.anchors.insert(*anchor, start..start + 1);
            if !matches!(event, Event::Scalar { .. }) {
                self.open.push((*anchor, self.stack.len()));
            }
        }
        let is_anchored = matches!(&event, Event::Scalar { anchor, .. } if *anchor != 0);
        if is_anchored || !self.open.is_empty() {
            self.room.take(EVENT)?;
            self.recorded.push(event.clone());
        }
        if let Event::Scalar { text, plain, tag, .. } = &event
            && let Some(read) = surprise::reading(text, *plain, *tag)
        {
            self.note(text, read);
        }
        self.apply(event)?;
        if let Some(&(anchor, depth)) = self.open.last()
            && self.stack.len() == depth
        {
            self.open.pop();
            if let Some(range) = self.anchors.get_mut(&anchor) {
                range.end = self.recorded.len();
            }
        }
        Ok(())
    }

    /// Records a scalar that kubectl reads differently from YAML 1.2.
    fn note(&mut self, text: &str, read: String) {
        let is_key = matches!(self.stack.last(), Some(Frame::Mapping(OpenMap { key: None, .. })));
        // People write permissions of files in octal, and mean it.
        let is_mode = match self.stack.last() {
            Some(Frame::Mapping(OpenMap { key: Some(OpenKey::Name(name)), .. })) => {
                name.ends_with("mode") || name.ends_with("Mode")
            }
            _ => false,
        };
        if is_mode && text.starts_with('0') {
            return;
        }
        if self.noted.surprises.len() >= surprise::MOST {
            *self.noted.more.get_mut() += 1;
            return;
        }
        let mut field = FieldPath::root();
        for (depth, frame) in self.stack.iter().enumerate() {
            field = match frame {
                Frame::Sequence(items) => field.index(items.len() + if depth == 1 { self.given } else { 0 }),
                Frame::Mapping(OpenMap { key: Some(OpenKey::Name(key)), .. }) => field.child(key.clone()),
                Frame::Mapping(_) => field,
            };
        }
        if is_key {
            field = field.child(read.clone());
        }
        self.noted.surprises.push(Surprise { field, written: text.to_owned(), read, is_key });
    }

    fn apply(&mut self, event: Event<'t>) -> Result<(), Fault> {
        match event {
            Event::Scalar { text, plain, tag, .. } => {
                if let Some(Frame::Mapping(mapping @ OpenMap { key: None, .. })) = self.stack.last_mut() {
                    if scalar::is_merge(&text, plain, tag) {
                        mapping.key = Some(OpenKey::Merge);
                        return Ok(());
                    }
                    let help = "put the key into quotes";
                    let key = scalar::key(text.clone(), plain, tag)
                        .map_err(|reason| Fault::new(reason).help(help))?;
                    if !mapping.begin(key.into_owned()) {
                        return self.double(text, plain, tag);
                    }
                    return Ok(());
                }
                let help = "put the value into quotes if it is a string";
                self.place(scalar::value(text, plain, tag).map_err(|reason| Fault::new(reason).help(help))?)
            }
            Event::SequenceStart { .. } => self.push(Frame::Sequence(Vec::new())),
            Event::MappingStart { .. } => self.push(Frame::Mapping(OpenMap::default())),
            Event::SequenceEnd | Event::MappingEnd => match self.stack.pop() {
                Some(Frame::Sequence(items)) => self.place(Value::Array(items)),
                Some(Frame::Mapping(mapping)) => self.place(Value::Object(mapping.into_map())),
                None => Ok(()),
            },
            Event::Alias(anchor) => self.unfold(anchor),
            Event::DocumentStart | Event::DocumentEnd => Ok(()),
        }
    }

    /// Removes the item that has just ended from its list, and returns it with its index.
    fn item(&mut self) -> Option<(Value, usize)> {
        let [Frame::Mapping(OpenMap { key: Some(OpenKey::Name(key)), .. }), Frame::Sequence(items)] =
            &mut *self.stack
        else {
            return None;
        };
        if key != "items" {
            return None;
        }
        let item = items.pop()?;
        self.given += 1;
        // The events of anchors are kept.
        self.room.empty_but(EVENT * (self.recorded.len() + self.anchors.len()));
        Some((item, self.given - 1))
    }

    /// Reports that the last key, which is this scalar, is a duplicate.
    fn double(&mut self, text: Cow<'t, str>, plain: bool, tag: Tag) -> Result<(), Fault> {
        let mut place = KeyPath::default();
        for (depth, frame) in self.stack.iter().enumerate() {
            let given = if depth == 1 { self.given } else { 0 };
            match frame {
                Frame::Sequence(items) => place.index(self.keys, items.len() + given),
                Frame::Mapping(OpenMap { key: Some(OpenKey::Name(key)), .. }) => place.key(self.keys, key),
                Frame::Mapping(_) => continue,
            };
        }
        match (self.keys, self.stack.last()) {
            (Keys::Once, Some(Frame::Mapping(OpenMap { key: Some(OpenKey::Name(key)), .. }))) => {
                let message = format!("duplicate key `{key}`");
                let help = if self.stack.len() == 1 && ["apiVersion", "kind"].contains(&&**key) {
                    "put a line `---` between two documents, or remove one of the keys"
                } else {
                    "remove or rename one of the two keys"
                };
                Err(Fault::new(message).help(help))
            }
            _ => {
                self.noted.duplicates.add(&place);
                if self.noted.repeated.len() < duplicates::MOST {
                    let key = scalar::value(text, plain, tag).unwrap_or_default();
                    self.noted.repeated.push((self.offset, key));
                }
                Ok(())
            }
        }
    }

    fn push(&mut self, frame: Frame) -> Result<(), Fault> {
        if let Some(Frame::Mapping(OpenMap { key: None, .. })) = self.stack.last() {
            return Err(Fault::new("a list or map cannot be a key").help("put the key into quotes"));
        }
        if self.stack.len() >= self.limits.depth {
            return Err(too_deep(self.limits.depth));
        }
        self.stack.push(frame);
        Ok(())
    }

    fn place(&mut self, value: Value) -> Result<(), Fault> {
        let size = match &value {
            Value::String(text) => VALUE + TEXT + text.len(),
            Value::Array(items) if !items.is_empty() => VALUE + CONTAINER,
            Value::Object(entries) if !entries.is_empty() => VALUE + CONTAINER,
            _ => VALUE,
        };
        self.room.take(size)?;
        match self.stack.last_mut() {
            None => self.root = Some(value),
            Some(Frame::Sequence(items)) => items.push(value),
            Some(Frame::Mapping(mapping)) => match mapping.key.take() {
                Some(OpenKey::Name(name)) => {
                    self.room.take(ENTRY + TEXT + name.len())?;
                    mapping.insert(name, value);
                }
                Some(OpenKey::Merge) => {
                    let entries = mapping.merge(value)?;
                    self.count_unfolded(entries)?;
                }
                None => {}
            },
        }
        Ok(())
    }

    fn unfold(&mut self, anchor: usize) -> Result<(), Fault> {
        if self.open.iter().any(|(open, _)| *open == anchor) {
            return Err(Fault::new("this alias is inside its own anchor"));
        }
        let range = self.anchors.get(&anchor).cloned().unwrap_or_default();
        let merges =
            matches!(self.stack.last(), Some(Frame::Mapping(OpenMap { key: Some(OpenKey::Merge), .. })));
        if merges && !matches!(self.recorded.get(range.start), Some(Event::MappingStart { .. })) {
            return Err(not_mergeable());
        }
        for index in range {
            let event = self.recorded[index].clone();
            let text = if let Event::Scalar { text, .. } = &event { text.len() } else { 0 };
            self.count_unfolded(1 + text / 64)?;
            self.apply(event)?;
        }
        Ok(())
    }

    /// Counts values from expanded aliases, and merged entries. Merged entries count because, in a chain of maps that each merge the
    /// previous map, the first map's entries are copied into every later map.
    fn count_unfolded(&mut self, values: usize) -> Result<(), Fault> {
        self.unfolded += values;
        if self.unfolded > self.limits.alias_nodes {
            let limit = self.limits.alias_nodes;
            return Err(Fault::new(format!(
                "the aliases of the document expand to more than {limit} values"
            ))
            .help("write the values without aliases, or split the document"));
        }
        self.room.unfold(values)
    }
}

/// Up to this number of entries, keys are compared one by one.
const FEW: usize = 8;

impl OpenMap {
    /// Begins an entry. Returns `true` if the key is not a duplicate.
    fn begin(&mut self, key: String) -> bool {
        let has_key = self.few.iter().any(|(other, _)| *other == key) || self.many.contains_key(&key);
        let is_first = !has_key || self.merged.remove(&key);
        self.key = Some(OpenKey::Name(key));
        is_first
    }

    /// Adds an entry, or replaces the value of an existing key. Returns `true` if the key is new.
    fn insert(&mut self, key: String, value: Value) -> bool {
        if let Some((_, old)) = self.few.iter_mut().find(|(other, _)| *other == key) {
            *old = value;
            return false;
        }
        if self.few.len() < FEW && self.many.is_empty() {
            self.few.push((key, value));
            return true;
        }
        self.many.extend(self.few.drain(..));
        self.many.insert(key, value).is_none()
    }

    /// Returns the map. A map with few entries has no spare capacity, while a grown map would have capacity for four entries of a hundred
    /// bytes each.
    fn into_map(self) -> Map<String, Value> {
        if !self.many.is_empty() {
            return self.many;
        }
        let mut map = Map::with_capacity(self.few.len());
        map.extend(self.few);
        map
    }

    /// Adds the entries of a merge, and returns their number. If merges conflict, the later merge takes precedence, as in go-yaml v2. In a
    /// list of maps, the first map takes precedence.
    fn merge(&mut self, value: Value) -> Result<usize, Fault> {
        let maps = match value {
            Value::Array(items) => items,
            map => vec![map],
        };
        let mut count = 0;
        for map in maps.into_iter().rev() {
            let Value::Object(entries) = map else { return Err(not_mergeable()) };
            count += entries.len();
            for (key, value) in entries {
                if self.insert(key.clone(), value) {
                    self.merged.insert(key);
                }
            }
        }
        Ok(count)
    }
}

fn not_mergeable() -> Fault {
    Fault::new("`<<` merges only maps").help("write an alias of a map after `<<:`, or a list of such aliases")
}
