//! Email addresses, parsed as `net/mail.ParseAddress` does: `gopher@example.com` or `Gopher <gopher@example.com>`.

use core::net::IpAddr;

/// Returns `true` if the string is one address.
pub(super) fn is_email(text: &str) -> bool {
    let mut parser = Parser { rest: text };
    parser.address(true) == Some(1) && parser.skip_comments() && parser.rest.is_empty()
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    /// Reads an address or, if `group` is `true`, a group of addresses. Returns the number of addresses.
    fn address(&mut self, group: bool) -> Option<usize> {
        self.skip_space();
        if self.rest.is_empty() {
            return None;
        }
        let start = self.rest;
        if self.spec().is_some() {
            self.skip_space();
            return (!self.consume('(') || self.comment()).then_some(1);
        }
        self.rest = start;
        if !start.starts_with('<') {
            self.phrase()?;
        }
        self.skip_space();
        if group && self.consume(':') {
            return self.group();
        }
        (self.consume('<') && self.spec().is_some() && self.consume('>')).then_some(1)
    }

    fn group(&mut self) -> Option<usize> {
        self.skip_space();
        let mut count = 0;
        if self.consume(';') {
            return self.skip_comments().then_some(count);
        }
        loop {
            self.skip_space();
            count += self.address(false)?;
            if !self.skip_comments() {
                return None;
            }
            if self.consume(';') {
                return self.skip_comments().then_some(count);
            }
            if !self.consume(',') {
                return None;
            }
        }
    }

    /// Reads an address of the form `local@domain`.
    fn spec(&mut self) -> Option<()> {
        self.skip_space();
        if self.rest.starts_with('"') {
            self.quoted().filter(|text| !text.is_empty())?;
        } else {
            self.atom(false)?;
        }
        if !self.consume('@') {
            return None;
        }
        self.skip_space();
        if self.consume('[') { self.domain_literal() } else { self.atom(false) }
    }

    /// Reads a phrase of one or more words.
    fn phrase(&mut self) -> Option<()> {
        let mut is_first = true;
        loop {
            if !is_first && !self.skip_comments() {
                return None;
            }
            self.skip_space();
            if self.rest.is_empty() {
                return (!is_first).then_some(());
            }
            let start = self.rest;
            let word = if self.rest.starts_with('"') { self.quoted().map(|_| ()) } else { self.atom(true) };
            if word.is_none() {
                self.rest = start;
                return (!is_first).then_some(());
            }
            is_first = false;
        }
    }

    /// Returns the text between quotes, including escapes.
    fn quoted(&mut self) -> Option<&str> {
        let inner = &self.rest[1..];
        let mut escaped = false;
        for (i, c) in inner.char_indices() {
            match c {
                _ if escaped && (is_visible(c) || is_space(c)) => escaped = false,
                _ if escaped => return None,
                '"' => {
                    self.rest = &inner[i + 1..];
                    return Some(&inner[..i]);
                }
                '\\' => escaped = true,
                c if is_visible(c) || is_space(c) => {}
                _ => return None,
            }
        }
        None
    }

    /// Reads visible characters that have no special meaning. With `loose`, dots are allowed anywhere.
    fn atom(&mut self, loose: bool) -> Option<()> {
        let is_atom = |c: char| is_visible(c) && !"()<>[]:;@\\,\"".contains(c);
        let end = self.rest.find(|c| !is_atom(c)).unwrap_or(self.rest.len());
        let (atom, rest) = self.rest.split_at(end);
        let has_loose_dots = atom.starts_with('.') || atom.ends_with('.') || atom.contains("..");
        if atom.is_empty() || has_loose_dots && !loose {
            return None;
        }
        self.rest = rest;
        Some(())
    }

    /// Reads an IP address in square brackets, after the opening bracket.
    fn domain_literal(&mut self) -> Option<()> {
        let (address, rest) = self.rest.split_once(']')?;
        address.parse::<IpAddr>().ok()?;
        self.rest = rest;
        Some(())
    }

    fn skip_comments(&mut self) -> bool {
        self.skip_space();
        while self.consume('(') {
            if !self.comment() {
                return false;
            }
            self.skip_space();
        }
        true
    }

    /// Reads to the end of a comment, after its opening parenthesis.
    fn comment(&mut self) -> bool {
        let mut depth = 1;
        let mut chars = self.rest.chars();
        while depth > 0 {
            match chars.next() {
                // At the very end it escapes nothing.
                Some('\\') if !chars.as_str().is_empty() => {
                    chars.next();
                }
                Some('(') => depth += 1,
                Some(')') => depth -= 1,
                Some(_) => {}
                None => return false,
            }
        }
        self.rest = chars.as_str();
        true
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches(is_space);
    }

    fn consume(&mut self, c: char) -> bool {
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

fn is_visible(c: char) -> bool {
    !c.is_ascii() || c.is_ascii_graphic()
}

fn is_space(c: char) -> bool {
    c == ' ' || c == '\t'
}

#[cfg(test)]
mod tests {
    use super::is_email;

    #[test]
    fn addresses() {
        for text in [
            "gopher@example.com",
            "Gopher <gopher@example.com>",
            "\"Go \\\" pher\" <a.b@[127.0.0.1]>",
            "\"a b\"@c",
            "a@b (comment (nested))",
            "g: a@b;",
            "m\u{fc}ller@example.com",
            "John Q. Public <a@b>",
            " a@b ",
        ] {
            assert!(is_email(text), "{text}");
        }
        for text in [
            "",
            "a",
            "@b",
            "a@",
            "a@b c",
            "a..b@c",
            ".a@b",
            "a.@b",
            "a@b>",
            "<a@b",
            "a@b,c@d",
            "g:;",
            "\"\"@b",
            "a@[x]",
            "a@b (",
            "g: a@b, c@d;",
        ] {
            assert!(!is_email(text), "{text}");
        }
    }
}
