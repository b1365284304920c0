//! Compiled expressions and their results.

use crd_go::KubeVersion;

use super::Error;
use super::node::Node;
use super::value::Value;

/// A compiled expression, which can run any number of times, in any number of threads.
///
/// ```
/// use crd_cel::eval::{Program, Value};
///
/// let ast = crd_cel::parse("self.startsWith('a') && size(self) > 2")?;
/// let program = Program::unchecked(&ast, &["self"]).unwrap();
/// let evaluation = program.run(vec![Some(Value::from("abc"))], Program::CALL_LIMIT);
/// assert!(matches!(evaluation.result, Ok(Value::Bool(true))));
/// # Ok::<(), crd_cel::Issues>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    /// The release whose server runs the program.
    pub(super) server: KubeVersion,
    pub(super) root: Node,
    /// `true` if the root is evaluated directly: see [`Node::is_condition`].
    pub(super) is_condition: bool,
    /// The values of lazy variables, which are evaluated when they are read.
    pub(super) lazy: Vec<Node>,
    pub(super) variables: Vec<Box<str>>,
    pub(super) slots: usize,
}

/// A run's result, with cost and CPU work.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Evaluation<'v> {
    /// The value or the error.
    pub result: Result<Value<'v>, Error>,
    /// The cost, even if the run failed.
    pub cost: u64,
    /// The CPU work, which approximates the time in nanoseconds.
    pub work: u64,
}

/// A variable's content in a run: a value, an error that each read returns, or nothing.
#[derive(Clone, Debug)]
pub struct Bound<'v>(pub(super) Option<Result<Value<'v>, Error>>);

impl<'v> From<Option<Value<'v>>> for Bound<'v> {
    fn from(value: Option<Value<'v>>) -> Self {
        Self(value.map(Ok))
    }
}

impl<'v> From<Result<Value<'v>, Error>> for Bound<'v> {
    fn from(value: Result<Value<'v>, Error>) -> Self {
        Self(Some(value))
    }
}

impl<'v> From<Option<Result<Value<'v>, Error>>> for Bound<'v> {
    fn from(value: Option<Result<Value<'v>, Error>>) -> Self {
        Self(value)
    }
}

impl Program {
    /// The API server's cost limit for a run.
    pub const CALL_LIMIT: u64 = 1_000_000;

    /// The limit for CPU work, over all runs for one object: about one second.
    ///
    /// The API server has no such limit. Rules that the server evaluates within a second stay below the limit, because each step takes the
    /// server at least as long as this crate.
    pub const WORK_LIMIT: u64 = 1_000_000_000;

    /// The default for the maximum number of patterns that become automata: see [`Program::with_automata`].
    pub const MOST_AUTOMATA: usize = 128;

    /// Returns the variables, in the order of the values for [`Program::run`].
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|name| &**name)
    }
}
