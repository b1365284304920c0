//! Patterns of rules: compiled when they are first asked for, and once in a run.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::Error;
use super::meter::{Meter, work};
use crate::re2::{self, Regex};

/// A pattern that is a literal of a program.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    text: Box<str>,
    compiled: OnceLock<Compiled>,
}

type Compiled = Result<Arc<Regex>, Error>;

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// - The first thing for which Go refuses it.
    pub(super) fn new(text: &str) -> Result<Self, Error> {
        re2::check(text).map_err(|error| Error::text(error.to_string()))?;
        Ok(Self { text: text.into(), compiled: OnceLock::new() })
    }

    pub(super) fn regex(&self, meter: &mut Meter) -> Compiled {
        match self.compiled.get() {
            Some(compiled) => compiled.clone(),
            None => {
                let compiled = compile(meter, &self.text)?;
                self.compiled.get_or_init(|| compiled).clone()
            }
        }
    }
}

/// The patterns of a run that are no literals.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    known: HashMap<Box<str>, Compiled>,
    parts: u64,
}

/// The most patterns that are kept, and the most parts that they have together.
const MOST_PATTERNS: usize = 256;
const MOST_PARTS: u64 = 1 << 19;

impl Meter {
    /// The pattern of that text, compiled at its first use.
    pub(super) fn regex(&mut self, text: &str) -> Compiled {
        self.work_on_bytes(text.len())?;
        if let Some(compiled) = self.patterns.known.get(text) {
            return compiled.clone();
        }
        let compiled = compile(self, text)?;
        let parts = text.len() as u64 + compiled.as_ref().map_or(0, |regex| regex.most_steps(1));
        if self.patterns.known.len() >= MOST_PATTERNS || self.patterns.parts + parts > MOST_PARTS {
            self.patterns = Patterns::default();
        }
        self.patterns.parts += parts;
        self.patterns.known.insert(text.into(), compiled.clone());
        compiled
    }
}

/// Compiles a pattern. That the work was too much is known afterwards only; the size of a compiled pattern is bounded.
fn compile(meter: &mut Meter, text: &str) -> Result<Compiled, Error> {
    meter.work(work::PATTERN + 20 * text.len() as u64)?;
    match Regex::new(text) {
        Ok(regex) => {
            meter.work(work::PATTERN_PART * regex.most_steps(1))?;
            Ok(Ok(Arc::new(regex)))
        }
        Err(error) => Ok(Err(Error::text(error.to_string()))),
    }
}
