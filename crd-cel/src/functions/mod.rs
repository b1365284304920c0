//! The functions that rules can call: one table, with a row for every overload.

mod conversion;
mod table;

use crate::cost::Estimate;
use crate::env::{Environment, Version};
#[cfg(feature = "eval")]
use crate::eval::{library::Implementation, price::Price};

pub(crate) use conversion::Conversion;

/// An overload of a function, with its cost and its implementation.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) versions: Versions,
    pub(crate) function: &'static str,
    pub(crate) id: &'static str,
    /// `list(V).(int) -> optional_type(V)`
    pub(crate) signature: &'static str,
    /// The estimate of the maximal cost of a call.
    pub(crate) estimate: Estimate,
    /// The cost of a call when it runs.
    #[cfg(feature = "eval")]
    pub(crate) price: Price,
    /// The implementation, which accepts the arguments of all overloads of the function, because a call can refer to
    /// several.
    #[cfg(feature = "eval")]
    pub(crate) implementation: Implementation,
}

/// The versions of Kubernetes that have an overload, by their minor numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Versions {
    /// The version of the library that introduced it.
    since: u32,
    servers: Servers,
}

/// The servers that have an overload, whatever the version of its library, by their minor numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Servers {
    since: u32,
    /// The first server without it.
    until: Option<u32>,
}

impl Servers {
    const ALL: Self = Self { since: 0, until: None };

    const fn since(since: u32) -> Self {
        Self { since, until: None }
    }

    const fn until(until: u32) -> Self {
        Self { since: 0, until: Some(until) }
    }
}

impl Versions {
    const fn new(since: u32, servers: Servers) -> Self {
        Self { since, servers }
    }

    /// The version that introduced the overload.
    pub(crate) fn first(self) -> u32 {
        self.since
    }

    /// Returns `true` if an environment has the overload. The environment selects the version of a library, but newer
    /// servers add overloads to old libraries, too, and remove overloads from all.
    pub(crate) fn are_in(self, environment: Environment) -> bool {
        let Servers { since, until } = self.servers;
        environment.version().is_at_least(self.since)
            && environment.server().is_at_least(since)
            && until.is_none_or(|until| !environment.server().is_at_least(until))
    }
}

/// The table.
pub(crate) fn rows() -> &'static [Row] {
    table::ROWS
}

/// A place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OverloadId(u16);

impl OverloadId {
    pub(crate) const fn new(index: usize) -> Self {
        Self(index as u16)
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn row(self) -> &'static Row {
        &table::ROWS[self.index()]
    }
}

/// An overload of a function that rules can call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Function {
    /// The name of the function, or of the operator: `size`, `sets.contains`, `_+_`.
    pub name: &'static str,
    /// The name of the overload, which is unique.
    pub overload: &'static str,
    /// The types of its arguments and of its result; a method's first argument stands before the dot:
    /// `list(V).(int) -> V`.
    pub signature: &'static str,
    /// The version of Kubernetes that introduced it.
    pub since: Version,
}

impl Environment {
    /// The overloads of all functions that the environment has, by the names of the functions and in the order in which
    /// the overloads are tried.
    ///
    /// ```
    /// use crd_cel::{Environment, Version};
    ///
    /// let names = |minor| Environment::new(Version::new(minor)).functions().map(|function| function.name);
    /// assert!(names(33).any(|name| name == "semver"));
    /// assert!(names(32).all(|name| name != "semver"));
    /// ```
    pub fn functions(self) -> impl Iterator<Item = Function> {
        rows().iter().filter(move |row| row.versions.are_in(self)).map(|row| Function {
            name: row.function,
            overload: row.id,
            signature: row.signature,
            since: Version::new(row.versions.first()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::rows;
    use crate::env::OLDEST;
    use crate::macros::Addition;

    /// `Words` relies on it.
    #[test]
    fn functions_that_macros_insert_come_with_their_macros() {
        for row in rows().iter().filter(|row| row.function.contains('@')) {
            let of_macros = [Addition::TwoVariables, Addition::SortBy].map(Addition::since);
            let first = row.versions.first();
            assert!(first <= OLDEST || of_macros.contains(&first), "{}", row.function);
        }
    }

    #[test]
    fn every_overload_has_a_name_of_its_own() {
        let mut ids: Vec<_> = rows().iter().map(|row| row.id).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }

    #[test]
    fn overloads_of_a_function_stand_together() {
        let mut names: Vec<_> = rows().iter().map(|row| row.function).collect();
        names.dedup();
        assert!(names.is_sorted());
    }
}
