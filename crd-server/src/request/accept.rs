//! The form in which a client wants the answer.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go`.

use crate::status::Failure;

/// The form of an answer. All are JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Object,
    /// `PartialObjectMetadata`: the metadata alone.
    Metadata,
    /// `PartialObjectMetadataList`.
    MetadataList,
    /// `Table`: the columns that `kubectl get` prints.
    Table,
}

/// The first form of the header `Accept` that this server has.
pub(crate) fn form(accept: &str) -> Result<Form, Failure> {
    if accept.trim().is_empty() {
        return Ok(Form::Object);
    }
    let mut wants_yaml = false;
    for clause in accept.split(',') {
        let mut parts = clause.split(';').map(str::trim);
        let media_type = parts.next().unwrap_or_default();
        let parameter = |name: &str| {
            let mut parameters = clause.split(';').skip(1).filter_map(|part| part.trim().split_once('='));
            parameters.find(|(key, _)| *key == name).map(|(_, value)| value)
        };
        wants_yaml |= media_type == "application/yaml";
        if !matches!(media_type, "application/json" | "*/*" | "application/*") {
            continue;
        }
        match parameter("as") {
            None => return Ok(Form::Object),
            Some(kind) if (parameter("g"), parameter("v")) == (Some("meta.k8s.io"), Some("v1")) => match kind
            {
                "PartialObjectMetadata" => return Ok(Form::Metadata),
                "PartialObjectMetadataList" => return Ok(Form::MetadataList),
                "Table" => return Ok(Form::Table),
                _ => {}
            },
            Some(_) => {}
        }
    }
    if wants_yaml {
        return Err(Failure::not_implemented("answers in YAML"));
    }
    let message = "only the following media types are accepted: application/json, application/yaml, \
                   application/vnd.kubernetes.protobuf";
    Err(Failure::new(406, "NotAcceptable", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_form_that_there_is() {
        let metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
        assert_eq!(form("").unwrap(), Form::Object);
        assert_eq!(form(metadata).unwrap(), Form::Metadata);
        let table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
        assert_eq!(form(table).unwrap(), Form::Table);
        assert_eq!(form("text/html").unwrap_err().code, 406);
        assert_eq!(form("application/yaml").unwrap_err().code, 501);
    }
}
