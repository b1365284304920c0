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
    /// The values of variables that are evaluated when they are read.
    pub(super) lazy: Vec<Node>,
    pub(super) variables: Vec<Box<str>>,
    pub(super) slots: usize,
}

/// The outcome of a run: the result, its cost and its work.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Evaluation<'v> {
    /// The value, or the error of the evaluation.
    pub result: Result<Value<'v>, Error>,
    /// The cost of the run, also if it failed.
    pub cost: u64,
    /// The work of the run: approximately its time in nanoseconds.
    pub work: u64,
}

/// The binding of a variable in a run: a value, an error for each read, or nothing.
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
    /// The API server's limit for the cost of a run.
    pub const CALL_LIMIT: u64 = 1_000_000;

    /// The limit for the work of all runs over one object.
    ///
    /// The API server has no such limit. The limit is about one second. Rules that the server evaluates within a second stay
    /// below this limit, because the server needs at least as long for each step as this crate.
    pub const WORK_LIMIT: u64 = 1_000_000_000;

    /// Maximum number of patterns that become automata in all programs that are kept together.
    pub const MOST_AUTOMATA: usize = 128;

    /// Returns the variables, in the order in which [`Program::run`] takes their values.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|name| &**name)
    }
}
