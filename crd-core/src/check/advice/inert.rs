//! Features that a release does not have, and ignores.

use crd_go::KubeVersion;

use super::super::features::{OlderServers, features};
use super::{Advice, INERT};
use crate::CustomResourceDefinition;

/// Finds the features that do nothing in a release.
pub(super) fn inert(crd: &CustomResourceDefinition, release: KubeVersion, out: &mut Vec<Advice>) {
    // The newest release has all of them.
    if release >= KubeVersion::NEWEST {
        return;
    }
    out.extend(features(crd).into_iter().filter(|feature| release < feature.since).filter_map(|feature| {
        let OlderServers::Inert(effect) = feature.before else { return None };
        Some(Advice {
            name: INERT,
            message: format!("Kubernetes {release} does not have {}: {effect}", feature.title()),
            help: Some(format!("Kubernetes {} has it", feature.since)),
            field: feature.field,
        })
    }));
}
