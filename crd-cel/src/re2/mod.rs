//! Regular expressions as Go reads them (RE2): which are accepted, with which text others are refused, and what they
//! match.
//!
//! Read by our own parser, which follows `regexp/syntax` of Go 1.26, and matched by `regex-automata`, which is given the
//! meaning and not the text: the two dialects differ in classes, escapes, flags and limits. Whoever only asks whether a
//! pattern is one needs no engine: the feature `re2` has [`check`], the feature `regex` has [`Regex`] too.

#[cfg_attr(
    not(feature = "regex"),
    expect(dead_code, reason = "what a pattern means is for those who match it")
)]
mod ast;
mod class;
mod error;
#[cfg(feature = "regex")]
mod hir;
#[cfg(feature = "regex")]
mod matcher;
mod parse;
#[cfg(feature = "regex")]
mod program;
#[cfg(feature = "regex")]
mod regex;

pub use error::Error;
#[cfg(feature = "regex")]
pub use matcher::{Matcher, Unanswered};
#[cfg(feature = "regex")]
pub use regex::Regex;

/// Whether Go takes the pattern. It is not compiled, which is much faster.
///
/// # Errors
/// - The first thing for which Go refuses it.
///
/// ```
/// use crd_cel::re2;
///
/// assert!(re2::check(r"^[a-z]+(\d{2,3})?$").is_ok());
/// let error = re2::check("a(b").unwrap_err();
/// assert_eq!(error.to_string(), "error parsing regexp: missing closing ): `a(b`");
/// ```
pub fn check(pattern: &str) -> Result<(), Error> {
    parse::parse(pattern).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "regex")]
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

    #[cfg(feature = "regex")]
    #[test]
    fn patterns_of_many_parts_are_not_compiled() {
        let many = "x*".repeat(regex::MAX_PARTS);
        assert!(check(&many).is_ok());
        let error = Regex::new(&many).map_err(|error| error.to_string());
        assert!(error.is_err_and(|text| text.starts_with("error parsing regexp: expression too large: ")));
    }
}
