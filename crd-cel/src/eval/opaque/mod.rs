//! Values of the types that Kubernetes' CEL libraries add, such as quantities and URLs.

mod format;
mod ip;
pub(super) mod quantity;
pub(super) mod semver;

use crd_go::url::Url;

pub(crate) use format::NamedFormat;
pub(crate) use ip::{Cidr, Ip};
pub(crate) use quantity::Quantity;
pub(crate) use semver::Semver;

/// A value of a type that Kubernetes' CEL libraries add.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names are those of the libraries' types")]
pub enum Opaque {
    Quantity(Quantity),
    /// The sum of two quantities. The server holds the sum behind a pointer. Therefore, `==` with a sum on the right side is never true.
    Sum(Quantity),
    Url(Url),
    Semver(Semver),
    Ip(Ip),
    Cidr(Cidr),
    Format(NamedFormat),
    /// An error from reading or converting a value. The server treats this error as a value.
    Unconverted(Box<str>),
}

impl Opaque {
    pub(crate) fn quantity(&self) -> Option<&Quantity> {
        match self {
            Self::Quantity(quantity) | Self::Sum(quantity) => Some(quantity),
            _ => None,
        }
    }

    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Quantity(_) | Self::Sum(_) => "kubernetes.Quantity",
            Self::Url(_) => "kubernetes.URL",
            Self::Semver(_) => "kubernetes.Semver",
            Self::Ip(_) => "net.IP",
            Self::Cidr(_) => "net.CIDR",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Unconverted(_) => "error",
        }
    }

    /// Returns Go's name for the type.
    pub(crate) fn go_type(&self) -> &'static str {
        match self {
            Self::Quantity(_) => "cel.Quantity",
            Self::Sum(_) => "*cel.Quantity",
            Self::Url(_) => "cel.URL",
            Self::Semver(_) => "cel.Semver",
            Self::Ip(_) => "cel.IP",
            Self::Cidr(_) => "cel.CIDR",
            Self::Format(_) => "cel.Format",
            Self::Unconverted(_) => "*types.Err",
        }
    }

    /// Formats the value like Go's `(%T)%v`. Returns only the type for a quantity or a format, because a quantity's original text is not
    /// kept, and Go's text for a format contains a memory address.
    pub(crate) fn in_go(&self) -> String {
        match self {
            Self::Quantity(_) | Self::Sum(_) => "(*resource.Quantity)".to_owned(),
            Self::Url(url) => format!("(*url.URL){url}"),
            Self::Semver(version) => format!("(semver.Version){version}"),
            Self::Ip(ip) => format!("(netip.Addr){ip}"),
            Self::Cidr(cidr) => format!("(netip.Prefix){cidr}"),
            // Go prints addresses of functions, which differ in each run.
            Self::Format(_) => "(cel.Format)".to_owned(),
            Self::Unconverted(error) => format!("(*errors.errorString){error}"),
        }
    }

    /// Formats the value like Go's `%v`. Returns the name of the type if the output is not known.
    pub(crate) fn printed(&self) -> String {
        match self {
            Self::Url(url) => url.to_string(),
            Self::Semver(version) => version.to_string(),
            Self::Ip(ip) => ip.to_string(),
            Self::Cidr(cidr) => cidr.to_string(),
            _ => self.type_name().to_owned(),
        }
    }

    /// Returns the CPU work of comparing this value with another value.
    pub(crate) fn work(&self) -> u64 {
        match self {
            Self::Quantity(quantity) | Self::Sum(quantity) => quantity.work(),
            Self::Url(url) => bytes(url) as u64 / 4,
            Self::Semver(version) => version.work(),
            Self::Ip(_) | Self::Cidr(_) | Self::Format(_) | Self::Unconverted(_) => 0,
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

/// Returns a URL's approximate length in bytes.
fn bytes(url: &Url) -> usize {
    url.scheme.len() + url.opaque.len() + url.host.len() + url.escaped_path.len() + url.query.len()
}
