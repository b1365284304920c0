//! Patterns: RE2 as the API server reads it into the regular expressions of ECMAScript.

/// Translates a pattern; `None` where it uses what ECMAScript does not have, or reads in another way.
pub(super) fn to_ecma(pattern: &str) -> Option<String> {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.char_indices().peekable();
    let mut in_class = false;
    // A dash after a set such as `\w` is no range.
    let mut after_set = false;
    while let Some((at, c)) = chars.next() {
        let rest = &pattern[at..];
        let was_set = std::mem::take(&mut after_set);
        match c {
            '-' if in_class && was_set => out.push_str("\\-"),
            '\\' => {
                let (_, escaped) = chars.next()?;
                after_set = matches!(escaped, 'd' | 'D' | 's' | 'w' | 'W');
                escape(escaped, in_class, &mut chars, &mut out)?;
            }
            // Classes such as `[[:alpha:]]` are literal brackets in ECMAScript.
            '[' if in_class && rest.starts_with("[:") => return None,
            '[' if in_class => out.push_str("\\["),
            '[' => {
                in_class = true;
                out.push('[');
                if chars.next_if(|(_, c)| *c == '^').is_some() {
                    out.push('^');
                }
                // The first bracket of a class is an item of it.
                if chars.next_if(|(_, c)| *c == ']').is_some() {
                    out.push_str("\\]");
                }
            }
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            ']' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '(' if !in_class && rest.starts_with("(?P<") => {
                out.push_str("(?<");
                chars.nth(2);
            }
            '(' if !in_class && rest.starts_with("(?") => {
                if !rest.starts_with("(?:") && !rest.starts_with("(?<") {
                    return None;
                }
                out.push('(');
            }
            '{' if !in_class => {
                let end = repetition(rest)?;
                out.push_str(&rest[..end]);
                chars.nth(end - 2);
            }
            // RE2's dot is every character but a line feed.
            '.' if !in_class => out.push_str("[^\\n]"),
            c => out.push(c),
        }
    }
    Some(out)
}

/// The length of `{2}`, `{2,}` or `{2,5}`; `None` for a brace that stands for itself.
fn repetition(rest: &str) -> Option<usize> {
    let end = rest.find('}')?;
    let (least, most) = rest[1..end].split_once(',').unwrap_or((&rest[1..end], ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (!least.is_empty() && is_number(least) && is_number(most)).then_some(end + 1)
}

fn escape(
    c: char,
    in_class: bool,
    chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>,
    out: &mut String,
) -> Option<()> {
    match c {
        'A' if !in_class => out.push('^'),
        'z' if !in_class => out.push('$'),
        // ECMAScript's `\s` has the spaces of Unicode, too.
        's' if in_class => out.push_str("\\t\\n\\f\\r "),
        's' => out.push_str("[\\t\\n\\f\\r ]"),
        'S' if !in_class => out.push_str("[^\\t\\n\\f\\r ]"),
        'a' => out.push_str("\\x07"),
        'd' | 'D' | 'w' | 'W' | 't' | 'n' | 'f' | 'r' | 'v' => out.extend(['\\', c]),
        'b' | 'B' if !in_class => out.extend(['\\', c]),
        'x' => {
            // `\x41`; `\x{41}` is left out.
            let digits: String = [chars.next()?.1, chars.next()?.1].iter().collect();
            u8::from_str_radix(&digits, 16).ok()?;
            out.push_str(&format!("\\x{digits}"));
        }
        // With the flag `u`, only these may be escaped; `-` only in classes.
        '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' => {
            out.extend(['\\', c]);
        }
        '-' if in_class => out.push_str("\\-"),
        c if c.is_ascii_punctuation() => out.push(c),
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::to_ecma;

    #[test]
    fn patterns_mean_the_same_in_ecma() {
        for (pattern, expected) in [
            ("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", Some("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")),
            (r"\Aa\z", Some("^a$")),
            (r"(?P<year>\d{4})", Some(r"(?<year>\d{4})")),
            (r"a\-b\_c", Some("a-b_c")),
            (r"[\w\-\.]+", Some(r"[\w\-\.]+")),
            (r"\s[\s]", Some(r"[\t\n\f\r ][\t\n\f\r ]")),
            ("a.b[.]", Some(r"a[^\n]b[.]")),
            (r"[\w-_.]", Some(r"[\w\-_.]")),
            ("[]a]}", Some(r"[\]a]\}")),
            ("x{2,}y{1,3}", Some("x{2,}y{1,3}")),
            ("(?i)a", None),
            ("[[:alpha:]]", None),
            (r"\pL", None),
            ("a{,2}", None),
        ] {
            assert_eq!(to_ecma(pattern).as_deref(), expected, "{pattern}");
        }
    }
}
