//! Compares bounds, enums and formats, and `allOf`, `anyOf`, `oneOf` and `not`.

use std::cmp::Ordering;

use crd_core::Structural;
use crd_core::formats::Format;
use crd_core::schema::ValueValidation;
use serde_json::{Number, Value, json};

use super::Walk;
use super::integers::narrow_integer;
use super::parts::named_changes;
use crate::change::Probe;
use crate::rows::{self, Row};
use crate::schema_path::SchemaPath;

/// The maximum number of keys in an object that is built to exceed `maxProperties`.
const MOST_KEYS: u64 = 20;

/// A keyword that sets a limit, and the rows for changes to the limit.
struct Limit {
    keyword: &'static str,
    is_most: bool,
    tightened: &'static Row,
    loosened: &'static Row,
    /// Returns the limit in a schema. The second result is `true` if a value equal to the limit is rejected.
    read: fn(&ValueValidation) -> Option<(Number, bool)>,
}

macro_rules! limits {
    ($($keyword:literal $most:literal $tightened:ident $loosened:ident $read:expr;)*) => {
        [$(Limit {
            keyword: $keyword,
            is_most: $most,
            tightened: &rows::$tightened,
            loosened: &rows::$loosened,
            read: $read,
        }),*]
    };
}

static LIMITS: [Limit; 8] = limits! {
    "maximum" true MAXIMUM_TIGHTENED MAXIMUM_LOOSENED
        |all| Some((all.maximum.clone()?, all.exclusive_maximum == Some(true)));
    "minimum" false MINIMUM_TIGHTENED MINIMUM_LOOSENED
        |all| Some((all.minimum.clone()?, all.exclusive_minimum == Some(true)));
    "maxLength" true MAX_LENGTH_TIGHTENED MAX_LENGTH_LOOSENED |all| Some((all.max_length?.into(), false));
    "minLength" false MIN_LENGTH_TIGHTENED MIN_LENGTH_LOOSENED |all| Some((all.min_length?.into(), false));
    "maxItems" true MAX_ITEMS_TIGHTENED MAX_ITEMS_LOOSENED |all| Some((all.max_items?.into(), false));
    "minItems" false MIN_ITEMS_TIGHTENED MIN_ITEMS_LOOSENED |all| Some((all.min_items?.into(), false));
    "maxProperties" true MAX_PROPERTIES_TIGHTENED MAX_PROPERTIES_LOOSENED
        |all| Some((all.max_properties?.into(), false));
    "minProperties" false MIN_PROPERTIES_TIGHTENED MIN_PROPERTIES_LOOSENED
        |all| Some((all.min_properties?.into(), false));
};

impl Walk<'_> {
    /// Compares the keywords that restrict values.
    pub(super) fn keywords(&mut self, old: &Structural, new: &Structural, at: &SchemaPath) {
        let none = ValueValidation::default();
        let before = old.value_validation.as_deref().unwrap_or(&none);
        let after = new.value_validation.as_deref().unwrap_or(&none);
        if before == after {
            return;
        }
        for limit in &LIMITS {
            self.limit(limit, (old, new), (before, after), at);
        }
        self.enums((old, new), (before, after), at);
        self.patterns(old, new, at);
        self.texts((old, new), (before, after), at);
        self.junctors((old, new), (before, after), at);
    }

    fn limit(
        &mut self,
        limit: &'static Limit,
        pair: (&Structural, &Structural),
        (before, after): (&ValueValidation, &ValueValidation),
        at: &SchemaPath,
    ) {
        let (before, after) = ((limit.read)(before), (limit.read)(after));
        let row = match (&before, &after) {
            (None, None) => return,
            (None, Some(_)) => limit.tightened,
            (Some(_), None) => limit.loosened,
            (Some(before), Some(after)) => {
                let order = float(&before.0).partial_cmp(&float(&after.0)).unwrap_or(Ordering::Equal);
                let order = if limit.is_most { order } else { order.reverse() };
                match order.then(after.1.cmp(&before.1)) {
                    Ordering::Equal => return,
                    Ordering::Greater => limit.tightened,
                    Ordering::Less => limit.loosened,
                }
            }
        };
        let value = |limit: &Option<(Number, bool)>| match limit {
            None => Value::Null,
            Some((number, false)) => number.clone().into(),
            Some((number, true)) => json!({"value": number, "exclusive": true}),
        };
        let mut change = self.change(row, at, limit.keyword).values(value(&before), value(&after));
        if ["maximum", "minimum"].contains(&limit.keyword) {
            change.has_other_code = narrow_integer(pair.0) != narrow_integer(pair.1);
            // The limit that is the narrower one has the nearest values.
            let is_tightened = std::ptr::eq(row, limit.tightened);
            let limits = if is_tightened { [&after, &before] } else { [&before, &after] };
            for (number, _) in limits.into_iter().flatten() {
                for near in near(number) {
                    change = change.probe(Probe::Value(at.clone(), near));
                }
            }
        }
        if limit.keyword == "maxProperties" {
            // Keys that no schema describes.
            let most = [before, after].into_iter().flatten().filter_map(|(number, _)| number.as_u64());
            for most in most.filter(|most| *most < MOST_KEYS) {
                let keys = (0..=most).map(|key| (format!("key{key}"), json!("a")));
                change = change.probe(Probe::Value(at.clone(), Value::Object(keys.collect())));
            }
        }
        let probe = self.differing_values(at, pair);
        self.push(change.probe(probe));
    }

    fn enums(
        &mut self,
        pair: (&Structural, &Structural),
        (before, after): (&ValueValidation, &ValueValidation),
        at: &SchemaPath,
    ) {
        match (&before.enum_, &after.enum_) {
            (None, Some(values)) => {
                let change = self.differing(&rows::ENUM_ADDED, at, "enum", pair);
                self.push(change.values(Value::Null, values.clone()));
            }
            (Some(values), None) => {
                let change = self.differing(&rows::ENUM_REMOVED, at, "enum", pair);
                self.push(change.values(values.clone(), Value::Null));
            }
            (Some(before), Some(after)) => {
                let without = |values: &[Value], others: &[Value]| -> Vec<Value> {
                    values.iter().filter(|value| !others.contains(value)).cloned().collect()
                };
                let sides = [
                    (&rows::ENUM_VALUE_REMOVED, without(before, after), true),
                    (&rows::ENUM_VALUE_ADDED, without(after, before), false),
                ];
                for (row, values, is_old) in sides {
                    if values.is_empty() {
                        continue;
                    }
                    let mut change = self.change(row, at, "enum");
                    for value in &values {
                        change = change.probe(Probe::Value(at.clone(), value.clone()));
                    }
                    change.has_other_code = values.iter().any(|value| !value.is_null());
                    let values = Value::from(values);
                    self.push(if is_old {
                        change.values(values, Value::Null)
                    } else {
                        change.values(Value::Null, values)
                    });
                }
            }
            (None, None) => {}
        }
    }

    /// Compares `format` and `multipleOf` in two schemas.
    fn texts(
        &mut self,
        pair: (&Structural, &Structural),
        (before, after): (&ValueValidation, &ValueValidation),
        at: &SchemaPath,
    ) {
        let format = |all: &ValueValidation| all.format.clone().map_or(Value::Null, Value::from);
        let multiple = |all: &ValueValidation| all.multiple_of.clone().map_or(Value::Null, Value::from);
        let rows = [
            (
                "format",
                format(before),
                format(after),
                [&rows::FORMAT_TIGHTENED, &rows::FORMAT_LOOSENED, &rows::FORMAT_CHANGED],
            ),
            (
                "multipleOf",
                multiple(before),
                multiple(after),
                [&rows::MULTIPLE_OF_TIGHTENED, &rows::MULTIPLE_OF_LOOSENED, &rows::MULTIPLE_OF_CHANGED],
            ),
        ];
        for (keyword, before, after, [tightened, loosened, changed]) in rows {
            let is_checked = |value: &Value| {
                keyword != "format" || value.as_str().is_some_and(|format| self.is_checked(format, pair.1))
            };
            if before == after {
                continue;
            }
            let has_other_integer = keyword == "format" && narrow_integer(pair.0) != narrow_integer(pair.1);
            if !is_checked(&before) && !is_checked(&after) {
                if has_other_integer {
                    let change = self.change(&rows::INTEGER_FORMAT_CHANGED, at, keyword);
                    self.push(change.values(before, after));
                }
                continue;
            }
            let row = match (&before, &after) {
                (before, _) if !is_checked(before) => tightened,
                (_, after) if !is_checked(after) => loosened,
                (Value::Null, _) => tightened,
                (_, Value::Null) => loosened,
                _ => changed,
            };
            let mut change = self.differing(row, at, keyword, pair).values(before.clone(), after.clone());
            change.has_other_code = has_other_integer
                || keyword == "format" && [&before, &after].into_iter().any(has_type_of_its_own);
            for value in [json!("a"), json!("a b"), json!(1), json!(i64::from(i32::MAX) + 1), json!(0.5)] {
                change = change.probe(Probe::Value(at.clone(), value));
            }
            if let Value::Number(number) = &before {
                change = change.probe(Probe::Value(at.clone(), number.clone().into()));
            }
            if let Value::Number(number) = &after {
                change = change.probe(Probe::Value(at.clone(), number.clone().into()));
            }
            self.push(change);
        }
    }

    /// Returns `true` if the API server enforces the format.
    fn is_checked(&self, format: &str, schema: &Structural) -> bool {
        // Every number that can be stored has these formats.
        let is_any = ["int64", "float", "double", "password"].contains(&format);
        !is_any && Format::is_known_at(format, schema.type_.as_ref(), self.with.kube_version)
    }

    /// Compares `allOf`, `anyOf`, `oneOf` and `not`.
    fn junctors(
        &mut self,
        pair: (&Structural, &Structural),
        (before, after): (&ValueValidation, &ValueValidation),
        at: &SchemaPath,
    ) {
        let junctors: [(&'static Row, &str, bool); 4] = [
            (&rows::ALL_OF_CHANGED, "allOf", before.all_of != after.all_of),
            (&rows::ANY_OF_CHANGED, "anyOf", before.any_of != after.any_of),
            (&rows::ONE_OF_CHANGED, "oneOf", before.one_of != after.one_of),
            (&rows::NOT_CHANGED, "not", before.not != after.not),
        ];
        // What is below the schemas is not shown, and may be large.
        let shown = [before, after].map(|keywords| {
            let mut schema = Structural::default();
            schema.value_validation = Some(Box::new(keywords.clone()));
            schema.to_json_schema().to_value()
        });
        for (row, keyword, _) in junctors.into_iter().filter(|(.., is_changed)| *is_changed) {
            let value = |schema: &Value| schema.get(keyword).cloned().unwrap_or_default();
            let (old, new) = (value(&shown[0]), value(&shown[1]));
            let mut named = Vec::new();
            [&old, &new].iter().for_each(|schema| named_values(schema, &mut named));
            let detail = named_changes(&old, &new);
            let change = self.differing(row, at, keyword, pair).values(old, new).answered(detail);
            let change = named
                .into_iter()
                .take(20)
                .fold(change, |change, value| change.probe(Probe::Value(at.clone(), value)));
            self.push(change.probe(Probe::Present(at.clone())));
        }
    }
}

/// Collects values that occur in a schema: enum values, numbers, and the numbers next to them.
fn named_values(schema: &Value, out: &mut Vec<Value>) {
    match schema {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::Array(values) if name == "enum" => out.extend(values.iter().cloned()),
                    Value::Number(number) => out.extend(near(number)),
                    value => named_values(value, out),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| named_values(value, out)),
        _ => {}
    }
}

/// Returns `true` for the formats of times and bytes, for which generated code may use other types than strings.
fn has_type_of_its_own(format: &Value) -> bool {
    let name = format.as_str().unwrap_or_default().replace('-', "");
    ["datetime", "byte"].contains(&name.as_str())
}

fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or_default()
}

/// Returns the number, and the numbers directly below and above it.
fn near(number: &Number) -> Vec<Value> {
    match number.as_i64() {
        Some(number) => {
            vec![json!(number), json!(number.saturating_add(1)), json!(number.saturating_sub(1))]
        }
        None => {
            let number = float(number);
            vec![
                json!(number),
                json!(number + 0.5),
                json!(number - 0.5),
                json!(number.floor()),
                json!(number.ceil()),
            ]
        }
    }
}
