//! Evaluates program nodes, and charges the same costs as the API server.

use std::ops::{Index, IndexMut};

use super::Error;
use super::implementation::Outcome;
use super::map::Entries;
use super::meter::Meter;
use super::missing;
use super::node::{Call, Fold, Node};
use super::program::Program;
use super::value::{Value, printed_key};

pub(super) const LIST: u64 = 10;
const MAP: u64 = 30;

pub(super) struct Run<'v> {
    pub(super) program: &'v Program,
    pub(super) slots: Slots<'v>,
    pub(super) meter: Meter,
}

/// The slots that hold the values of variables in a run. A program with few variables needs no allocation for them.
pub(super) struct Slots<'v> {
    few: [Option<Outcome<'v>>; FEW],
    more: Vec<Option<Outcome<'v>>>,
}

const FEW: usize = 4;

impl<'v> Slots<'v> {
    /// Returns a program's slots, with values for the first two variables.
    #[inline]
    pub(super) fn new(program: &Program, first: Option<Outcome<'v>>, second: Option<Outcome<'v>>) -> Self {
        let mut more = Vec::new();
        if program.slots > FEW {
            more.resize(program.slots - FEW, None);
        }
        Self { few: [first, second, None, None], more }
    }
}

impl<'v> Index<usize> for Slots<'v> {
    type Output = Option<Outcome<'v>>;

    #[inline]
    fn index(&self, slot: usize) -> &Self::Output {
        self.few.get(slot).unwrap_or_else(|| &self.more[slot - FEW])
    }
}

impl IndexMut<usize> for Slots<'_> {
    #[inline]
    fn index_mut(&mut self, slot: usize) -> &mut Self::Output {
        match self.few.get_mut(slot) {
            Some(value) => value,
            None => &mut self.more[slot - FEW],
        }
    }
}

impl<'v> Run<'v> {
    #[inline]
    pub(super) fn new(program: &'v Program, slots: Slots<'v>, limit: u64, work: u64) -> Self {
        Self { program, slots, meter: Meter::new(program.server, limit, work) }
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
                self.meter.work_on_key(&needle)?;
                parts.1.contains(&needle).map(Value::Bool)
            }
            Node::List(elements, optional) => self.list(elements, optional),
            Node::Map(entries) => self.map(entries),
            Node::Message(message, fields) => self.message(*message, fields),
            Node::Append { slot, element, is_constant } => self.append(*slot, element, *is_constant),
            Node::Insert { slot, key, value } => self.insert(*slot, key, value.as_deref()),
            Node::Fold(fold) => self.fold(fold),
            Node::Search(search) => self.search(search),
            Node::Gather(gather) => self.gather(gather),
            Node::Let(slot, result) => {
                // The empty list of `cel.bind` is a constant, which costs nothing.
                let mark = self.meter.mark();
                self.slots[*slot] = None;
                let result = self.eval(result);
                self.slots[*slot] = None;
                self.meter.unpin(mark);
                self.meter.release(mark, &result);
                result
            }
        }
    }

    /// Evaluates `&&` and `||`. If one side has the deciding value, an error on the other side is ignored.
    fn logic(&mut self, terms: &'v [Node; 2], deciding: bool) -> Outcome<'v> {
        let mut error = None;
        for term in terms {
            match self.eval(term) {
                Ok(Value::Bool(value)) if value == deciding => return Ok(Value::Bool(deciding)),
                Ok(Value::Bool(_)) => {}
                Err(limit) if limit.is_final() => return Err(limit),
                Err(other) => drop(error.get_or_insert(other)),
                Ok(_) => drop(error.get_or_insert(Error::no_such_overload())),
            }
        }
        error.map_or(Ok(Value::Bool(!deciding)), Err)
    }

    #[inline(never)]
    fn not_false(&mut self, arg: &'v Node) -> Outcome<'v> {
        let value = self.eval(arg);
        if let Err(error) = &value
            && error.is_final()
        {
            return value;
        }
        self.meter.charge(1)?;
        Ok(Value::Bool(!matches!(value, Ok(Value::Bool(false)))))
    }

    /// Evaluates `or` and `orValue`. The left side is not always an optional: for a rule with `optionalOldSelf`, the API server passes a
    /// plain `oldSelf` to the message expression. Up to Kubernetes 1.36, such a value is returned unchanged. Since Kubernetes 1.37, it is
    /// an error.
    #[inline(never)]
    fn otherwise(&mut self, parts: &'v [Node; 2], is_unwrapped: bool) -> Outcome<'v> {
        match self.eval(&parts[0])? {
            Value::Optional(None) => self.eval(&parts[1]),
            Value::Optional(Some(value)) if is_unwrapped => (*value).clone().converted(),
            optional @ Value::Optional(_) => Ok(optional),
            other if !self.meter.server.is_at_least(37) => Ok(other),
            _ => Err(Error::no_such_overload()),
        }
    }

    pub(super) fn call(&mut self, call: &'v Call) -> Outcome<'v> {
        let mark = self.meter.mark();
        let result = self.called(call);
        self.meter.release(mark, &result);
        result
    }

    fn called(&mut self, call: &'v Call) -> Outcome<'v> {
        match &*call.args {
            [arg] => match self.eval(arg) {
                Ok(value) => self.run(call, &[value]),
                Err(error) if error.is_final() => Err(error),
                Err(error) => match call.charge.fault_without(0) {
                    Some(fault) => Err(fault),
                    None => self.failed(call, &[Value::Null], error),
                },
            },
            [left, right] => {
                let left = match self.eval(left) {
                    Ok(left) => left,
                    // A call costs nothing if not all of its arguments are evaluated.
                    Err(error) if call.is_variadic || error.is_final() => return Err(error),
                    Err(error) => return self.call_without(call, error, right),
                };
                match self.eval(right) {
                    Ok(right) => self.run_two(call, left, right),
                    Err(error) if error.is_final() => Err(error),
                    Err(error) => match call.charge.fault_without(1).filter(|_| !call.is_variadic) {
                        Some(fault) => Err(fault),
                        None => self.failed(call, &[left, Value::Null], error),
                    },
                }
            }
            args => self.call_many(call, args),
        }
    }

    /// Returns the result of a call whose first argument failed. Even then, the second argument is evaluated.
    #[inline(never)]
    fn call_without(&mut self, call: &'v Call, error: Error, right: &'v Node) -> Outcome<'v> {
        match self.operand(right)? {
            Ok(right) => self.failed(call, &[Value::Null, right], error),
            Err(_) => match call.charge.fault_without(1) {
                Some(fault) => Err(fault),
                None => self.failed(call, &[Value::Null, Value::Null], error),
            },
        }
    }

    /// Evaluates an argument. The outer error means that the run must stop.
    #[inline]
    pub(super) fn operand(&mut self, arg: &'v Node) -> Result<Outcome<'v>, Error> {
        match self.eval(arg) {
            Err(error) if error.is_final() => Err(error),
            other => Ok(other),
        }
    }

    #[inline(never)]
    fn call_many(&mut self, call: &'v Call, args: &'v [Node]) -> Outcome<'v> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            match self.operand(arg)? {
                Ok(value) => values.push(value),
                // A call costs nothing if not all of its arguments are evaluated.
                Err(error) if values.len() + 1 < args.len() => return Err(error),
                Err(error) => {
                    values.push(Value::Null);
                    return self.failed(call, &values, error);
                }
            }
        }
        self.run(call, &values)
    }

    /// Charges for a call with an argument that failed, and returns the argument's error.
    #[inline(never)]
    fn failed(&mut self, call: &'v Call, values: &[Value<'v>], error: Error) -> Outcome<'v> {
        let cost = call.charge.cost(&mut self.meter, values, None)?;
        self.meter.charge(cost)?;
        Err(error)
    }

    /// Runs a call with two arguments. Integers and strings are compared without a function.
    fn run_two(&mut self, call: &'v Call, left: Value<'v>, right: Value<'v>) -> Outcome<'v> {
        match (call.implementation.comparison, &left, &right) {
            (Some(comparison), Value::Int(left), Value::Int(right)) => {
                self.meter.charge_each(1)?;
                Ok(Value::Bool(comparison.holds(left, right)))
            }
            (Some(comparison), Value::String(a), Value::String(b)) => {
                let result = Value::Bool(comparison.holds::<str>(a, b));
                let cost = call.charge.cost(&mut self.meter, &[left, right], None)?;
                self.meter.charge(cost)?;
                Ok(result)
            }
            _ => self.run(call, &[left, right]),
        }
    }

    /// Runs a function with these arguments. The cost is charged before the call, so a call over the cost limit does not start. Only a cost
    /// that depends on the result is charged after the call.
    fn run(&mut self, call: &'v Call, values: &[Value<'v>]) -> Outcome<'v> {
        let is_priced_by_result = call.charge.is_priced_by_result();
        let mut charged = 0;
        if !is_priced_by_result {
            charged = call.charge.cost(&mut self.meter, values, None)?;
            self.meter.charge(charged)?;
        }
        self.meter.work_on_arguments(values, call.implementation.work)?;
        let result = call.implementation.call(&mut self.meter, values, call.pattern.as_ref());
        if let Err(error) = &result
            && error.is_fault()
        {
            // The server fails before it charges for the call.
            self.meter.give_back(charged);
            return result;
        }
        if is_priced_by_result {
            let cost = call.charge.cost(&mut self.meter, values, result.as_ref().ok())?;
            self.meter.charge(cost)?;
        }
        result.map_err(|error| {
            self.meter.work_on_error(&error).err().unwrap_or_else(|| missing::labelled(error, call, values))
        })
    }

    #[inline(never)]
    fn list(&mut self, elements: &'v [Node], optional: &'v [u32]) -> Outcome<'v> {
        let values = self.elements(elements, optional);
        if let Err(error) = &values
            && error.is_final()
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

    #[inline(never)]
    fn map(&mut self, nodes: &'v [(Node, Node, bool)]) -> Outcome<'v> {
        let entries = self.entries(nodes);
        if let Err(error) = &entries
            && error.is_final()
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
                    Value::Optional(None) => {
                        self.meter.work(entries.len() as u64)?;
                        entries.remove(&key);
                        continue;
                    }
                    other => return Err(not_optional("map", &other)),
                };
            }
            self.meter.work_on_key(&key)?;
            entries.insert(key, value)?;
        }
        Ok(entries)
    }

    /// Adds an element to the list that a macro builds, without copying the list.
    #[inline(never)]
    fn append(&mut self, slot: usize, element: &'v Node, is_constant: bool) -> Outcome<'v> {
        // The accumulator is read first.
        self.meter.charge(1)?;
        let element = self.operand(element)?;
        if !is_constant {
            self.meter.charge(LIST)?;
        }
        self.meter.charge(1)?;
        self.meter.allocate_pushed()?;
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

    /// Adds an entry to the map that a macro builds, without copying the map.
    #[inline(never)]
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
                    self.meter.work_on_keys(&map)?;
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
                self.meter.work_on_key(&key)?;
                if entries.contains(&key) {
                    let key = printed_key(&key);
                    return Err(Error::text(format!("insert failed: key {key} already exists")));
                }
                entries.insert(key, value)?;
            }
        }
        Ok(Value::Map(map))
    }

    #[inline(never)]
    fn fold(&mut self, fold: &'v Fold) -> Outcome<'v> {
        let range = self.eval(&fold.range)?;
        let init = self.operand(&fold.init)?;
        self.slots[fold.accumulator] = Some(init);
        self.each(range, (fold.var, fold.var2), |run| {
            if let Some(condition) = &fold.condition
                && let Ok(Value::Bool(false)) = run.operand(condition)?
            {
                return Ok(false);
            }
            let step = run.operand(&fold.step)?;
            run.slots[fold.accumulator] = Some(step);
            Ok(true)
        })?;
        self.eval(&fold.result)
    }

    /// Runs a loop's body for each element or entry, until the body returns `false`.
    pub(super) fn each(
        &mut self,
        range: Value<'v>,
        (var, var2): (usize, Option<usize>),
        mut body: impl FnMut(&mut Self) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        match range {
            Value::List(list) => {
                for index in 0..list.len() {
                    self.meter.work_on_element(&list, index)?;
                    let element = list.get(index).unwrap_or(Ok(Value::Null));
                    match var2 {
                        Some(var2) => {
                            self.slots[var] = Some(Ok(Value::Int(index as i64)));
                            self.slots[var2] = Some(element);
                        }
                        None => self.slots[var] = Some(element),
                    }
                    if !body(self)? {
                        break;
                    }
                }
            }
            Value::Map(map) => {
                self.meter.work_on_keys(&map)?;
                self.meter.allocate_values(map.len())?;
                for key in map.keys() {
                    if let Some(var2) = var2 {
                        self.slots[var2] = Some(map.get(&key).unwrap_or(Ok(Value::Null)));
                    }
                    self.slots[var] = Some(Ok(key));
                    if !body(self)? {
                        break;
                    }
                }
            }
            other => {
                let kind = other.go_type();
                return Err(Error::text(match var2 {
                    Some(_) => format!("unsupported comprehension range type: {kind}"),
                    None => format!("got '{kind}', expected iterable type"),
                }));
            }
        }
        Ok(())
    }
}

pub(super) fn not_optional(what: &str, value: &Value<'_>) -> Error {
    Error::text(format!(
        "cannot initialize optional {what} element from non-optional value {}",
        value.type_name()
    ))
}
