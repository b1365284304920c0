//! A compiled rule, and what comes out when it runs.

use crd_go::KubeVersion;

use super::Error;
use super::node::Node;
use super::plan::plan;
use super::run::Run;
use super::value::Value;
use crate::Ast;
use crate::ast::ExprId;
use crate::check::{Checked, Reference};
use crate::functions::OverloadId;
use crate::types::Type;

/// A rule compiled once, to be run any number of times and in any number of threads.
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
    /// The values of variables that are evaluated when they are read.
    pub(super) lazy: Vec<Node>,
    pub(super) variables: Vec<Box<str>>,
    pub(super) slots: usize,
}

/// The outcome of a run.
#[derive(Clone, Debug)]
pub struct Evaluation<'v> {
    /// The value, or why there is none.
    pub result: Result<Value<'v>, Error>,
    /// The cost of the run, whatever came out.
    pub cost: u64,
    /// The work of the run: about the nanoseconds that its steps take.
    pub work: u64,
}

/// What a variable stands for in a run: a value, an error of whoever reads it, or nothing.
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

/// What the checker found out about an expression, as far as a program needs it.
pub(crate) trait References {
    /// The overloads that a call may mean, and whether it is of a function whose name begins with a namespace; `None`
    /// for an expression that was not checked.
    fn overloads(&self, call: ExprId) -> Option<(&[OverloadId], bool)>;

    /// Returns `true` for a name that stands for a type.
    fn is_type(&self, name: ExprId) -> bool;

    /// The release whose server runs the program.
    fn server(&self) -> KubeVersion;
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
}

impl Program {
    /// The most that one run may cost on the API server.
    pub const CALL_LIMIT: u64 = 1_000_000;

    /// The most work that runs over one object may take together.
    ///
    /// The API server has no such limit. It is a second of work, and so much that rules which the server answers within
    /// a second never reach it: the steps of the server take at least as long as those of this crate.
    pub const WORK_LIMIT: u64 = 1_000_000_000;

    /// How many patterns of programs that are kept together become automata.
    pub const MOST_AUTOMATA: usize = 128;

    /// Compiles a checked expression; its variables are those of its scope, in that order.
    ///
    /// # Errors
    /// - A conversion of a literal fails, or a literal pattern is none, which refuses the rule.
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

    /// Compiles a checked expression as [`Program::new`] does. A literal pattern becomes an automaton if one is left, and
    /// is matched more slowly otherwise, with the same answer. Programs that are kept together share the number, which
    /// bounds their memory.
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

    /// Compiles an expression that was parsed only. Its value is that of the checked one; its cost may be another where
    /// a function has several overloads.
    ///
    /// # Errors
    /// - A conversion of a literal fails, or a literal pattern is none, which refuses the rule.
    pub fn unchecked(ast: &Ast<'_>, variables: &[&str]) -> Result<Self, Error> {
        plan(ast, &Unchecked, variables, &mut { Self::MOST_AUTOMATA })
    }

    /// The variables, in the order in which [`Program::run`] takes their values.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|name| &**name)
    }

    /// Runs the program with the values of its variables; a variable without one is an error where it is read.
    ///
    /// ```
    /// use crd_cel::eval::{Data, DataKind, DataType, Program, Value};
    ///
    /// let ast = crd_cel::parse("true || self > 1")?;
    /// let program = Program::unchecked(&ast, &["self"]).unwrap();
    /// // Data that is not of its type fails only those who look at it.
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

    /// Runs the program as [`Program::run`] does, with so much work as is left for the object. A run that takes more
    /// ends as one that costs too much.
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
        let mut run = Run::new(self, values.into_iter().map(|value| value.into().0), limit, work);
        let result = run.eval(&self.root);
        Evaluation { result, cost: run.meter.cost(), work: work - run.meter.work_left() }
    }
}
