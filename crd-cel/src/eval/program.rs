//! Compiled expressions and their results.

use crd_go::KubeVersion;

use super::Error;
use super::node::Node;
use super::plan::plan;
use super::run::{Run, Slots};
use super::value::Value;
use crate::Ast;
use crate::ast::ExprId;
use crate::check::{Checked, Reference};
use crate::functions::OverloadId;
use crate::types::Type;

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
    /// The release whose server runs it.
    pub(super) server: KubeVersion,
    pub(super) root: Node,
    /// `true` if the root is evaluated directly: see [`Node::is_condition`].
    pub(super) is_condition: bool,
    /// The values of variables that are evaluated when they are read.
    pub(super) lazy: Vec<Node>,
    pub(super) variables: Vec<Box<str>>,
    pub(super) slots: usize,
}

/// The outcome of a run.
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
pub struct Bound<'v>(Option<Result<Value<'v>, Error>>);

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

/// The results of type checking that a program needs.
pub(crate) trait References {
    /// The overloads that a call can refer to, and `true` if the name of the function begins with a namespace. `None`
    /// for an expression without type checking.
    fn overloads(&self, call: ExprId) -> Option<(&[OverloadId], bool)>;

    /// Returns `true` for a name that denotes a type.
    fn is_type(&self, name: ExprId) -> bool;

    /// The release whose server runs the program.
    fn server(&self) -> KubeVersion;

    /// Returns `true` if the result is a boolean.
    fn is_bool(&self) -> bool;
}

impl References for Checked<'_, '_> {
    fn overloads(&self, call: ExprId) -> Option<(&[OverloadId], bool)> {
        match self.references[call.index()] {
            Reference::Call { start, end, namespaced } => {
                Some((&self.overloads[start as usize..end as usize], namespaced))
            }
            _ => None,
        }
    }

    fn is_type(&self, name: ExprId) -> bool {
        matches!(self.types.get(self.type_of(name)), Type::TypeOf(_))
    }

    fn server(&self) -> KubeVersion {
        self.environment.server()
    }

    fn is_bool(&self) -> bool {
        self.result() == Type::Bool
    }
}

struct Unchecked;

impl References for Unchecked {
    fn overloads(&self, _: ExprId) -> Option<(&[OverloadId], bool)> {
        None
    }

    fn is_type(&self, _: ExprId) -> bool {
        false
    }

    fn server(&self) -> KubeVersion {
        KubeVersion::default()
    }

    fn is_bool(&self) -> bool {
        false
    }
}

impl Program {
    /// The API server's limit for the cost of a run.
    pub const CALL_LIMIT: u64 = 1_000_000;

    /// The limit for the work of all runs over one object.
    ///
    /// The API server has no such limit. It is a second of work. Rules that the server evaluates within a second stay
    /// below it, because each step takes the server at least as long as this crate.
    pub const WORK_LIMIT: u64 = 1_000_000_000;

    /// The number of patterns that become automata, for all programs that are kept together.
    pub const MOST_AUTOMATA: usize = 128;

    /// Compiles a checked expression; its variables are those of its scope, in that order.
    ///
    /// # Errors
    /// - A conversion of a literal fails, or a literal pattern is invalid. The API server refuses such a rule.
    ///
    /// ```
    /// use crd_cel::eval::{Program, Value};
    /// use crd_cel::{Declarations, Declared, Environment, Scope, Shape, Variable};
    ///
    /// let mut declarations = Declarations::default();
    /// let int = declarations.add(Declared { shape: Shape::Int, max_elements: 0, min_serialized_size: 1 });
    /// let variables = [("self", Variable::Declared(int))];
    /// let scope = Scope::new(&declarations, int, &variables);
    /// let checked = Environment::default().compile("self / 0 == 1", &scope)?;
    ///
    /// let program = Program::new(&checked)?;
    /// let evaluation = program.run(vec![Some(Value::from(1))], Program::CALL_LIMIT);
    /// assert_eq!(evaluation.result.unwrap_err().message(), "division by zero");
    /// assert_eq!(evaluation.cost, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(checked: &Checked<'_, '_>) -> Result<Self, Error> {
        Self::with_automata(checked, &mut { Self::MOST_AUTOMATA })
    }

    /// Compiles a checked expression like [`Program::new`]. A literal pattern becomes an automaton while `automata` is
    /// positive, which is then decremented; further patterns give the same results more slowly. Programs that are kept
    /// together share the number, which bounds their memory.
    ///
    /// # Errors
    /// - As for [`Program::new`].
    ///
    /// ```
    /// use crd_cel::eval::Program;
    /// use crd_cel::{Declarations, Declared, Environment, Scope, Shape};
    ///
    /// let mut declarations = Declarations::default();
    /// let any = declarations.add(Declared { shape: Shape::Dyn, max_elements: 0, min_serialized_size: 1 });
    /// let scope = Scope::new(&declarations, any, &[]);
    /// let checked = Environment::default().compile("'a'.matches('^a$') && 'b'.matches('b')", &scope)?;
    /// let mut automata = Program::MOST_AUTOMATA;
    /// Program::with_automata(&checked, &mut automata)?;
    /// assert_eq!(automata, Program::MOST_AUTOMATA - 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_automata(checked: &Checked<'_, '_>, automata: &mut usize) -> Result<Self, Error> {
        let variables: Vec<&str> = checked.scope.variables.iter().map(|(name, _)| *name).collect();
        plan(&checked.ast, checked, &variables, automata)
    }

    /// Compiles an expression without type checking. Its values are those of the checked expression; its cost can
    /// differ if a function has several overloads.
    ///
    /// # Errors
    /// - A conversion of a literal fails, or a literal pattern is invalid. The API server refuses such a rule.
    pub fn unchecked(ast: &Ast<'_>, variables: &[&str]) -> Result<Self, Error> {
        plan(ast, &Unchecked, variables, &mut { Self::MOST_AUTOMATA })
    }

    /// The variables, in the order in which [`Program::run`] takes their values.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|name| &**name)
    }

    /// Runs the program with the values of its variables. Reading a variable without a value is an error.
    ///
    /// ```
    /// use crd_cel::eval::{Data, DataKind, DataType, Program, Value};
    ///
    /// let ast = crd_cel::parse("true || self > 1")?;
    /// let program = Program::unchecked(&ast, &["self"]).unwrap();
    /// // Data of a wrong type is an error only for rules that read it.
    /// let integer = DataType::new(DataKind::Int);
    /// let json = serde_json::json!("no integer");
    /// let variables = [Value::from_data(Data::new(&json, &integer))];
    /// assert!(matches!(program.run(variables, Program::CALL_LIMIT).result, Ok(Value::Bool(true))));
    /// # Ok::<(), crd_cel::Issues>(())
    /// ```
    #[must_use]
    pub fn run<'v, V: Into<Bound<'v>>>(
        &'v self,
        values: impl IntoIterator<Item = V>,
        limit: u64,
    ) -> Evaluation<'v> {
        self.run_within(values, limit, Self::WORK_LIMIT)
    }

    /// Runs the program like [`Program::run`], with `work` as the limit for its work. A run that takes more fails like
    /// one that exceeds the cost limit.
    ///
    /// ```
    /// use crd_cel::eval::{Program, Value};
    ///
    /// let ast = crd_cel::parse("duration(self) > duration('1s')")?;
    /// let program = Program::unchecked(&ast, &["self"]).unwrap();
    /// let text = "0h".repeat(10_000);
    /// let evaluation = program.run_within([Some(Value::from(&*text))], Program::CALL_LIMIT, 1_000);
    /// assert!(evaluation.result.unwrap_err().is_limit());
    /// # Ok::<(), crd_cel::Issues>(())
    /// ```
    #[must_use]
    pub fn run_within<'v, V: Into<Bound<'v>>>(
        &'v self,
        values: impl IntoIterator<Item = V>,
        limit: u64,
        work: u64,
    ) -> Evaluation<'v> {
        let mut slots = Slots::new(self, None, None);
        for (slot, value) in values.into_iter().take(self.variables.len()).enumerate() {
            slots[slot] = value.into().0;
        }
        self.run_in(slots, limit, work)
    }

    /// Runs a program like [`Program::run_within`] with the values of its first two variables.
    ///
    /// ```
    /// use crd_cel::eval::{Program, Value};
    ///
    /// let ast = crd_cel::parse("self > oldSelf")?;
    /// let program = Program::unchecked(&ast, &["self", "oldSelf"]).unwrap();
    /// let variables = [2, 1].map(|number| Some(Value::from(number)).into());
    /// let evaluation = program.run_on(variables, Program::CALL_LIMIT, Program::WORK_LIMIT);
    /// assert!(matches!(evaluation.result, Ok(Value::Bool(true))));
    /// # Ok::<(), crd_cel::Issues>(())
    /// ```
    #[must_use]
    pub fn run_on<'v>(&'v self, variables: [Bound<'v>; 2], limit: u64, work: u64) -> Evaluation<'v> {
        let ([first, second], count) = (variables, self.variables.len());
        let slots = Slots::new(self, first.0.filter(|_| count > 0), second.0.filter(|_| count > 1));
        self.run_in(slots, limit, work)
    }

    #[inline]
    fn run_in<'v>(&'v self, slots: Slots<'v>, limit: u64, work: u64) -> Evaluation<'v> {
        let mut run = Run::new(self, slots, limit, work);
        let truth = if self.is_condition { run.truth(&self.root) } else { None };
        let result = truth.map_or_else(|| run.eval(&self.root), |truth| Ok(Value::Bool(truth)));
        Evaluation { result, cost: run.meter.cost(), work: work - run.meter.work_left() }
    }
}
