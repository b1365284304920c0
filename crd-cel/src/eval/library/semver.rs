//! Functions for semantic versions.

use crate::eval::Error;
use crate::eval::implementation::{Implementation, Outcome};
use crate::eval::meter::Meter;
use crate::eval::opaque::semver::Identifier;
use crate::eval::opaque::{Opaque, Semver};
use crate::eval::value::Value;

pub(crate) const IS_SEMVER: Implementation =
    Implementation::plain(|meter, args| parsed(meter, args).map(|version| Value::Bool(version.is_ok())))
        .work(128);
pub(crate) const SEMVER: Implementation = Implementation::plain(|meter, args| match parsed(meter, args)? {
    Ok(version) => Ok(Value::Opaque(Opaque::Semver(version).into())),
    Err(error) => Err(Error::text(error)),
})
.work(128);
pub(crate) const MAJOR: Implementation = Implementation::plain(|_, args| number(args, 0));
pub(crate) const MINOR: Implementation = Implementation::plain(|_, args| number(args, 1));
pub(crate) const PATCH: Implementation = Implementation::plain(|_, args| number(args, 2));

fn parsed(meter: &mut Meter, args: &[Value<'_>]) -> Result<Result<Semver, String>, Error> {
    if let Some(Value::String(text)) = args.first() {
        // A pre-release has an identifier for every second byte.
        meter.allocate(text.len().saturating_mul(size_of::<Identifier>()))?;
    }
    match args {
        [Value::String(text)] | [Value::String(text), Value::Bool(false)] => Ok(Semver::parse(text)),
        [Value::String(text), Value::Bool(true)] => Ok(Semver::parse(&normalized(text))),
        _ => Err(Error::no_such_overload()),
    }
}

fn number<'v>(args: &[Value<'v>], place: usize) -> Outcome<'v> {
    match args {
        [Value::Opaque(opaque)] => match &**opaque {
            Opaque::Semver(version) => Ok(Value::Int(version.numbers[place] as i64)),
            _ => Err(Error::no_such_overload()),
        },
        _ => Err(Error::no_such_overload()),
    }
}

/// Returns the version without a leading `v`, as three numbers without leading zeros.
fn normalized(text: &str) -> String {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(str::to_owned).collect();
    for part in &mut parts {
        if part.len() > 1 {
            let digits = part.trim_start_matches('0');
            *part = if digits.starts_with(|c: char| c.is_ascii_digit()) {
                digits.to_owned()
            } else {
                format!("0{digits}")
            };
        }
    }
    if parts.len() < 3 {
        if let Some(last) = parts.last().filter(|last| last.contains(['+', '-'])) {
            // A short version cannot have a pre-release, so it stays unchanged and is rejected.
            return if parts.len() == 1 { last.clone() } else { parts.join(".") };
        }
        parts.resize(3, "0".to_owned());
    }
    parts.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_normalized_before_they_are_read() {
        for (text, is_version) in [
            ("v1.2.3", true),
            ("V1.2.3", false),
            ("1", true),
            ("v1.2", true),
            ("01.02.03", true),
            ("one", false),
            ("1.2-alpha", false),
            (" 1.2.3 ", false),
            ("007.0.1", true),
        ] {
            assert_eq!(Semver::parse(&normalized(text)).is_ok(), is_version, "{text}");
        }
    }
}
