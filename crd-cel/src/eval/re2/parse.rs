//! Text -> [`Ast`], with Go's errors. Follows `regexp/syntax/parse.go`, flags `Perl`.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange, Look};

use super::ast::{Ast, Kind, Repeat};
use super::class;
use super::error::{Code, Error};

/// How many nodes may stand above each other.
const MAX_HEIGHT: u32 = 1000;
/// How many instructions a pattern may become.
const MAX_SIZE: u64 = (128 << 20) / 40;
/// How many ends of ranges the classes of a pattern may have.
const MAX_RUNES: usize = (128 << 20) / 4;
const MAX_REPEAT: u32 = 1000;

/// Reads a pattern.
pub(super) fn parse(pattern: &str) -> Result<Ast, Error> {
    let mut parser =
        Parser { whole: pattern, rest: pattern, flags: Flags::default(), stack: Vec::new(), runes: 0 };
    parser.run()
}

#[derive(Clone, Copy, Default)]
struct Flags {
    /// `i`
    folds_case: bool,
    /// `m`
    is_multi_line: bool,
    /// `s`
    dot_takes_line_breaks: bool,
    /// `U`
    is_lazy: bool,
}

enum Item {
    Ast(Ast),
    /// A parenthesis, whether it captures, and the flags outside of it.
    Open {
        captures: bool,
        outside: Flags,
    },
    Bar,
}

struct Parser<'p> {
    whole: &'p str,
    rest: &'p str,
    flags: Flags,
    stack: Vec<Item>,
    runes: usize,
}

impl<'p> Parser<'p> {
    fn run(&mut self) -> Result<Ast, Error> {
        let mut last_repeat: Option<&'p str> = None;
        while let Some(c) = self.rest.chars().next() {
            let start = self.rest;
            let mut repeat = None;
            match c {
                '(' if start.starts_with("(?") => self.group_or_flags()?,
                '(' => {
                    self.rest = &start[1..];
                    self.open(true, self.flags);
                }
                '|' => {
                    self.rest = &start[1..];
                    self.concat()?;
                    self.stack.push(Item::Bar);
                }
                ')' => {
                    self.rest = &start[1..];
                    self.close()?;
                }
                '^' => self.look(1, if self.flags.is_multi_line { Look::StartLF } else { Look::Start })?,
                '$' => self.look(1, if self.flags.is_multi_line { Look::EndLF } else { Look::End })?,
                '.' => {
                    self.rest = &start[1..];
                    let mut class = class::class(&[('\n', '\n')]);
                    if self.flags.dot_takes_line_breaks {
                        class = class::class(&[('\0', char::MAX)]);
                    } else {
                        class.negate();
                    }
                    self.push(Ast::leaf(Kind::Class(class)))?;
                }
                '[' => self.class()?,
                '*' | '+' | '?' => {
                    self.rest = &start[1..];
                    let (least, most) = match c {
                        '*' => (0, None),
                        '+' => (1, None),
                        _ => (0, Some(1)),
                    };
                    self.repeat(least, most, false, start, last_repeat)?;
                    repeat = Some(start);
                }
                '{' => match counts(start) {
                    Some((counts, rest)) => {
                        self.rest = rest;
                        let written = &start[..start.len() - rest.len()];
                        let invalid = || Error::new(Code::RepeatCount, written);
                        let (least, most) = counts.ok_or_else(invalid)?;
                        if least > MAX_REPEAT || most.is_some_and(|most| most > MAX_REPEAT || most < least) {
                            return Err(invalid());
                        }
                        self.repeat(least, most, true, start, last_repeat)?;
                        repeat = Some(start);
                    }
                    None => {
                        self.rest = &start[1..];
                        self.literal('{')?;
                    }
                },
                '\\' => self.escape()?,
                c => {
                    self.rest = &start[c.len_utf8()..];
                    self.literal(c)?;
                }
            }
            last_repeat = repeat;
        }
        let ast = self.alternate()?;
        match self.stack.pop() {
            None => Ok(ast),
            Some(_) => Err(Error::new(Code::MissingParen, self.whole)),
        }
    }

    fn open(&mut self, captures: bool, outside: Flags) {
        self.stack.push(Item::Open { captures, outside });
    }

    fn close(&mut self) -> Result<(), Error> {
        let inner = self.alternate()?;
        let Some(Item::Open { captures, outside }) = self.stack.pop() else {
            return Err(Error::new(Code::UnexpectedParen, self.whole));
        };
        self.flags = outside;
        self.push(if captures { Ast::capture(inner) } else { inner })
    }

    fn push(&mut self, ast: Ast) -> Result<(), Error> {
        if let Kind::Class(class) = &ast.kind {
            self.runes += 2 * class.ranges().len();
        }
        self.check_limits(&ast)?;
        self.stack.push(Item::Ast(ast));
        Ok(())
    }

    fn check_limits(&self, ast: &Ast) -> Result<(), Error> {
        if self.runes > MAX_RUNES || ast.size > MAX_SIZE {
            return Err(Error::new(Code::TooLarge, self.whole));
        }
        if ast.height > MAX_HEIGHT {
            return Err(Error::new(Code::TooDeep, self.whole));
        }
        Ok(())
    }

    fn look(&mut self, length: usize, look: Look) -> Result<(), Error> {
        self.rest = &self.rest[length..];
        self.push(Ast::leaf(Kind::Look(look)))
    }

    fn literal(&mut self, c: char) -> Result<(), Error> {
        self.push(Ast::leaf(Kind::Literal(c.to_string(), self.flags.folds_case)))
    }

    fn repeat(
        &mut self,
        least: u32,
        most: Option<u32>,
        is_counted: bool,
        start: &'p str,
        last: Option<&'p str>,
    ) -> Result<(), Error> {
        let mut is_greedy = !self.flags.is_lazy;
        if let Some(rest) = self.rest.strip_prefix('?') {
            self.rest = rest;
            is_greedy = !is_greedy;
        }
        let written = |from: &'p str| &from[..from.len() - self.rest.len()];
        if let Some(last) = last {
            return Err(Error::new(Code::NestedRepetition, written(last)));
        }
        if !matches!(self.stack.last(), Some(Item::Ast(_))) {
            return Err(Error::new(Code::MissingArgument, written(start)));
        }
        let Some(Item::Ast(inner)) = self.stack.pop() else { return Ok(()) };
        let ast = Ast::repeat(Repeat { inner: Box::new(inner), least, most, is_greedy, is_counted });
        self.check_limits(&ast)?;
        let is_many = least >= 2 || most.is_some_and(|most| most >= 2);
        if is_counted && is_many && !ast.repeats_at_most(MAX_REPEAT) {
            return Err(Error::new(Code::RepeatCount, written(start)));
        }
        self.stack.push(Item::Ast(ast));
        Ok(())
    }

    /// Puts what stands above the last parenthesis or bar into one.
    fn concat(&mut self) -> Result<(), Error> {
        let start = self.stack.iter().rposition(|item| !matches!(item, Item::Ast(_))).map_or(0, |at| at + 1);
        let mut parts: Vec<Ast> = Vec::new();
        for item in self.stack.drain(start..) {
            let Item::Ast(ast) = item else { continue };
            // Characters one after another are one node.
            match (parts.last_mut().map(|last| (&mut last.kind, &mut last.size)), &ast.kind) {
                (Some((Kind::Literal(text, folds), size)), Kind::Literal(more, more_folds))
                    if folds == more_folds =>
                {
                    text.push_str(more);
                    *size += ast.size;
                }
                _ => parts.push(ast),
            }
        }
        self.push(Ast::concat(parts))
    }

    /// Puts what stands above the last parenthesis into one.
    fn alternate(&mut self) -> Result<Ast, Error> {
        self.concat()?;
        let mut branches = Vec::new();
        while let Some(item) = self.stack.pop() {
            match item {
                Item::Ast(ast) => branches.push(ast),
                Item::Bar => {}
                open @ Item::Open { .. } => {
                    self.stack.push(open);
                    break;
                }
            }
        }
        branches.reverse();
        let ast = Ast::alternate(branches);
        self.check_limits(&ast)?;
        Ok(ast)
    }

    /// `(?P<name>`, `(?<name>`, `(?flags)` and `(?flags:`.
    fn group_or_flags(&mut self) -> Result<(), Error> {
        let start = self.rest;
        let name = start
            .strip_prefix("(?P<")
            .filter(|name| !name.is_empty())
            .or_else(|| start.strip_prefix("(?<").filter(|name| !name.is_empty()));
        if let Some(name) = name {
            let Some(end) = name.find('>') else { return Err(Error::new(Code::NamedCapture, start)) };
            let rest = &name[end + 1..];
            let name = &name[..end];
            if name.is_empty() || !name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
                return Err(Error::new(Code::NamedCapture, &start[..start.len() - rest.len()]));
            }
            self.rest = rest;
            self.open(true, self.flags);
            return Ok(());
        }
        let outside = self.flags;
        let (mut flags, mut is_on, mut saw_flag) = (outside, true, false);
        self.rest = &start[2..];
        while let Some(c) = self.rest.chars().next() {
            self.rest = &self.rest[c.len_utf8()..];
            match c {
                'i' => flags.folds_case = is_on,
                'm' => flags.is_multi_line = is_on,
                's' => flags.dot_takes_line_breaks = is_on,
                'U' => flags.is_lazy = is_on,
                '-' if is_on => {
                    is_on = false;
                    saw_flag = false;
                    continue;
                }
                ':' | ')' if is_on || saw_flag => {
                    if c == ':' {
                        self.open(false, outside);
                    }
                    self.flags = flags;
                    return Ok(());
                }
                _ => break,
            }
            saw_flag = true;
        }
        Err(Error::new(Code::PerlSyntax, &start[..start.len() - self.rest.len()]))
    }

    /// An escape outside of a class.
    fn escape(&mut self) -> Result<(), Error> {
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

    /// `\pL`, `\p{Greek}`, `\d` and so on; nothing is read if there is none.
    fn named_class(&mut self) -> Result<Option<ClassUnicode>, Error> {
        let start = self.rest;
        let Some(letter) = start.strip_prefix('\\').and_then(|rest| rest.chars().next()) else {
            return Ok(None);
        };
        if let Some((class, is_negated)) = class::perl(letter) {
            self.rest = &start[2..];
            return Ok(Some(self.folded(class, is_negated)));
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
        let Some(class) = class::unicode(bare) else {
            return Err(Error::new(Code::ClassRange, &start[..start.len() - rest.len()]));
        };
        self.rest = rest;
        Ok(Some(self.folded(class, is_inverted != (letter == 'P'))))
    }

    fn folded(&self, mut class: ClassUnicode, is_negated: bool) -> ClassUnicode {
        if self.flags.folds_case {
            class.case_fold_simple();
        }
        if is_negated {
            class.negate();
        }
        class
    }

    /// `[...]`
    fn class(&mut self) -> Result<(), Error> {
        let start = self.rest;
        self.rest = &start[1..];
        let negated = self.rest.strip_prefix('^');
        self.rest = negated.unwrap_or(self.rest);
        let mut class = ClassUnicode::empty();
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
                class.union(&self.folded(named, is_negated));
                continue;
            }
            if let Some(named) = self.named_class()? {
                class.union(&named);
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
            let range = ClassUnicode::new([ClassUnicodeRange::new(low, high)]);
            class.union(&self.folded(range, false));
        }
        self.rest = &self.rest[1..];
        if negated.is_some() {
            class.negate();
        }
        self.push(Ast::leaf(Kind::Class(class)))
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

    /// An escape that stands for one character.
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

    /// Up to three octal digits.
    fn octal(&self, start: &'p str) -> Option<(char, &'p str)> {
        let digits = &start[1..];
        let length = digits.bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
        let value = u32::from_str_radix(&digits[..length], 8).ok()?;
        Some((char::from_u32(value)?, &digits[length..]))
    }

    /// Two hexadecimal digits, or any number of them in braces.
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
                // Go reads the second character before it looks at the first.
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
        // Half of a pair of surrogates is in no text.
        Ok(char::from_u32(value).unwrap_or('\u{fffd}'))
    }
}

/// Least and most of a repetition in braces.
type Counts = (u32, Option<u32>);

/// `{2}`, `{2,}` and `{2,3}`, or none of them, in which case the brace stands for itself. Numbers that are far too large
/// give no counts.
fn counts(text: &str) -> Option<(Option<Counts>, &str)> {
    let (least, rest) = integer(text.strip_prefix('{')?)?;
    let (most, rest) = match rest.strip_prefix(',') {
        None => (least.map(Some), rest),
        Some(rest) if rest.starts_with('}') => (Some(None), rest),
        Some(rest) => {
            let (most, rest) = integer(rest)?;
            (most.map(Some), rest)
        }
    };
    let rest = rest.strip_prefix('}')?;
    Some((least.zip(most), rest))
}

/// Digits without a zero before them.
fn integer(text: &str) -> Option<(Option<u32>, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(length);
    if digits.is_empty() || digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    Some((digits.parse().ok().filter(|number| *number < 1_000_000_000), rest))
}
