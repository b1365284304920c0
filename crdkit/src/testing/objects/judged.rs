//! A strategy and a judge -> a strategy for the judge's results for the values that it accepts.

use std::fmt::Debug;
use std::sync::Arc;

use proptest::strategy::{BoxedStrategy, NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// The most values that are tried for one that passes.
const MOST_TRIES: usize = 1000;

/// How many of them are judged strictly, before the judge is to be content with less.
const STRICT_TRIES: usize = 40;

/// How much a judge asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rigour {
    Strict,
    Lenient,
}

type Judge<T, U> = Arc<dyn Fn(&T, Rigour) -> Result<U, String>>;

/// As proptest's `prop_filter_map`, which counts refused values over a whole test and forgets why they were refused.
pub(super) struct Judged<T: Debug, U> {
    values: BoxedStrategy<T>,
    failed: String,
    judge: Judge<T, U>,
}

impl<T: Debug, U> Judged<T, U> {
    /// Values of `values` for which `judge` has an answer. Without one, the error is `failed` with the last error of `judge`.
    pub(super) fn new(
        values: BoxedStrategy<T>,
        failed: String,
        judge: impl Fn(&T, Rigour) -> Result<U, String> + 'static,
    ) -> Self {
        Self { values, failed, judge: Arc::new(judge) }
    }
}

impl<T: Debug, U> Debug for Judged<T, U> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Judged").field("values", &self.values).finish_non_exhaustive()
    }
}

impl<T: Debug, U: Clone + Debug> Strategy for Judged<T, U> {
    type Tree = JudgedTree<T, U>;
    type Value = U;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let mut last = String::new();
        for tries in 0..MOST_TRIES {
            let rigour = if tries < STRICT_TRIES { Rigour::Strict } else { Rigour::Lenient };
            let tree = self.values.new_tree(runner)?;
            match (self.judge)(&tree.current(), rigour) {
                Ok(current) => {
                    return Ok(JudgedTree { tree, current, rigour, judge: Arc::clone(&self.judge) });
                }
                Err(error) => last = error,
            }
        }
        Err(format!("{} in {MOST_TRIES} tries; the last was refused: {last}", self.failed).into())
    }
}

/// The last value that passed, and the tree that it came from.
pub(super) struct JudgedTree<T, U> {
    tree: Box<dyn ValueTree<Value = T>>,
    current: U,
    /// The requirement that the value met, which smaller ones have to meet too.
    rigour: Rigour,
    judge: Judge<T, U>,
}

impl<T: Debug, U: Clone> JudgedTree<T, U> {
    /// Goes back until a value passes. There is one: the tree was at one before.
    fn settle(&mut self) -> bool {
        loop {
            if let Ok(current) = (self.judge)(&self.tree.current(), self.rigour) {
                self.current = current;
                return true;
            }
            if !self.tree.complicate() {
                return false;
            }
        }
    }
}

impl<T: Debug, U: Clone + Debug> ValueTree for JudgedTree<T, U> {
    type Value = U;

    fn current(&self) -> U {
        self.current.clone()
    }

    fn simplify(&mut self) -> bool {
        self.tree.simplify() && self.settle()
    }

    fn complicate(&mut self) -> bool {
        self.tree.complicate() && self.settle()
    }
}
