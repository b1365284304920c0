//! A row in the table of functions.

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
    /// The estimate for the maximal cost of a call.
    pub(crate) estimate: Estimate,
    /// The cost of a call when it runs.
    #[cfg(feature = "eval")]
    pub(crate) price: Price,
    /// The implementation. It accepts arguments for every overload of the function, because a call can have several possible overloads.
    #[cfg(feature = "eval")]
    pub(crate) implementation: Implementation,
}

/// The minor Kubernetes versions that have an overload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Versions {
    /// The first environment version with the overload.
    since: u32,
    servers: Servers,
}

/// The minor server versions that have an overload, whatever the environment's version is.
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

    /// Returns `true` if an environment has the overload. The environment's version selects the version of each library. But newer servers
    /// also add overloads to old library versions, and remove overloads from all library versions.
    pub(crate) fn are_in(self, version: KubeVersion, server: KubeVersion) -> bool {
        let Servers { since, until } = self.servers;
        version.is_at_least(self.since)
            && server.is_at_least(since)
            && until.is_none_or(|until| !server.is_at_least(until))
    }
}
