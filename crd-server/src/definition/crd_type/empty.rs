//! Finds empty lists and maps in a CRD. Go does not serialize them.

use std::collections::HashSet;

use serde_json::Value;

use super::{Field, GoType, SCHEMA, SCHEMAS, VERSIONS};
use crate::request::body::strict::StrictReader;
use GoType::{Keyed, List, SchemaOr, Struct};

/// Returns a CRD's versions, including empty lists and maps that Go does not serialize. Returns `None` if there are no such lists and maps.
/// The API server compares the versions as Go values, where an empty list differs from an absent list.
///
/// Source: `listReflect.EqualsUsing` in `value/listreflect.go` of `sigs.k8s.io/structured-merge-diff`.
pub(crate) fn versions_with_empty(crd: &Value) -> Option<Value> {
    let sent = crd.pointer("/spec/versions")?;
    let printed = StrictReader::new(HashSet::new()).read(&VERSIONS, sent.clone());
    let mut versions = printed.clone();
    add_empty(&VERSIONS, sent, &mut versions);
    share_equal_parts(printed.as_array()?, versions.as_array_mut()?);
    (versions != printed).then_some(versions)
}

fn add_empty(go_type: &GoType, sent: &Value, printed: &mut Value) {
    match (go_type, sent, printed) {
        (Struct(fields), Value::Object(sent), Value::Object(printed)) => {
            for Field(name, go_type, _) in *fields {
                match (sent.get(*name), printed.get_mut(*name)) {
                    (Some(sent), Some(printed)) => add_empty(go_type, sent, printed),
                    (Some(sent @ (Value::Array(_) | Value::Object(_))), None) => {
                        printed.insert((*name).to_owned(), sent.clone());
                    }
                    _ => {}
                }
            }
        }
        (List(item), Value::Array(sent), Value::Array(printed)) => {
            sent.iter().zip(printed).for_each(|(sent, printed)| add_empty(item, sent, printed));
        }
        (GoType::Map(of), Value::Object(sent), Value::Object(printed)) => {
            for (name, sent) in sent {
                printed.get_mut(name).into_iter().for_each(|printed| add_empty(of, sent, printed));
            }
        }
        (Keyed(fields, _), Value::Array(sent), Value::Array(printed)) => {
            sent.iter().zip(printed).for_each(|(sent, printed)| add_empty(&Struct(fields), sent, printed));
        }
        (SchemaOr, sent @ Value::Object(_), printed) => add_empty(&Struct(&SCHEMA), sent, printed),
        (SchemaOr, sent @ Value::Array(_), printed) => add_empty(&SCHEMAS, sent, printed),
        _ => {}
    }
}

/// Copies the parts that are equal in all serialized versions from the first version to the others: the internal version of the API has a
/// single value for all of them.
///
/// Source: `pkg/apis/apiextensions/v1/conversion.go` of apiextensions-apiserver.
fn share_equal_parts(printed: &[Value], versions: &mut [Value]) {
    for name in ["subresources", "schema", "additionalPrinterColumns", "selectableFields"] {
        if printed.windows(2).any(|pair| pair[0].get(name) != pair[1].get(name)) {
            continue;
        }
        let first = versions.first().and_then(|version| version.get(name)).cloned();
        for version in versions.iter_mut().filter_map(Value::as_object_mut) {
            crate::json::set(version, name, first.clone());
        }
    }
}
