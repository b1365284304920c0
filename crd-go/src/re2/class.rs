//! Character classes by name: `\d`, `[:alpha:]`, `\p{Greek}`.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// `\d`, `\s`, `\w` and their negations: ASCII only, and `\s` without the vertical tab.
pub(super) fn perl(letter: char) -> Option<(ClassUnicode, bool)> {
    let ranges: &[(char, char)] = match letter.to_ascii_lowercase() {
        'd' => &[('0', '9')],
        's' => &[('\t', '\n'), ('\u{c}', '\r'), (' ', ' ')],
        'w' => &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
        _ => return None,
    };
    Some((class(ranges), letter.is_ascii_uppercase()))
}

/// `[:alpha:]` and `[:^alpha:]`: ASCII only.
pub(super) fn posix(name: &str) -> Option<(ClassUnicode, bool)> {
    let (name, is_negated) = match name.strip_prefix('^') {
        Some(name) => (name, true),
        None => (name, false),
    };
    let ranges: &[(char, char)] = match name {
        "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
        "alpha" => &[('A', 'Z'), ('a', 'z')],
        "ascii" => &[('\0', '\u{7f}')],
        "blank" => &[('\t', '\t'), (' ', ' ')],
        "cntrl" => &[('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')],
        "digit" => &[('0', '9')],
        "graph" => &[('!', '~')],
        "lower" => &[('a', 'z')],
        "print" => &[(' ', '~')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "space" => &[('\t', '\r'), (' ', ' ')],
        "upper" => &[('A', 'Z')],
        "word" => &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
        "xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
        _ => return None,
    };
    Some((class(ranges), is_negated))
}

pub(super) fn class(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|(start, end)| ClassUnicodeRange::new(*start, *end)))
}

/// The class of a character and those that differ from it in case only.
pub(super) fn cases(c: char) -> ClassUnicode {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    class.case_fold_simple();
    class
}

/// The number of characters from which on a class is folded with [`other_cases`].
const MANY: u32 = 500;

/// The class, with the characters that differ in case only if case does not matter, and negated if asked for.
pub(super) fn folded(mut class: ClassUnicode, folds_case: bool, is_negated: bool) -> ClassUnicode {
    if folds_case {
        fold(&mut class);
    }
    if is_negated {
        class.negate();
    }
    class
}

/// `case_fold_simple` goes through all characters of a class: milliseconds for each of a hundred thousand large ones.
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

/// All characters that have others which differ in case only, each with each of those, in order.
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

/// Categories, as Go names them: the first letter large, the others small.
const CATEGORIES: [&str; 38] = [
    "C", "Cc", "Cf", "Cn", "Co", "Cs", "L", "Lc", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N",
    "Nd", "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl",
    "Zp", "Zs",
];

/// The long names of categories, without separators.
const CATEGORY_ALIASES: [(&str, &str); 41] = [
    ("Casedletter", "LC"),
    ("Closepunctuation", "Pe"),
    ("Cntrl", "Cc"),
    ("Combiningmark", "M"),
    ("Connectorpunctuation", "Pc"),
    ("Control", "Cc"),
    ("Currencysymbol", "Sc"),
    ("Dashpunctuation", "Pd"),
    ("Decimalnumber", "Nd"),
    ("Digit", "Nd"),
    ("Enclosingmark", "Me"),
    ("Finalpunctuation", "Pf"),
    ("Format", "Cf"),
    ("Initialpunctuation", "Pi"),
    ("Letter", "L"),
    ("Letternumber", "Nl"),
    ("Lineseparator", "Zl"),
    ("Lowercaseletter", "Ll"),
    ("Mark", "M"),
    ("Mathsymbol", "Sm"),
    ("Modifierletter", "Lm"),
    ("Modifiersymbol", "Sk"),
    ("Nonspacingmark", "Mn"),
    ("Number", "N"),
    ("Openpunctuation", "Ps"),
    ("Other", "C"),
    ("Otherletter", "Lo"),
    ("Othernumber", "No"),
    ("Otherpunctuation", "Po"),
    ("Othersymbol", "So"),
    ("Paragraphseparator", "Zp"),
    ("Privateuse", "Co"),
    ("Punct", "P"),
    ("Punctuation", "P"),
    ("Separator", "Z"),
    ("Spaceseparator", "Zs"),
    ("Spacingmark", "Mc"),
    ("Surrogate", "Cs"),
    ("Symbol", "S"),
    ("Titlecaseletter", "Lt"),
    ("Unassigned", "Cn"),
];

/// Scripts. Go looks up names without their underscores in a table with underscores, so it does not find scripts whose names
/// have several words.
const SCRIPTS: [&str; 117] = [
    "Adlam",
    "Ahom",
    "Arabic",
    "Armenian",
    "Avestan",
    "Balinese",
    "Bamum",
    "Batak",
    "Bengali",
    "Bhaiksuki",
    "Bopomofo",
    "Brahmi",
    "Braille",
    "Buginese",
    "Buhid",
    "Carian",
    "Chakma",
    "Cham",
    "Cherokee",
    "Chorasmian",
    "Common",
    "Coptic",
    "Cuneiform",
    "Cypriot",
    "Cyrillic",
    "Deseret",
    "Devanagari",
    "Dogra",
    "Duployan",
    "Elbasan",
    "Elymaic",
    "Ethiopic",
    "Georgian",
    "Glagolitic",
    "Gothic",
    "Grantha",
    "Greek",
    "Gujarati",
    "Gurmukhi",
    "Han",
    "Hangul",
    "Hanunoo",
    "Hatran",
    "Hebrew",
    "Hiragana",
    "Inherited",
    "Javanese",
    "Kaithi",
    "Kannada",
    "Katakana",
    "Kawi",
    "Kharoshthi",
    "Khmer",
    "Khojki",
    "Khudawadi",
    "Lao",
    "Latin",
    "Lepcha",
    "Limbu",
    "Lisu",
    "Lycian",
    "Lydian",
    "Mahajani",
    "Makasar",
    "Malayalam",
    "Mandaic",
    "Manichaean",
    "Marchen",
    "Medefaidrin",
    "Miao",
    "Modi",
    "Mongolian",
    "Mro",
    "Multani",
    "Myanmar",
    "Nabataean",
    "Nandinagari",
    "Newa",
    "Nko",
    "Nushu",
    "Ogham",
    "Oriya",
    "Osage",
    "Osmanya",
    "Palmyrene",
    "Phoenician",
    "Rejang",
    "Runic",
    "Samaritan",
    "Saurashtra",
    "Sharada",
    "Shavian",
    "Siddham",
    "Sinhala",
    "Sogdian",
    "Soyombo",
    "Sundanese",
    "Syriac",
    "Tagalog",
    "Tagbanwa",
    "Takri",
    "Tamil",
    "Tangsa",
    "Tangut",
    "Telugu",
    "Thaana",
    "Thai",
    "Tibetan",
    "Tifinagh",
    "Tirhuta",
    "Toto",
    "Ugaritic",
    "Vai",
    "Vithkuqi",
    "Wancho",
    "Yezidi",
    "Yi",
];

/// `\p{name}`, looked up as in Go: case and separators do not matter.
pub(super) fn unicode(name: &str) -> Option<ClassUnicode> {
    let name = canonical(name);
    match name.as_str() {
        "Any" => return Some(class(&[('\0', char::MAX)])),
        "Ascii" => return Some(class(&[('\0', '\u{7f}')])),
        "Assigned" => {
            let mut assigned = table("Cn");
            assigned.negate();
            return Some(assigned);
        }
        _ => {}
    }
    if CATEGORIES.contains(&name.as_str()) {
        return Some(table(&name));
    }
    if SCRIPTS.contains(&name.as_str()) {
        return Some(table(&format!("script={name}")));
    }
    let alias = CATEGORY_ALIASES.iter().find(|(alias, _)| *alias == name)?;
    Some(table(alias.1))
}

fn canonical(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    letters
        .enumerate()
        .map(|(i, c)| if i == 0 { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
        .collect()
}

/// A class of the tables of `regex-syntax`, read once.
fn table(name: &str) -> ClassUnicode {
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

/// An empty class for names that the tables lack (surrogates), because no text contains such characters.
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

    #[test]
    fn every_name_has_a_class() {
        let names = CATEGORIES.into_iter().chain(SCRIPTS).chain(CATEGORY_ALIASES.map(|(alias, _)| alias));
        for name in names.filter(|name| !matches!(*name, "Cs" | "Surrogate")) {
            let class = unicode(name).expect(name);
            assert!(!class.ranges().is_empty(), "{name}");
        }
        assert!(unicode("").is_none() && unicode("Old_Italic").is_none());
    }
}
