//! The values of Kubernetes' libraries.

use super::library::format::NamedFormat;
use super::library::ip::{Cidr, Ip};
use super::library::quantity::Quantity;
use super::library::semver::Semver;
use crate::go::url::Url;

/// A value of one of Kubernetes' libraries.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names are those of the libraries' types")]
pub enum Opaque {
    Quantity(Quantity),
    Url(Url),
    Semver(Semver),
    Ip(Ip),
    Cidr(Cidr),
    Format(NamedFormat),
}

impl Opaque {
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::Url(_) => "kubernetes.URL",
            Self::Semver(_) => "kubernetes.Semver",
            Self::Ip(_) => "net.IP",
            Self::Cidr(_) => "net.CIDR",
            Self::Format(_) => "kubernetes.NamedFormat",
        }
    }

    pub(crate) fn size(&self) -> Option<u64> {
        match self {
            Self::Ip(ip) => Some(ip.size()),
            Self::Cidr(cidr) => Some(cidr.size()),
            _ => None,
        }
    }
}
