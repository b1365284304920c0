//! What rules can see: the functions of a version of Kubernetes, and the variables of a place in a schema.

use std::fmt;
use std::str::FromStr;

use crate::ast::Ast;
use crate::check::{Checked, check};
use crate::declare::Library;
use crate::declared::{DeclId, Declarations};
use crate::functions;
use crate::issue::Issues;
use crate::macros::{self, Addition};
use crate::parse::{Syntax, parse_with};

/// A version of Kubernetes: `1.31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    minor: u32,
}

impl Version {
    /// The newest version that this crate knows.
    pub const NEWEST: Self = Self { minor: 36 };

    /// `1.minor`
    #[must_use]
    pub const fn new(minor: u32) -> Self {
        Self { minor }
    }

    /// The number after `1.`.
    #[must_use]
    pub const fn minor(self) -> u32 {
        self.minor
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.minor)
    }
}

impl FromStr for Version {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts = text.strip_prefix("1.").ok_or(InvalidVersion)?.split('.');
        let minor = parts.next().and_then(|minor| minor.parse().ok()).ok_or(InvalidVersion)?;
        if parts.count() > 1 { Err(InvalidVersion) } else { Ok(Self { minor }) }
    }
}

/// A text that is no version of Kubernetes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidVersion;

impl fmt::Display for InvalidVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a version of Kubernetes: expected `1.31` or the like")
    }
}

impl std::error::Error for InvalidVersion {}

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
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Environment {
    version: Version,
}

impl Environment {
    /// The environment of that name, which the server after it uses for new rules.
    #[must_use]
    pub fn new(version: Version) -> Self {
        Self { version }
    }

    /// What a server of that version compiles new rules in.
    #[must_use]
    pub fn of_server(version: Version) -> Self {
        Self { version: Version { minor: version.minor.saturating_sub(1) } }
    }

    /// The version that it is named after.
    #[must_use]
    pub fn version(self) -> Version {
        self.version
    }

    /// The syntax of this version.
    #[must_use]
    pub fn syntax(self) -> Syntax {
        Syntax {
            optionals: self.version.minor >= Addition::Optionals.since(),
            two_variables: self.version.minor >= Addition::TwoVariables.since(),
            sort_by: self.version.minor >= Addition::SortBy.since(),
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
        (minor > self.version.minor && minor > OLDEST).then_some(Version { minor })
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
    /// What the newest server compiles new rules in.
    fn default() -> Self {
        Self::of_server(Version::NEWEST)
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
