//! Turns the events of YAML text into JSON values, one a document.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crd_core::{FieldPath, Segment};
use serde_json::{Map, Value};

use super::Limits;
use super::duplicates::{Duplicates, Keys, Place};
use super::error::{Fault, too_deep};
use super::heads::Head;
use super::room::{CONTAINER, ENTRY, EVENT, Room, TEXT, VALUE};
use super::scalar;
use super::surprise::{self, Surprise, Surprises};
use super::unpack::inherit;
use super::yaml::{Event, Events};

/// Something that was read.
pub(super) enum Part {
    /// A whole document.
    Document(Value, Noted),
    /// An item of a list that is taken item by item, with its place: `items[1].`
    Item(Value, String, Noted),
    Fault(Fault),
}

/// What was noted of a document, with places from its beginning.
#[derive(Default)]
pub(super) struct Noted {
    pub(super) duplicates: Duplicates,
    pub(super) surprises: Vec<Surprise>,
    /// The number of surprises beyond those, until they are told.
    pub(super) more: Cell<usize>,
}

impl Noted {
    /// The fields that are there twice and the surprises of the object at a place, such as `items[1].`, from there.
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

/// Gives the documents of a text in order, as far as they can be read, and those lists item by item that are known by
/// their heads. Values are counted, and taken off the count once they are given.
pub(super) fn each<'l>(
    text: &str,
    limits: &'l Limits,
    keys: Keys,
    heads: &'l HashMap<usize, Head>,
    room: Room,
    give: &mut dyn FnMut(Part),
) {
    if let Some(fault) = Events::forbidden_character(text) {
        return give(Part::Fault(fault));
    }
    let mut events = Events::new(text, limits.depth);
    let mut composer = Composer::new(limits, keys, room);
    let mut faults = 0;
    while let Some(next) = events.next() {
        if faults == MAX_FAULTS {
            let rest = Fault::new(format!("{MAX_FAULTS} documents have faults: the rest is not read"));
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
}

/// Nobody reads more, and each costs a search for the next document.
const MAX_FAULTS: usize = 100;

/// A document in the making. It keeps its own stack, so that depth costs no stack of the thread.
struct Composer<'t, 'l> {
    limits: &'l Limits,
    keys: Keys,
    room: Room,
    /// What the list says beside its items, where they are given one by one.
    head: Option<&'l Head>,
    /// How many of them were given.
    given: usize,
    noted: Noted,
    stack: Vec<Frame>,
    root: Option<Value>,
    /// The events of anchors: an alias takes those of its anchor once more.
    recorded: Vec<Event<'t>>,
    anchors: HashMap<usize, Range<usize>>,
    /// Anchors whose list or map is not at its end, with the depth at which it ends.
    open: Vec<(usize, usize)>,
    /// How much the aliases have unfolded.
    unfolded: usize,
}

enum Frame {
    Sequence(Vec<Value>),
    Mapping(Mapping),
}

#[derive(Default)]
struct Mapping {
    entries: Map<String, Value>,
    key: Option<Key>,
    /// The keys that came by a merge: they may be given again.
    merged: HashSet<String>,
}

enum Key {
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

    /// Notes a scalar that kubectl reads as something else than it seems to be.
    fn note(&mut self, text: &str, read: String) {
        let is_key = matches!(self.stack.last(), Some(Frame::Mapping(Mapping { key: None, .. })));
        // Permissions of files are octal for whoever writes them.
        let is_mode = match self.stack.last() {
            Some(Frame::Mapping(Mapping { key: Some(Key::Name(name)), .. })) => {
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
                Frame::Mapping(Mapping { key: Some(Key::Name(key)), .. }) => field.child(key.clone()),
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
                if let Some(Frame::Mapping(mapping @ Mapping { key: None, .. })) = self.stack.last_mut() {
                    if scalar::is_merge(&text, plain, tag) {
                        mapping.key = Some(Key::Merge);
                        return Ok(());
                    }
                    let help = "put the key into quotes";
                    let key =
                        scalar::key(text, plain, tag).map_err(|reason| Fault::new(reason).help(help))?;
                    if !mapping.begin(key) {
                        return self.double();
                    }
                    return Ok(());
                }
                let help = "put the value into quotes if a text is meant";
                self.place(scalar::value(text, plain, tag).map_err(|reason| Fault::new(reason).help(help))?)
            }
            Event::SequenceStart { .. } => self.push(Frame::Sequence(Vec::new())),
            Event::MappingStart { .. } => self.push(Frame::Mapping(Mapping::default())),
            Event::SequenceEnd | Event::MappingEnd => match self.stack.pop() {
                Some(Frame::Sequence(items)) => self.place(Value::Array(items)),
                Some(Frame::Mapping(mapping)) => self.place(Value::Object(fitted(mapping.entries))),
                None => Ok(()),
            },
            Event::Alias(anchor) => self.unfold(anchor),
            Event::DocumentStart | Event::DocumentEnd => Ok(()),
        }
    }

    /// Takes the item of the list out that has just ended, with its number.
    fn item(&mut self) -> Option<(Value, usize)> {
        let [Frame::Mapping(Mapping { key: Some(Key::Name(key)), .. }), Frame::Sequence(items)] =
            &mut *self.stack
        else {
            return None;
        };
        if key != "items" {
            return None;
        }
        let item = items.pop()?;
        self.given += 1;
        // Events of anchors stay.
        self.room.empty_but(EVENT * (self.recorded.len() + self.anchors.len()));
        Some((item, self.given - 1))
    }

    /// The last key is there a second time.
    fn double(&mut self) -> Result<(), Fault> {
        let mut place = Place::default();
        for (depth, frame) in self.stack.iter().enumerate() {
            let given = if depth == 1 { self.given } else { 0 };
            match frame {
                Frame::Sequence(items) => place.index(self.keys, items.len() + given),
                Frame::Mapping(Mapping { key: Some(Key::Name(key)), .. }) => place.key(self.keys, key),
                Frame::Mapping(_) => continue,
            };
        }
        match (self.keys, self.stack.last()) {
            (Keys::Once, Some(Frame::Mapping(Mapping { key: Some(Key::Name(key)), .. }))) => {
                let message = format!("the key `{key}` is given twice");
                Err(Fault::new(message).help("remove or rename one of them"))
            }
            _ => {
                self.noted.duplicates.add(&place);
                Ok(())
            }
        }
    }

    fn push(&mut self, frame: Frame) -> Result<(), Fault> {
        if let Some(Frame::Mapping(Mapping { key: None, .. })) = self.stack.last() {
            return Err(Fault::new("a list or map cannot be a key").help("put the key into quotes"));
        }
        if self.stack.len() >= self.limits.depth {
            return Err(Fault::new(too_deep(self.limits.depth)));
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
                Some(Key::Name(name)) => {
                    self.room.take(ENTRY + TEXT + name.len())?;
                    mapping.entries.insert(name, value);
                }
                Some(Key::Merge) => mapping.merge(value)?,
                None => {}
            },
        }
        Ok(())
    }

    fn unfold(&mut self, anchor: usize) -> Result<(), Fault> {
        if self.open.iter().any(|(open, _)| *open == anchor) {
            return Err(Fault::new("this alias stands inside of its own anchor"));
        }
        let range = self.anchors.get(&anchor).cloned().unwrap_or_default();
        let merges = matches!(self.stack.last(), Some(Frame::Mapping(Mapping { key: Some(Key::Merge), .. })));
        if merges && !matches!(self.recorded.get(range.start), Some(Event::MappingStart { .. })) {
            return Err(not_mergeable());
        }
        for index in range {
            let event = self.recorded[index].clone();
            let text = if let Event::Scalar { text, .. } = &event { text.len() } else { 0 };
            self.unfolded += 1 + text / 64;
            if self.unfolded > self.limits.alias_nodes {
                let limit = self.limits.alias_nodes;
                return Err(Fault::new(format!(
                    "the aliases of the document unfold to more than {limit} values"
                ))
                .help("write the values out, or split the document"));
            }
            self.room.unfold(1 + text / 64)?;
            self.apply(event)?;
        }
        Ok(())
    }
}

impl Mapping {
    /// Takes a key; whether it is the first of its name.
    fn begin(&mut self, key: String) -> bool {
        let is_first = !self.entries.contains_key(&key) || self.merged.remove(&key);
        self.key = Some(Key::Name(key));
        is_first
    }

    /// What merges come in conflict, the later one stands, as in go-yaml v2; in a list of maps that is the first.
    fn merge(&mut self, value: Value) -> Result<(), Fault> {
        let maps = match value {
            Value::Array(items) => items,
            map => vec![map],
        };
        for map in maps.into_iter().rev() {
            let Value::Object(entries) = map else { return Err(not_mergeable()) };
            for (key, value) in entries {
                if self.entries.insert(key.clone(), value).is_none() {
                    self.merged.insert(key);
                }
            }
        }
        Ok(())
    }
}

/// The same map without room for more. A definition is made of thousands of maps with one or two entries, and a map
/// that grew has room for four, each of a hundred bytes.
pub(super) fn fitted(map: Map<String, Value>) -> Map<String, Value> {
    if map.len() > 2 {
        return map;
    }
    let mut fitted = Map::with_capacity(map.len());
    fitted.extend(map);
    fitted
}

fn not_mergeable() -> Fault {
    Fault::new("`<<` merges only maps").help("give it an alias of a map, or a list of such aliases")
}
