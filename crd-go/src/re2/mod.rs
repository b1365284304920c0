//! Go regular expressions (RE2): which patterns are accepted, how others are rejected, and what patterns match.
//!
//! The parser follows `regexp/syntax` of Go 1.26. This crate has its own parser because the dialects of Go and of Rust's `regex` differ in
//! classes, escapes, flags and limits. The automata of `regex-automata` match the parsed patterns. For patterns whose automata would be
//! large, this crate runs its own programs instead. The feature `matching` adds [`Regex`] and [`Matcher`], `ecma` adds [`to_ecma`], and
//! `language` adds [`Language`].

#[cfg_attr(not(feature = "matching"), allow(dead_code, reason = "whether a pattern is valid asks for less"))]
mod ast;
#[cfg(feature = "matching")]
mod automaton;
#[cfg_attr(not(feature = "matching"), allow(dead_code, reason = "whether a pattern is valid asks for less"))]
mod class;
#[cfg(feature = "ecma")]
mod ecma;
mod error;
#[cfg(feature = "matching")]
mod hir;
#[cfg(feature = "language")]
mod language;
#[cfg(feature = "matching")]
mod matcher;
mod parse;
#[cfg(feature = "matching")]
mod program;
#[cfg(feature = "matching")]
mod regex;
mod sets;

#[cfg(feature = "ecma")]
pub use ecma::to_ecma;
pub use error::Error;
#[cfg(feature = "language")]
pub use language::Language;
#[cfg(feature = "matching")]
pub use matcher::{MatchError, Matcher};
#[cfg(feature = "matching")]
pub use regex::{Matches, Regex};

/// Checks a pattern without compiling it: `syntax.Parse`. Without the feature `classes`, which the derives do not enable, a pattern is
/// accepted even if the characters of its classes alone make it too large. Only patterns with thousands of classes can be so large.
///
/// # Errors
/// - Go rejects the pattern; the error is the first mistake in it.
///
/// ```
/// use crd_go::re2;
///
/// assert!(re2::check(r"^[a-z]+(\d{2,3})?$").is_ok());
/// let error = re2::check("a(b").unwrap_err();
/// assert_eq!(error.to_string(), "error parsing regexp: missing closing ): `a(b`");
/// ```
pub fn check(pattern: &str) -> Result<(), Error> {
    parse::parse(pattern).map(|_| ())
}

#[cfg(all(test, feature = "matching"))]
mod tests {
    use super::*;

    #[test]
    fn matches_as_go() {
        for (pattern, text, matches) in [
            ("^a+$", "aaa", true),
            ("^a+$", "aaa\n", false),
            ("(?m)^b$", "a\nb\nc", true),
            ("b", "abc", true),
            (r"^\d$", "\u{664}", false),
            (r"^\w$", "\u{e9}", false),
            (r"(?i)^\w$", "\u{17f}", true),
            (r"^\s$", "\u{b}", false),
            (r"\bx", "\u{e9}x", true),
            (r"(?i)^k$", "\u{212a}", true),
            (r"^[[:alpha:]-]+$", "a-b", true),
            (r"^[a&&b]+$", "a&b", true),
            (r"^[[a]]$", "[]", true),
            (r"^\Qa.b\E+$", "a.bb", true),
            (r"^\x41\101\x{10FFFF}$", "AA\u{10ffff}", true),
            (r"^x{,2}$", "x{,2}", true),
            (r"^\pL\p{Greek}\P{Greek}$", "a\u{3b1}a", true),
            (r"^\p{^Greek}$", "a", true),
            (r"^.$", "\n", false),
            (r"(?s)^.$", "\n", true),
            (r"^[^a]$", "\n", true),
            (r"^(?:a|bc){2}$", "abc", true),
            (r"\<", "<", true),
            (r"a|", "", true),
            (r"^(?U)a+$", "aa", true),
            (r"(?i:a)b", "Ab", true),
            (r"(?i:a)b", "AB", false),
            ("", "x", true),
        ] {
            let found = Regex::new(pattern).map(|regex| regex.is_match(text));
            assert_eq!(found, Ok(matches), "{pattern} on {text:?}");
        }
    }

    #[test]
    fn refuses_as_go() {
        for (pattern, error) in [
            ("(a", "missing closing ): `(a`"),
            ("a)", "unexpected ): `a)`"),
            ("[a", "missing closing ]: `[a`"),
            ("[z-a]", "invalid character class range: `z-a`"),
            ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
            (r"\pX", r"invalid character class range: `\pX`"),
            (r"\p{Old_Italic}", r"invalid character class range: `\p{Old_Italic}`"),
            ("a**", "invalid nested repetition operator: `**`"),
            ("a++", "invalid nested repetition operator: `++`"),
            ("a{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
            ("*", "missing argument to repetition operator: `*`"),
            ("a|*", "missing argument to repetition operator: `*`"),
            ("(?i)*", "missing argument to repetition operator: `*`"),
            ("a{1001}", "invalid repeat count: `{1001}`"),
            ("a{2,1}", "invalid repeat count: `{2,1}`"),
            ("(a{1000}){2}", "invalid repeat count: `{2}`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("(?x)", "invalid or unsupported Perl syntax: `(?x`"),
            ("(?", "invalid or unsupported Perl syntax: `(?`"),
            ("(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"),
            ("(?<=a)b", "invalid named capture: `(?<=a)b`"),
            ("(?P<>a)", "invalid named capture: `(?P<>`"),
            (r"\1", r"invalid escape sequence: `\1`"),
            (r"\8", r"invalid escape sequence: `\8`"),
            (r"\Z", r"invalid escape sequence: `\Z`"),
            (r"\u0041", r"invalid escape sequence: `\u`"),
            (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
            (r"\", "trailing backslash at end of expression: ``"),
        ] {
            let found = check(pattern).map_err(|error| error.to_string());
            assert_eq!(found, Err(format!("error parsing regexp: {error}")), "{pattern}");
        }
    }

    #[test]
    fn limits() {
        let deep = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert!(check(&deep(999)).is_ok());
        let error = check(&deep(1000)).map_err(|error| error.to_string());
        assert!(
            error.is_err_and(|text| text.starts_with("error parsing regexp: expression nests too deeply: "))
        );
        assert!(check("(\\pL{500}){2}").is_ok());
        let error = check("(?:a{999}b){1000}").map_err(|error| error.to_string());
        assert!(error.is_err_and(|text| text.contains("invalid repeat count")));
        let error = check(&format!("(?:{}){{1000}}", "a".repeat(4000))).map_err(|error| error.to_string());
        assert!(error.is_err_and(|text| text.starts_with("error parsing regexp: expression too large: ")));
    }

    /// The characters of a class count each time that a node is pushed onto the stack, and a group without a number is pushed three times.
    #[test]
    fn classes_in_groups_count_again() {
        let is_accepted = |part: &str, count: usize| check(&part.repeat(count)).is_ok();
        assert!(is_accepted(r"\PL", 20_000) && !is_accepted(r"\PL", 26_000));
        assert!(is_accepted(r"(\PL)", 8_000) && !is_accepted(r"(\PL)", 9_000));
        assert!(is_accepted(r"(?:\PL)", 6_000) && !is_accepted(r"(?:\PL)", 6_500));
    }

    /// Go checks the size of a pattern only if repetitions could make the pattern too large. The expected results are Go's.
    #[test]
    fn size_is_looked_at_where_go_does() {
        let many = |part: &str, count: usize| part.repeat(count);
        for (pattern, is_fine) in [
            (many("|", 3_000_000), true),
            (many("()", 1_500_000), true),
            (many("a{1000}", 3_300), true),
            (many("a{1000}", 3_356), false),
            (many("[ab]{1000}", 3_355), true),
            (many("[ab]{1000}", 3_356), false),
            (many("(a{1000})", 3_300), true),
            (many("(a{1000})", 3_350), false),
            (many("[ab]{2}", 400_000), true),
            (format!("(?:{}){{1000}}", many("a", 3_300)), true),
            (format!("(?:{}){{1000}}", many("a", 3_400)), false),
            (format!("(?:{}){{1000}}b", many("a", 3_400)), true),
            (format!("(?:{}){{1000}}", many("ab*", 3_300)), false),
        ] {
            assert_eq!(check(&pattern).is_ok(), is_fine, "{:.20} of {}", pattern, pattern.len());
        }
    }

    #[test]
    fn large_patterns_are_programs_on_characters() {
        let letters = r"^(\pL{1,100}\pN|\pS){0,9}N$";
        for (pattern, text, found) in [
            (letters, "ab1+cd2N", Some(0..8)),
            (letters, "ab1+cd2", None),
            (r"(\pL{1,100}\pN|\pS){1,9}", "--ab1+cd2N", Some(2..9)),
            (r"\b\pL{1,400}$", "x \u{e9} yz", Some(5..7)),
            (r"(?i)(\pL{300}k|k)", "\u{212a}", Some(0..3)),
            (r"(\PL{200}|\pL{200}|(a*)*?b)", "caab", Some(1..4)),
        ] {
            let regex = Regex::new(pattern).expect("Go takes it");
            assert!(regex.is_program(), "{pattern}");
            assert_eq!(regex.find(text), found, "{pattern} in {text:?}");
            assert_eq!(regex.is_match(text), found.is_some(), "{pattern} in {text:?}");
        }
    }

    /// Both engines find the same match: the leftmost match, with the length that Go prefers.
    #[test]
    fn programs_match_as_automata() {
        let patterns = [
            "a",
            "^a+$",
            "a*?",
            "(a|ab)(c|bcd)(d*)",
            "(?m)^b$",
            r"\bx",
            r"\Bx",
            "a{2,3}?b",
            "(a*)*b",
            "(a*)+",
            "(|a)*",
            "(|a)+",
            "(?i)k+",
            "[^a]",
            "x?y?$",
            "(?s).",
            "a|",
            "^(a|bc){2}$",
            "(a?){3}",
            "$",
            "(?:(?:a{0,2}){0,2}b)*c",
        ];
        let texts = [
            "",
            "a",
            "b",
            "aab",
            "abcd",
            "a\nb\nc",
            "xy x",
            "\u{212a}k",
            "caabab",
            "aaaa",
            "bcbc",
            "\u{e9}x",
        ];
        for pattern in patterns {
            let ast = parse::parse(pattern).expect("Go takes it");
            let program = program::Program::new(&ast, 1000).expect("it is small");
            let regex = Regex::new(pattern).expect("Go takes it");
            let matcher = Matcher::new(pattern, true).expect("Go takes it");
            for text in texts {
                assert!(!regex.is_program());
                let shown = format!("{pattern} in {text:?}");
                assert_eq!(program.find_at(text, 0, &mut u64::MAX.clone()), Ok(regex.find(text)), "{shown}");
                let mut steps = 10_000;
                assert_eq!(program.is_match(text, &mut steps), Ok(regex.is_match(text)), "{shown}");
                assert_eq!(matcher.is_match(text, &mut steps), Ok(regex.is_match(text)), "{shown}");
            }
        }
    }

    #[test]
    fn searches_are_counted() {
        let matcher = Matcher::new("(a|b)*a(a|b){200}c", true).expect("Go takes it");
        let mut random = 1u32;
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if random >> 31 == 0 { 'a' } else { 'b' }
        };
        let text: String = (0..10_000).map(|_| next()).collect();
        assert_eq!(matcher.is_match(&text, &mut 100_000), Err(MatchError::OutOfSteps));
        assert_eq!(matcher.is_match(&text, &mut 100_000_000), Ok(false));
        let large = Matcher::new(&format!("({}){{1000}}", "abc".repeat(500)), true).expect("Go takes it");
        assert_eq!(large.is_match("a", &mut u64::MAX.clone()), Err(MatchError::TooLarge));
    }
}
