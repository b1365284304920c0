//! Checks `minimum`, `maximum` and `multipleOf`, and the range of the type and the format.

use crd_go::KubeVersion;
use crd_go::json::Num;
use crd_go::number::{Form, shortest};
use serde_json::Number;

use super::node::Node;
use super::outcome::{FindingKind, Trail, ValidationResult, ValueError};
use super::types::is_json_integer;
use crate::schema::ValueValidation;
use crate::{Keyword, Shown};

/// Up to this number, 2^53, all whole floats are exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The range of numbers for one type and a format of this type.
#[derive(Clone, Copy)]
pub(super) struct Range<'a> {
    is_integer: bool,
    format: Option<&'a str>,
}

impl<'a> Range<'a> {
    pub(super) fn for_node(node: Node<'a>) -> Self {
        // Before, type and format did not restrict the range.
        if !node.version.is_at_least(36) {
            return Self { is_integer: false, format: None };
        }
        let formats: &[&str] = match node.types {
            [Some("integer"), None] => &["int32", "int64"],
            [Some("number"), None] => &["float", "double"],
            _ => &[],
        };
        Self {
            is_integer: node.types == [Some("integer"), None],
            format: node.format.filter(|format| formats.contains(format)),
        }
    }

    pub(super) fn check(self, node: Node<'_>, number: &Number, trail: &Trail<'_>) -> ValidationResult {
        let number = Num::from(number);
        let mut outcome = ValidationResult::matched();
        if self.exceeds(number) {
            outcome.fail_at(trail, false, || self.exceeded("Checked", trail));
        }
        if let Some(validation) = node.validation {
            self.constraints(validation, number, node.version, trail, &mut outcome);
        }
        outcome
    }

    fn constraints(
        self,
        validation: &ValueValidation,
        number: Num,
        version: KubeVersion,
        trail: &Trail<'_>,
        outcome: &mut ValidationResult,
    ) {
        let mut apply = |limit: &Option<Number>,
                         name: &str,
                         fits: &dyn Fn(Num, Num) -> bool,
                         tell: &dyn Fn(Num, Num) -> ValueError| {
            let Some(limit) = limit.as_ref().map(|limit| Num::from(limit).as_float()) else { return };
            // A limit outside the range of the type is reported, and still applied.
            let (number, limit) = if self.exceeds(Num::Float(limit)) {
                outcome.fail_at(trail, false, || self.exceeded(name, trail));
                (Num::Float(number.as_float()), Num::Float(limit))
            } else {
                match number {
                    // For an integer, the fraction of the limit is dropped.
                    Num::Int(_) => (number, Num::Int(to_int64(limit))),
                    Num::Float(_) => (number, Num::Float(limit)),
                }
            };
            if !fits(number, limit) {
                outcome.fail_at(trail, false, || tell(number, limit));
            }
        };
        apply(
            &validation.multiple_of,
            "MultipleOf",
            &|number, factor| is_multiple_of(number, factor, version),
            &|number, factor| not_multiple_of(number, factor, trail),
        );
        let is_exclusive = validation.exclusive_minimum == Some(true);
        apply(
            &validation.minimum,
            "Minimum boundary",
            &|number, least| {
                compare(number, least, |a, b| a > b, |a, b| a > b) || !is_exclusive && is_equal(number, least)
            },
            &|number, least| {
                let words = if is_exclusive { "greater than" } else { "greater than or equal to" };
                bound(number, least, Keyword::Minimum, words, trail)
            },
        );
        let is_exclusive = validation.exclusive_maximum == Some(true);
        apply(
            &validation.maximum,
            "Maximum boundary",
            &|number, most| {
                compare(number, most, |a, b| a < b, |a, b| a < b) || !is_exclusive && is_equal(number, most)
            },
            &|number, most| {
                let words = if is_exclusive { "less than" } else { "less than or equal to" };
                bound(number, most, Keyword::Maximum, words, trail)
            },
        );
    }

    /// Returns `true` if the type and the format cannot hold a number.
    fn exceeds(self, number: Num) -> bool {
        if !self.is_integer {
            return self.format == Some("float") && (number.as_float() as f32).is_infinite();
        }
        let whole = match number {
            Num::Int(number) => Some(number),
            Num::Float(number) if number.fract() != 0.0 => None,
            Num::Float(number) if number.abs() < EXACT => Some(number as i64),
            // Parsed from its shortest digits: as a float, those of the smallest integer are below it.
            Num::Float(number) => number.to_string().parse().ok(),
        };
        whole.is_none_or(|whole| self.format == Some("int32") && i32::try_from(whole).is_err())
    }

    /// Returns the finding for a number that the type and the format cannot hold.
    fn exceeded(self, name: &str, trail: &Trail<'_>) -> ValueError {
        let type_ = if self.is_integer { "integer" } else { "number" };
        let message = match self.format {
            Some(format) => format!("{name} value must be of type {type_} with format {format} in {trail}"),
            None => format!("{name} value must be of type {type_} (default format) in {trail}"),
        };
        let keyword = if self.format.is_some() { Keyword::Format } else { Keyword::Type };
        ValueError::plain(trail, keyword, message)
    }
}

fn is_equal(left: Num, right: Num) -> bool {
    compare(left, right, |a, b| a == b, |a, b| a == b)
}

fn compare(a: Num, b: Num, ints: fn(i64, i64) -> bool, floats: fn(f64, f64) -> bool) -> bool {
    match (a, b) {
        (Num::Int(a), Num::Int(b)) => ints(a, b),
        (a, b) => floats(a.as_float(), b.as_float()),
    }
}

fn is_multiple_of(number: Num, factor: Num, version: KubeVersion) -> bool {
    match (number, factor) {
        (_, factor) if factor.as_float() <= 0.0 => false,
        (Num::Int(number), Num::Int(factor)) => number % factor == 0,
        (number, factor) => {
            let (number, factor) = (number.as_float(), factor.as_float());
            is_json_integer(if factor < 1.0 { 1.0 / factor * number } else { number / factor }, version)
        }
    }
}

fn not_multiple_of(number: Num, factor: Num, trail: &Trail<'_>) -> ValueError {
    if factor.as_float() <= 0.0 {
        let message = format!("factor MultipleOf declared for {trail} must be positive: {}", show(factor));
        return ValueError::new(trail, Keyword::MultipleOf, message, FindingKind::Invalid(shown(factor)));
    }
    let message = format!("{trail} in body should be a multiple of {}", show(factor));
    ValueError::new(trail, Keyword::MultipleOf, message, FindingKind::Invalid(shown(number)))
}

fn bound(number: Num, limit: Num, keyword: Keyword, words: &str, trail: &Trail<'_>) -> ValueError {
    let message = format!("{trail} in body should be {words} {}", show(limit));
    ValueError::new(trail, keyword, message, FindingKind::Invalid(shown(number)))
}

fn show(number: Num) -> String {
    match number {
        Num::Int(number) => number.to_string(),
        Num::Float(number) => shortest(number, Form::General),
    }
}

fn shown(number: Num) -> Shown {
    Shown(show(number))
}

/// Converts a float as Go's `int64(f)` on amd64: a value that does not fit becomes the smallest integer.
fn to_int64(number: f64) -> i64 {
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number) {
        number as i64
    } else {
        i64::MIN
    }
}
