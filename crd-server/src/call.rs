//! A parsed request, as it is passed to the functions that handle verbs.

use std::borrow::Cow;
use std::sync::Arc;

use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, Method};

use crate::body::Body;
use crate::definition;
use crate::request::accept::{Accept, Encoding};
use crate::request::query::Query;
use crate::request::route::Target;
use crate::response::rejected_in;
use crate::shared::Shared;
use crate::status::{Failure, Resource};

/// A parsed request, with its target and its query.
pub(crate) struct Call<'a> {
    pub(crate) server: &'a Arc<Shared>,
    pub(crate) target: Target,
    pub(crate) query: Query,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: Cow<'a, [u8]>,
    /// `true` if the body was in protobuf, and has been converted to JSON.
    pub(crate) is_read: bool,
    /// `true` if Kubernetes defines protobuf messages for the kind in the path.
    pub(crate) has_protobuf: bool,
    pub(crate) warnings: Vec<String>,
}

impl Call<'_> {
    pub(crate) fn header(&self, name: http::HeaderName) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Returns the error response, in pretty-printed JSON if the client accepts no available encoding.
    pub(crate) fn rejected(&self, failure: &Failure) -> http::Response<Body> {
        rejected_in(failure, self.accept().plain().unwrap_or(Encoding::PrettyJson), &self.warnings)
    }

    pub(crate) fn user_agent(&self) -> &str {
        self.header(USER_AGENT)
    }

    pub(crate) fn content_type(&self) -> &str {
        if self.is_read { "application/json" } else { self.header(CONTENT_TYPE) }
    }

    /// Converts a protobuf body to JSON. An object without a type gets `api_version` and `kind`.
    #[cfg(feature = "protobuf")]
    pub(crate) fn read_protobuf(&mut self, api_version: &str, kind: &str) -> Result<(), Failure> {
        use crate::protobuf::{MEDIA_TYPE, read};
        use crate::request::body::{media_type, unrecognized};

        if !self.body.is_empty() && media_type(self.content_type()).eq_ignore_ascii_case(MEDIA_TYPE) {
            let object = read(&self.body, api_version, kind);
            let object = object.map_err(|error| unrecognized(&self.body, kind, &error))?;
            self.body = Cow::Owned(object.to_string().into_bytes());
            self.is_read = true;
        }
        Ok(())
    }

    pub(crate) fn accept(&self) -> Accept<'_> {
        // The storage of the status of CRDs converts nothing to tables.
        let has_tables = self.target.subresource != "status" || self.resource() != definition::resource();
        let accept = Accept::new(self.header(ACCEPT), &self.query, self.user_agent());
        accept.with_protobuf(self.has_protobuf).with_tables(has_tables)
    }

    pub(crate) fn resource(&self) -> Resource {
        Resource { group: self.target.group.clone(), plural: self.target.plural.clone() }
    }
}

/// Returns the request's verb in the API server's terms, such as `list`.
pub(crate) fn verb(call: &Call<'_>, method: &Method) -> Option<&'static str> {
    let has_name = !call.target.name.is_empty();
    Some(match method.as_str() {
        "POST" => "create",
        "GET" | "HEAD" if call.target.is_watch => "watch",
        "GET" | "HEAD" if has_name => "get",
        "GET" | "HEAD" if call.query.flag("watch") == Some(true) => "watch",
        "GET" | "HEAD" => "list",
        "PUT" => "update",
        "PATCH" => "patch",
        "DELETE" if has_name => "delete",
        "DELETE" => "deletecollection",
        _ => return None,
    })
}

/// Returns the error response for a verb that the resource does not support.
pub(crate) fn not_supported(resource: &Resource, verb: &str) -> Failure {
    let message = format!("{verb} is not supported on resources of kind \"{resource}\"");
    Failure::new(405, "MethodNotAllowed", message).about("", &resource.group, &resource.plural)
}
