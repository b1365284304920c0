//! Collects the keywords that a schema node's value must satisfy, for one choice of branches in `anyOf`, `oneOf` and `not`.
//!
//! The result is a guess, because branches can contradict each other. If an object is not valid, another choice may be right.

use std::cell::Cell;
use std::collections::HashMap;

use crd_core::Structural;
use crd_core::schema::{NestedAdditionalProperties, NestedValidation, SchemaType, ValueValidation};
use serde_json::{Number, Value};

/// Maximum number of comparisons for one node. After that, branches are chosen without comparisons.
const MOST_COMPARISONS: usize = 2_000_000;
/// Maximum number of excluded values, because each is parsed as a pattern.
const MOST_REFUSED: usize = 200;

/// A demand on a value: a nested schema that the value must match, or must not match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand<'s> {
    pub(crate) nested: &'s NestedValidation,
    pub(crate) holds: bool,
}

/// The keywords that a value must satisfy.
#[derive(Debug, Default)]
pub(crate) struct Constraints<'s> {
    pub(crate) type_: Option<SchemaType>,
    rejected_types: Vec<&'s SchemaType>,
    pub(crate) formats: Vec<&'s str>,
    pub(crate) patterns: Vec<&'s str>,
    pub(crate) rejected_patterns: Vec<&'s str>,
    pub(crate) min_length: Option<i64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) minimum: Option<Bound>,
    pub(crate) maximum: Option<Bound>,
    pub(crate) multiples: Vec<&'s Number>,
    pub(crate) min_items: Option<i64>,
    pub(crate) max_items: Option<i64>,
    pub(crate) min_properties: Option<i64>,
    pub(crate) max_properties: Option<i64>,
    /// The allowed values, if the schema lists them.
    pub(crate) values: Option<Vec<&'s Value>>,
    pub(crate) rejected_values: Vec<&'s Value>,
    pub(crate) required: Vec<&'s str>,
    pub(crate) absent: Vec<&'s str>,
    properties: Vec<(&'s str, Demand<'s>)>,
    others: Vec<Demand<'s>>,
    items: Vec<Demand<'s>>,
    comparisons: Cell<usize>,
}

/// A lower or upper bound.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) number: Number,
    pub(crate) is_exclusive: bool,
}

/// A function that chooses one of several branches: it takes their number and returns an index.
type Choose<'c> = &'c mut dyn FnMut(usize) -> usize;

impl<'s> Constraints<'s> {
    pub(crate) fn new(schema: &'s Structural, demands: &[Demand<'s>], choose: Choose<'_>) -> Self {
        let mut all = Self { type_: schema.type_.clone(), ..Self::default() };
        if let Some(validation) = &schema.value_validation {
            all.keywords(validation);
        }
        // What is demanded from above comes before the choice of branches, which takes it into account.
        for demand in demands {
            all.demand(*demand, choose);
        }
        if let Some(validation) = &schema.value_validation {
            all.junctors(validation, choose);
        }
        if all.type_.is_none() && schema.is_int_or_string() {
            all.type_ = Some(all.int_or_string(choose));
        }
        all
    }

    /// Returns the demands on a property, or on a map's value.
    pub(crate) fn field_demands(&self, name: &str, is_property: bool) -> Vec<Demand<'s>> {
        let own = self.properties.iter().filter(|(other, _)| *other == name).map(|(_, demand)| *demand);
        let others = self.others.iter().filter(|_| !is_property).copied();
        own.chain(others).collect()
    }

    /// Returns the demands on each property.
    pub(crate) fn property_demands(&self) -> HashMap<&'s str, Vec<Demand<'s>>> {
        let mut all: HashMap<&str, Vec<Demand<'s>>> = HashMap::new();
        for (name, demand) in &self.properties {
            all.entry(name).or_default().push(*demand);
        }
        all
    }

    /// Returns the number of comparisons so far.
    pub(crate) fn comparisons(&self) -> usize {
        self.comparisons.get()
    }

    /// Counts comparisons before they are made. Returns `false` if this would exceed the limit.
    fn affords(&self, comparisons: usize) -> bool {
        let all = self.comparisons.get().saturating_add(comparisons);
        let is_affordable = all <= MOST_COMPARISONS;
        if is_affordable {
            self.comparisons.set(all);
        }
        is_affordable
    }

    /// Returns the demands on a list's items.
    pub(crate) fn item_demands(&self) -> &[Demand<'s>] {
        &self.items
    }

    fn int_or_string(&self, choose: Choose<'_>) -> SchemaType {
        let types: Vec<SchemaType> = [SchemaType::Integer, SchemaType::String]
            .into_iter()
            .filter(|type_| !self.rejected_types.contains(&type_))
            .collect();
        let has_text_keyword = !self.patterns.is_empty() || self.min_length.is_some();
        if has_text_keyword && types.contains(&SchemaType::String) {
            return SchemaType::String;
        }
        types.get(choose(types.len())).or(types.first()).cloned().unwrap_or(SchemaType::Integer)
    }

    fn demand(&mut self, demand: Demand<'s>, choose: Choose<'_>) {
        if demand.holds { self.hold(demand.nested, choose) } else { self.refuse(demand.nested, choose) }
    }

    fn hold(&mut self, nested: &'s NestedValidation, choose: Choose<'_>) {
        if let Some(type_) = nested.forbidden.as_ref().and_then(|forbidden| forbidden.type_.as_ref()) {
            self.type_.get_or_insert_with(|| type_.clone());
        }
        self.keywords(&nested.value_validation);
        self.affords(1 + nested.properties.len());
        let properties = nested.properties.iter();
        self.properties.extend(properties.map(|(name, nested)| (name, Demand { nested, holds: true })));
        if let Some(NestedAdditionalProperties::Schema(nested)) = &nested.additional_properties {
            self.others.push(Demand { nested, holds: true });
        }
        self.items.extend(nested.items.as_deref().map(|nested| Demand { nested, holds: true }));
        self.junctors(&nested.value_validation, choose);
    }

    fn junctors(&mut self, validation: &'s ValueValidation, choose: Choose<'_>) {
        for nested in validation.all_of.iter().flatten() {
            self.hold(nested, choose);
        }
        if let Some(branches) = validation.any_of.as_deref().filter(|branches| !branches.is_empty()) {
            let possible = self.possible(branches);
            let chosen = possible[choose(possible.len()).min(possible.len() - 1)];
            self.hold(chosen, choose);
        }
        if let Some(branches) = validation.one_of.as_deref().filter(|branches| !branches.is_empty()) {
            let possible = self.possible(branches);
            let chosen = possible[choose(possible.len()).min(possible.len() - 1)];
            self.hold(chosen, choose);
            for other in branches.iter().filter(|other| !std::ptr::eq(*other, chosen)) {
                self.refuse(other, choose);
            }
        }
        if let Some(nested) = &validation.not {
            self.refuse(nested, choose);
        }
    }

    /// Returns the branches that do not obviously contradict the known keywords. If all of them do, all branches are returned.
    fn possible(&self, branches: &'s [NestedValidation]) -> Vec<&'s NestedValidation> {
        let possible: Vec<_> = branches.iter().filter(|branch| !self.contradicts(branch)).collect();
        if possible.is_empty() { branches.iter().collect() } else { possible }
    }

    fn contradicts(&self, nested: &NestedValidation) -> bool {
        let validation = &nested.value_validation;
        let type_ = nested.forbidden.as_ref().and_then(|forbidden| forbidden.type_.as_ref());
        let count = |values: Option<usize>| values.unwrap_or_default();
        let required = count(validation.required.as_ref().map(Vec::len));
        let values =
            count(self.values.as_ref().map(Vec::len)) * count(validation.enum_.as_ref().map(Vec::len));
        if !self.affords(1 + required * self.absent.len() + self.required.len() + values) {
            return false;
        }
        type_.is_some_and(|type_| self.type_.as_ref().is_some_and(|own| own != type_))
            // A pattern is written for the strings among integers and strings.
            || type_ == Some(&SchemaType::Integer) && !self.patterns.is_empty()
            || validation.required.iter().flatten().any(|name| self.absent.contains(&name.as_str()))
            || absent_names(validation).any(|name| self.required.contains(&name))
            || self
                .values
                .as_ref()
                .zip(validation.enum_.as_ref())
                .is_some_and(|(own, other)| !own.iter().any(|value| other.contains(value)))
    }

    /// Requires that the value does not match a nested schema. For this purpose, one keyword in the nested schema is chosen to fail.
    fn refuse(&mut self, nested: &'s NestedValidation, choose: Choose<'_>) {
        let validation = &nested.value_validation;
        let required = validation.required.as_ref().map_or(0, Vec::len) * self.required.len();
        if !self.affords(1 + required) || self.is_rejected(nested) {
            return;
        }
        let mut ways: Vec<Way<'s>> = Vec::new();
        let optional = |name: &&str| !self.required.contains(name);
        ways.extend(
            validation.required.iter().flatten().map(String::as_str).filter(optional).map(Way::Absent),
        );
        ways.extend(nested.properties.iter().map(|(name, nested)| Way::Property(name, nested)));
        ways.extend(validation.not.as_deref().map(Way::Holds));
        let of_all = validation.all_of.iter().flatten().map(Way::Fails);
        ways.extend(of_all);
        if validation.any_of.is_some() {
            ways.push(Way::NoneOf(validation.any_of.as_deref().unwrap_or_default()));
        }
        if validation.one_of.is_some() {
            ways.push(Way::NoneOf(validation.one_of.as_deref().unwrap_or_default()));
        }
        if has_keyword(validation) {
            ways.push(Way::Keyword(validation));
        }
        if let Some(type_) = nested.forbidden.as_ref().and_then(|forbidden| forbidden.type_.as_ref()) {
            ways.push(Way::Type(type_));
        }
        if ways.is_empty() {
            return;
        }
        match ways.swap_remove(choose(ways.len()).min(ways.len() - 1)) {
            Way::Absent(name) => self.absent.push(name),
            Way::Property(name, nested) => {
                self.required.push(name);
                self.properties.push((name, Demand { nested, holds: false }));
            }
            Way::Holds(nested) => self.hold(nested, choose),
            Way::Fails(nested) => self.refuse(nested, choose),
            Way::NoneOf(branches) => branches.iter().for_each(|nested| self.refuse(nested, choose)),
            Way::Keyword(validation) => self.reject_keyword(validation),
            Way::Type(type_) => self.rejected_types.push(type_),
        }
    }

    /// Returns `true` if the known keywords already exclude the nested schema.
    fn is_rejected(&self, nested: &NestedValidation) -> bool {
        let is_disjoint = |name: &str, nested: &NestedValidation| {
            let Some(values) = &nested.value_validation.enum_ else { return false };
            if !self.affords(self.properties.len() + self.required.len()) {
                return false;
            }
            let own = self.properties.iter().filter(|(other, demand)| *other == name && demand.holds);
            let mut own = own.filter_map(|(_, demand)| demand.nested.value_validation.enum_.as_ref());
            self.required.contains(&name)
                && own.any(|own| {
                    self.affords(own.len() * values.len()) && !own.iter().any(|value| values.contains(value))
                })
        };
        self.contradicts(nested) || nested.properties.iter().any(|(name, nested)| is_disjoint(name, nested))
    }

    fn reject_keyword(&mut self, validation: &'s ValueValidation) {
        let bound = |number: &Number, exclusive: Option<bool>| Bound {
            number: number.clone(),
            is_exclusive: exclusive != Some(true),
        };
        if let Some(values) = &validation.enum_ {
            let left = MOST_REFUSED.saturating_sub(self.rejected_values.len());
            self.rejected_values.extend(values.iter().take(left));
        } else if let Some(pattern) = &validation.pattern {
            self.rejected_patterns.push(pattern);
        } else if let Some(minimum) = &validation.minimum {
            self.lower_maximum(bound(minimum, validation.exclusive_minimum));
        } else if let Some(maximum) = &validation.maximum {
            self.raise_minimum(bound(maximum, validation.exclusive_maximum));
        } else if let Some(least) = validation.min_length {
            self.max_length = lower(self.max_length, Some(least.saturating_sub(1)));
        } else if let Some(most) = validation.max_length {
            self.min_length = self.min_length.max(Some(most.saturating_add(1)));
        } else if let Some(least) = validation.min_items {
            self.max_items = lower(self.max_items, Some(least.saturating_sub(1)));
        } else if let Some(most) = validation.max_items {
            self.min_items = self.min_items.max(Some(most.saturating_add(1)));
        } else if let Some(least) = validation.min_properties {
            self.max_properties = lower(self.max_properties, Some(least.saturating_sub(1)));
        } else if let Some(most) = validation.max_properties {
            self.min_properties = self.min_properties.max(Some(most.saturating_add(1)));
        }
    }

    fn keywords(&mut self, validation: &'s ValueValidation) {
        let is_some_text = |text: &&String| !text.is_empty();
        self.formats.extend(validation.format.as_ref().filter(is_some_text).map(String::as_str));
        self.patterns.extend(validation.pattern.as_ref().filter(is_some_text).map(String::as_str));
        let bound = |number: &Number, exclusive: Option<bool>| Bound {
            number: number.clone(),
            is_exclusive: exclusive == Some(true),
        };
        if let Some(minimum) = &validation.minimum {
            self.raise_minimum(bound(minimum, validation.exclusive_minimum));
        }
        if let Some(maximum) = &validation.maximum {
            self.lower_maximum(bound(maximum, validation.exclusive_maximum));
        }
        self.multiples.extend(&validation.multiple_of);
        self.min_length = self.min_length.max(validation.min_length);
        self.max_length = lower(self.max_length, validation.max_length);
        self.min_items = self.min_items.max(validation.min_items);
        self.max_items = lower(self.max_items, validation.max_items);
        self.min_properties = self.min_properties.max(validation.min_properties);
        self.max_properties = lower(self.max_properties, validation.max_properties);
        self.required.extend(validation.required.iter().flatten().map(String::as_str));
        if let Some(values) = validation.enum_.as_ref().filter(|values| !values.is_empty()) {
            self.values = Some(match self.values.take() {
                None => values.iter().collect(),
                Some(own) if !self.affords(own.len() * values.len()) => own,
                Some(own) => own.into_iter().filter(|value| values.contains(value)).collect(),
            });
        }
    }

    fn raise_minimum(&mut self, new: Bound) {
        let is_higher = |old: &Bound| {
            let (new_number, old_number) = (new.number.as_f64(), old.number.as_f64());
            new_number > old_number || new_number == old_number && new.is_exclusive
        };
        if self.minimum.as_ref().is_none_or(is_higher) {
            self.minimum = Some(new);
        }
    }

    fn lower_maximum(&mut self, new: Bound) {
        let is_lower = |old: &Bound| {
            let (new_number, old_number) = (new.number.as_f64(), old.number.as_f64());
            new_number < old_number || new_number == old_number && new.is_exclusive
        };
        if self.maximum.as_ref().is_none_or(is_lower) {
            self.maximum = Some(new);
        }
    }
}

/// A way to violate a nested schema.
enum Way<'s> {
    Absent(&'s str),
    Property(&'s str, &'s NestedValidation),
    Holds(&'s NestedValidation),
    Fails(&'s NestedValidation),
    NoneOf(&'s [NestedValidation]),
    Keyword(&'s ValueValidation),
    Type(&'s SchemaType),
}

fn lower(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a.into_iter().chain(b).min()
}

/// Returns the fields that must be absent because of `not`.
fn absent_names(validation: &ValueValidation) -> impl Iterator<Item = &str> {
    let not = validation.not.iter();
    let names =
        not.filter_map(|not| not.value_validation.required.as_deref()).filter(|names| names.len() == 1);
    names.flatten().map(String::as_str)
}

fn has_keyword(validation: &ValueValidation) -> bool {
    let limits = [
        validation.min_length,
        validation.max_length,
        validation.min_items,
        validation.max_items,
        validation.min_properties,
        validation.max_properties,
    ];
    validation.enum_.is_some()
        || validation.pattern.is_some()
        || validation.minimum.is_some()
        || validation.maximum.is_some()
        || limits.iter().any(Option::is_some)
}
