//! A row of the table of functions.

use crd_go::KubeVersion;

use super::estimate::Estimate;
#[cfg(feature = "eval")]
use crate::eval::{implementation::Implementation, price::Price};

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
    /// The implementation, which accepts the arguments of all overloads of the function, because a call can refer to several
    /// overloads.
    #[cfg(feature = "eval")]
    pub(crate) implementation: Implementation,
}

/// The minor versions of Kubernetes that have an overload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Versions {
    /// The version of the library that introduced the overload.
    since: u32,
    servers: Servers,
}

/// The minor versions of the servers that have an overload, regardless of the version of its library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Servers {
    since: u32,
    /// The first server without the overload.
    until: Option<u32>,
}

impl Servers {
    pub(super) const ALL: Self = Self { since: 0, until: None };

    pub(super) const fn since(since: u32) -> Self {
        Self { since, until: None }
    }

    pub(super) const fn until(until: u32) -> Self {
        Self { since: 0, until: Some(until) }
    }
}

impl Versions {
    pub(super) const fn new(since: u32, servers: Servers) -> Self {
        Self { since, servers }
    }

    /// Returns the version that introduced the overload.
    pub(crate) fn first(self) -> u32 {
        self.since
    }

    /// Returns `true` if an environment of a version has the overload on a server. The version of the environment selects the version of
    /// each library. Newer servers also add overloads to old versions of a library, and remove overloads from all versions.
    pub(crate) fn are_in(self, version: KubeVersion, server: KubeVersion) -> bool {
        let Servers { since, until } = self.servers;
        version.is_at_least(self.since)
            && server.is_at_least(since)
            && until.is_none_or(|until| !server.is_at_least(until))
    }
}
