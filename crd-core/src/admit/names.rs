//! The rules for the names of objects.

use crd_go::names::{
    dns_1123_subdomain, is_dns_1123_subdomain, masked_prefix, path_segment, path_segment_prefix,
};

use crate::object_meta::NameRule;

/// The syntax of a kind's object names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameSyntax {
    /// A DNS subdomain, like the names of all custom resources.
    Subdomain,
    /// A path segment, like the names of some built-in kinds.
    PathSegment,
}

impl NameSyntax {
    /// Returns `true` if a name is valid.
    pub(super) fn has(self, name: &str) -> bool {
        match self {
            Self::Subdomain => is_dns_1123_subdomain(name),
            Self::PathSegment => path_segment(name).is_empty(),
        }
    }

    /// Returns `true` if a prefix of generated names is valid.
    pub(super) fn has_prefix(self, prefix: &str) -> bool {
        match self {
            Self::Subdomain => is_dns_1123_subdomain(&masked_prefix(prefix)),
            Self::PathSegment => path_segment_prefix(prefix).is_empty(),
        }
    }
}

impl NameRule for NameSyntax {
    fn name(&self, name: &str) -> Vec<String> {
        match self {
            Self::Subdomain => dns_1123_subdomain(name),
            Self::PathSegment => path_segment(name),
        }
    }

    fn prefix(&self, prefix: &str) -> Vec<String> {
        match self {
            Self::Subdomain => dns_1123_subdomain(&masked_prefix(prefix)),
            Self::PathSegment => path_segment_prefix(prefix),
        }
    }
}
