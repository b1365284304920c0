//! Parsing of single parts of a definition, for attributes of a derive. Unknown keys are errors.

use crd_go::nearest::nearest;
use serde_json::Value;

use super::wire::{Decoder, Wire};
use super::{PrinterColumn, ScaleSubresource};
use crate::OrderedMap;

impl PrinterColumn {
    /// Reads a printer column from JSON.
    ///
    /// # Errors
    /// - The text is not valid JSON, or a value has a wrong type.
    /// - A key is unknown, or `name`, `type` or `jsonPath` is missing.
    ///
    /// ```
    /// use crd_core::crd::PrinterColumn;
    ///
    /// let column = PrinterColumn::from_json(r#"{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}"#)?;
    /// assert_eq!(column.json_path, ".spec.size");
    ///
    /// let error = PrinterColumn::from_json(r#"{"name": "Size", "type": "integer", "jsonpath": ".a"}"#).unwrap_err();
    /// assert_eq!(error, "unknown key `jsonpath`: did you mean `jsonPath`?");
    /// # Ok::<(), String>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Self, String> {
        let column: Self = decode(text)?;
        let keys = ["name", "type", "jsonPath", "description", "format", "priority"];
        known(&column.unknown, &keys)?;
        present(&[("name", &column.name), ("type", &column.type_), ("jsonPath", &column.json_path)])?;
        Ok(column)
    }
}

impl ScaleSubresource {
    /// Reads a scale subresource from JSON.
    ///
    /// # Errors
    /// - The text is not valid JSON, or a value has a wrong type.
    /// - A key is unknown, or `specReplicasPath` or `statusReplicasPath` is missing.
    ///
    /// ```
    /// use crd_core::crd::ScaleSubresource;
    ///
    /// let error = ScaleSubresource::from_json(r#"{"specReplicasPath": ".spec.replicas"}"#).unwrap_err();
    /// assert_eq!(error, "`statusReplicasPath` is missing");
    /// ```
    pub fn from_json(text: &str) -> Result<Self, String> {
        let scale: Self = decode(text)?;
        known(&scale.unknown, &["specReplicasPath", "statusReplicasPath", "labelSelectorPath"])?;
        present(&[
            ("specReplicasPath", &scale.spec_replicas_path),
            ("statusReplicasPath", &scale.status_replicas_path),
        ])?;
        Ok(scale)
    }
}

fn decode<T: Wire>(text: &str) -> Result<T, String> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("it is not valid JSON: {error}"))?;
    let mut decoder = Decoder::default();
    let part = T::decode(value, &mut decoder);
    decoder.finish().map_err(|error| error.to_string())?;
    Ok(part)
}

fn known(unknown: &OrderedMap<Value>, keys: &[&str]) -> Result<(), String> {
    let Some(key) = unknown.keys().next() else { return Ok(()) };
    match nearest(key, keys.iter().copied()) {
        Some(nearest) => Err(format!("unknown key `{key}`: did you mean `{nearest}`?")),
        None => Err(format!("unknown key `{key}`: remove it; known are `{}`", keys.join("`, `"))),
    }
}

fn present(texts: &[(&str, &str)]) -> Result<(), String> {
    match texts.iter().find(|(_, text)| text.is_empty()) {
        Some((key, _)) => Err(format!("`{key}` is missing")),
        None => Ok(()),
    }
}
