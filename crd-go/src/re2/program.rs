//! Compiles patterns to programs of instructions on characters, and runs the programs in counted steps.
//!
//! The instructions follow Go's compiler (`regexp/syntax/compile.go`): a class is one instruction however many
//! characters it has. An automaton on bytes needs thousands of states for `\pL{100}`; this program has a hundred.
//! The machine advances all threads together, so a search takes at most one step for each instruction and
//! character.

use std::collections::HashMap;
use std::ops::Range;

use regex_syntax::hir::{ClassUnicode, Look};

use super::ast::{Ast, Kind, Repeat};
use super::class::cases;

/// Maximum number of instructions of one pattern. Go itself accepts three times as many.
pub(super) const MAX_INSTRUCTIONS: usize = 1 << 20;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Program {
    instructions: Vec<Instruction>,
    classes: Vec<Box<[(char, char)]>>,
    /// `true` if the pattern matches only at the start of a string.
    is_anchored: bool,
}

#[derive(Clone, Copy, Debug)]
enum Instruction {
    /// One character.
    Char(char),
    /// A character of the class with this number.
    Class(u32),
    /// A condition between two characters.
    Look(Look),
    /// Two alternatives, the preferred one first.
    Split(u32, u32),
    Jump(u32),
    Match,
}

/// The error of a search that took more steps than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfSteps;

impl Program {
    /// Compiles a pattern; `None` if the program would have more than `most` instructions.
    pub(super) fn new(ast: &Ast, most: usize) -> Option<Self> {
        let mut compiler = Compiler { most, ..Compiler::default() };
        compiler.node(ast)?;
        compiler.push(Instruction::Match)?;
        let Compiler { instructions, classes, .. } = compiler;
        Some(Self { instructions, classes, is_anchored: is_anchored(ast) })
    }

    /// Returns the number of instructions.
    pub(super) fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Returns `true` if the pattern matches somewhere in `text`. Subtracts the steps of the search from `steps`.
    pub(super) fn is_match(&self, text: &str, steps: &mut u64) -> Result<bool, OutOfSteps> {
        Ok(self.search(text, 0, true, steps)?.is_some())
    }

    /// Returns the first match at or after byte `start`. Subtracts the steps of the search from `steps`.
    pub(super) fn find_at(
        &self,
        text: &str,
        start: usize,
        steps: &mut u64,
    ) -> Result<Option<Range<usize>>, OutOfSteps> {
        self.search(text, start, false, steps)
    }

    fn search(
        &self,
        text: &str,
        start: usize,
        is_earliest: bool,
        steps: &mut u64,
    ) -> Result<Option<Range<usize>>, OutOfSteps> {
        // Preparing the memory takes steps as well.
        pay(steps, 16 + self.len() as u64 / 64)?;
        let mut machine = Machine::new(self);
        let mut found = None;
        let mut before = text[..start].chars().next_back();
        let mut rest = text[start..].chars();
        let mut at = start;
        loop {
            let next = rest.next();
            let may_begin = found.is_none() && (at == 0 || !self.is_anchored);
            if machine.waiting.is_empty() && !may_begin {
                return Ok(found);
            }
            machine.follow(Between { before, next }, may_begin.then_some(at), steps)?;
            if let Some(matched) = machine.take(next, steps)? {
                found = Some(matched..at);
                if is_earliest {
                    return Ok(found);
                }
            }
            let Some(c) = next else { return Ok(found) };
            before = next;
            at += c.len_utf8();
        }
    }
}

fn pay(steps: &mut u64, price: u64) -> Result<(), OutOfSteps> {
    *steps = steps.checked_sub(price).ok_or(OutOfSteps)?;
    Ok(())
}

/// The characters around a position.
#[derive(Clone, Copy)]
struct Between {
    before: Option<char>,
    next: Option<char>,
}

impl Between {
    fn fits(self, look: Look) -> bool {
        let is_word = |c: Option<char>| c.is_some_and(|c| c == '_' || c.is_ascii_alphanumeric());
        let is_boundary = is_word(self.before) != is_word(self.next);
        match look {
            Look::Start => self.before.is_none(),
            Look::End => self.next.is_none(),
            Look::StartLF => self.before.is_none_or(|c| c == '\n'),
            Look::EndLF => self.next.is_none_or(|c| c == '\n'),
            Look::WordAscii => is_boundary,
            Look::WordAsciiNegate => !is_boundary,
            // Go's dialect has no other conditions.
            _ => false,
        }
    }
}

/// An instruction, and the start of the match that has reached it.
type Thread = (u32, usize);

/// The state of a search. Threads are in the order of preference.
struct Machine<'p> {
    program: &'p Program,
    /// The threads after the last character, which can be at any instruction.
    waiting: Vec<Thread>,
    /// The waiting threads, and the threads that begin at this position, each advanced to an instruction that consumes
    /// a character.
    ready: Vec<Thread>,
    /// The position where each instruction was reached last, counted from 1.
    seen: Vec<u32>,
    /// For every class, the position where it was looked up last, and the result.
    known: Vec<(u32, bool)>,
    place: u32,
    /// Alternatives that are still to be followed.
    stack: Vec<u32>,
}

impl<'p> Machine<'p> {
    fn new(program: &'p Program) -> Self {
        Self {
            program,
            waiting: Vec::new(),
            ready: Vec::new(),
            seen: vec![0; program.len()],
            known: vec![(0, false); program.classes.len()],
            place: 0,
            stack: Vec::new(),
        }
    }

    /// Moves to the next position: advances all threads, and a new thread with the start `begin`, to instructions that
    /// consume a character.
    fn follow(&mut self, here: Between, begin: Option<usize>, steps: &mut u64) -> Result<(), OutOfSteps> {
        self.place = self.place.checked_add(1).unwrap_or_else(|| {
            self.seen.fill(0);
            self.known.fill((0, false));
            1
        });
        self.ready.clear();
        let waiting = std::mem::take(&mut self.waiting);
        for thread in waiting.iter().copied().chain(begin.map(|begin| (0, begin))) {
            self.follow_one(thread, here, steps)?;
        }
        self.waiting = waiting;
        Ok(())
    }

    fn follow_one(
        &mut self,
        (instruction, start): Thread,
        here: Between,
        steps: &mut u64,
    ) -> Result<(), OutOfSteps> {
        self.stack.push(instruction);
        while let Some(mut at) = self.stack.pop() {
            loop {
                pay(steps, 1)?;
                let seen = &mut self.seen[at as usize];
                if *seen == self.place {
                    break;
                }
                *seen = self.place;
                at = match self.program.instructions[at as usize] {
                    Instruction::Jump(to) => to,
                    Instruction::Split(first, second) => {
                        self.stack.push(second);
                        first
                    }
                    Instruction::Look(look) if here.fits(look) => at + 1,
                    Instruction::Look(_) => break,
                    Instruction::Char(_) | Instruction::Class(_) | Instruction::Match => {
                        self.ready.push((at, start));
                        break;
                    }
                };
            }
        }
        Ok(())
    }

    /// Passes a character to all threads. Returns the start of the match that ends before the character, and drops less preferred threads.
    fn take(&mut self, c: Option<char>, steps: &mut u64) -> Result<Option<usize>, OutOfSteps> {
        self.waiting.clear();
        for i in 0..self.ready.len() {
            pay(steps, 1)?;
            let (instruction, start) = self.ready[i];
            let fits = match (self.program.instructions[instruction as usize], c) {
                (Instruction::Match, _) => return Ok(Some(start)),
                (Instruction::Char(wanted), Some(c)) => wanted == c,
                (Instruction::Class(class), Some(c)) => self.is_in(class, c),
                _ => false,
            };
            if fits {
                self.waiting.push((instruction + 1, start));
            }
        }
        Ok(None)
    }

    /// Looks up a character in a class, once for all threads at this position.
    fn is_in(&mut self, class: u32, c: char) -> bool {
        let known = &mut self.known[class as usize];
        if known.0 != self.place {
            let ranges = &self.program.classes[class as usize];
            let after = ranges.partition_point(|range| range.1 < c);
            *known = (self.place, ranges.get(after).is_some_and(|range| range.0 <= c));
        }
        known.1
    }
}

/// Returns `true` if a pattern begins with an anchor to the start of the text.
fn is_anchored(ast: &Ast) -> bool {
    match &ast.kind {
        Kind::Look(Look::Start) => true,
        Kind::Capture(inner) => is_anchored(inner),
        Kind::Concat(parts) => parts.first().is_some_and(is_anchored),
        Kind::Alternate(branches) => branches.iter().all(is_anchored),
        _ => false,
    }
}

#[derive(Default)]
struct Compiler {
    most: usize,
    instructions: Vec<Instruction>,
    classes: Vec<Box<[(char, char)]>>,
    /// The numbers of classes by their addresses in the tree: copies of a repeated class share a number.
    of_classes: HashMap<*const ClassUnicode, u32>,
    /// The numbers of classes for characters whose case does not matter.
    of_folded: HashMap<char, u32>,
}

impl Compiler {
    fn node(&mut self, ast: &Ast) -> Option<()> {
        match &ast.kind {
            Kind::Empty => Some(()),
            Kind::Literal(text, false) => text.chars().try_for_each(|c| self.push(Instruction::Char(c))),
            Kind::Literal(text, true) => text.chars().try_for_each(|c| self.folded(c)),
            Kind::Class(class) => self.class(class),
            Kind::Look(look) => self.push(Instruction::Look(*look)),
            Kind::Capture(inner) => self.node(inner),
            Kind::Concat(parts) => parts.iter().try_for_each(|part| self.node(part)),
            Kind::Alternate(branches) => self.alternate(branches),
            Kind::Repeat(repeat) => self.repeat(repeat),
        }
    }

    fn alternate(&mut self, branches: &[Ast]) -> Option<()> {
        let mut ends = Vec::new();
        for (i, branch) in branches.iter().enumerate() {
            if i + 1 == branches.len() {
                self.node(branch)?;
            } else {
                let split = self.reserve()?;
                self.node(branch)?;
                ends.push(self.reserve()?);
                self.instructions[split] = Instruction::Split(number(split + 1), self.here());
            }
        }
        ends.into_iter().for_each(|end| self.instructions[end] = Instruction::Jump(self.here()));
        Some(())
    }

    /// Compiles `x{2,}` as `xx+`, `x{2,4}` as `xx(x(x)?)?`, and `x*` of an `x` that may be empty as `(x+)?`:
    /// `simplify.go`.
    fn repeat(&mut self, repeat: &Repeat) -> Option<()> {
        let Repeat { inner, least, most, is_greedy, .. } = repeat;
        let mut ends = Vec::new();
        let mut optional = |this: &mut Self| {
            ends.push(this.reserve()?);
            Some(())
        };
        match most {
            None if *least == 0 => {
                optional(self)?;
                self.plus(inner, *is_greedy)?;
            }
            None => {
                (1..*least).try_for_each(|_| self.node(inner))?;
                self.plus(inner, *is_greedy)?;
            }
            Some(most) => {
                (0..*least).try_for_each(|_| self.node(inner))?;
                for _ in *least..*most {
                    optional(self)?;
                    self.node(inner)?;
                }
            }
        }
        for at in ends {
            self.instructions[at] = split(number(at + 1), self.here(), *is_greedy);
        }
        Some(())
    }

    fn plus(&mut self, inner: &Ast, is_greedy: bool) -> Option<()> {
        let first = self.here();
        self.node(inner)?;
        let next = self.here() + 1;
        self.push(split(first, next, is_greedy))
    }

    fn class(&mut self, class: &ClassUnicode) -> Option<()> {
        let number = match self.of_classes.get(&std::ptr::from_ref(class)) {
            Some(number) => *number,
            None => {
                let new = self.new_class(class);
                self.of_classes.insert(class, new);
                new
            }
        };
        self.push(Instruction::Class(number))
    }

    fn folded(&mut self, c: char) -> Option<()> {
        let number = match self.of_folded.get(&c) {
            Some(number) => *number,
            None => {
                let new = self.new_class(&cases(c));
                self.of_folded.insert(c, new);
                new
            }
        };
        self.push(Instruction::Class(number))
    }

    fn new_class(&mut self, class: &ClassUnicode) -> u32 {
        self.classes.push(class.iter().map(|range| (range.start(), range.end())).collect());
        number(self.classes.len() - 1)
    }

    fn here(&self) -> u32 {
        number(self.instructions.len())
    }

    /// Reserves a slot for an instruction that is written later.
    fn reserve(&mut self) -> Option<usize> {
        self.push(Instruction::Match)?;
        Some(self.instructions.len() - 1)
    }

    fn push(&mut self, instruction: Instruction) -> Option<()> {
        if self.instructions.len() >= self.most {
            return None;
        }
        self.instructions.push(instruction);
        Some(())
    }
}

fn split(into: u32, past: u32, is_greedy: bool) -> Instruction {
    if is_greedy { Instruction::Split(into, past) } else { Instruction::Split(past, into) }
}

/// Returns the number of an instruction. Programs have fewer instructions than fit into 32 bits.
fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
