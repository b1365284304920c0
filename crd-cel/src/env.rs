//! The environment of rules: the functions of a version of Kubernetes, and the variables of a place in a schema.

pub use crd_go::{InvalidKubeVersion as InvalidVersion, KubeVersion as Version};

use crate::ast::Ast;
use crate::check::{Checked, check};
use crate::declare::Library;
use crate::declared::{DeclId, Declarations};
use crate::functions;
use crate::issue::Issues;
use crate::macros::{self, Addition};
use crate::parse::{Syntax, parse_with};

/// The language as one version of Kubernetes has it.
///
/// ```
/// use crd_cel::{Environment, Version};
///
/// // A server compiles new rules in the environment of the version before its own: a cluster that is half upgraded,
/// // or rolled back, still understands them.
/// let environment = Environment::of_server(Version::new(31));
/// assert_eq!(environment.version(), Version::new(30));
/// assert_eq!(environment.needs("ip"), None);
/// assert_eq!(environment.needs("semver"), Some(Version::new(33)));
///
/// // A rule that is stored already may use everything that the server knows.
/// assert_eq!(Environment::of_stored(Version::new(31)).version(), Version::new(31));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Environment {
    /// The release whose functions and macros rules may use.
    version: Version,
    /// The release that compiles and runs them.
    server: Version,
}

impl Environment {
    /// The environment with the functions of a version, on the server that answers where none is chosen.
    #[must_use]
    pub fn new(version: Version) -> Self {
        Self { version, server: version.max(Version::DEFAULT) }
    }

    /// The environment in which a server of that version compiles new rules.
    #[must_use]
    pub fn of_server(version: Version) -> Self {
        Self { version: version.previous(), server: version }
    }

    /// The environment in which a server of that version runs the rules that are stored.
    #[must_use]
    pub fn of_stored(version: Version) -> Self {
        Self { version, server: version }
    }

    /// The version whose functions it has.
    #[must_use]
    pub fn version(self) -> Version {
        self.version
    }

    /// The version of the server, which decides how an expression is checked, priced and run.
    #[must_use]
    pub fn server(self) -> Version {
        self.server
    }

    /// The same environment, where it is older than all that are told apart the oldest of them.
    pub(crate) fn known(self) -> Self {
        Self { version: self.version.max(Version::new(OLDEST)), ..self }
    }

    /// The syntax of this version.
    #[must_use]
    pub fn syntax(self) -> Syntax {
        Syntax {
            optionals: self.version.minor() >= Addition::Optionals.since(),
            two_variables: self.version.minor() >= Addition::TwoVariables.since(),
            sort_by: self.version.minor() >= Addition::SortBy.since(),
            server: self.server,
        }
    }

    /// The version that brought a function or a macro, where this one does not have it yet.
    #[must_use]
    pub fn needs(self, function: &str) -> Option<Version> {
        let minor = match macros::first_version(function) {
            Some(minor) => minor,
            None => {
                let overloads = &functions::rows()[Library::get().function(function)?];
                overloads.iter().map(|row| row.versions.first()).min()?
            }
        };
        (minor > self.version.minor() && minor > OLDEST).then(|| Version::new(minor))
    }

    /// Parses and checks an expression.
    ///
    /// # Errors
    /// - What is wrong with it, in the API server's words.
    ///
    /// ```
    /// use crd_cel::{Declarations, Declared, Environment, Scope, Shape, Variable, Version};
    ///
    /// let mut declarations = Declarations::default();
    /// let int = declarations.add(Declared { shape: Shape::Int, max_elements: 0, min_serialized_size: 1 });
    /// let variables = [("self", Variable::Declared(int))];
    /// let scope = Scope::new(&declarations, int, &variables);
    /// let environment = Environment::new(Version::NEWEST);
    /// assert_eq!(environment.compile("self + 1", &scope)?.result_type(), "int");
    ///
    /// let issues = environment.compile("self == 'a'", &scope).unwrap_err();
    /// assert_eq!(issues.as_slice()[0].message, "found no matching overload for '_==_' applied to '(int, string)'");
    /// # Ok::<(), crd_cel::Issues>(())
    /// ```
    pub fn compile<'s, 'd>(self, source: &'s str, scope: &Scope<'d>) -> Result<Checked<'s, 'd>, Issues> {
        let ast: Ast<'s> = parse_with(source, self.syntax())?;
        check(self, source, ast, scope)
    }
}

/// Before this version, what belongs to which is not told apart.
pub(crate) const OLDEST: u32 = 25;

impl Default for Environment {
    /// The environment of new rules on the server that answers where none is chosen.
    fn default() -> Self {
        Self::of_server(Version::DEFAULT)
    }
}

/// The variables of a place, and the declarations that their types are from.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'d> {
    pub(crate) declarations: &'d Declarations,
    pub(crate) root: DeclId,
    pub(crate) variables: &'d [(&'d str, Variable)],
}

impl<'d> Scope<'d> {
    /// A scope; messages name objects after their way from `root`, and sizes are looked up from there.
    #[must_use]
    pub fn new(declarations: &'d Declarations, root: DeclId, variables: &'d [(&'d str, Variable)]) -> Self {
        Self { declarations, root, variables }
    }
}

/// The type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variable {
    /// That type.
    Declared(DeclId),
    /// `optional_type` of that type.
    Optional(DeclId),
}
