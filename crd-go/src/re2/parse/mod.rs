//! Parser of patterns, with Go's errors. The parser follows `regexp/syntax/parse.go`, with the flags `Perl`.

mod escapes;

use std::collections::HashMap;
use std::sync::Arc;

use super::ast::{Ast, Kind, Repeat};
use super::class::{self, ClassUnicode, Look};
use super::error::{Code, Error};

/// Maximum height of a tree.
const MAX_HEIGHT: u32 = 1000;
/// Maximum number of instructions of a pattern.
const MAX_SIZE: u64 = (128 << 20) / 40;
/// Maximum number of range ends in classes plus characters in literals. They count again whenever their node is pushed onto the stack.
const MAX_RUNES: u64 = (128 << 20) / 4;
const MAX_REPEAT: u32 = 1000;

/// Reads a pattern.
pub(super) fn parse(pattern: &str) -> Result<Ast, Error> {
    let mut parser = Parser {
        classes: HashMap::new(),
        whole: pattern,
        rest: pattern,
        flags: Flags::default(),
        stack: Vec::new(),
        runes: 0,
        nodes: 0,
        repeats: 1,
    };
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
    /// An open parenthesis: `captures` is `true` for a capturing group, and `outside` are the flags outside it.
    Open {
        captures: bool,
        outside: Flags,
    },
    /// Branches before a bar.
    Branches(Vec<Ast>),
}

/// Minimum number of branches in a group for which the parser counts the rest of the branches, and allocates the list at once.
const MANY_BRANCHES: usize = 1 << 12;

struct Parser<'p> {
    /// The classes by their notation and by case sensitivity.
    classes: HashMap<(&'p str, bool), Arc<ClassUnicode>>,
    whole: &'p str,
    rest: &'p str,
    flags: Flags,
    stack: Vec<Item>,
    runes: u64,
    /// The approximate number of nodes.
    nodes: u64,
    /// The product of all counts in braces; a repetition counts each time that it is checked.
    repeats: u64,
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
                    self.branch()?;
                }
                ')' => {
                    self.rest = &start[1..];
                    self.close()?;
                }
                '^' => self.look(1, if self.flags.is_multi_line { Look::StartLF } else { Look::Start })?,
                '$' => self.look(1, if self.flags.is_multi_line { Look::EndLF } else { Look::End })?,
                '.' => self.dot()?,
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
                '{' => repeat = self.counted_repeat(last_repeat)?,
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

    fn dot(&mut self) -> Result<(), Error> {
        self.rest = &self.rest[1..];
        let class = if self.flags.dot_takes_line_breaks {
            class::class(&[('\0', char::MAX)])
        } else {
            class::folded(class::class(&[('\n', '\n')]), false, true)
        };
        self.push(Ast::leaf(Kind::Class(Arc::new(class))))
    }

    /// Returns a repetition such as `{2,5}`, or a literal `{`. Returns the pattern starting at the
    /// repetition.
    fn counted_repeat(&mut self, last_repeat: Option<&'p str>) -> Result<Option<&'p str>, Error> {
        let start = self.rest;
        let Some((counts, rest)) = counts(start) else {
            self.rest = &start[1..];
            self.literal('{')?;
            return Ok(None);
        };
        self.rest = rest;
        let written = &start[..start.len() - rest.len()];
        let invalid = || Error::new(Code::RepeatCount, written);
        let (least, most) = counts.ok_or_else(invalid)?;
        if least > MAX_REPEAT || most.is_some_and(|most| most > MAX_REPEAT || most < least) {
            return Err(invalid());
        }
        self.repeat(least, most, true, start, last_repeat)?;
        Ok(Some(start))
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
        match captures {
            true => self.push(Ast::capture(inner)),
            false => self.put(inner),
        }
    }

    /// Pushes a new node.
    fn push(&mut self, ast: Ast) -> Result<(), Error> {
        self.nodes += 1;
        self.put(ast)
    }

    /// Pushes a node that already exists. As in Go, the characters of the node count again.
    fn put(&mut self, ast: Ast) -> Result<(), Error> {
        self.count_runes(&ast);
        self.check_limits(&ast)?;
        self.stack.push(Item::Ast(ast));
        Ok(())
    }

    fn count_runes(&mut self, ast: &Ast) {
        self.runes += match &ast.kind {
            Kind::Class(class) => 2 * class::ranges(class),
            // Its size is the number of its characters.
            Kind::Literal(..) => ast.size,
            _ => 0,
        };
    }

    /// Checks the limits of a pattern. Go checks the size only if there are so many nodes that the repetitions could make the
    /// pattern too large: `checkSize`.
    fn check_limits(&mut self, ast: &Ast) -> Result<(), Error> {
        if let Kind::Repeat(repeat) = &ast.kind
            && repeat.is_counted
        {
            let count = repeat.most.unwrap_or(repeat.least).max(1);
            self.repeats = self.repeats.saturating_mul(count.into()).min(MAX_SIZE);
        }
        let may_be_large = self.nodes >= MAX_SIZE / self.repeats;
        if self.runes > MAX_RUNES || may_be_large && ast.size > MAX_SIZE {
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
        self.join_literals();
        self.push(Ast::leaf(Kind::Literal(c.to_string(), self.flags.folds_case)))
    }

    /// Joins preceding characters, so that a long text is one node. The last character stays separate, because
    /// a repetition applies to one character: `maybeConcat` of Go.
    fn join_literals(&mut self) {
        let [.., Item::Ast(before), Item::Ast(last)] = self.stack.as_mut_slice() else { return };
        let (Kind::Literal(text, folds), Kind::Literal(more, more_folds)) = (&mut before.kind, &last.kind)
        else {
            return;
        };
        if folds == more_folds {
            text.push_str(more);
            before.size += last.size;
            self.nodes -= 1;
            self.stack.pop();
        }
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
        self.nodes += 1;
        let ast = Ast::repeat(Repeat { inner: Box::new(inner), least, most, is_greedy, is_counted });
        self.check_limits(&ast)?;
        let is_many = least >= 2 || most.is_some_and(|most| most >= 2);
        if is_counted && is_many && !ast.repeats_at_most(MAX_REPEAT) {
            return Err(Error::new(Code::RepeatCount, written(start)));
        }
        self.stack.push(Item::Ast(ast));
        Ok(())
    }

    /// Concatenates the nodes above the last open parenthesis or bar on the stack.
    fn concat(&mut self) -> Result<(), Error> {
        let start = self.stack.iter().rposition(|item| !matches!(item, Item::Ast(_))).map_or(0, |at| at + 1);
        // The nodes are moved in place, because the stack can be long.
        let above = if start == 0 { std::mem::take(&mut self.stack) } else { self.stack.split_off(start) };
        let asts = above.into_iter().filter_map(|item| match item {
            Item::Ast(ast) => Some(ast),
            Item::Open { .. } | Item::Branches(_) => None,
        });
        let mut parts: Vec<Ast> = asts.collect();
        // Adjacent characters become one node.
        parts.dedup_by(|next, last| match (&mut last.kind, &next.kind) {
            (Kind::Literal(text, folds), Kind::Literal(more, more_folds)) if folds == more_folds => {
                text.push_str(more);
                last.size += next.size;
                true
            }
            _ => false,
        });
        self.nodes += u64::from(parts.len() != 1);
        self.put(Ast::concat(parts))
    }

    /// Joins the nodes above the last open parenthesis or bar on the stack into one branch, and adds this branch to the earlier branches.
    fn branch(&mut self) -> Result<(), Error> {
        self.concat()?;
        let Some(Item::Ast(branch)) = self.stack.pop() else { return Ok(()) };
        if let Some(Item::Branches(branches)) = self.stack.last_mut() {
            if branches.len() >= MANY_BRANCHES && branches.len() == branches.capacity() {
                // Growing a large list step by step takes up to three times its memory.
                let same_group = self.rest.split(['(', ')']).next().unwrap_or_default();
                let more = same_group.matches('|').count() + 1;
                if more >= branches.len() {
                    branches.reserve_exact(more);
                }
            }
            branches.push(branch);
        } else {
            self.stack.push(Item::Branches(vec![branch]));
        }
        Ok(())
    }

    /// Joins the branches above the last open parenthesis on the stack.
    fn alternate(&mut self) -> Result<Ast, Error> {
        self.branch()?;
        let branches = match self.stack.pop() {
            Some(Item::Branches(branches)) => branches,
            other => {
                self.stack.extend(other);
                Vec::new()
            }
        };
        let ast = Ast::alternate(branches);
        self.count_runes(&ast);
        self.check_limits(&ast)?;
        Ok(ast)
    }

    /// Parses `(?P<name>`, `(?<name>`, `(?flags)` and `(?flags:`.
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
}

/// The minimum and the maximum count of a repetition in braces.
type Counts = (u32, Option<u32>);

/// Reads `{2}`, `{2,}` or `{2,3}`; `None` for other text, in which the brace is a literal. Numbers that are far too large
/// are not parsed.
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

/// Reads digits without a leading zero.
fn integer(text: &str) -> Option<(Option<u32>, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(length);
    if digits.is_empty() || digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    Some((digits.parse().ok().filter(|number| *number < 1_000_000_000), rest))
}
