//! The standard functions for strings, and version 2 of the strings library. All indices count code points.

use std::ops::Range;

use crate::eval::implementation::{Implementation, Missing, Outcome};
use crd_go::KubeVersion;

use crate::eval::Error;
use crate::eval::meter::Meter;
use crate::eval::number::quoted_cel;
use crate::eval::value::{CelString, Value, code_points};

pub(crate) const CONTAINS: Implementation =
    Implementation::plain(|_, args| with_other(args, |text, other| text.contains(other)))
        .work(16)
        .missing(Missing::Bare);
pub(crate) const STARTS_WITH: Implementation =
    Implementation::plain(|_, args| with_other(args, |text, other| text.starts_with(other)))
        .work(0)
        .missing(Missing::Bare);
pub(crate) const ENDS_WITH: Implementation =
    Implementation::plain(|_, args| with_other(args, |text, other| text.ends_with(other)))
        .work(0)
        .missing(Missing::Bare);
pub(crate) const CHAR_AT: Implementation = Implementation::plain(char_at).work(8);
pub(crate) const LOWER_ASCII: Implementation =
    Implementation::plain(|meter, args| changed(meter, args, str::to_ascii_lowercase)).work(8);
pub(crate) const UPPER_ASCII: Implementation =
    Implementation::plain(|meter, args| changed(meter, args, str::to_ascii_uppercase)).work(8);
pub(crate) const TRIM: Implementation = Implementation::plain(trim).work(8);
pub(crate) const SUBSTRING: Implementation = Implementation::plain(substring).work(8);
pub(crate) const REPLACE: Implementation = Implementation::plain(replace).work(128);
pub(crate) const SPLIT: Implementation = Implementation::plain(split).work(128);
pub(crate) const JOIN: Implementation = Implementation::plain(join).work(8);
pub(crate) const QUOTE: Implementation =
    Implementation::plain(|meter, args| changed(meter, args, quoted_cel)).work(128);
pub(crate) const FORMAT: Implementation =
    Implementation::plain(super::string_format::format).work(128).variadic();

fn with_other<'v>(args: &[Value<'v>], test: impl Fn(&str, &str) -> bool) -> Outcome<'v> {
    match args {
        [Value::String(text), Value::String(other)] => Ok(Value::Bool(test(text, other))),
        _ => Err(Error::no_such_overload()),
    }
}

fn changed<'v>(meter: &mut Meter, args: &[Value<'v>], change: impl Fn(&str) -> String) -> Outcome<'v> {
    let [Value::String(text)] = args else { return Err(Error::no_such_overload()) };
    meter.allocate(text.len())?;
    Ok(change(text).into())
}

/// Returns the byte position of the code point at this index. For the index after the last code point, this is the length of the string.
fn offset(text: &str, index: i64) -> Option<usize> {
    let index = usize::try_from(index).ok()?;
    if text.is_ascii() {
        return (index <= text.len()).then_some(index);
    }
    text.char_indices().map(|(offset, _)| offset).chain([text.len()]).nth(index)
}

/// Returns a substring. If the run created the string, the substring is a copy.
pub(super) fn part<'v>(meter: &mut Meter, text: &CelString<'v>, range: Range<usize>) -> Outcome<'v> {
    if !text.is_borrowed() {
        meter.allocate(range.len())?;
    }
    Ok(text.slice(range).into())
}

fn out_of_range(index: i64) -> Error {
    Error::text(format!("index out of range: {index}"))
}

fn char_at<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let [Value::String(text), Value::Int(index)] = args else { return Err(Error::no_such_overload()) };
    let start = offset(text, *index).ok_or_else(|| out_of_range(*index))?;
    let length = text[start..].chars().next().map_or(0, char::len_utf8);
    part(meter, text, start..start + length)
}

/// Returns the first index at which `text` contains `other`. The search starts at the index `from`. An empty string is found at
/// every index.
pub(super) fn index_of<'v>(server: KubeVersion, text: &str, other: &str, from: Option<i64>) -> Outcome<'v> {
    let from = from.unwrap_or(0);
    if other.is_empty() {
        return nothing_at(server, text, from);
    }
    // Up to 1.31, a search cannot begin at the end.
    if from < 0 || !server.is_at_least(32) && from >= code_points(text) as i64 {
        return Err(out_of_range(from));
    }
    let found = offset(text, from).and_then(|start| Some((start, text[start..].find(other)?)));
    Ok(Value::Int(found.map_or(-1, |(start, found)| from + code_points(&text[start..start + found]) as i64)))
}

/// Returns the index at which an empty string is found, which is the start index of the search. Since Kubernetes 1.37, the start index must
/// be within the string.
fn nothing_at<'v>(server: KubeVersion, text: &str, at: i64) -> Outcome<'v> {
    match at {
        _ if !server.is_at_least(37) => Ok(Value::Int(at)),
        ..0 => Err(out_of_range(at)),
        _ => Ok(Value::Int(at.min(code_points(text) as i64))),
    }
}

/// Returns the last index at which a string contains another string. The search begins at a given index, and goes backwards.
pub(super) fn last_index_of<'v>(
    server: KubeVersion,
    text: &str,
    other: &str,
    until: Option<i64>,
) -> Outcome<'v> {
    let length = code_points(text) as i64;
    match until {
        None if other.is_empty() => return Ok(Value::Int(length)),
        Some(until) if other.is_empty() => return nothing_at(server, text, until),
        Some(until) if until < 0 => return Err(out_of_range(until)),
        // Up to 1.33, the last index of an empty string is the offset of the search.
        None if length == 0 && !server.is_at_least(34) => return Err(out_of_range(-1)),
        Some(until) if until >= length && !server.is_at_least(32) => return Err(out_of_range(until)),
        // A search that begins after the end finds nothing.
        Some(until) if until >= length => return Ok(Value::Int(-1)),
        _ => {}
    }
    let most = length - code_points(other) as i64;
    let until = until.unwrap_or(most).min(most);
    if until < 0 {
        return Ok(Value::Int(-1));
    }
    // A match can begin at `until`. It ends within the text, but can have another number of bytes.
    let end = offset(text, until).map_or(text.len(), |start| start + other.len());
    let found = floor(text, end).rfind(other);
    Ok(Value::Int(found.map_or(-1, |found| code_points(&text[..found]) as i64)))
}

/// Returns the text up to `end`. If `end` is inside a character, the character is left out.
fn floor(text: &str, end: usize) -> &str {
    let mut end = end.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn substring<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let (text, start, end) = match args {
        [Value::String(text), Value::Int(start)] => (text, *start, None),
        [Value::String(text), Value::Int(start), Value::Int(end)] => (text, *start, Some(*end)),
        _ => return Err(Error::no_such_overload()),
    };
    if let Some(end) = end.filter(|end| start > *end) {
        return Err(Error::text(format!("invalid substring range. start: {start}, end: {end}")));
    }
    let from = offset(text, start).ok_or_else(|| out_of_range(start))?;
    let to = match end {
        Some(end) => offset(text, end).ok_or_else(|| out_of_range(end))?,
        None => text.len(),
    };
    part(meter, text, from..to)
}

fn trim<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let [Value::String(text)] = args else { return Err(Error::no_such_overload()) };
    let start = text.len() - text.trim_start().len();
    let end = start + text.trim().len();
    part(meter, text, start..end)
}

fn replace<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let (text, old, new, most) = match args {
        [Value::String(text), Value::String(old), Value::String(new)] => (text, old, new, usize::MAX),
        [Value::String(text), Value::String(old), Value::String(new), Value::Int(most)] => {
            (text, old, new, usize::try_from(*most).unwrap_or(usize::MAX))
        }
        _ => return Err(Error::no_such_overload()),
    };
    let count = if old.is_empty() { text.len() + 1 } else { text.len() / old.len() };
    let bound = count.min(most).saturating_mul(new.len()).saturating_add(text.len());
    // The bound can be far above the actual size, so memory is checked in advance only if the bound is large.
    if bound > 1 << 20 {
        let count = if old.is_empty() { count } else { text.matches(&**old).count() };
        meter.allocate(count.min(most).saturating_mul(new.len()).saturating_add(text.len()))?;
    } else {
        meter.allocate(bound)?;
    }
    Ok(text.replacen(&**old, new, most).into())
}

fn split<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let (text, separator, most) = match args {
        [Value::String(text), Value::String(separator)] => (text, separator, -1),
        [Value::String(text), Value::String(separator), Value::Int(most)] => (text, separator, *most),
        _ => return Err(Error::no_such_overload()),
    };
    let most = match most {
        0 => return Ok(Vec::new().into()),
        most => usize::try_from(most).unwrap_or(usize::MAX),
    };
    let mut parts: Vec<Value<'v>> = Vec::new();
    let mut start = 0;
    let mut push = |meter: &mut Meter, range: Range<usize>| {
        meter.allocate_pushed()?;
        parts.push(part(meter, text, range)?);
        Ok::<_, Error>(())
    };
    let mut pushed = 0;
    if separator.is_empty() {
        for c in text.chars() {
            if pushed + 1 == most {
                break;
            }
            push(meter, start..start + c.len_utf8())?;
            start += c.len_utf8();
            pushed += 1;
        }
        if start < text.len() {
            push(meter, start..text.len())?;
        }
        return Ok(parts.into());
    }
    while pushed + 1 < most {
        let Some(found) = text[start..].find(&**separator) else { break };
        push(meter, start..start + found)?;
        start += found + separator.len();
        pushed += 1;
    }
    push(meter, start..text.len())?;
    Ok(parts.into())
}

fn join<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let (list, separator) = match args {
        [Value::List(list)] => (list, ""),
        [Value::List(list), Value::String(separator)] => (list, &**separator),
        _ => return Err(Error::no_such_overload()),
    };
    meter.work_on_list(list)?;
    let mut joined = String::new();
    for (index, element) in list.iter().enumerate() {
        let Value::String(element) = element? else { return Err(Error::no_such_overload()) };
        if index > 0 {
            meter.allocate_grown(separator.len())?;
            meter.work_on_copy(separator.len())?;
            joined.push_str(separator);
        }
        meter.allocate_grown(element.len())?;
        meter.work_on_copy(element.len())?;
        joined.push_str(&element);
    }
    Ok(joined.into())
}

#[cfg(test)]
mod tests {
    use crate::eval::Program;
    use crate::eval::value::Value;

    fn run(rule: &str) -> String {
        let ast = crate::parse(rule).unwrap();
        let program = Program::unchecked(&ast, &[]).unwrap();
        match program.run(Vec::<Option<Value<'_>>>::new(), 1_000_000).result {
            Ok(Value::Bool(value)) => value.to_string(),
            Ok(other) => format!("{other:?}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn strings() {
        for (rule, result) in [
            ("'a\u{1f600}c'.charAt(2) == 'c' && 'ab'.charAt(2) == ''", "true"),
            ("'a'.charAt(2)", "index out of range: 2"),
            (
                "'\u{e9}ab'.indexOf('ab') == 1 && 'ba'.indexOf('ab') == -1 && 'a'.indexOf('a', 2) == -1",
                "true",
            ),
            (
                "'aaaa'.lastIndexOf('a', 2) == 2 && 'xxxa'.lastIndexOf('a', 2) == -1 && ''.lastIndexOf('a') == -1",
                "true",
            ),
            ("'a\u{f1}b'.lastIndexOf('\u{f1}b', 1) == 1 && 'abcabc'.lastIndexOf('bc', 3) == 1", "true"),
            ("'hello'.substring(1, 3) == 'el' && 'h'.substring(1) == ''", "true"),
            ("''.substring(1)", "index out of range: 1"),
            ("'abc'.substring(3, 1)", "invalid substring range. start: 3, end: 1"),
            ("'\u{a0}\u{2003}x\u{3000}\t'.trim() == 'x'", "true"),
            ("'banana'.replace('a', '', 2) == 'bnna' && 'ab'.replace('', '-') == '-a-b-'", "true"),
            (
                "'a,b,c'.split(',', 2) == ['a', 'b,c'] && ''.split(',') == [''] && 'a'.split(',', 0) == []",
                "true",
            ),
            (
                "'a\u{f1}'.split('') == ['a', '\u{f1}'] && 'abc'.split('', 2) == ['a', 'bc'] && ''.split('') == []",
                "true",
            ),
            ("['a', 'b'].join(', ') == 'a, b' && [].join() == ''", "true"),
            ("'ABC \u{c4}'.lowerAscii() == 'abc \u{c4}'", "true"),
        ] {
            assert_eq!(run(rule), result, "{rule}");
        }
    }
}
