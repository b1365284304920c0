//! Sets of characters, with the tables of Unicode in `regex-syntax`.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use regex_syntax::hir::{Class, ClassUnicodeRange, HirKind};
pub(in crate::re2) use regex_syntax::hir::{ClassUnicode, Look};

pub(in crate::re2) fn class(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|(start, end)| ClassUnicodeRange::new(*start, *end)))
}

/// Returns the class of a character and the characters that differ from it only in case.
#[cfg(any(feature = "ecma", feature = "matching"))]
pub(in crate::re2) fn cases(c: char) -> ClassUnicode {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    class.case_fold_simple();
    class
}

/// From this number of characters on, a class is folded with [`other_cases`].
const MANY: u32 = 500;

/// Returns the class, with other cases of its characters if `folds_case` is `true`, and negated if `is_negated` is `true`.
pub(in crate::re2) fn folded(mut class: ClassUnicode, folds_case: bool, is_negated: bool) -> ClassUnicode {
    if folds_case {
        fold(&mut class);
    }
    if is_negated {
        class.negate();
    }
    class
}

/// Adds the other cases of the characters to a class. `case_fold_simple` visits all characters of a class. This takes milliseconds
/// for a large class, and a pattern can have a hundred thousand large classes.
fn fold(class: &mut ClassUnicode) {
    let size = |range: &ClassUnicodeRange| u32::from(range.end()) - u32::from(range.start()) + 1;
    if class.iter().map(size).sum::<u32>() <= MANY {
        class.case_fold_simple();
        return;
    }
    let pairs = other_cases();
    let mut others = Vec::new();
    for range in class.iter() {
        let first = pairs.partition_point(|(c, _)| *c < range.start());
        let inside = pairs[first..].iter().take_while(|(c, _)| *c <= range.end());
        let outside = inside.filter(|(_, other)| *other < range.start() || *other > range.end());
        others.extend(outside.map(|(_, other)| ClassUnicodeRange::new(*other, *other)));
    }
    class.union(&ClassUnicode::new(others));
}

/// Returns all pairs of characters that differ only in case, in order.
fn other_cases() -> &'static [(char, char)] {
    static PAIRS: OnceLock<Vec<(char, char)>> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let mut pairs = Vec::new();
        for c in '\0'..=char::MAX {
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
            class.case_fold_simple();
            let folded = class.iter().flat_map(|range| range.start()..=range.end());
            pairs.extend(folded.filter(|other| *other != c).map(|other| (c, other)));
        }
        pairs
    })
}

/// Returns the union of all `parts`.
pub(in crate::re2) fn united(parts: &[&ClassUnicode]) -> ClassUnicode {
    ClassUnicode::new(parts.iter().flat_map(|part| part.iter().copied()))
}

/// Returns the number of ranges.
pub(in crate::re2) fn ranges(class: &ClassUnicode) -> u64 {
    class.ranges().len() as u64
}

/// Returns a Unicode class from the tables of `regex-syntax`. Each class is read once, and then kept.
pub(in crate::re2) fn table(name: &str) -> ClassUnicode {
    static KNOWN: Mutex<BTreeMap<String, ClassUnicode>> = Mutex::new(BTreeMap::new());
    // The map is intact even if another thread has panicked, because it only grows by whole entries.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(class) = known.get(name) {
        return class.clone();
    }
    let class = read_table(name);
    known.insert(name.to_owned(), class.clone());
    class
}

/// Returns an empty class for names that the tables lack (surrogates), because no text contains such characters.
fn read_table(name: &str) -> ClassUnicode {
    let hir = regex_syntax::Parser::new().parse(&format!("\\p{{{name}}}"));
    match hir.map(regex_syntax::hir::Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => class,
        // A class of one character.
        Ok(HirKind::Literal(literal)) => {
            let chars = std::str::from_utf8(&literal.0).unwrap_or_default().chars();
            ClassUnicode::new(chars.map(|c| ClassUnicodeRange::new(c, c)))
        }
        _ => ClassUnicode::empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_classes_are_folded_like_small_ones() {
        for class in [table("Lu"), table("L"), class(&[('b', '\u{2000}')]), class(&[('\u{100}', char::MAX)])]
        {
            let mut folded = class.clone();
            folded.case_fold_simple();
            assert_eq!(super::folded(class, true, false), folded);
        }
    }
}
