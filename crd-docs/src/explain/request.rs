//! The argument of `kubectl explain`: a resource and the path to a field.
//!
//! Source: `kubectl/pkg/explain/explain.go` and `client-go/restmapper`.

use std::fmt;

use crd_core::CustomResourceDefinition;
use crd_core::crd::compare_versions;

use crate::json_path::{JsonPath, Malformed, Node};

/// A resource, and the path to one of the resource's fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    text: String,
    /// The resource's plural, singular, kind or short name, as given by the user.
    pub resource: String,
    /// The names of the fields on the path.
    pub path: Vec<String>,
}

/// The reason why a request is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wrong {
    /// The request cannot be parsed as a JSON path.
    Malformed(Malformed),
    /// The request does not begin with a name.
    FirstNode,
    /// The path contains an index or a filter.
    Nodes,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(error) => error.fmt(f),
            Self::FirstNode => f.write_str("invalid jsonpath syntax, first node must be field node"),
            Self::Nodes => f.write_str("invalid jsonpath syntax, all nodes must be field nodes"),
        }
    }
}

impl std::error::Error for Wrong {}

impl Request {
    /// Parses a request such as `crontabs.spec.replicas`.
    ///
    /// # Errors
    /// The request contains something other than names.
    ///
    /// ```
    /// use crd_docs::explain::Request;
    ///
    /// let request = Request::parse("crontabs.spec.replicas")?;
    /// assert_eq!((request.resource.as_str(), request.path.len()), ("crontabs", 2));
    ///
    /// let error = Request::parse("crontabs.spec.containers[0]").unwrap_err();
    /// assert_eq!(error.to_string(), "invalid jsonpath syntax, all nodes must be field nodes");
    /// # Ok::<(), crd_docs::explain::Wrong>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, Wrong> {
        let mut names = names(text)?.into_iter();
        let resource = names.next().ok_or(Wrong::FirstNode)?;
        let path = names.collect::<Option<_>>().ok_or(Wrong::Nodes)?;
        Ok(Self { text: text.to_owned(), resource: resource.ok_or(Wrong::FirstNode)?, path })
    }

    /// Returns `true` if the requested resource is the CRD's plural, singular, kind or a short name. Case does not matter.
    #[must_use]
    pub fn is_of(&self, crd: &CustomResourceDefinition) -> bool {
        let names = &crd.spec.names;
        let short = names.short_names.iter().flatten();
        let mut all = [&names.plural, &names.singular, &names.kind].into_iter().chain(short);
        all.any(|name| !name.is_empty() && name.to_lowercase() == self.resource.to_lowercase())
    }

    /// Returns the path to the field, if the resource is followed by the CRD's group, as in `crontabs.stable.example.com.spec`.
    #[must_use]
    pub fn path_after_group(&self, crd: &CustomResourceDefinition) -> Option<Vec<String>> {
        let full = format!("{}.{}", crd.spec.names.plural, crd.spec.group);
        let rest = self.text.strip_prefix(&full)?;
        match rest.strip_prefix('.') {
            Some(rest) if !rest.is_empty() => names(rest).ok()?.into_iter().collect(),
            Some(_) => Some(Vec::new()),
            None => rest.is_empty().then(Vec::new),
        }
    }
}

/// Returns the path's names, with `None` for an index or a filter.
fn names(text: &str) -> Result<Vec<Option<String>>, Wrong> {
    let text = text.strip_suffix('.').unwrap_or(text);
    let path = JsonPath::parse(&format!("{{.{text}}}")).map_err(Wrong::Malformed)?;
    let mut nodes = path.nodes.into_iter();
    let (Some(Node::List(steps)), None) = (nodes.next(), nodes.next()) else { return Err(Wrong::Nodes) };
    let name = |node| if let Node::Field(name) = node { Some(name) } else { None };
    Ok(steps.into_iter().map(name).collect())
}

/// Returns the served version that clients prefer. This is the newest stable version or, if there is none, the newest beta version, and so
/// on.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_docs::explain::newest_version;
///
/// let crd = CustomResourceDefinition::from_value(serde_json::json!({"spec": {"versions": [
///     {"name": "v1beta2", "served": true}, {"name": "v1", "served": true}, {"name": "v2", "served": false},
/// ]}}))?;
/// assert_eq!(newest_version(&crd), Some("v1"));
/// # Ok::<(), crd_core::DecodeError>(())
/// ```
#[must_use]
pub fn newest_version(crd: &CustomResourceDefinition) -> Option<&str> {
    let served = crd.spec.versions.iter().filter(|version| version.served);
    served.map(|version| version.name.as_str()).max_by(|a, b| compare_versions(a, b))
}
