//! Lengths, formats and patterns -> strings that meet them.

use crd_core::schema::ValueValidation;
use proptest::char::range;
use proptest::prelude::{Strategy, prop_oneof};
use proptest::sample::select;
use proptest::strategy::{BoxedStrategy, Union};
use proptest::string::string_regex_parsed;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

/// A label of DNS.
const LABEL: &str = "[a-z]([a-z0-9-]{0,10}[a-z0-9])?";

/// A part of an IPv4 address.
const BYTE: &str = "(0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])";

/// Texts: of the pattern, else of the format, else any of the right length.
pub(super) fn texts(validation: &ValueValidation) -> BoxedStrategy<String> {
    let made =
        [validation.pattern.as_deref().and_then(matching), validation.format.as_deref().and_then(of_format)];
    let made: Vec<_> = made.into_iter().flatten().collect();
    let least = length(validation.min_length).unwrap_or(0);
    let most = length(validation.max_length);
    if made.is_empty() {
        return any(least, most);
    }
    // A text that is too long is cut off no better than by chance: of a few the first that fits is taken.
    let fits = move |text: &&String| {
        let length = text.chars().count();
        length >= least && most.is_none_or(|most| length <= most)
    };
    let few = Union::new(made);
    proptest::collection::vec(few, if least == 0 && most.is_none() { 1 } else { 8 })
        .prop_map(move |texts| texts.iter().find(fits).or(texts.first()).cloned().unwrap_or_default())
        .boxed()
}

/// Names of objects.
pub(super) fn names() -> BoxedStrategy<String> {
    matching(LABEL).unwrap_or_else(|| any(1, Some(1)))
}

fn length(limit: Option<i64>) -> Option<usize> {
    limit.and_then(|limit| usize::try_from(limit).ok())
}

fn any(least: usize, most: Option<usize>) -> BoxedStrategy<String> {
    let most = most.unwrap_or(usize::MAX).clamp(least, least.saturating_add(12));
    let char = prop_oneof![6 => range('a', 'z'), 2 => range(' ', '~'), 1 => select(vec!['ä', 'ß', '語', '😀', '\u{301}', '\n'])];
    proptest::collection::vec(char, least..=most).prop_map(String::from_iter).boxed()
}

/// Texts in which a pattern matches, or `None` where proptest cannot make any.
fn matching(pattern: &str) -> Option<BoxedStrategy<String>> {
    let hir = ParserBuilder::new().build().parse(&with_ascii_classes(pattern)).ok()?;
    let strategy = string_regex_parsed(&without_anchors(&hir)).ok()?;
    Some(strategy.boxed())
}

/// Classes of RE2 are those of ASCII.
fn with_ascii_classes(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('d') => out.push_str("[0-9]"),
            Some('D') => out.push_str("[^0-9]"),
            Some('w') => out.push_str("[0-9A-Za-z_]"),
            Some('W') => out.push_str("[^0-9A-Za-z_]"),
            Some('s') => out.push_str(r"[\t\n\f\r ]"),
            Some('S') => out.push_str(r"[^\t\n\f\r ]"),
            other => out.extend(['\\'].into_iter().chain(other)),
        }
    }
    out
}

/// A text that is the match and nothing else has its ends where anchors want them; those that stand elsewhere fail in
/// admission.
fn without_anchors(hir: &Hir) -> Hir {
    let all = |parts: &[Hir]| parts.iter().map(without_anchors).collect();
    match hir.kind() {
        HirKind::Look(_) => Hir::empty(),
        HirKind::Concat(parts) => Hir::concat(all(parts)),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)),
        HirKind::Capture(group) => without_anchors(&group.sub),
        HirKind::Repetition(repeated) => {
            let mut repeated = repeated.clone();
            repeated.sub = Box::new(without_anchors(&repeated.sub));
            Hir::repetition(repeated)
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
    }
}

/// Texts of a format, in the name of which hyphens do not count, or `None` where the API server does not know it.
fn of_format(format: &str) -> Option<BoxedStrategy<String>> {
    let known = |texts: &[&str]| {
        Some(select(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).boxed())
    };
    let uuid = |version: &str| {
        format!("[0-9a-f]{{8}}-[0-9a-f]{{4}}-{version}[0-9a-f]{{3}}-[89ab][0-9a-f]{{3}}-[0-9a-f]{{12}}")
    };
    let date = "(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])";
    let ipv4 = format!(r"{BYTE}\.{BYTE}\.{BYTE}\.{BYTE}");
    let pattern = match format.replace('-', "").as_str() {
        // Digits at their ends are checked: these are sums that somebody made.
        "isbn" | "isbn13" => return known(&["978-4-87311-368-5", "9784873113685"]),
        "isbn10" => return known(&["3836221195", "1-61729-085-8", "3 401 01319 X"]),
        "creditcard" => return known(&["4220855426222389", "5139288802098206", "374953669708156"]),
        "bsonobjectid" => "[0-9a-f]{24}".to_owned(),
        "uri" => format!("https?://{LABEL}\\.example\\.com(/[a-z0-9]{{1,8}}){{0,3}}"),
        "email" => format!("{LABEL}@{LABEL}\\.example\\.com"),
        "hostname" => format!("{LABEL}(\\.{LABEL}){{0,2}}\\.com"),
        "ipv4" => ipv4,
        "ipv6" => "2001:db8(:[1-9a-f][0-9a-f]{0,3}){6}".to_owned(),
        "cidr" => format!("{ipv4}/([1-9]|[12][0-9]|3[0-2])"),
        "mac" => "[0-9a-f]{2}(:[0-9a-f]{2}){5}".to_owned(),
        "uuid" => uuid("[1-5]"),
        "uuid3" => uuid("3"),
        "uuid4" => uuid("4"),
        "uuid5" => uuid("5"),
        "ssn" => "[0-9]{3}-[0-9]{2}-[0-9]{4}".to_owned(),
        "hexcolor" => "#?([0-9a-fA-F]{3}){1,2}".to_owned(),
        "rgbcolor" => format!(r"rgb\({BYTE},{BYTE},{BYTE}\)"),
        "byte" => "([A-Za-z0-9+/]{4}){1,6}".to_owned(),
        "date" => date.to_owned(),
        "duration" => "[1-9][0-9]{0,2}(ms|s|m|h)".to_owned(),
        "datetime" => format!(r"{date}T([01][0-9]|2[0-3])(:[0-5][0-9]){{2}}(\.[0-9]{{3}})?(Z|\+0[0-9]:00)"),
        "k8sshortname" => LABEL.to_owned(),
        "k8slongname" => format!("{LABEL}(\\.{LABEL}){{0,2}}"),
        _ => return None,
    };
    matching(&pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_anchors() {
        assert_eq!(with_ascii_classes(r"^\d[\w-]\\d$"), r"^[0-9][[0-9A-Za-z_]-]\\d$");
        assert!(matching(r"^(?:a|\d+)$").is_some());
        assert!(matching(r"\Qa\E").is_none());
    }
}
