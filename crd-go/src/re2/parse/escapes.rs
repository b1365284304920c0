//! Escapes and classes: `\d`, `\x41`, `\p{Greek}`, `[a-z]`.

use std::sync::Arc;

use super::super::ast::{Ast, Kind};
use super::super::class::{self, ClassUnicode, Look};
use super::super::error::{Code, Error};
use super::Parser;

impl<'p> Parser<'p> {
    /// Parses an escape outside a class.
    pub(super) fn escape(&mut self) -> Result<(), Error> {
        let start = self.rest;
        match start[1..].chars().next() {
            Some('A') => return self.look(2, Look::Start),
            Some('z') => return self.look(2, Look::End),
            Some('b') => return self.look(2, Look::WordAscii),
            Some('B') => return self.look(2, Look::WordAsciiNegate),
            Some('C') => return Err(Error::new(Code::Escape, &start[..2])),
            Some('Q') => {
                let (text, rest) = start[2..].split_once("\\E").unwrap_or((&start[2..], ""));
                self.rest = rest;
                return text.chars().try_for_each(|c| self.literal(c));
            }
            _ => {}
        }
        if let Some(class) = self.named_class()? {
            return self.push(Ast::leaf(Kind::Class(class)));
        }
        let c = self.escaped_char()?;
        self.literal(c)
    }

    /// Parses a class such as `\pL`, `\p{Greek}` or `\d`. Consumes nothing if the next characters are not a class.
    fn named_class(&mut self) -> Result<Option<Arc<ClassUnicode>>, Error> {
        let start = self.rest;
        let Some(letter) = start.strip_prefix('\\').and_then(|rest| rest.chars().next()) else {
            return Ok(None);
        };
        if let Some((class, is_negated)) = class::perl(letter) {
            self.rest = &start[2..];
            return Ok(self.known(&start[..2], |folds| Some(class::folded(class, folds, is_negated))));
        }
        if !matches!(letter, 'p' | 'P') {
            return Ok(None);
        }
        let Some(first) = start[2..].chars().next() else {
            return Err(Error::new(Code::ClassRange, start));
        };
        let (name, rest) = if first == '{' {
            let invalid = || Error::new(Code::ClassRange, start);
            start[3..].split_once('}').ok_or_else(invalid)?
        } else {
            start[2..].split_at(first.len_utf8())
        };
        let (bare, is_inverted) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
        let written = &start[..start.len() - rest.len()];
        self.rest = rest;
        let is_negated = is_inverted != (letter == 'P');
        let class =
            self.known(written, |folds| Some(class::folded(class::unicode(bare)?, folds, is_negated)));
        class.map(Some).ok_or_else(|| Error::new(Code::ClassRange, written))
    }

    /// Returns the class for a notation. Each class is built when its notation occurs for the first time.
    fn known(
        &mut self,
        written: &'p str,
        make: impl FnOnce(bool) -> Option<ClassUnicode>,
    ) -> Option<Arc<ClassUnicode>> {
        let folds_case = self.flags.folds_case;
        if let Some(class) = self.classes.get(&(written, folds_case)) {
            return Some(Arc::clone(class));
        }
        let class = Arc::new(make(folds_case)?);
        self.classes.insert((written, folds_case), Arc::clone(&class));
        Some(class)
    }

    /// Parses a class in brackets: `[...]`.
    pub(super) fn class(&mut self) -> Result<(), Error> {
        let start = self.rest;
        self.rest = &start[1..];
        let negated = self.rest.strip_prefix('^');
        self.rest = negated.unwrap_or(self.rest);
        // The parts are united once at the end: one union for each part would take quadratic time.
        let (mut ranges, mut parts) = (Vec::new(), Vec::new());
        let mut is_first = true;
        while is_first || !self.rest.starts_with(']') {
            is_first = false;
            if let Some(inner) = self.rest.strip_prefix("[:")
                && let Some((name, rest)) = inner.split_once(":]")
            {
                let Some((named, is_negated)) = class::posix(name) else {
                    let part = &self.rest[..self.rest.len() - rest.len()];
                    return Err(Error::new(Code::ClassRange, part));
                };
                self.rest = rest;
                let folds_case = self.flags.folds_case;
                parts.push(Arc::new(class::folded(named, folds_case, is_negated)));
                continue;
            }
            if let Some(named) = self.named_class()? {
                parts.push(named);
                continue;
            }
            let range = self.rest;
            let low = self.class_char(start)?;
            let mut high = low;
            // A hyphen before the end stands for itself.
            if let Some(rest) = self.rest.strip_prefix('-')
                && !rest.is_empty()
                && !rest.starts_with(']')
            {
                self.rest = rest;
                high = self.class_char(start)?;
                if high < low {
                    return Err(Error::new(Code::ClassRange, &range[..range.len() - self.rest.len()]));
                }
            }
            ranges.push((low, high));
        }
        self.rest = &self.rest[1..];
        let written = &start[..start.len() - self.rest.len()];
        let class = self.known(written, |folds| {
            let plain = class::folded(class::class(&ranges), folds, false);
            let parts: Vec<_> = parts.iter().map(Arc::as_ref).chain([&plain]).collect();
            Some(class::folded(class::united(&parts), false, negated.is_some()))
        });
        class.map_or(Ok(()), |class| self.push(Ast::leaf(Kind::Class(class))))
    }

    fn class_char(&mut self, whole: &str) -> Result<char, Error> {
        match self.rest.chars().next() {
            None => Err(Error::new(Code::MissingBracket, whole)),
            Some('\\') => self.escaped_char(),
            Some(c) => {
                self.rest = &self.rest[c.len_utf8()..];
                Ok(c)
            }
        }
    }

    /// Returns an escape that represents one character.
    fn escaped_char(&mut self) -> Result<char, Error> {
        let start = self.rest;
        let mut chars = start[1..].chars();
        let Some(c) = chars.next() else { return Err(Error::new(Code::TrailingBackslash, "")) };
        let octal = |c: char| c.to_digit(8);
        let found = match c {
            '0' => self.octal(start),
            '1'..='7' if chars.clone().next().is_some_and(|next| octal(next).is_some()) => self.octal(start),
            'x' => return self.hexadecimal(start),
            'a' => Some(('\u{7}', chars.as_str())),
            'f' => Some(('\u{c}', chars.as_str())),
            'n' => Some(('\n', chars.as_str())),
            'r' => Some(('\r', chars.as_str())),
            't' => Some(('\t', chars.as_str())),
            'v' => Some(('\u{b}', chars.as_str())),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some((c, chars.as_str())),
            _ => None,
        };
        let Some((c, rest)) = found else {
            let end = start.len() - chars.as_str().len();
            return Err(Error::new(Code::Escape, &start[..end]));
        };
        self.rest = rest;
        Ok(c)
    }

    /// Reads up to three octal digits.
    fn octal(&self, start: &'p str) -> Option<(char, &'p str)> {
        let digits = &start[1..];
        let length = digits.bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
        let value = u32::from_str_radix(&digits[..length], 8).ok()?;
        Some((char::from_u32(value)?, &digits[length..]))
    }

    /// Reads two hexadecimal digits, or any number of them in braces.
    fn hexadecimal(&mut self, start: &'p str) -> Result<char, Error> {
        let mut rest = &start[2..];
        let mut next = || {
            let c = rest.chars().next()?;
            rest = &rest[c.len_utf8()..];
            Some(c)
        };
        let mut value = 0;
        let mut is_right = false;
        match next() {
            Some('{') => {
                let mut digits = 0;
                while let Some(c) = next() {
                    if c == '}' {
                        is_right = digits > 0;
                        break;
                    }
                    let Some(digit) = c.to_digit(16) else { break };
                    value = value * 16 + digit;
                    if value > u32::from(char::MAX) {
                        break;
                    }
                    digits += 1;
                }
            }
            Some(first) => {
                // Go reads the second character before it checks the first.
                let second = next().and_then(|c| c.to_digit(16));
                if let (Some(first), Some(second)) = (first.to_digit(16), second) {
                    value = first * 16 + second;
                    is_right = true;
                }
            }
            None => {}
        }
        if !is_right {
            return Err(Error::new(Code::Escape, &start[..start.len() - rest.len()]));
        }
        self.rest = rest;
        // No text contains a lone surrogate.
        Ok(char::from_u32(value).unwrap_or('\u{fffd}'))
    }
}
