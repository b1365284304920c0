//! Reads JSON values, like `serde_json`, but limits the depth and detects duplicate keys.

use std::cell::RefCell;
use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::Limits;
use super::compose::{Noted, Part};
use super::duplicates::{Duplicates, KeyPath, Keys};
use super::error::{Fault, Position, too_deep};
use super::heads::Head;
use super::room::{CONTAINER, ENTRY, Room, TEXT, VALUE};
use super::unpack::inherit;

/// Returns all documents of a text that consists of JSON objects.
pub(super) fn documents(
    text: &str,
    limits: &Limits,
    keys: Keys,
    room: Room,
) -> Result<Vec<(Value, Noted)>, Fault> {
    let mut documents = Vec::new();
    let room = RefCell::new(room);
    read(text, limits, keys, Take::Whole, &room, &mut |part| {
        if let Part::Document(value, noted) = part {
            documents.push((value, noted));
        }
    })?;
    Ok(documents)
}

/// Returns the head of each document that is a list (the list without its items), or the text's first error.
pub(super) fn heads(text: &str, limits: &Limits, keys: Keys) -> Result<Vec<Option<Head>>, Fault> {
    let mut heads = Vec::new();
    let room = RefCell::new(Room::for_source(text.len(), 1, limits, false));
    read(text, limits, keys, Take::Head, &room, &mut |part| {
        if let Part::Document(value, _) = part {
            heads.push(match value {
                Value::Object(head) if is_head(&head) => Some(head),
                _ => None,
            });
        }
    })?;
    Ok(heads)
}

/// Passes the documents of a text without errors to `give`. Lists that have a head are passed item by item.
pub(super) fn each(
    text: &str,
    limits: &Limits,
    keys: Keys,
    heads: &[Option<Head>],
    room: Room,
    give: &mut dyn FnMut(Part),
) -> Result<(), Fault> {
    let room = RefCell::new(room);
    read(text, limits, keys, Take::Items(heads), &room, give)
}

/// The treatment of a document.
#[derive(Clone, Copy)]
enum Take<'h> {
    /// Each document is passed on as a whole.
    Whole,
    /// Only the keys that identify a list are kept. The rest is checked and dropped.
    Head,
    /// The items of lists that have a head are passed on.
    Items(&'h [Option<Head>]),
}

/// Returns only the duplicate fields. Scalars need no warnings, because all JSON parsers read the same values.
fn noted(duplicates: Duplicates) -> Noted {
    Noted { duplicates, ..Noted::default() }
}

fn is_head(head: &Head) -> bool {
    head.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("List"))
        && head.get("items").is_some_and(Value::is_array)
}

fn read(
    text: &str,
    limits: &Limits,
    keys: Keys,
    take: Take<'_>,
    room: &RefCell<Room>,
    give: &mut dyn FnMut(Part),
) -> Result<(), Fault> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    // The seed limits the depth itself.
    deserializer.disable_recursion_limit();
    let give = RefCell::new(give);
    for number in 0.. {
        let found = RefCell::new(PathState::default());
        let seed = Seed { left: limits.depth, limit: limits.depth, keys, room, found: &found };
        let head = match take {
            Take::Items(heads) => heads.get(number).and_then(Option::as_ref),
            Take::Head | Take::Whole => None,
        };
        let value = match (take, head) {
            (Take::Head, _) => OutermostMap { seed, give: None }.deserialize(&mut deserializer),
            (_, Some(head)) => {
                OutermostMap { seed, give: Some((&give, head)) }.deserialize(&mut deserializer)
            }
            _ => seed.deserialize(&mut deserializer),
        };
        let value = value.map_err(|error| fault(text, &error, found.borrow_mut().fault.take()))?;
        if head.is_none() {
            give.borrow_mut()(Part::Document(value, noted(found.into_inner().duplicates)));
        }
        room.borrow_mut().empty();
        if deserializer.end().is_ok() {
            break;
        }
    }
    Ok(())
}

/// Converts an error of `serde_json` to our error. If a limit is exceeded, returns `own`, because `serde_json` keeps only an
/// error's message.
fn fault(text: &str, error: &serde_json::Error, own: Option<Fault>) -> Fault {
    let line_start =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    // The column counts bytes, from 1.
    let at = line_start + error.column().saturating_sub(1);
    let fault = own.unwrap_or_else(|| {
        let message = error.to_string();
        let reason = message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason);
        let prefix = if error.is_data() { "" } else { "no JSON: " };
        Fault::new(format!("{prefix}{reason}"))
    });
    fault.with_position(Position::from_span(text, at..at + 1))
}

/// The path of the current value, the duplicate keys, and the error for an exceeded limit.
#[derive(Default)]
struct PathState {
    place: KeyPath,
    duplicates: Duplicates,
    fault: Option<Fault>,
}

/// Reads a value that is at most `left` levels deep.
#[derive(Clone, Copy)]
struct Seed<'f> {
    left: usize,
    limit: usize,
    keys: Keys,
    room: &'f RefCell<Room>,
    found: &'f RefCell<PathState>,
}

impl Seed<'_> {
    fn inner<E: serde::de::Error>(self) -> Result<Self, E> {
        match self.left.checked_sub(1) {
            Some(left) => Ok(Self { left, ..self }),
            None => Err(self.fails(too_deep(self.limit))),
        }
    }

    fn takes<E: serde::de::Error>(self, bytes: usize) -> Result<(), E> {
        let mut room = self.room.borrow_mut();
        if room.has_taken(bytes) { Ok(()) } else { Err(self.fails(room.excess())) }
    }

    /// Returns an error that ends the reading, and stores the whole fault, including its help, in the state.
    fn fails<E: serde::de::Error>(self, fault: Fault) -> E {
        let error = E::custom(&fault.message);
        self.found.borrow_mut().fault = Some(fault);
        error
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, bool: bool) -> Result<Value, E> {
        Ok(Value::Bool(bool))
    }

    fn visit_i64<E>(self, int: i64) -> Result<Value, E> {
        Ok(Value::from(int))
    }

    fn visit_u64<E>(self, int: u64) -> Result<Value, E> {
        Ok(Value::from(int))
    }

    fn visit_f64<E>(self, float: f64) -> Result<Value, E> {
        Ok(Number::from_f64(float).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
        self.takes(TEXT + text.len())?;
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Value, E> {
        self.takes(TEXT + text.len())?;
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        self.takes(CONTAINER)?;
        let mut items = Vec::new();
        loop {
            let outer = self.found.borrow_mut().place.index(self.keys, items.len());
            let item = access.next_element_seed(inner)?;
            self.found.borrow_mut().place.leave(outer);
            match item {
                Some(item) => {
                    self.takes(VALUE)?;
                    items.push(item);
                }
                None => break,
            }
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        self.takes(CONTAINER)?;
        let mut entries = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            self.takes(VALUE + ENTRY + TEXT + key.len())?;
            let is_double = entries.contains_key(&key);
            if is_double && self.keys == Keys::Once {
                return Err(A::Error::custom(format!("duplicate key `{key}`")));
            }
            let outer = self.found.borrow_mut().place.key(self.keys, &key);
            if is_double {
                let PathState { place, duplicates, .. } = &mut *self.found.borrow_mut();
                duplicates.add(place);
            }
            entries.insert(key, access.next_value_seed(inner)?);
            self.found.borrow_mut().place.leave(outer);
        }
        Ok(Value::Object(fitted(entries)))
    }
}

/// Reads the outermost map of a document. If the document is a list, the items are passed on one by one, or only checked.
#[derive(Clone, Copy)]
struct OutermostMap<'f, 'g> {
    seed: Seed<'f>,
    /// The function that is called for each item, and the list's head. If this is `None`, the head is returned instead.
    give: Option<(&'f Give<'g>, &'f Head)>,
}

type Give<'g> = RefCell<&'g mut dyn FnMut(Part)>;

impl<'de> DeserializeSeed<'de> for OutermostMap<'_, '_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OutermostMap<'_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let seed = self.seed.inner()?;
        let mut head = Head::new();
        while let Some(key) = access.next_key::<String>()? {
            self.seed.takes(VALUE + ENTRY + TEXT + key.len())?;
            if head.contains_key(&key) {
                if self.seed.keys == Keys::Once {
                    return Err(A::Error::custom(format!("duplicate key `{key}`")));
                }
                // The last value of a duplicate key counts, so no item can be passed on before all keys are known.
                head.insert("kind".to_owned(), Value::Null);
            }
            let outer = self.seed.found.borrow_mut().place.key(self.seed.keys, &key);
            let value = if key == "items" {
                access.next_value_seed(Items { seed, give: self.give })?
            } else {
                let value = access.next_value_seed(seed)?;
                // Only strings identify a list.
                if value.is_string() { value } else { Value::Null }
            };
            self.seed.found.borrow_mut().place.leave(outer);
            head.insert(key, value);
        }
        Ok(Value::Object(head))
    }
}

/// Reads the items of a list. The returned value is an empty list if there are items, and otherwise null.
#[derive(Clone, Copy)]
struct Items<'f, 'g> {
    seed: Seed<'f>,
    give: Option<(&'f Give<'g>, &'f Head)>,
}

impl<'de> DeserializeSeed<'de> for Items<'_, '_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let seed = self.seed.inner()?;
        let mut count = 0;
        loop {
            let outer = seed.found.borrow_mut().place.index(seed.keys, count);
            let item = access.next_element_seed(seed)?;
            let mut found = seed.found.borrow_mut();
            found.place.leave(outer);
            let Some(mut item) = item else { break };
            if let Some((give, head)) = self.give {
                inherit(head, &mut item);
                let duplicates = std::mem::take(&mut found.duplicates);
                drop(found);
                give.borrow_mut()(Part::Item(item, format!("items[{count}]."), noted(duplicates)));
            }
            seed.room.borrow_mut().empty();
            count += 1;
        }
        Ok(if count == 0 { Value::Null } else { Value::Array(Vec::new()) })
    }

    // Other values are read as usual; the document is then not a list.
    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<Value, A::Error> {
        self.seed.visit_map(access).map(|_| Value::Null)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, _: &str) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

/// Returns the map without spare capacity. A CRD consists of thousands of maps with one or two entries, and a grown
/// map has capacity for four entries of a hundred bytes each.
fn fitted(map: Map<String, Value>) -> Map<String, Value> {
    if map.len() > 2 {
        return map;
    }
    let mut fitted = Map::with_capacity(map.len());
    fitted.extend(map);
    fitted
}
