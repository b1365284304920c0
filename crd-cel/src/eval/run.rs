//! Runs the nodes of a program, charging for each as the API server does.

use std::sync::Arc;

use super::Error;
use super::cost::Meter;
use super::list::List;
use super::map::{Entries, Map};
use super::plan::{Attribute, Base, Call, Fold, Key, Node, Qualifier};
use super::program::Program;
use super::value::Value;

const LIST: u64 = 10;
const MAP: u64 = 30;

type Outcome<'v> = Result<Value<'v>, Error>;

pub(super) struct Run<'v> {
    program: &'v Program,
    slots: Vec<Option<Outcome<'v>>>,
    pub(super) meter: Meter,
}

impl<'v> Run<'v> {
    pub(super) fn new(program: &'v Program, values: Vec<Option<Value<'v>>>, limit: u64) -> Self {
        let mut slots: Vec<_> =
            values.into_iter().take(program.variables.len()).map(|value| value.map(Ok)).collect();
        slots.resize(program.slots, None);
        Self { program, slots, meter: Meter::new(limit) }
    }

    pub(super) fn eval(&mut self, node: &'v Node) -> Outcome<'v> {
        match node {
            Node::Const(value) => Ok(value.borrowed()),
            Node::Attribute(attribute) => self.attribute(attribute, true),
            Node::And(terms) => self.logic(terms, false),
            Node::Or(terms) => self.logic(terms, true),
            Node::NotFalse(arg) => self.not_false(arg),
            Node::Otherwise { parts, is_unwrapped } => self.otherwise(parts, *is_unwrapped),
            Node::Call(call) => self.call(call),
            Node::InSet(parts) => {
                let needle = self.eval(&parts.0)?;
                Ok(Value::Bool(parts.1.contains(&needle)))
            }
            Node::List(elements, optional) => self.list(elements, optional),
            Node::Map(entries) => self.map(entries),
            Node::Append { slot, element, is_constant } => self.append(*slot, element, *is_constant),
            Node::Insert { slot, key, value } => self.insert(*slot, key, value.as_deref()),
            Node::Fold(fold) => self.fold(fold),
            Node::Let(slot, result) => {
                self.slots[*slot] = None;
                // The empty list that a binding goes over is a constant, and costs nothing.
                self.eval(result)
            }
        }
    }

    /// `&&` and `||`: the deciding value wins over errors on either side.
    fn logic(&mut self, terms: &'v [Node; 2], deciding: bool) -> Outcome<'v> {
        let mut error = None;
        for term in terms {
            match self.eval(term) {
                Ok(Value::Bool(value)) if value == deciding => return Ok(Value::Bool(deciding)),
                Ok(Value::Bool(_)) => {}
                Err(limit) if limit.is_limit() => return Err(limit),
                Err(other) => drop(error.get_or_insert(other)),
                Ok(_) => drop(error.get_or_insert(Error::no_such_overload())),
            }
        }
        error.map_or(Ok(Value::Bool(!deciding)), Err)
    }

    fn not_false(&mut self, arg: &'v Node) -> Outcome<'v> {
        let value = self.eval(arg);
        if let Err(error) = &value
            && error.is_limit()
        {
            return value;
        }
        self.meter.charge(1)?;
        Ok(Value::Bool(!matches!(value, Ok(Value::Bool(false)))))
    }

    /// What is no optional stays what it is: the API server gives a plain old value to the message of a rule whose old
    /// value is optional.
    fn otherwise(&mut self, parts: &'v [Node; 2], is_unwrapped: bool) -> Outcome<'v> {
        match self.eval(&parts[0])? {
            Value::Optional(None) => self.eval(&parts[1]),
            Value::Optional(Some(value)) if is_unwrapped => Ok((*value).clone()),
            other => Ok(other),
        }
    }

    fn call(&mut self, call: &'v Call) -> Outcome<'v> {
        match &*call.args {
            [arg] => {
                let args = [self.operand(arg)?];
                self.apply(call, args)
            }
            [left, right] => {
                // Both sides are evaluated, whatever comes of the first.
                let args = [self.operand(left)?, self.operand(right)?];
                self.apply(call, args)
            }
            args => self.call_many(call, args),
        }
    }

    /// The value of an argument or its error, unless the run is to stop.
    fn operand(&mut self, arg: &'v Node) -> Result<Outcome<'v>, Error> {
        match self.eval(arg) {
            Err(error) if error.is_limit() => Err(error),
            other => Ok(other),
        }
    }

    fn apply<const N: usize>(&mut self, call: &'v Call, args: [Outcome<'v>; N]) -> Outcome<'v> {
        let mut values = [const { Value::Null }; N];
        let mut failed = None;
        for (index, arg) in args.into_iter().enumerate() {
            match arg {
                Ok(value) => values[index] = value,
                Err(error) => drop(failed.get_or_insert((index, error))),
            }
        }
        let Some((_, error)) = failed else {
            let sizes = values.each_ref().map(Some);
            return self.run(call, &values, &sizes);
        };
        // An error has no size, and neither has what stands for it here.
        let sizes =
            values.each_ref().map(|value| if matches!(value, Value::Null) { None } else { Some(value) });
        self.meter.charge(call.rule.cost(&sizes, None))?;
        Err(error)
    }

    fn call_many(&mut self, call: &'v Call, args: &'v [Node]) -> Outcome<'v> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            // A call whose arguments are not all evaluated is not charged for, except where the last one failed.
            match self.operand(arg)? {
                Ok(value) => values.push(value),
                Err(error) if values.len() + 1 == args.len() => {
                    let mut sizes: Vec<_> = values.iter().map(Some).collect();
                    sizes.push(None);
                    self.meter.charge(call.rule.cost(&sizes, None))?;
                    return Err(error);
                }
                Err(error) => return Err(error),
            }
        }
        let sizes: Vec<_> = values.iter().map(Some).collect();
        self.run(call, &values, &sizes)
    }

    /// Runs a function. It is charged for before it works, unless its result decides what it costs: what is too much
    /// is not begun.
    fn run(&mut self, call: &'v Call, values: &[Value<'v>], sizes: &[Option<&Value<'v>>]) -> Outcome<'v> {
        let is_priced_by_result = call.rule.is_priced_by_result();
        if !is_priced_by_result {
            self.meter.charge(call.rule.cost(sizes, None))?;
        }
        let result = call.function.call(&mut self.meter, values, call.regex.as_ref());
        if is_priced_by_result {
            self.meter.charge(call.rule.cost(sizes, result.as_ref().ok()))?;
        }
        result.map_err(|error| labelled(error, call, values.first()))
    }

    fn list(&mut self, elements: &'v [Node], optional: &'v [u32]) -> Outcome<'v> {
        let values = self.elements(elements, optional);
        if let Err(error) = &values
            && error.is_limit()
        {
            return Err(error.clone());
        }
        self.meter.charge(LIST)?;
        values.map(Value::from)
    }

    fn elements(&mut self, elements: &'v [Node], optional: &'v [u32]) -> Result<Vec<Value<'v>>, Error> {
        self.meter.allocate_values(elements.len())?;
        let mut values = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let value = self.eval(element)?;
            if !optional.contains(&(index as u32)) {
                values.push(value);
                continue;
            }
            match value {
                Value::Optional(Some(value)) => values.push((*value).clone()),
                Value::Optional(None) => {}
                other => return Err(not_optional("list", &other)),
            }
        }
        Ok(values)
    }

    fn map(&mut self, nodes: &'v [(Node, Node, bool)]) -> Outcome<'v> {
        let entries = self.entries(nodes);
        if let Err(error) = &entries
            && error.is_limit()
        {
            return Err(error.clone());
        }
        self.meter.charge(MAP)?;
        entries.map(|entries| Value::Map(entries.into()))
    }

    fn entries(&mut self, nodes: &'v [(Node, Node, bool)]) -> Result<Entries<'v>, Error> {
        self.meter.allocate_values(nodes.len() * 4)?;
        let mut entries = Entries::default();
        for (key, value, is_optional) in nodes {
            let key = self.eval(key)?;
            let mut value = self.eval(value)?;
            if *is_optional {
                value = match value {
                    Value::Optional(Some(value)) => (*value).clone(),
                    Value::Optional(None) => continue,
                    other => return Err(not_optional("map", &other)),
                };
            }
            if entries.contains(&key) {
                return Err(Error::text(format!("Failed with repeated key: {}", printed_key(&key))));
            }
            entries.insert(key, value)?;
        }
        Ok(entries)
    }

    /// Adds to the list that a macro gathers, in place.
    fn append(&mut self, slot: usize, element: &'v Node, is_constant: bool) -> Outcome<'v> {
        // The accumulator is read first.
        self.meter.charge(1)?;
        let element = self.operand(element)?;
        if !is_constant {
            self.meter.charge(LIST)?;
        }
        self.meter.charge(1)?;
        self.meter.allocate_values(1)?;
        match (self.slots[slot].take(), element) {
            (Some(Ok(Value::List(mut list))), Ok(element)) => {
                if let Some(values) = list.values_mut() {
                    values.push(element);
                }
                Ok(Value::List(list))
            }
            (Some(Err(error)), _) | (_, Err(error)) => Err(error),
            _ => Err(Error::no_such_overload()),
        }
    }

    /// Adds to the map that a macro gathers, in place.
    fn insert(&mut self, slot: usize, key: &'v Node, value: Option<&'v Node>) -> Outcome<'v> {
        self.meter.charge(1)?;
        let mut added = Vec::new();
        let failed = match value {
            Some(value) => match self.operand(key)? {
                Err(error) => Some(error),
                Ok(key) => match self.operand(value)? {
                    Ok(value) => {
                        added.push((key, value));
                        None
                    }
                    Err(error) => Some(error),
                },
            },
            None => match self.operand(key)? {
                Ok(Value::Map(map)) => {
                    for key in map.keys() {
                        if let Some(value) = map.get(&key) {
                            added.push((key, value?));
                        }
                    }
                    None
                }
                Ok(_) => Some(Error::no_such_overload()),
                Err(error) => Some(error),
            },
        };
        let accumulated = self.slots[slot].take();
        self.meter.charge(1)?;
        self.meter.allocate_values(added.len() * 4)?;
        let mut map = match (accumulated, failed) {
            (Some(Ok(Value::Map(map))), None) => map,
            (Some(Err(error)), _) | (_, Some(error)) => return Err(error),
            _ => return Err(Error::no_such_overload()),
        };
        if let Some(entries) = map.entries_mut() {
            for (key, value) in added {
                if entries.contains(&key) {
                    let key = printed_key(&key);
                    return Err(Error::text(format!("insert failed: key {key} already exists")));
                }
                entries.insert(key, value)?;
            }
        }
        Ok(Value::Map(map))
    }

    fn fold(&mut self, fold: &'v Fold) -> Outcome<'v> {
        let range = self.eval(&fold.range)?;
        let init = self.operand(&fold.init)?;
        self.slots[fold.accumulator] = Some(init);
        match range {
            Value::List(list) => {
                for index in 0..list.len() {
                    let element = list.get(index).unwrap_or(Ok(Value::Null));
                    let first =
                        if fold.var2.is_some() { Ok(Value::Int(index as i64)) } else { element.clone() };
                    if !self.step(fold, first, element)? {
                        break;
                    }
                }
            }
            Value::Map(map) => {
                for key in map.keys() {
                    let value = match fold.var2 {
                        Some(_) => map.get(&key).unwrap_or(Ok(Value::Null)),
                        None => Ok(Value::Null),
                    };
                    if !self.step(fold, Ok(key), value)? {
                        break;
                    }
                }
            }
            other => {
                let text = format!("got '{}', expected iterable type", other.type_name());
                return Err(Error::text(text));
            }
        }
        self.eval(&fold.result)
    }

    /// One round of a loop; says whether another may follow.
    fn step(&mut self, fold: &'v Fold, first: Outcome<'v>, second: Outcome<'v>) -> Result<bool, Error> {
        self.slots[fold.var] = Some(first);
        if let Some(slot) = fold.var2 {
            self.slots[slot] = Some(second);
        }
        if let Ok(Value::Bool(false)) = self.operand(&fold.condition)? {
            return Ok(false);
        }
        let step = self.operand(&fold.step)?;
        self.slots[fold.accumulator] = Some(step);
        Ok(true)
    }

    /// A variable or a value with what is selected from it. `is_charged`: the name itself is paid for, which it is not
    /// as a branch of a conditional nor as an index.
    fn attribute(&mut self, attribute: &'v Attribute, is_charged: bool) -> Outcome<'v> {
        let base = self.base(&attribute.base);
        let is_free = !is_charged || attribute.is_test || matches!(attribute.base, Base::Conditional(_));
        let result = match base {
            Ok(value) if attribute.qualifiers.is_empty() => Ok(value),
            Ok(value) => self.qualify(value, attribute),
            Err(error) => Err(error),
        };
        if let Err(error) = &result
            && error.is_limit()
        {
            return result;
        }
        if !is_free {
            self.meter.charge(1)?;
        }
        result
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
                    let value = self.operand(&program.lazy[*value])?;
                    self.slots[*slot] = Some(value);
                }
                self.slots[*slot].clone().unwrap_or(Ok(Value::Null))
            }
            Base::Value(node) => self.eval(node),
            Base::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                match self.eval(condition)? {
                    Value::Bool(true) => self.resolve(yes),
                    Value::Bool(false) => self.resolve(no),
                    _ => Err(Error::no_such_overload()),
                }
            }
            Base::Unknown(name) => Err(Error::text(format!("no such attribute(s): {name}"))),
        }
    }

    fn resolve(&mut self, node: &'v Node) -> Outcome<'v> {
        match node {
            Node::Attribute(attribute) => self.attribute(attribute, false),
            other => self.eval(other),
        }
    }

    fn qualify(&mut self, base: Value<'v>, attribute: &'v Attribute) -> Outcome<'v> {
        let (mut value, mut is_optional) = match base {
            Value::Optional(None) => {
                return Ok(if attribute.is_test { Value::Bool(false) } else { Value::Optional(None) });
            }
            // What is in an optional is looked at as it was before the schema typed it.
            Value::Optional(Some(value)) => (untyped(&value), true),
            other => (other, false),
        };
        let last = attribute.qualifiers.len() - 1;
        for (index, qualifier) in attribute.qualifiers.iter().enumerate() {
            let found = self.member(&value, qualifier)?;
            is_optional |= qualifier.is_optional;
            if attribute.is_test && index == last {
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
                    self.meter.charge(1)?;
                    return Err(error);
                }
                Member::Found(found) => {
                    self.meter.charge(1)?;
                    value = found;
                }
            }
        }
        Ok(if is_optional { value.some() } else { value })
    }

    /// What a qualifier finds; an error ends the run.
    fn member(&mut self, value: &Value<'v>, qualifier: &'v Qualifier) -> Result<Member<'v>, Error> {
        let (key, unescaped) = match &qualifier.key {
            Key::Const(key, unescaped) => (key.borrowed(), unescaped.as_deref()),
            Key::Node(node) => match self.resolve(node) {
                Ok(key) => (key, None),
                Err(error) if error.is_limit() => return Err(error),
                Err(error) => return Ok(Member::Failed(error)),
            },
        };
        let inner = match value {
            Value::Optional(Some(inner)) => inner,
            other => other,
        };
        let found = match (inner, &qualifier.key) {
            (Value::Map(map), Key::Const(..)) => map.field(&key, unescaped).transpose(),
            (Value::Map(map), Key::Node(_)) => map.get(&key).transpose(),
            (Value::List(list), _) => element(list, &key),
            _ => Ok(None),
        };
        Ok(match found {
            Ok(Some(found)) => Member::Found(found),
            Ok(None) => Member::Missing(key),
            Err(error) => Member::Failed(error),
        })
    }
}

enum Member<'v> {
    Found(Value<'v>),
    /// Nothing has this key.
    Missing(Value<'v>),
    Failed(Error),
}

fn element<'v>(list: &List<'v>, key: &Value<'v>) -> Result<Option<Value<'v>>, Error> {
    let index = match key {
        Value::Int(index) => Some(*index),
        Value::Uint(index) => i64::try_from(*index).ok(),
        Value::Double(index) if index.fract() == 0.0 && index.abs() < 9e15 => Some(*index as i64),
        other => {
            return Err(Error::text(format!("unsupported index type '{}' in list", other.type_name())));
        }
    };
    let index = index.and_then(|index| usize::try_from(index).ok());
    index.and_then(|index| list.get(index)).transpose()
}

fn untyped<'v>(value: &Arc<Value<'v>>) -> Value<'v> {
    match &**value {
        Value::Map(map) => {
            map.data().map_or_else(|| Value::Map(map.clone()), |data| Value::Map(Map::over(data.untyped())))
        }
        Value::List(list) => match list.data() {
            Some(data) => Value::List(List::over(data.untyped())),
            None => Value::List(list.clone()),
        },
        other => other.clone(),
    }
}

fn not_optional(what: &str, value: &Value<'_>) -> Error {
    Error::text(format!(
        "cannot initialize optional {what} element from non-optional value {}",
        value.type_name()
    ))
}

/// A key as error texts print it.
pub(super) fn printed_key(key: &Value<'_>) -> String {
    match key {
        Value::String(text) => text.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) => super::number::shortest(*value, super::number::Form::General),
        Value::Bool(value) => value.to_string(),
        Value::Null => "null".to_owned(),
        other => other.type_name().to_owned(),
    }
}

/// Says which function has no overload, where not even its first argument is of a type that has the operator.
fn labelled(error: Error, call: &Call, first: Option<&Value<'_>>) -> Error {
    use Value as V;
    let Some(first) = first.filter(|_| error == Error::no_such_overload()) else { return error };
    let is_known = match &*call.name {
        "size" => matches!(first, V::String(_) | V::Bytes(_) | V::List(_) | V::Map(_)),
        "_+_" => matches!(
            first,
            V::Int(_)
                | V::Uint(_)
                | V::Double(_)
                | V::String(_)
                | V::Bytes(_)
                | V::List(_)
                | V::Duration(_)
                | V::Timestamp(_)
        ),
        "_-_" => matches!(first, V::Int(_) | V::Uint(_) | V::Double(_) | V::Duration(_) | V::Timestamp(_)),
        "_*_" | "_/_" => matches!(first, V::Int(_) | V::Uint(_) | V::Double(_)),
        "_%_" => matches!(first, V::Int(_) | V::Uint(_)),
        "-_" | "!_" => matches!(first, V::Bool(_) | V::Int(_) | V::Double(_) | V::Duration(_)),
        "_<_" | "_<=_" | "_>_" | "_>=_" => !matches!(
            first,
            V::Null | V::List(_) | V::Map(_) | V::Type(_) | V::Optional(_) | V::Opaque(_) | V::Preserved(_)
        ),
        _ => true,
    };
    if is_known { error } else { Error::text(format!("no such overload: {}", call.name)) }
}
