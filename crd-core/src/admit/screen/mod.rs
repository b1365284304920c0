//! Screens objects. Screening is a quick check: it finds out whether an object is valid and, apart from defaults, stored as it was sent.
//!
//! This is true of most objects. The check changes nothing, and stops at the first value on which it cannot decide; then the complete
//! validation runs.

mod compile;
mod defaults;
mod node;

use crd_go::KubeVersion;
use serde_json::{Map, Value};

use self::node::ScreenNode;
use super::lists;
use crate::Structural;
use crate::defaults::Room;
use crate::options::ServerOptions;
use crate::schema::AdditionalProperties;
use crate::values::probe::{Probe, probe};
use crate::values::{Meter, Patterns, With};

/// A schema, prepared for screening.
#[derive(Debug)]
pub(super) struct Screen {
    version: KubeVersion,
    has_status: bool,
    root: ScreenNode,
}

/// The result of screening an object without its metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Screened {
    /// The object is valid with its defaults and, apart from them, stored as it was sent. The rules and the metadata have not been checked.
    Fits { lacks_defaults: bool },
    /// The object is invalid, even with its defaults.
    Invalid { lacks_defaults: bool },
    /// Screening can decide only after the defaults of the object are filled in.
    LacksDefaults,
    /// Only the complete validation can decide.
    Undecided,
}

impl Screened {
    /// Returns `true` if defaults must be filled in, and `false` if the object has all defaults. Returns `None` if screening cannot find
    /// this out.
    pub(super) fn lacks_defaults(self) -> Option<bool> {
        match self {
            Self::Fits { lacks_defaults } | Self::Invalid { lacks_defaults } => Some(lacks_defaults),
            Self::LacksDefaults | Self::Undecided => None,
        }
    }
}

impl Screen {
    /// Maximum number of CPU steps for the quick check of an object. A validation can run the quick check three times, and does not count
    /// its steps. Objects of three megabytes take about half of this maximum.
    const WORK: u64 = ServerOptions::WORK / 4;

    /// Runs the quick check on an object whose `apiVersion` and `kind` are strings. The metadata of the object is ignored.
    pub(super) fn object(&self, schema: &Structural, object: &Value, patterns: &Patterns) -> Screened {
        let Value::Object(fields) = object else { return Screened::Undecided };
        let with = With { patterns, meter: &Meter::new(Self::WORK) };
        let decided = probe(self.version, with, |probe| {
            if !probe.work(self.root.required.names) {
                return Err(Screened::Undecided);
            }
            let is_valid = probe.is_valid(self.root.checks, schema, object);
            let mut walk = ScreenWalk { probe, is_valid, lacks_defaults: false, room: Room::BYTES };
            walk.root(self, schema, fields).map(|()| (walk.is_valid, walk.lacks_defaults))
        });
        match decided {
            _ if with.meter.is_stopped() => Screened::Undecided,
            Ok((true, lacks_defaults)) => Screened::Fits { lacks_defaults },
            Ok((false, lacks_defaults)) => Screened::Invalid { lacks_defaults },
            Err(end) => end,
        }
    }
}

struct ScreenWalk<'w, 'r, 'a> {
    probe: &'w Probe<'r, 'a>,
    is_valid: bool,
    lacks_defaults: bool,
    /// The space left for defaults, in bytes.
    room: usize,
}

impl<'a> ScreenWalk<'_, '_, 'a> {
    /// Checks the fields of a whole object. The API server never removes `apiVersion`, `kind` and `metadata`, but it removes the status of
    /// new objects.
    fn root(
        &mut self,
        screen: &'a Screen,
        schema: &'a Structural,
        fields: &Map<String, Value>,
    ) -> Result<(), Screened> {
        let node = &screen.root;
        let mut found = FoundProperties::default();
        for (name, value) in fields {
            let property = schema.properties.position(name).map(|(i, schema)| (&node.properties[i], schema));
            property.iter().for_each(|(node, _)| found.add(node));
            match (name.as_str(), property) {
                ("metadata", _) | ("apiVersion" | "kind", None) => {}
                ("status", _) if screen.has_status => return Err(Screened::Undecided),
                (_, Some((node, schema))) => self.field(node, schema, value)?,
                (_, None) => self.other(node, schema, value)?,
            }
        }
        self.completeness(node, schema, fields, &found)
    }

    fn value(&mut self, node: &'a ScreenNode, schema: &'a Structural, value: &Value) -> Result<(), Screened> {
        let names = match value {
            Value::Object(_) => node.required.names,
            Value::Array(_) => 0,
            scalar => return self.scalar(node, schema, scalar),
        };
        if !self.probe.work(names) {
            return Err(Screened::Undecided);
        }
        self.is_valid &= self.probe.is_valid(node.checks, schema, value);
        match value {
            Value::Object(_) | Value::Array(_) if node.is_left => Err(Screened::Undecided),
            Value::Object(fields) => self.fields(node, schema, fields),
            Value::Array(items) => self.items(node, schema, items),
            _ => Ok(()),
        }
    }

    fn fields(
        &mut self,
        node: &'a ScreenNode,
        schema: &'a Structural,
        fields: &Map<String, Value>,
    ) -> Result<(), Screened> {
        let mut found = FoundProperties::default();
        for (name, value) in fields {
            match schema.properties.position(name) {
                Some((index, schema)) => {
                    let node = &node.properties[index];
                    found.add(node);
                    self.field(node, schema, value)?;
                }
                None => self.other(node, schema, value)?,
            }
        }
        self.completeness(node, schema, fields, &found)
    }

    /// Checks a property, an item or a map entry. A `null` that is not allowed is removed, or replaced by a default.
    fn field(&mut self, node: &'a ScreenNode, schema: &'a Structural, value: &Value) -> Result<(), Screened> {
        if value.is_null() && !node.is_nullable {
            return Err(if node.has_default { Screened::LacksDefaults } else { Screened::Undecided });
        }
        match value {
            Value::Array(_) | Value::Object(_) => self.value(node, schema, value),
            scalar => self.scalar(node, schema, scalar),
        }
    }

    /// Checks a value that contains no other values.
    #[inline]
    fn scalar(
        &mut self,
        node: &'a ScreenNode,
        schema: &'a Structural,
        value: &Value,
    ) -> Result<(), Screened> {
        if !self.probe.work(0) {
            return Err(Screened::Undecided);
        }
        self.is_valid &= self.probe.is_valid(node.checks, schema, value);
        match value {
            // It is converted to a float.
            Value::Number(number) if number.is_u64() && !number.is_i64() => Err(Screened::Undecided),
            _ => Ok(()),
        }
    }

    /// Checks a field that is not among the `properties` of the schema.
    fn other(&mut self, node: &'a ScreenNode, schema: &'a Structural, value: &Value) -> Result<(), Screened> {
        match &schema.additional_properties {
            Some(AdditionalProperties::Schema(values)) => match &node.values {
                Some(node) => self.field(node, values, value),
                None => Err(Screened::Undecided),
            },
            Some(AdditionalProperties::Allowed(is_allowed)) => {
                self.is_valid &= is_allowed;
                without_fields(value)
            }
            None if schema.extensions.preserve_unknown_fields => Ok(()),
            None => Err(Screened::Undecided),
        }
    }

    fn items(
        &mut self,
        node: &'a ScreenNode,
        schema: &'a Structural,
        items: &[Value],
    ) -> Result<(), Screened> {
        if node.has_unique_items {
            self.is_valid &= lists::has_unique_items(items, schema);
        }
        let (Some(node), Some(schema)) = (&node.items, &schema.items) else {
            let keeps = schema.extensions.preserve_unknown_fields;
            return if keeps { Ok(()) } else { items.iter().try_for_each(without_fields) };
        };
        for item in items {
            if item.is_null() && node.has_default && !node.is_nullable {
                return Err(Screened::LacksDefaults);
            }
            self.value(node, schema, item)?;
        }
        Ok(())
    }

    /// Checks that an object has all required fields.
    fn completeness(
        &mut self,
        node: &'a ScreenNode,
        schema: &'a Structural,
        fields: &Map<String, Value>,
        found: &FoundProperties,
    ) -> Result<(), Screened> {
        let mut required = found.required;
        if found.defaults < node.defaults.count {
            required += self.absent_defaults(node, schema, found)?;
        }
        self.is_valid &= required == node.required.properties
            && node.required.others.iter().all(|name| fields.contains_key(&**name));
        Ok(())
    }
}

/// Counts of an object's fields that are properties in the schema.
#[derive(Default)]
struct FoundProperties {
    required: u32,
    defaults: u32,
    default_bits: u64,
}

impl FoundProperties {
    fn add(&mut self, node: &ScreenNode) {
        self.required += u32::from(node.is_required);
        self.defaults += u32::from(node.has_default);
        self.default_bits |= node.default_bit;
    }
}

/// Checks that an object without a schema has no fields, because the API server would remove them.
fn without_fields(value: &Value) -> Result<(), Screened> {
    match value {
        Value::Object(fields) if !fields.is_empty() => Err(Screened::Undecided),
        Value::Array(items) => items.iter().try_for_each(without_fields),
        _ => Ok(()),
    }
}
