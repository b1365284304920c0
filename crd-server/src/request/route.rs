//! Parses request paths.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/request/requestinfo.go`.

/// The target of a request's path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// `/version`
    Version,
    /// `/healthz`, `/livez`, `/readyz`
    Health,
    /// `/api`
    CoreVersions,
    /// `/apis`
    Groups,
    /// `/apis/GROUP`
    Group(String),
    /// `/apis/GROUP/VERSION`, and `/api/v1` with an empty group.
    Resources(String, String),
    /// `/openapi/v2`
    SchemasV2,
    /// `/openapi/v3`
    Schemas,
    /// `/openapi/v3/apis/GROUP/VERSION` and `/openapi/v3/api/v1`: the part after `v3/`.
    Schema(String),
    /// The objects of a resource, or one object.
    Objects(Target),
    Unknown,
}

/// The resource or the object that a path refers to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) group: String,
    pub(crate) version: String,
    /// The namespace; empty for cluster-scoped objects, and in requests for all namespaces.
    pub(crate) namespace: String,
    pub(crate) plural: String,
    pub(crate) name: String,
    pub(crate) subresource: String,
    /// `true` if the path continues below the subresource.
    pub(crate) has_more: bool,
    /// `/apis/GROUP/VERSION/watch/...`, the deprecated way to watch.
    pub(crate) is_watch: bool,
}

impl Route {
    pub(crate) fn parse(path: &str) -> Self {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let owned = |text: &str| text.to_owned();
        match parts.as_slice() {
            ["version"] => Self::Version,
            ["healthz" | "livez" | "readyz"] => Self::Health,
            ["api"] => Self::CoreVersions,
            ["openapi", "v2"] => Self::SchemasV2,
            ["openapi", "v3"] => Self::Schemas,
            ["openapi", "v3", rest @ ..] => Self::Schema(rest.join("/")),
            ["apis"] => Self::Groups,
            ["apis", group] => Self::Group(owned(group)),
            ["api", version] => Self::Resources(String::new(), owned(version)),
            ["apis", group, version] => Self::Resources(owned(group), owned(version)),
            ["api", version, rest @ ..] => objects("", version, rest),
            ["apis", group, version, rest @ ..] => objects(group, version, rest),
            _ => Self::Unknown,
        }
    }
}

fn objects(group: &str, version: &str, rest: &[&str]) -> Route {
    let (is_watch, rest) = match rest {
        ["watch", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (namespace, rest) = match rest {
        // Subresources of a namespace are not resources in it.
        ["namespaces", namespace, first, ..] if !["status", "finalize"].contains(first) => {
            (*namespace, &rest[2..])
        }
        rest => ("", rest),
    };
    let part = |index: usize| rest.get(index).map(|part| percent_decoded(part)).unwrap_or_default();
    if part(0).is_empty() {
        return Route::Unknown;
    }
    Route::Objects(Target {
        group: group.to_owned(),
        version: version.to_owned(),
        namespace: percent_decoded(namespace),
        plural: part(0),
        name: part(1),
        subresource: part(2),
        has_more: rest.len() > 3,
        is_watch,
    })
}

/// Decodes escapes in a path segment. Invalid escapes are kept.
fn percent_decoded(segment: &str) -> String {
    if !segment.contains('%') {
        return segment.to_owned();
    }
    // A plus is a plus in a path.
    crd_go::url::unescape_query(&segment.replace('+', "%2B")).unwrap_or_else(|_| segment.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_objects() {
        let target = |path: &str| match Route::parse(path) {
            Route::Objects(target) => {
                let Target { namespace, plural, name, subresource, .. } = target;
                [namespace, plural, name, subresource].join(" ")
            }
            other => format!("{other:?}"),
        };
        for (path, expected) in [
            ("/apis/e.io/v1/shirts", " shirts  "),
            ("/apis/e.io/v1/namespaces/d/shirts/a/status", "d shirts a status"),
            ("/api/v1/namespaces", " namespaces  "),
            ("/api/v1/namespaces/d", " namespaces d "),
            ("/api/v1/namespaces/d/status", " namespaces d status"),
            ("/apis/e.io/v1/watch/shirts", " shirts  "),
            ("/apis/e.io/v1/shirts/a%20b", " shirts a b "),
            ("/apis/e.io", "Group(\"e.io\")"),
            ("/foo", "Unknown"),
        ] {
            assert_eq!(target(path), expected, "{path}");
        }
    }
}
