//! Says whether Go's `regexp` takes a pattern, and if not, why, in its words.
//!
//! The syntax is RE2's with Perl's additions, as `regexp.Compile` reads it; the pattern is not compiled.

mod unicode_names;

use std::fmt;

/// Why Go's `regexp` refuses a pattern.
///
/// Printed as Go prints it: ``error parsing regexp: missing closing ): `(` ``.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegexpError {
    code: &'static str,
    fragment: String,
}

impl fmt::Display for RegexpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error parsing regexp: {}: `{}`", self.code, self.fragment)
    }
}

impl std::error::Error for RegexpError {}

/// Checks a pattern.
///
/// # Errors
/// - The first thing for which Go refuses it.
///
/// ```
/// assert!(crd_cel::re2::check(r"^[a-z]+(\d{2,3})?$").is_ok());
/// let error = crd_cel::re2::check("a(b").unwrap_err();
/// assert_eq!(error.to_string(), "error parsing regexp: missing closing ): `a(b`");
/// ```
pub fn check(pattern: &str) -> Result<(), RegexpError> {
    Parser { whole: pattern, groups: Vec::new(), level: Level::default() }.parse()
}

type Checked<T> = Result<T, RegexpError>;

fn error<T>(code: &'static str, fragment: &str) -> Checked<T> {
    Err(RegexpError { code, fragment: fragment.to_owned() })
}

const MISSING_BRACKET: &str = "missing closing ]";
const MISSING_PAREN: &str = "missing closing )";
const MISSING_ARGUMENT: &str = "missing argument to repetition operator";
const BAD_RANGE: &str = "invalid character class range";
const BAD_ESCAPE: &str = "invalid escape sequence";
const BAD_NAME: &str = "invalid named capture";
const BAD_PERL: &str = "invalid or unsupported Perl syntax";
const BAD_REPEAT: &str = "invalid repeat count";
const NESTED_REPEAT: &str = "invalid nested repetition operator";

/// The most that `{n}` may say, also multiplied with those inside.
const MAX_REPEAT: i32 = 1000;
const MAX_NESTING: usize = 1000;

/// What stands in the group that is being read.
#[derive(Clone, Copy, Default)]
struct Level {
    /// How often the last atom repeats its innermost part; `None` where there is no atom to repeat.
    last: Option<i32>,
    /// The most of all atoms.
    most: i32,
}

struct Parser<'p> {
    whole: &'p str,
    groups: Vec<Level>,
    level: Level,
}

impl<'p> Parser<'p> {
    fn parse(mut self) -> Checked<()> {
        let mut rest = self.whole;
        let mut last_repeat = "";
        while let Some(first) = rest.chars().next() {
            let mut repeat = "";
            rest = match first {
                '(' if rest.starts_with("(?") => self.perl_group(rest)?,
                '(' => {
                    self.open()?;
                    &rest[1..]
                }
                '|' => {
                    self.level.last = None;
                    &rest[1..]
                }
                ')' => {
                    self.close()?;
                    &rest[1..]
                }
                '[' => {
                    self.atom(1);
                    class(rest)?
                }
                '*' | '+' | '?' => {
                    repeat = rest;
                    self.repeat(rest, &rest[1..], None, last_repeat)?
                }
                '{' => match counted(rest) {
                    Some((min, max, after)) => {
                        if !(0..=MAX_REPEAT).contains(&min) || max > MAX_REPEAT || (max >= 0 && min > max) {
                            return error(BAD_REPEAT, &rest[..rest.len() - after.len()]);
                        }
                        repeat = rest;
                        self.repeat(rest, after, Some((min, max)), last_repeat)?
                    }
                    None => {
                        self.atom(1);
                        &rest[1..]
                    }
                },
                '\\' => self.backslash(rest)?,
                other => {
                    self.atom(1);
                    &rest[other.len_utf8()..]
                }
            };
            last_repeat = repeat;
        }
        if self.groups.is_empty() { Ok(()) } else { error(MISSING_PAREN, self.whole) }
    }

    fn atom(&mut self, repeats: i32) {
        self.level.last = Some(repeats);
        self.level.most = self.level.most.max(repeats);
    }

    fn open(&mut self) -> Checked<()> {
        if self.groups.len() == MAX_NESTING {
            return error("expression nests too deeply", self.whole);
        }
        self.groups.push(std::mem::take(&mut self.level));
        Ok(())
    }

    fn close(&mut self) -> Checked<()> {
        let Some(outer) = self.groups.pop() else { return error("unexpected )", self.whole) };
        let repeats = self.level.most.max(1);
        self.level = outer;
        self.atom(repeats);
        Ok(())
    }

    /// A repetition that begins at `before` and goes on to `after`.
    fn repeat(
        &mut self,
        before: &'p str,
        mut after: &'p str,
        counts: Option<(i32, i32)>,
        last_repeat: &str,
    ) -> Checked<&'p str> {
        after = after.strip_prefix('?').unwrap_or(after);
        if !last_repeat.is_empty() {
            return error(NESTED_REPEAT, &last_repeat[..last_repeat.len() - after.len()]);
        }
        let fragment = &before[..before.len() - after.len()];
        let Some(inner) = self.level.last else { return error(MISSING_ARGUMENT, fragment) };
        if let Some((min, max)) = counts {
            let times = if max < 0 { min } else { max };
            let repeats = if max == 0 { 1 } else { times.max(1).saturating_mul(inner) };
            if repeats > MAX_REPEAT && (min >= 2 || max >= 2) {
                return error(BAD_REPEAT, fragment);
            }
            self.atom(repeats);
        }
        Ok(after)
    }

    /// `(?i)`, `(?i:`, `(?P<name>` and `(?<name>`.
    fn perl_group(&mut self, text: &'p str) -> Checked<&'p str> {
        let name_at = if text.starts_with("(?P<") && text.len() > 4 {
            Some(4)
        } else if text.starts_with("(?<") && text.len() > 3 {
            Some(3)
        } else {
            None
        };
        if let Some(name_at) = name_at {
            let Some(end) = text.find('>') else { return error(BAD_NAME, text) };
            let name = &text[name_at..end.max(name_at)];
            if name.is_empty() || !name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
                return error(BAD_NAME, &text[..=end]);
            }
            self.open()?;
            return Ok(&text[end + 1..]);
        }
        let (mut negated, mut saw_flag) = (false, false);
        let mut end = 2;
        for flag in text[2..].chars() {
            end += flag.len_utf8();
            match flag {
                'i' | 'm' | 's' | 'U' => saw_flag = true,
                '-' if !negated => (negated, saw_flag) = (true, false),
                ':' | ')' if !negated || saw_flag => {
                    if flag == ':' {
                        self.open()?;
                    }
                    return Ok(&text[end..]);
                }
                _ => break,
            }
        }
        error(BAD_PERL, &text[..end])
    }

    fn backslash(&mut self, text: &'p str) -> Checked<&'p str> {
        match text.as_bytes().get(1) {
            Some(b'C') => return error(BAD_ESCAPE, "\\C"),
            Some(b'Q') => {
                let quoted = &text[2..];
                let (literal, rest) = quoted.split_once("\\E").unwrap_or((quoted, ""));
                if !literal.is_empty() {
                    self.atom(1);
                }
                return Ok(rest);
            }
            _ => {}
        }
        self.atom(1);
        if matches!(text.as_bytes().get(1), Some(b'A' | b'b' | b'B' | b'z')) {
            return Ok(&text[2..]);
        }
        if let Some(rest) = class_escape(text)? {
            return Ok(rest);
        }
        Ok(escape(text)?.1)
    }
}

/// Reads `{2}`, `{2,}` or `{2,3}`; a number that is too large counts as -1, and so does the absent one.
fn counted(text: &str) -> Option<(i32, i32, &str)> {
    let (mut min, rest) = number(text.strip_prefix('{')?)?;
    let (max, rest) = match rest.strip_prefix(',') {
        None => (min, rest),
        Some(rest) if rest.starts_with('}') => (-1, rest),
        Some(rest) => {
            let (max, rest) = number(rest)?;
            if max < 0 {
                min = -1;
            }
            (max, rest)
        }
    };
    Some((min, max, rest.strip_prefix('}')?))
}

fn number(text: &str) -> Option<(i32, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let digits = &text[..length];
    if digits.is_empty() || (length > 1 && digits.starts_with('0')) {
        return None;
    }
    let value = digits.parse::<i32>().ok().filter(|value| *value < 1_000_000_000).unwrap_or(-1);
    Some((value, &text[length..]))
}

/// Reads a bracketed class and returns what follows it.
fn class(text: &str) -> Checked<&str> {
    let mut rest = &text[1..];
    rest = rest.strip_prefix('^').unwrap_or(rest);
    let mut first = true;
    while first || !rest.starts_with(']') {
        first = false;
        if rest.len() > 2
            && rest.starts_with("[:")
            && let Some(end) = rest[2..].find(":]")
        {
            let name = &rest[..end + 4];
            if !POSIX.contains(&name.trim_start_matches("[:").trim_start_matches('^').trim_end_matches(":]"))
            {
                return error(BAD_RANGE, name);
            }
            rest = &rest[end + 4..];
            continue;
        }
        if let Some(after) = class_escape(rest)? {
            rest = after;
            continue;
        }
        let start = rest;
        let (low, after) = class_char(rest, text)?;
        rest = after;
        if rest.len() >= 2 && rest.starts_with('-') && rest.as_bytes()[1] != b']' {
            let (high, after) = class_char(&rest[1..], text)?;
            rest = after;
            if high < low {
                return error(BAD_RANGE, &start[..start.len() - rest.len()]);
            }
        }
    }
    Ok(&rest[1..])
}

const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

fn class_char<'p>(text: &'p str, whole: &str) -> Checked<(u32, &'p str)> {
    match text.chars().next() {
        None => error(MISSING_BRACKET, whole),
        Some('\\') => escape(text),
        Some(first) => Ok((u32::from(first), &text[first.len_utf8()..])),
    }
}

/// `\d` and the like, `\pL` and `\p{Greek}`: what follows them, or `None` where it is none of these.
fn class_escape(text: &str) -> Checked<Option<&str>> {
    match text.as_bytes() {
        [b'\\', b'd' | b'D' | b's' | b'S' | b'w' | b'W', ..] => Ok(Some(&text[2..])),
        [b'\\', b'p' | b'P', ..] => {
            let (name, sequence) = if text[2..].starts_with('{') {
                let Some(end) = text.find('}') else { return error(BAD_RANGE, text) };
                (&text[3..end], &text[..=end])
            } else {
                let length = text[2..].chars().next().map_or(0, char::len_utf8);
                (&text[2..2 + length], &text[..2 + length])
            };
            if !unicode_names::is_known(name.strip_prefix('^').unwrap_or(name)) {
                return error(BAD_RANGE, sequence);
            }
            Ok(Some(&text[sequence.len()..]))
        }
        _ => Ok(None),
    }
}

/// Reads an escaped character.
fn escape(text: &str) -> Checked<(u32, &str)> {
    let mut rest = text[1..].chars();
    let Some(first) = rest.next() else { return error("trailing backslash at end of expression", "") };
    let octal = |rest: &std::str::Chars<'_>| rest.as_str().chars().next().and_then(|next| next.to_digit(8));
    let found = match first {
        '0'..='7' if first == '0' || octal(&rest).is_some() => {
            let mut code = u32::from(first) - u32::from('0');
            for _ in 0..2 {
                let Some(digit) = octal(&rest) else { break };
                code = code * 8 + digit;
                rest.next();
            }
            Some(code)
        }
        'x' => hexadecimal(&mut rest),
        'a' => Some(0x07),
        'f' => Some(0x0c),
        'n' => Some(0x0a),
        'r' => Some(0x0d),
        't' => Some(0x09),
        'v' => Some(0x0b),
        other if other.is_ascii() && !other.is_ascii_alphanumeric() => Some(u32::from(other)),
        _ => None,
    };
    match found {
        Some(code) => Ok((code, rest.as_str())),
        None => error(BAD_ESCAPE, &text[..text.len() - rest.as_str().len()]),
    }
}

/// The digits after `\x`: two of them, or any number in braces.
fn hexadecimal(rest: &mut std::str::Chars<'_>) -> Option<u32> {
    let first = rest.next()?;
    if first != '{' {
        let (high, low) = (first.to_digit(16), rest.next().and_then(|second| second.to_digit(16)));
        return Some(high? * 16 + low?);
    }
    let (mut code, mut digits) = (0, 0);
    loop {
        match rest.next()? {
            '}' if digits > 0 => return Some(code),
            digit => code = code * 16 + digit.to_digit(16)?,
        }
        if code > u32::from(char::MAX) {
            return None;
        }
        digits += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn takes_what_go_takes() {
        for pattern in [
            "",
            "a|*b".trim_start_matches("a|*"),
            "x{2",
            "a{,2}",
            "[]a]",
            "[^]a]",
            r"\_\-\<",
            r"\Qa.b\E*",
            r"\A\z\b\B",
            r"\pL\p{Greek}\P{^Lu}",
            r"\012\0\x{10FFFF}\x41",
            "(?<n>a)(?P<n>b)",
            "(?U)(?i-s:a)",
            "[a&&b][[a]]",
            "[[:^alpha:][:digit:]]",
            "a{1000}",
            "(a{10}){100}",
            "a*?b+?c??d{2}?",
            "(|a)",
            "^*$",
            "[a-]",
            r"[\d-z]",
        ] {
            assert_eq!(check(pattern).map_err(|error| error.to_string()), Ok(()), "{pattern}");
        }
    }

    #[test]
    fn refuses_what_go_refuses_in_its_words() {
        for (pattern, why) in [
            ("(", "missing closing ): `(`"),
            ("a)", "unexpected ): `a)`"),
            ("[a", "missing closing ]: `[a`"),
            ("[0-9", "missing closing ]: `[0-9`"),
            ("a{1001}", "invalid repeat count: `{1001}`"),
            ("(a{1000}){2}", "invalid repeat count: `{2}`"),
            ("a{2,1}", "invalid repeat count: `{2,1}`"),
            ("a**", "invalid nested repetition operator: `**`"),
            ("a++", "invalid nested repetition operator: `++`"),
            ("{2}", "missing argument to repetition operator: `{2}`"),
            ("a|*", "missing argument to repetition operator: `*`"),
            ("(?x)a", "invalid or unsupported Perl syntax: `(?x`"),
            ("(?!a)b", "invalid or unsupported Perl syntax: `(?!`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("(?<=a)", "invalid named capture: `(?<=a)`"),
            (r"\C", r"invalid escape sequence: `\C`"),
            (r"\Z", r"invalid escape sequence: `\Z`"),
            (r"(a)\1", r"invalid escape sequence: `\1`"),
            (r"\u0041", r"invalid escape sequence: `\u`"),
            (r"\é", r"invalid escape sequence: `\é`"),
            ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
            (r"\pX", r"invalid character class range: `\pX`"),
            (r"\p{Foo}", r"invalid character class range: `\p{Foo}`"),
            ("[z-a]", "invalid character class range: `z-a`"),
            ("a\\", "trailing backslash at end of expression: ``"),
        ] {
            let error = check(pattern).expect_err(pattern).to_string();
            assert_eq!(error, format!("error parsing regexp: {why}"), "{pattern}");
        }
    }
}
