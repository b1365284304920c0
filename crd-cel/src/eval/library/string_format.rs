//! The string method `'...'.format([...])`, in version 2. Numbers are formatted as in the locale `en_US`, and lists and maps as CEL
//! literals.

use crd_go::strings::quote;

use super::convert::to_text;
use crate::eval::Error;
use crate::eval::equal::element;
use crate::eval::implementation::Outcome;
use crate::eval::map::Map;
use crate::eval::meter::{Meter, work};
use crate::eval::value::Value;

/// The number of digits after the point if the clause has no precision.
const PRECISION: usize = 6;
/// Maximum number of computed digits after the point. No double has more.
const MAX_DIGITS: usize = 1_100;
/// Maximum depth of a formatted list.
const MAX_DEPTH: u32 = 300;

/// The text so far. Memory and CPU work are counted while it grows.
struct Out<'m> {
    text: String,
    meter: &'m mut Meter,
}

impl Out<'_> {
    fn push(&mut self, text: impl AsRef<str>) -> Result<(), Error> {
        let text = text.as_ref();
        self.meter.allocate_grown(text.len())?;
        self.meter.work(work::ELEMENT + text.len() as u64)?;
        self.text.push_str(text);
        Ok(())
    }

    /// Fails if formatting `value` exceeds the run's limits. `factor` is the maximum ratio of output to input bytes.
    fn prepare(&mut self, value: &Value<'_>, factor: usize) -> Result<(), Error> {
        let bytes = match value {
            Value::String(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
            _ => 0,
        };
        self.meter.work_on_bytes(bytes.saturating_mul(10 * factor))?;
        let mark = self.meter.mark();
        self.meter.allocate(bytes.saturating_mul(factor))?;
        self.meter.release_all(mark);
        Ok(())
    }
}

pub(super) fn format<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let [Value::String(template), Value::List(list)] = args else { return Err(Error::no_such_overload()) };
    let mut out = Out { text: String::new(), meter };
    let mut rest: &str = template;
    let mut used = 0;
    while let Some(percent) = rest.find('%') {
        out.push(&rest[..percent])?;
        rest = &rest[percent + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            out.push("%")?;
            rest = after;
            continue;
        }
        if rest.is_empty() {
            return Err(Error::new("unexpected end of string"));
        }
        if used >= list.len() {
            return Err(Error::text(format!("index {used} out of range")));
        }
        let value = element(out.meter, list, used);
        used += 1;
        let (precision, after) = precision(rest)
            .map_err(|error| Error::text(format!("could not parse formatting clause: {error}")))?;
        let verb = after.chars().next().unwrap_or_default();
        rest = &after[verb.len_utf8()..];
        out.meter.allocate_grown(precision.unwrap_or(0))?;
        out.meter.work_on_bytes(8 * precision.unwrap_or(0))?;
        clause(verb, precision, &value?, &mut out)?;
    }
    out.push(rest)?;
    Ok(out.text.into())
}

/// Reads a precision such as `.2`, if there is one.
fn precision(clause: &str) -> Result<(Option<usize>, &str), String> {
    let Some(after) = clause.strip_prefix('.') else { return Ok((None, clause)) };
    let end = after
        .find(|c: char| !c.is_ascii_digit())
        .ok_or("error while parsing precision: could not find end of precision specifier")?;
    let digits = &after[..end];
    match digits.parse::<usize>() {
        // Go refuses to write more than this.
        Ok(precision) if precision <= 1_000_000 => Ok((Some(precision), &after[end..])),
        _ => Err(format!(
            "error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing {}: {}",
            quote(digits),
            if digits.is_empty() { "invalid syntax" } else { "value out of range" }
        )),
    }
}

fn clause(verb: char, precision: Option<usize>, value: &Value<'_>, out: &mut Out<'_>) -> Result<(), Error> {
    let refused = |what: &str| {
        Err(Error::text(format!("error during formatting: {what}, was given {}", value.type_name())))
    };
    match verb {
        's' => text(value, out, 0),
        'd' => match value {
            Value::Int(value) => out.push(value.to_string()),
            Value::Uint(value) => out.push(value.to_string()),
            Value::String(name) if is_special(name) => out.push(&**name),
            _ => refused("decimal clause can only be used on integers"),
        },
        'f' => match value {
            Value::Double(value) => out.push(fixed(*value, precision.unwrap_or(PRECISION))),
            Value::String(name) if is_special(name) => out.push(&**name),
            _ => refused("fixed-point clause can only be used on doubles"),
        },
        'e' => match value {
            // The API server's printer takes the precision for a width.
            Value::Double(value) => out.push(padded(scientific(*value), precision.unwrap_or(PRECISION))),
            Value::String(name) if is_special(name) => out.push(&**name),
            _ => refused("scientific clause can only be used on doubles"),
        },
        'b' => match value {
            Value::Int(value) => out.push(signed(*value, |value| format!("{value:b}"))),
            Value::Uint(value) => out.push(format!("{value:b}")),
            Value::Bool(value) => out.push(u8::from(*value).to_string()),
            _ => refused("only integers and bools can be formatted as binary"),
        },
        'x' | 'X' => {
            out.prepare(value, 2)?;
            let hexadecimal = match value {
                Value::Int(value) => signed(*value, |value| format!("{value:x}")),
                Value::Uint(value) => format!("{value:x}"),
                Value::String(value) => hex(value.as_bytes()),
                Value::Bytes(value) => hex(value),
                _ => return refused("only integers, byte buffers, and strings can be formatted as hex"),
            };
            out.push(if verb == 'X' { hexadecimal.to_uppercase() } else { hexadecimal })
        }
        'o' => match value {
            Value::Int(value) => out.push(signed(*value, |value| format!("{value:o}"))),
            Value::Uint(value) => out.push(format!("{value:o}")),
            _ => refused("octal clause can only be used on integers"),
        },
        other => Err(Error::text(format!(
            "could not parse formatting clause: unrecognized formatting clause \"{other}\""
        ))),
    }
}

fn is_special(name: &str) -> bool {
    matches!(name, "NaN" | "Infinity" | "-Infinity")
}

fn signed(value: i64, digits: impl Fn(u64) -> String) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}", digits(value.unsigned_abs()))
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

fn padded(text: String, width: usize) -> String {
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return text;
    }
    let missing = width.saturating_sub(text.chars().count());
    if missing == 0 { text } else { " ".repeat(missing) + &text }
}

fn special(value: f64) -> Option<&'static str> {
    match value {
        value if value.is_nan() => Some("NaN"),
        f64::INFINITY => Some("\u{221e}"),
        f64::NEG_INFINITY => Some("-\u{221e}"),
        _ => None,
    }
}

fn digits_after_point(value: f64, precision: usize) -> String {
    let mut text = format!("{value:.*}", precision.min(MAX_DIGITS));
    text.extend(std::iter::repeat_n('0', precision.saturating_sub(MAX_DIGITS)));
    text
}

/// Writes commas between groups of three digits.
fn fixed(value: f64, precision: usize) -> String {
    if let Some(special) = special(value) {
        return special.to_owned();
    }
    let plain = digits_after_point(value.abs(), precision);
    let (whole, fraction) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let mut text = String::with_capacity(plain.len() + whole.len() / 3 + 1);
    if value.is_sign_negative() {
        text.push('-');
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}

/// Formats a number in scientific notation: `1.234568\u{d7}10\u{2070}\u{2074}`.
fn scientific(value: f64) -> String {
    if let Some(special) = special(value) {
        return special.to_owned();
    }
    let plain = format!("{value:.PRECISION$e}");
    let (digits, exponent) = plain.split_once('e').unwrap_or((&plain, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ("\u{207b}", exponent),
        None => ("", exponent),
    };
    const SUPERSCRIPT: [char; 10] = [
        '\u{2070}', '\u{b9}', '\u{b2}', '\u{b3}', '\u{2074}', '\u{2075}', '\u{2076}', '\u{2077}', '\u{2078}',
        '\u{2079}',
    ];
    let exponent: String = format!("{exponent:0>2}")
        .chars()
        .filter_map(|digit| SUPERSCRIPT.get(digit.to_digit(10)? as usize))
        .collect();
    format!("{digits}\u{d7}10{sign}{exponent}")
}

/// Writes a value as `%s` does.
fn text(value: &Value<'_>, out: &mut Out<'_>, depth: u32) -> Result<(), Error> {
    out.prepare(value, 1)?;
    match value {
        Value::List(_) | Value::Map(_) => literal(value, out, depth),
        Value::Null => out.push("null"),
        Value::Optional(_) | Value::Opaque(_) | Value::Preserved(_) => Err(Error::text(format!(
            "error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, \
             lists, types, durations, and timestamps, was given {}",
            value.type_name()
        ))),
        other => out.push(&*to_text(other)?),
    }
}

/// Writes a value inside a list or a map as a CEL literal.
fn literal(value: &Value<'_>, out: &mut Out<'_>, depth: u32) -> Result<(), Error> {
    if depth > MAX_DEPTH {
        return Err(Error::OUT_OF_WORK);
    }
    out.prepare(value, 4)?;
    match value {
        Value::String(value) => out.push(quote(value)),
        Value::Bytes(_) => out.push(format!("b{}", quote(&to_text(value)?))),
        Value::Double(number) => out.push(match special(*number) {
            Some("NaN") => "double(\"NaN\")".to_owned(),
            Some(infinity) if infinity.starts_with('-') => "double(\"-Inf\")".to_owned(),
            Some(_) => "double(\"+Inf\")".to_owned(),
            None => format!("{number:.PRECISION$}"),
        }),
        Value::Timestamp(_) | Value::Duration(_) => {
            out.push(format!("{}({})", value.type_name(), quote(&to_text(value)?)))
        }
        Value::List(list) => {
            out.push("[")?;
            for index in 0..list.len() {
                if index > 0 {
                    out.push(", ")?;
                }
                let element = element(out.meter, list, index)?;
                literal(&element, out, depth + 1)?;
            }
            out.push("]")
        }
        Value::Map(map) => entries(map, out, depth),
        Value::Optional(_) | Value::Opaque(_) | Value::Preserved(_) => Err(Error::text(format!(
            "error during formatting: no formatting function for {}",
            value.type_name()
        ))),
        other => text(other, out, depth + 1),
    }
}

/// Writes a map's entries, sorted by the text of the key.
fn entries(map: &Map<'_>, out: &mut Out<'_>, depth: u32) -> Result<(), Error> {
    out.meter.work_on_keys(map)?;
    out.meter.allocate_values(2 * map.len())?;
    let mut entries = Vec::with_capacity(map.len());
    for key in map.keys() {
        let printed = written(out.meter, &key, depth)?;
        let value = match map.get(&key) {
            Some(value) => written(out.meter, &value?, depth)?,
            None => String::new(),
        };
        entries.push((printed, value));
    }
    out.meter.work_on_each(entries.len(), 4 * work::HASH)?;
    entries.sort();
    out.push("{")?;
    for (index, (key, value)) in entries.iter().enumerate() {
        if index > 0 {
            out.push(", ")?;
        }
        out.push(key)?;
        out.push(":")?;
        out.push(value)?;
    }
    out.push("}")
}

/// Returns the text for a key or a value of a map.
fn written(meter: &mut Meter, value: &Value<'_>, depth: u32) -> Result<String, Error> {
    let mut out = Out { text: String::new(), meter };
    literal(value, &mut out, depth + 1)?;
    Ok(out.text)
}

#[cfg(test)]
mod tests {
    use crate::eval::Program;
    use crate::eval::value::Value;

    #[test]
    fn clauses() {
        for (rule, text) in [
            ("'100%% %s'.format(['sure'])", "100% sure"),
            ("'%x %X %b %o'.format([255, 255, 255, 255])", "ff FF 11111111 377"),
            ("'%x %b'.format([-10, -10])", "-a -1010"),
            ("'%x'.format(['A\u{e9}'])", "41c3a9"),
            ("'%f %.2f %.0f'.format([1e21, 3.14159, -0.5])", "1,000,000,000,000,000,000,000.000000 3.14 -0"),
            (
                "'%e %.3e %e'.format([12345.678, 1e-10, 0.0])",
                "1.234568\u{d7}10\u{2070}\u{2074} 1.000000\u{d7}10\u{207b}\u{b9}\u{2070} 0.000000\u{d7}10\u{2070}\u{2070}",
            ),
            ("'%s %s'.format([1e25, 1e-7])", "1e+25 1e-07"),
            ("'%s'.format([[1, 2.5, 'a', true, null]])", "[1, 2.500000, \"a\", true, null]"),
            (
                "'%s'.format([{'b': 2, 'a': [duration('1s')]}])",
                "{\"a\":[google.protobuf.Duration(\"1s\")], \"b\":2}",
            ),
            ("'%s %s'.format([type(1), duration('1h')])", "int 3600s"),
            (
                "'%d'.format(['a'])",
                "error during formatting: decimal clause can only be used on integers, was given string",
            ),
            ("'%s'.format([])", "index 0 out of range"),
            ("'x'.format([1])", "x"),
            ("'%z'.format([1])", "could not parse formatting clause: unrecognized formatting clause \"z\""),
            ("'%'.format([1])", "unexpected end of string"),
        ] {
            let ast = crate::parse(rule).unwrap();
            let program = Program::unchecked(&ast, &[]).unwrap();
            let found = match program.run(Vec::<Option<Value<'_>>>::new(), 1_000_000).result {
                Ok(Value::String(text)) => text.to_string(),
                other => other.map_or_else(|error| error.to_string(), |value| format!("{value:?}")),
            };
            assert_eq!(found, text, "{rule}");
        }
    }
}
