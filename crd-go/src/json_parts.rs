//! Printer columns and scale subresources that are written as JSON in a derive's attributes. Unknown keys are errors.

use crate::json_text::JsonText;
use crate::nearest::nearest;

/// A printer column that is written as JSON. Absent strings are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnJson {
    /// The heading.
    pub name: String,
    /// The type.
    pub type_: String,
    /// The path of the value.
    pub json_path: String,
    /// The description of the column.
    pub description: String,
    /// The format.
    pub format: String,
    /// 0 for the standard view.
    pub priority: Option<i32>,
}

/// A scale subresource that is written as JSON. Absent strings are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScaleJson {
    /// The path of the desired number of replicas.
    pub spec_replicas_path: String,
    /// The path of the observed number of replicas.
    pub status_replicas_path: String,
    /// The path of the label selector.
    pub label_selector_path: Option<String>,
}

impl ColumnJson {
    /// Reads a printer column.
    ///
    /// # Errors
    /// - The text is not a JSON object, or a value has a wrong type.
    /// - A key is unknown, or `name`, `type` or `jsonPath` is missing.
    ///
    /// ```
    /// use crd_go::json_parts::ColumnJson;
    ///
    /// let column = ColumnJson::parse(r#"{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}"#)?;
    /// assert_eq!(column.json_path, ".spec.size");
    ///
    /// let error = ColumnJson::parse(r#"{"name": "Size", "type": "integer", "jsonpath": ".a"}"#).unwrap_err();
    /// assert_eq!(error, "unknown key `jsonpath`: did you mean `jsonPath`?");
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let fields = Fields::parse(text, &["name", "type", "jsonPath", "description", "format", "priority"])?;
        Ok(Self {
            name: fields.required("name")?,
            type_: fields.required("type")?,
            json_path: fields.required("jsonPath")?,
            description: fields.text("description")?.unwrap_or_default(),
            format: fields.text("format")?.unwrap_or_default(),
            priority: fields.integer("priority")?,
        })
    }
}

impl ScaleJson {
    /// Reads a scale subresource.
    ///
    /// # Errors
    /// - The text is not a JSON object, or a value has a wrong type.
    /// - A key is unknown, or `specReplicasPath` or `statusReplicasPath` is missing.
    ///
    /// ```
    /// use crd_go::json_parts::ScaleJson;
    ///
    /// let error = ScaleJson::parse(r#"{"specReplicasPath": ".spec.replicas"}"#).unwrap_err();
    /// assert_eq!(error, "`statusReplicasPath` is missing");
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let fields = Fields::parse(text, &["specReplicasPath", "statusReplicasPath", "labelSelectorPath"])?;
        Ok(Self {
            spec_replicas_path: fields.required("specReplicasPath")?,
            status_replicas_path: fields.required("statusReplicasPath")?,
            label_selector_path: fields.text("labelSelectorPath")?,
        })
    }
}

/// The fields of an object, with known keys only.
struct Fields(Vec<(String, JsonText)>);

impl Fields {
    fn parse(text: &str, known: &[&str]) -> Result<Self, String> {
        let fields = match JsonText::parse(text) {
            Ok(JsonText::Object(fields)) => fields,
            Ok(other) => return Err(format!("it is {}, and not a JSON object", other.kind())),
            Err(error) => return Err(format!("it is not valid JSON: {error}")),
        };
        let Some(key) = fields.iter().map(|(key, _)| key).find(|key| !known.contains(&key.as_str())) else {
            return Ok(Self(fields));
        };
        Err(match nearest(key, known.iter().copied()) {
            Some(nearest) => format!("unknown key `{key}`: did you mean `{nearest}`?"),
            None => format!("unknown key `{key}`: remove it; expected one of `{}`", known.join("`, `")),
        })
    }

    /// Returns a value. As in the API, `null` counts as absent.
    fn value(&self, key: &str) -> Option<&JsonText> {
        // Of keys that occur several times, the last one counts.
        let value = self.0.iter().rfind(|(name, _)| name == key);
        value.map(|(_, value)| value).filter(|value| **value != JsonText::Null)
    }

    fn text(&self, key: &str) -> Result<Option<String>, String> {
        match self.value(key) {
            None => Ok(None),
            Some(JsonText::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(format!("`{key}` is {}, and not a string", other.kind())),
        }
    }

    fn required(&self, key: &str) -> Result<String, String> {
        let text = self.text(key)?.filter(|text| !text.is_empty());
        text.ok_or_else(|| format!("`{key}` is missing"))
    }

    fn integer(&self, key: &str) -> Result<Option<i32>, String> {
        let wrong = |what: &str| Err(format!("`{key}` is {what}, and not an integer of 32 bits"));
        match self.value(key) {
            None => Ok(None),
            Some(JsonText::Number(number)) => {
                number.parse().map(Some).or_else(|_| wrong(&format!("`{number}`")))
            }
            Some(other) => wrong(other.kind()),
        }
    }
}
