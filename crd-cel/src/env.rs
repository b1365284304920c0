//! Environments (the functions of a Kubernetes version) and scopes (the variables of a rule).

pub use crd_go::{InvalidKubeVersion as InvalidVersion, KubeVersion as Version};

use crate::declare::Library;
use crate::declared::{DeclId, Declarations};
use crate::functions::{self, Row};
use crate::macros::{self, Addition};
use crate::syntax::Syntax;
use crate::words::Words;

/// The CEL functions and macros of a Kubernetes version.
///
/// ```
/// use crd_cel::{Environment, Version};
///
/// // A server compiles new rules in the environment of the previous version, so that a cluster that is partly
/// // upgraded or rolled back still accepts them.
/// let environment = Environment::for_server(Version::new(31));
/// assert_eq!(environment.version(), Version::new(30));
/// assert_eq!(environment.needs("ip"), None);
/// assert_eq!(environment.needs("semver"), Some(Version::new(33)));
///
/// // A stored rule can use all functions of the server.
/// assert_eq!(Environment::for_stored(Version::new(31)).version(), Version::new(31));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Environment {
    /// The Kubernetes version whose functions and macros rules may use.
    version: Version,
    /// The Kubernetes version that compiles and runs the rules.
    server: Version,
}

/// An overload of a function that rules can call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Function {
    /// The name of the function, or of the operator: `size`, `sets.contains`, `_+_`.
    pub name: &'static str,
    /// The unique name of the overload.
    pub overload: &'static str,
    /// The types of the arguments and of the result. The first argument of a method is before the dot: `list(V).(int) -> V`.
    pub signature: &'static str,
    /// The Kubernetes version that introduced the function.
    pub since: Version,
}

impl Environment {
    /// Returns the environment with the functions of `version`. The server has the default version, or `version` if that is newer.
    #[must_use]
    pub fn new(version: Version) -> Self {
        Self { version, server: version.max(Version::DEFAULT) }
    }

    /// Returns the environment that a server of this version uses to compile new rules.
    #[must_use]
    pub fn for_server(version: Version) -> Self {
        Self { version: version.previous(), server: version }
    }

    /// Returns the environment that a server of this version uses to run stored rules.
    #[must_use]
    pub fn for_stored(version: Version) -> Self {
        Self { version, server: version }
    }

    /// Returns an environment with the same functions, for a server of another version.
    ///
    /// ```
    /// use crd_cel::{Environment, Version};
    ///
    /// let environment = Environment::new(Version::new(30)).with_server(Version::new(36));
    /// assert_eq!((environment.version(), environment.server()), (Version::new(30), Version::new(36)));
    /// ```
    #[must_use]
    pub fn with_server(self, server: Version) -> Self {
        Self { server, ..self }
    }

    /// Returns the version whose functions this environment has.
    #[must_use]
    pub fn version(self) -> Version {
        self.version
    }

    /// Returns the server's version, which decides how expressions are checked and run, and how their costs are counted.
    #[must_use]
    pub fn server(self) -> Version {
        self.server
    }

    /// Compares how expressions with these words compile in two environments. Returns `true` if every such expression that compiles in
    /// `other` also compiles in `self`, with equal types and costs. Error messages may differ.
    ///
    /// ```
    /// use crd_cel::{Environment, Version, Words};
    ///
    /// let of = |minor| Environment::for_server(Version::new(minor));
    /// let mut words = Words::default();
    /// words.add("isIP(self.address)");
    /// assert!(of(35).compiles_as(of(36), &words));
    /// assert!(!of(36).compiles_as(of(37), &words));
    /// assert!(!of(30).compiles_as(of(31), &words));
    /// ```
    #[must_use]
    pub fn compiles_as(self, other: Self, words: &Words<'_>) -> bool {
        let (version, of_other) = (self.version, other.version);
        let crosses = |minor: u32, one: Version, other: Version| !one.has_same(other, &[minor]);
        let has_row =
            |row: &Row, environment: Self| row.versions.are_in(environment.version, environment.server);
        let of_servers = SERVER_CHANGES
            .iter()
            .any(|(minor, matters)| crosses(*minor, self.server, other.server) && matters(words));
        let of_versions = VERSION_CHANGES
            .iter()
            .any(|(minor, matters)| crosses(*minor, version, of_other) && matters(words));
        let named =
            macros::additions().filter(|(name, _)| words.can_mean(name)).map(|(_, addition)| addition);
        let mut additions = named.chain([Addition::Optionals]);
        let of_macros = additions.any(|addition| crosses(addition.since(), version, of_other));
        let of_functions = functions::rows()
            .iter()
            .any(|row| has_row(row, self) != has_row(row, other) && words.can_mean(row.function));
        !(of_servers || of_versions || of_macros || of_functions)
    }

    /// Returns the same environment, but with at least the functions of [`OLDEST`].
    pub(crate) fn known(self) -> Self {
        Self { version: self.version.max(Version::new(OLDEST)), ..self }
    }

    /// Returns the syntax of this version.
    #[must_use]
    pub fn syntax(self) -> Syntax {
        Syntax {
            optionals: self.version.minor() >= Addition::Optionals.since(),
            two_variables: self.version.minor() >= Addition::TwoVariables.since(),
            sort_by: self.version.minor() >= Addition::SortBy.since(),
            server: self.server,
        }
    }

    /// Returns the version that introduces a function or a macro, if this environment does not have it.
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
}

impl Environment {
    /// Returns the overloads of all functions, sorted by the function's name. A function's overloads are in the order in which the type
    /// checker tries them.
    ///
    /// ```
    /// use crd_cel::{Environment, Version};
    ///
    /// let names = |minor| Environment::new(Version::new(minor)).functions().map(|function| function.name);
    /// assert!(names(33).any(|name| name == "semver"));
    /// assert!(names(32).all(|name| name != "semver"));
    /// ```
    pub fn functions(self) -> impl Iterator<Item = Function> {
        functions::rows().iter().filter(move |row| row.versions.are_in(self.version, self.server)).map(
            |row| Function {
                name: row.function,
                overload: row.id,
                signature: row.signature,
                since: Version::new(row.versions.first()),
            },
        )
    }
}

/// The oldest minor version that this crate distinguishes. Earlier versions count as this version.
pub(crate) const OLDEST: u32 = 25;

/// A minor version in which the compilation of some expressions changed. The function returns `true` if an expression with these words can
/// be affected.
type Change = (u32, fn(&Words<'_>) -> bool);

/// The server versions that compile some rules differently from the version before. Versions that only add functions are left out.
const SERVER_CHANGES: [Change; 4] = [
    (31, |words| words.can_mean("format")),
    (32, |words| words.can_make_library_types()),
    // Names of hidden variables and costs of macros.
    (33, |_| true),
    (37, |_| true),
];
/// The environment versions that changed type checking or the names of types. Versions that only add functions and macros are left out.
const VERSION_CHANGES: [Change; 3] =
    [(29, |_| true), (30, |words| words.can_mean("net")), (31, |words| words.can_name_keywords())];

impl Default for Environment {
    /// Returns the environment of new rules on a server of the default version.
    fn default() -> Self {
        Self::for_server(Version::DEFAULT)
    }
}

/// The variables that a rule can use, and the declarations of their types.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'d> {
    pub(crate) declarations: &'d Declarations,
    pub(crate) root: DeclId,
    pub(crate) variables: &'d [(&'d str, Variable)],
}

impl<'d> Scope<'d> {
    /// Creates a scope with these variables. `root` is the type at which paths begin: an object's name in messages is its path from `root`,
    /// and declared sizes are looked up from there.
    #[must_use]
    pub fn new(declarations: &'d Declarations, root: DeclId, variables: &'d [(&'d str, Variable)]) -> Self {
        Self { declarations, root, variables }
    }
}

/// The type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variable {
    /// A declared type.
    Declared(DeclId),
    /// `optional_type` of a declared type.
    Optional(DeclId),
}
