//! Reads CRDs and objects from a cluster, as one side of a comparison.

use crd_core::CustomResourceDefinition;
use crd_input::{Error, Limits, Source};
use serde_json::Value;

/// A cluster in an argument: `cluster` for the current context's cluster, or `cluster:CONTEXT`.
#[derive(Clone, Copy)]
pub(super) struct Cluster<'a> {
    #[cfg_attr(not(feature = "cluster"), expect(dead_code, reason = "nothing is read"))]
    context: &'a str,
}

impl<'a> Cluster<'a> {
    pub(super) fn parse(input: &'a str) -> Option<Self> {
        let rest = input.strip_prefix("cluster")?;
        let context = if rest.is_empty() { rest } else { rest.strip_prefix(':')? };
        Some(Self { context })
    }
}

#[cfg(feature = "cluster")]
impl Cluster<'_> {
    fn find(self) -> crd_input::Cluster {
        let mut cluster = crd_input::Cluster::new();
        if !self.context.is_empty() {
            cluster.context(self.context);
        }
        cluster
    }

    /// Returns all CRDs with their status. The status contains the stored versions.
    pub(super) fn sources(self, limits: &Limits) -> Result<Vec<Source>, Error> {
        self.find().with_status().sources(limits)
    }

    /// Returns a CRD's objects in a served version.
    pub(super) fn objects(
        self,
        crd: &CustomResourceDefinition,
        limits: &Limits,
    ) -> Result<Vec<Value>, Error> {
        let versions = &crd.spec.versions;
        let stored = versions.iter().find(|version| version.served && version.storage);
        let Some(version) = stored.or_else(|| versions.iter().find(|version| version.served)) else {
            return Ok(Vec::new());
        };
        self.find().objects(crd, &version.name, limits)
    }
}

#[cfg(not(feature = "cluster"))]
impl Cluster<'_> {
    pub(super) fn sources(self, _: &Limits) -> Result<Vec<Source>, Error> {
        Err(crd_report::without_cluster("cluster", "diff - NEW"))
    }

    pub(super) fn objects(self, _: &CustomResourceDefinition, _: &Limits) -> Result<Vec<Value>, Error> {
        Err(crd_report::without_cluster("cluster", "diff - NEW"))
    }
}
