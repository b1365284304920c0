//! Parses the `Accept` header, which specifies the response's form and encoding.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go`, `github.com/munnerz/goautoneg`.

use std::collections::HashMap;

use crd_core::KubeVersion;

use super::query::Query;
use crate::status::Failure;

/// The form of a response that contains objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Object,
    /// `PartialObjectMetadata`: only the metadata.
    Metadata(MetaVersion),
    /// `PartialObjectMetadataList`.
    MetadataList(MetaVersion),
    /// `Table`: the columns that `kubectl get` prints.
    Table(MetaVersion),
}

/// A version of the group `meta.k8s.io`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetaVersion {
    V1,
    V1beta1,
}

impl MetaVersion {
    /// Returns the `apiVersion` of the kinds in this version.
    pub(crate) fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "meta.k8s.io/v1",
            Self::V1beta1 => "meta.k8s.io/v1beta1",
        }
    }
}

/// The encoding of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Json,
    /// JSON with a line for each field.
    PrettyJson,
    Yaml,
    #[cfg(feature = "protobuf")]
    Protobuf,
}

/// The media types for responses.
const SUPPORTED: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
/// The media types for watch events.
const STREAMED: &str = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

/// The media type of `/openapi/v2` in protobuf, as used in responses.
pub(crate) const OPENAPI_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// An `Accept` header, with other data from the request that affect the encoding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accept<'a> {
    header: &'a str,
    is_pretty: bool,
    has_protobuf: bool,
    has_tables: bool,
}

/// The media type that was chosen from a header, with its parameters.
struct Accepted {
    media_type: MediaType,
    is_pretty: bool,
    conversion: Option<Conversion>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MediaType {
    Json,
    Yaml,
    #[cfg(feature = "protobuf")]
    Protobuf,
}

/// The subtypes of supported media types. The header `application/*` selects the first subtype that is available for the response.
const SUBTYPES: &[(MediaType, &str)] = &[
    (MediaType::Json, "json"),
    (MediaType::Yaml, "yaml"),
    #[cfg(feature = "protobuf")]
    (MediaType::Protobuf, "vnd.kubernetes.protobuf"),
];

/// The response format that the client asks for with `as=` in `Accept`, such as `Table`.
#[derive(Default)]
struct Conversion {
    group: String,
    version: String,
    kind: String,
}

/// A media type in a header, with its parameters.
struct Clause<'a> {
    kind: &'a str,
    subtype: &'a str,
    quality: f32,
    parameters: HashMap<&'a str, &'a str>,
}

impl<'a> Accept<'a> {
    /// Reads a request's `Accept` header. The query or the user agent can also ask for pretty-printed JSON.
    pub(crate) fn new(header: &'a str, query: &Query, user_agent: &str) -> Self {
        let is_pretty = match query.text("pretty") {
            "" => ["curl", "Wget", "Mozilla/5.0"].iter().any(|client| user_agent.starts_with(client)),
            text => matches!(text, "1" | "t" | "T" | "TRUE" | "true" | "True"),
        };
        Self { header, is_pretty, has_protobuf: false, has_tables: true }
    }

    /// Sets whether the kind has protobuf messages.
    pub(crate) fn with_protobuf(self, has_protobuf: bool) -> Self {
        Self { has_protobuf, ..self }
    }

    /// Sets whether the response can be a `Table`.
    pub(crate) fn with_tables(self, has_tables: bool) -> Self {
        Self { has_tables, ..self }
    }

    /// Returns the form of a response that contains objects.
    pub(crate) fn form(self) -> Result<Form, Failure> {
        self.objects().map(|(_, form)| form).ok_or_else(not_acceptable)
    }

    /// Returns the form of objects in watch events. Events cannot be sent in YAML.
    pub(crate) fn watch_form(self) -> Result<Form, Failure> {
        match self.objects().ok_or_else(not_acceptable)? {
            (Encoding::Yaml, _) => Err(refused(STREAMED)),
            (_, form) => Ok(form),
        }
    }

    /// Returns the encoding of a response that contains objects.
    pub(crate) fn for_objects(self) -> Option<Encoding> {
        self.objects().map(|(encoding, _)| encoding)
    }

    fn objects(self) -> Option<(Encoding, Form)> {
        let is_form = |form| !matches!(form, Form::Table(_)) || self.has_tables;
        let is_form = |conversion: Option<&Conversion>| form_of(conversion).is_some_and(is_form);
        let accepted = self.find(is_form, |version| version == "v1")?;
        Some((self.encoding(&accepted), form_of(accepted.conversion.as_ref())?))
    }

    /// Returns the encoding for a response that has only one form, such as a discovery document.
    pub(crate) fn plain(self) -> Option<Encoding> {
        let accepted = self.find(|conversion| conversion.is_none(), |_| false)?;
        Some(self.encoding(&accepted))
    }

    /// Returns `true` if the client wants `/openapi/v2` in protobuf, `false` if it wants JSON, and `None` if it accepts neither.
    ///
    /// Source: `pkg/handler/handler.go` of kube-openapi.
    pub(crate) fn openapi_v2(self) -> Option<bool> {
        let header = if self.header.is_empty() { "*/*" } else { self.header };
        let is_protobuf = |clause: &Clause<'_>| match clause.subtype {
            _ if !matches!(clause.kind, "application" | "*") => None,
            "json" | "*" => Some(false),
            // The name with `@` is not one that RFC 6838 allows, and is the only one that old clients know.
            "com.github.proto-openapi.spec.v2@v1.0+protobuf"
            | "com.github.proto-openapi.spec.v2.v1.0+protobuf" => Some(true),
            _ => None,
        };
        clauses(header).iter().find_map(is_protobuf)
    }

    /// Returns the encoding and the version of aggregated discovery, if the client requests it.
    pub(crate) fn discovery(self, release: KubeVersion) -> Option<(Encoding, &'static str)> {
        let version = |conversion: Option<&Conversion>| {
            let wanted = conversion?;
            let is_list = (wanted.group.as_str(), wanted.kind.as_str())
                == ("apidiscovery.k8s.io", "APIGroupDiscoveryList");
            match wanted.version.as_str() {
                "v2" if is_list => Some("v2"),
                // The gate `AggregatedDiscoveryRemoveBetaType` is on from 1.33.
                "v2beta1" if is_list && release < KubeVersion::new(33) => Some("v2beta1"),
                _ => None,
            }
        };
        let accepted = self.find(|conversion| version(conversion).is_some(), |_| false)?;
        Some((self.encoding(&accepted), version(accepted.conversion.as_ref())?))
    }

    /// Returns `true` if the header contains a supported media type, regardless of parameters.
    ///
    /// Source: `matchesAccept` in `route.go` of `github.com/emicklei/go-restful`.
    pub(crate) fn has_media_type(self) -> bool {
        self.header.is_empty()
            || self.header.split(',').any(|clause| {
                let name = clause.split(';').next().unwrap_or_default().trim();
                name == "*/*" || SUPPORTED.split(", ").any(|supported| name == supported)
            })
    }

    fn encoding(self, accepted: &Accepted) -> Encoding {
        match accepted.media_type {
            MediaType::Yaml => Encoding::Yaml,
            #[cfg(feature = "protobuf")]
            MediaType::Protobuf => Encoding::Protobuf,
            MediaType::Json if self.is_pretty || accepted.is_pretty => Encoding::PrettyJson,
            MediaType::Json => Encoding::Json,
        }
    }

    /// Returns the first media type in the header for which the endpoint supports the conversion and the version.
    fn find(
        self,
        converts: impl Fn(Option<&Conversion>) -> bool,
        serves: impl Fn(&str) -> bool,
    ) -> Option<Accepted> {
        if self.header.is_empty() {
            return Some(Accepted { media_type: MediaType::Json, is_pretty: false, conversion: None });
        }
        for clause in clauses(self.header) {
            for &(media_type, subtype) in if self.has_protobuf { SUBTYPES } else { &SUBTYPES[..2] } {
                let is_match = match (clause.kind, clause.subtype) {
                    ("application", found) => found == subtype || found == "*",
                    (kind, found) => kind == "*" && found == "*",
                };
                // YAML is not streamed.
                let streams = |format: &str| format == "watch" && media_type != MediaType::Yaml;
                let parameter =
                    |name: &str| clause.parameters.get(name).copied().filter(|value| !value.is_empty());
                let conversion = conversion(&clause.parameters);
                if is_match
                    && parameter("stream").is_none_or(streams)
                    && parameter("sv").is_none_or(&serves)
                    && converts(conversion.as_ref())
                {
                    let is_pretty = parameter("pretty") == Some("1");
                    return Some(Accepted { media_type, is_pretty, conversion });
                }
            }
        }
        None
    }
}

/// Returns the error for a request that accepts no supported media type.
pub(crate) fn not_acceptable() -> Failure {
    refused(SUPPORTED)
}

fn refused(accepted: &str) -> Failure {
    let message = format!("only the following media types are accepted: {accepted}");
    Failure::new(406, "NotAcceptable", message)
}

/// Returns go-restful's error for a request that accepts no supported media type. This library routes requests for discovery and for kinds
/// with a Go type.
pub(crate) fn not_produced(streams: bool) -> Failure {
    let streamed = if streams { format!(", {STREAMED}") } else { String::new() };
    let message = format!("406: Not Acceptable\n\nAvailable representations: {SUPPORTED}{streamed}");
    Failure::new(406, "NotAcceptable", message).about("", "", "")
}

fn conversion(parameters: &HashMap<&str, &str>) -> Option<Conversion> {
    let text = |name: &str| parameters.get(name).copied().unwrap_or_default().to_owned();
    let is_any = ["as", "g", "v"].iter().any(|name| parameters.contains_key(name));
    is_any.then(|| Conversion { group: text("g"), version: text("v"), kind: text("as") })
}

/// Returns the requested form, or `None` if the server does not support the conversion.
fn form_of(conversion: Option<&Conversion>) -> Option<Form> {
    let Some(Conversion { group, version, kind }) = conversion else { return Some(Form::Object) };
    let version = match (group.as_str(), version.as_str()) {
        ("meta.k8s.io", "v1") => MetaVersion::V1,
        ("meta.k8s.io", "v1beta1") => MetaVersion::V1beta1,
        _ => return None,
    };
    match kind.as_str() {
        "PartialObjectMetadata" => Some(Form::Metadata(version)),
        "PartialObjectMetadataList" => Some(Form::MetadataList(version)),
        "Table" => Some(Form::Table(version)),
        _ => None,
    }
}

/// Returns the header's media types in the order of preference.
fn clauses(header: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<Clause<'_>> = header.split(',').filter_map(clause).collect();
    // The order is not a total one, so that the result depends on the algorithm: an insertion sort, as Go's up to 12 clauses.
    for end in 1..clauses.len() {
        let mut at = end;
        while at > 0 && precedes(&clauses[at], &clauses[at - 1]) {
            clauses.swap(at, at - 1);
            at -= 1;
        }
    }
    clauses
}

fn precedes(a: &Clause<'_>, b: &Clause<'_>) -> bool {
    a.quality > b.quality || (a.kind != "*" && b.kind == "*") || (a.subtype != "*" && b.subtype == "*")
}

fn clause(text: &str) -> Option<Clause<'_>> {
    let text = text.trim_matches(' ');
    let (name, rest) = text.split_once(';').unwrap_or((text, ""));
    let (kind, subtype) = match name.split_once('/') {
        Some((kind, subtype)) if !subtype.is_empty() => (kind.trim_matches(' '), subtype),
        _ if name.trim_matches([' ', '/']) == "*" => ("*", "*"),
        _ => return None,
    };
    if subtype.trim_end_matches('/').contains('/') {
        return None;
    }
    let mut clause = Clause {
        kind,
        subtype: subtype.trim_end_matches('/').trim_matches(' '),
        quality: 1.0,
        parameters: HashMap::new(),
    };
    for parameter in rest.split(';') {
        let Some((name, value)) = parameter.split_once('=') else { continue };
        let value = value.strip_suffix('=').unwrap_or(value);
        if value.is_empty() || value.contains('=') {
            continue;
        }
        match name.trim_matches(' ') {
            "q" => clause.quality = value.parse().unwrap_or(0.0),
            name => {
                clause.parameters.insert(name, value.trim_matches(' '));
            }
        }
    }
    Some(clause)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accept<'a>(header: &'a str, query: &str, user_agent: &str) -> Accept<'a> {
        Accept::new(header, &Query::parse(query), user_agent)
    }

    fn form(header: &str) -> Result<Form, u16> {
        accept(header, "", "").form().map_err(|failure| failure.code)
    }

    #[test]
    fn the_first_form_that_there_is() {
        let metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1";
        let table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
        for (header, expected) in [
            ("", Ok(Form::Object)),
            (metadata, Ok(Form::Metadata(MetaVersion::V1beta1))),
            (table, Ok(Form::Table(MetaVersion::V1))),
            ("text/html", Err(406)),
            ("application/json;as=Table", Err(406)),
            ("application/json;as=Table;v=v2;g=meta.k8s.io,application/json", Ok(Form::Object)),
            ("application/vnd.kubernetes.protobuf", Err(406)),
            ("application/json;sv=v2", Err(406)),
            ("application/json;sv=v1", Ok(Form::Object)),
            ("json", Err(406)),
        ] {
            assert_eq!(form(header), expected, "{header}");
        }
    }

    #[test]
    fn encodings() {
        for (header, query, user_agent, expected) in [
            ("", "", "", Some(Encoding::Json)),
            ("*/*", "", "", Some(Encoding::Json)),
            ("*/*", "", "curl/8.1", Some(Encoding::PrettyJson)),
            ("", "pretty=0", "curl/8.1", Some(Encoding::Json)),
            ("application/json;pretty=1", "", "", Some(Encoding::PrettyJson)),
            ("application/yaml", "pretty=1", "", Some(Encoding::Yaml)),
            ("application/json;q=0.1,application/yaml", "", "", Some(Encoding::Yaml)),
            ("application/*, application/yaml", "", "", Some(Encoding::Yaml)),
            ("application/yaml;stream=watch", "", "", None),
            ("application/json;as=Table;g=meta.k8s.io;v=v1", "", "", None),
        ] {
            assert_eq!(accept(header, query, user_agent).plain(), expected, "{header} {query}");
        }
    }

    #[test]
    fn versions_of_aggregated_discovery() {
        let header = |version: &str| {
            format!("application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList")
        };
        let version = |header: &str, minor: u32| {
            let found = accept(header, "", "").discovery(KubeVersion::new(minor));
            found.map(|(_, version)| version)
        };
        assert_eq!(version(&header("v2"), 36), Some("v2"));
        assert_eq!(version(&header("v2beta1"), 32), Some("v2beta1"));
        assert_eq!(version(&header("v2beta1"), 33), None);
        assert_eq!(version("application/json", 36), None);
    }
}
