//! Evaluates attributes: variables or values, followed by selections by name or index.

use super::Error;
use super::data::Data;
use super::implementation::Outcome;
use super::list::{List, held};
use super::map::Map;
use super::node::{Attribute, Base, Node, Qualifier, QualifierKey};
use super::opaque::Opaque;
use super::run::Run;
use super::value::{Value, printed_key};

impl<'v> Run<'v> {
    /// Evaluates an attribute. If `is_charged` is `true`, reading the variable itself costs 1. It costs nothing if the attribute is an
    /// index, or a branch of a conditional.
    pub(super) fn attribute(&mut self, attribute: &'v Attribute, is_charged: bool) -> Outcome<'v> {
        if let Base::Conditional(parts) = &attribute.base
            && attribute.qualifiers.is_empty()
        {
            return self.conditional(parts);
        }
        if let Some(found) = self.fields(attribute) {
            let value = match found {
                Found::Value(value) => Some(value),
                Found::Data(data) => {
                    self.meter.work_on_data(data)?;
                    data.value().ok()
                }
                Found::Nothing => {
                    self.meter.charge_each(attribute.qualifiers.len() as u64)?;
                    return Ok(Value::Bool(false));
                }
            };
            if let Some(value) = value {
                // A name in `has(...)` costs nothing.
                let steps = attribute.qualifiers.len() + usize::from(is_charged && !attribute.is_test);
                self.meter.charge_each(steps as u64)?;
                return Ok(if attribute.is_test { Value::Bool(true) } else { value });
            }
        }
        self.attribute_step_by_step(attribute, is_charged)
    }

    #[inline(never)]
    fn attribute_step_by_step(&mut self, attribute: &'v Attribute, is_charged: bool) -> Outcome<'v> {
        let base = self.base(&attribute.base);
        let is_free = !is_charged || attribute.is_test || matches!(attribute.base, Base::Conditional(_));
        let result = match base {
            Ok(value) if attribute.qualifiers.is_empty() => match attribute.base {
                Base::Slot(_) | Base::Lazy(..) => self.rewrapped(value).converted(),
                _ => Ok(value),
            },
            Ok(value) => self.qualify(value, attribute),
            Err(error) => Err(error),
        };
        if let Err(error) = &result
            && error.is_final()
        {
            return result;
        }
        if !is_free {
            self.meter.charge(1)?;
        }
        result
    }

    /// Returns the value of a variable or a field, if there are no errors and no optionals on the path. This is a fast path for most
    /// selections.
    pub(super) fn fields(&self, attribute: &'v Attribute) -> Option<Found<'v>> {
        let Base::Slot(slot) = attribute.base else { return None };
        let Some(Ok(value)) = &self.slots[slot] else { return None };
        if attribute.qualifiers.is_empty() {
            return match value {
                Value::Optional(Some(_)) => None,
                value => Some(Found::Value(value.clone())),
            };
        }
        let Value::Map(map) = value else { return None };
        let mut data = map.data()?;
        for (index, qualifier) in attribute.qualifiers.iter().enumerate() {
            if qualifier.is_optional {
                return None;
            }
            let found = match &qualifier.key {
                QualifierKey::Const(Value::String(name), unescaped, hint) => {
                    data.field(name, unescaped.as_deref().unwrap_or(name), hint)
                }
                QualifierKey::Const(..) => return None,
                QualifierKey::Node(node) => data.entry(self.name(node)?),
            };
            data = match found {
                Some(found) => found,
                None => {
                    let is_last = index + 1 == attribute.qualifiers.len();
                    let is_named = matches!(qualifier.key, QualifierKey::Const(..));
                    let is_absent = attribute.is_test && is_last && is_named && data.has_fields();
                    return is_absent.then_some(Found::Nothing);
                }
            };
        }
        Some(Found::Data(data))
    }

    /// Returns the string, if the node is a variable whose value is a string.
    fn name(&self, node: &Node) -> Option<&str> {
        let Node::Attribute(attribute) = node else { return None };
        let Attribute { base: Base::Slot(slot), qualifiers, is_test: false } = &**attribute else {
            return None;
        };
        match &self.slots[*slot] {
            Some(Ok(Value::String(name))) if qualifiers.is_empty() => Some(name),
            _ => None,
        }
    }

    fn base(&mut self, base: &'v Base) -> Outcome<'v> {
        match base {
            Base::Slot(slot) => match &self.slots[*slot] {
                Some(value) => value.clone(),
                None => {
                    let name = self.program.variables.get(*slot).map_or("", |name| &**name);
                    Err(Error::text(format!("no such attribute(s): {name}")))
                }
            },
            Base::Lazy(slot, value) => {
                if self.slots[*slot].is_none() {
                    let program = self.program;
                    let mark = self.meter.mark();
                    let value = self.operand(&program.lazy[*value])?;
                    self.meter.pin(mark);
                    self.slots[*slot] = Some(value);
                }
                self.slots[*slot].clone().unwrap_or(Ok(Value::Null))
            }
            Base::Value(node) => self.eval(node),
            Base::Conditional(parts) => self.conditional(parts),
            Base::Unknown(name) => Err(Error::text(format!("no such attribute(s): {name}"))),
        }
    }

    fn conditional(&mut self, [condition, yes, no]: &'v [Node; 3]) -> Outcome<'v> {
        match self.eval(condition)? {
            Value::Bool(true) => self.resolve(yes),
            Value::Bool(false) => self.resolve(no),
            _ => Err(Error::no_such_overload()),
        }
    }

    fn resolve(&mut self, node: &'v Node) -> Outcome<'v> {
        match node {
            Node::Attribute(attribute) => self.attribute(attribute, false),
            other => {
                let value = self.eval(other)?;
                Ok(self.rewrapped(value))
            }
        }
    }

    fn qualify(&mut self, base: Value<'v>, attribute: &'v Attribute) -> Outcome<'v> {
        let (mut value, mut is_optional) = match base {
            Value::Optional(None) => {
                return Ok(if attribute.is_test { Value::Bool(false) } else { Value::Optional(None) });
            }
            Value::Optional(Some(value)) if self.keeps_types_in_optionals() => ((*value).clone(), true),
            Value::Optional(Some(value)) => (untyped(innermost(&value)), true),
            other => (other, false),
        };
        let last = attribute.qualifiers.len() - 1;
        for (index, qualifier) in attribute.qualifiers.iter().enumerate() {
            let found = self.member(&value, qualifier)?;
            is_optional |= qualifier.is_optional;
            // Selecting a missing field of an optional costs nothing.
            let is_absent = is_optional && matches!(found, Member::Missing(_));
            if attribute.is_test && index == last && !is_absent {
                self.meter.charge(1)?;
                return match found {
                    Member::Found(_) => Ok(Value::Bool(true)),
                    Member::Missing(_) => Ok(Value::Bool(false)),
                    Member::Failed(error) => Err(error),
                };
            }
            match found {
                Member::Missing(_) if is_optional && attribute.is_test => return Ok(Value::Bool(false)),
                Member::Missing(_) if is_optional => return Ok(Value::Optional(None)),
                Member::Missing(key) => {
                    self.meter.charge(1)?;
                    return Err(match value {
                        Value::List(_) => Error::index_out_of_bounds(printed_key(&key)),
                        _ => Error::no_such_key(printed_key(&key)),
                    });
                }
                Member::Failed(error) => {
                    if !is_optional {
                        self.meter.charge(1)?;
                    }
                    return Err(error);
                }
                Member::Found(found) => {
                    self.meter.charge(1)?;
                    value = found;
                }
            }
        }
        // An optional holds an error of its value, which whoever reads the value gets.
        if is_optional { Ok(value.some()) } else { value.converted() }
    }

    /// Returns `true` if a value in an optional keeps its type from the schema. This is the case since Kubernetes 1.37.
    fn keeps_types_in_optionals(&self) -> bool {
        self.meter.server.is_at_least(37)
    }

    /// Converts a variable's value, if this is an optional, in the same way as a selection. Up to Kubernetes 1.36, cel-go unwraps the
    /// optional's content, drops the content's type, and wraps the content in a new optional.
    fn rewrapped(&self, value: Value<'v>) -> Value<'v> {
        match &value {
            Value::Optional(Some(inner)) if !self.keeps_types_in_optionals() => {
                readapted(innermost(inner)).some()
            }
            _ => value,
        }
    }

    /// Returns the member that a qualifier selects. If a list's element does not have the schema's type, it is found, and reading it fails.
    /// If a map's member does not have the schema's type, selecting it fails. An `Err` from this function ends the run.
    fn member(&mut self, value: &Value<'v>, qualifier: &'v Qualifier) -> Result<Member<'v>, Error> {
        let (key, unescaped) = match &qualifier.key {
            QualifierKey::Const(key, unescaped, _) => (key.borrowed(), unescaped.as_deref()),
            QualifierKey::Node(node) => match self.resolve(node) {
                Ok(key) if is_qualifier(&key) => (key, None),
                Ok(key) => {
                    let error = Error::text(format!("invalid qualifier type: {}", key.go_type()));
                    return Ok(Member::Failed(error));
                }
                Err(error) if error.is_final() => return Err(error),
                Err(error) => return Ok(Member::Failed(error)),
            },
        };
        if let Value::String(name) = &key {
            self.meter.work_on_bytes(name.len())?;
        }
        if let Some(error) = value.unconverted() {
            return Ok(Member::Failed(error));
        }
        // An optional in the middle of the chain has no members, although its type has: cel-go unwraps only the first
        // one.
        let found = match (value, &qualifier.key) {
            (Value::Map(map), _) => match (map.data(), &key, &qualifier.key) {
                (Some(data), Value::String(name), QualifierKey::Const(..)) => {
                    self.read(data.member_unescaped(name, unescaped.unwrap_or(name)))
                }
                (Some(data), Value::String(name), QualifierKey::Node(_)) => self.read(data.member(name)),
                _ => map.get(&key).transpose(),
            },
            (Value::List(list), _) => match place(&key) {
                Ok(Some(index)) => match list.data() {
                    Some(data) => self.read(data.element(index)).transpose().map(held).transpose(),
                    None => list.get(index).map(held).transpose(),
                },
                Ok(None) => Ok(None),
                Err(error) => Err(error),
            },
            _ => Ok(None),
        };
        Ok(match found {
            Ok(Some(found)) => Member::Found(found),
            Ok(None) => Member::Missing(key),
            Err(error) if error.is_final() => return Err(error),
            Err(error) => Member::Failed(error),
        })
    }

    /// Converts the found data to a value.
    fn read(&mut self, data: Option<Data<'v>>) -> Result<Option<Value<'v>>, Error> {
        let Some(data) = data else { return Ok(None) };
        self.meter.work_on_data(data)?;
        data.value().map(Some)
    }
}

/// The result of reading a variable or a field, without creating values for the objects on the path.
pub(super) enum Found<'v> {
    Value(Value<'v>),
    Data(Data<'v>),
    /// The last field of `has(...)` is absent.
    Nothing,
}

/// Returns `true` if a value can be an index.
fn is_qualifier(key: &Value<'_>) -> bool {
    matches!(key, Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::String(_))
}

enum Member<'v> {
    Found(Value<'v>),
    /// The value has no member with this key.
    Missing(Value<'v>),
    Failed(Error),
}

/// Converts an index to a position in a list.
fn place(key: &Value<'_>) -> Result<Option<usize>, Error> {
    let index = match key {
        Value::Int(index) => Some(*index),
        Value::Uint(index) => i64::try_from(*index).ok(),
        // The ends of the range of integers are excluded, because a double does not distinguish them from values out of
        // range.
        Value::Double(index) if index.fract() == 0.0 && index.abs() < i64::MAX as f64 => Some(*index as i64),
        Value::Double(_) => None,
        other => {
            return Err(Error::text(format!("unsupported index type '{}' in list", other.type_name())));
        }
    };
    let index =
        index.ok_or_else(|| Error::text(format!("unsupported index value {} in list", printed_key(key))))?;
    Ok(usize::try_from(index).ok())
}

/// Returns the value that cel-go makes from the raw value. This works only for cel-go's own types.
fn readapted<'v>(value: &Value<'v>) -> Value<'v> {
    match value {
        // A format is its own raw value.
        Value::Opaque(opaque) if !matches!(**opaque, Opaque::Format(_)) => {
            let error = format!("unsupported conversion to ref.Val: {}", opaque.in_go());
            Value::Opaque(Opaque::Unconverted(error.into()).into())
        }
        value => untyped(value),
    }
}

/// Returns the value inside nested optionals, or null if there is none.
fn innermost<'a, 'v>(value: &'a Value<'v>) -> &'a Value<'v> {
    match value {
        Value::Optional(Some(inner)) => innermost(inner),
        Value::Optional(None) => &Value::Null,
        other => other,
    }
}

fn untyped<'v>(value: &Value<'v>) -> Value<'v> {
    match value {
        Value::Map(map) => {
            map.data().map_or_else(|| Value::Map(map.clone()), |data| Value::Map(Map::over(data.untyped())))
        }
        Value::List(list) => match list.data() {
            Some(data) => Value::List(List::over(data.untyped())),
            // Sums keep raw values.
            None if list.is_sum() || list.is_of_schema() => {
                Value::List(list.values().iter().map(readapted).collect::<Vec<_>>().into())
            }
            None => Value::List(list.clone()),
        },
        // The raw value of a type is its name.
        Value::Type(name) => Value::String(name.clone()),
        other => other.clone(),
    }
}
