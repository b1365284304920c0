/// A Kubernetes object inside another one.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct EmbeddedResource {
    /// The API group and version.
    #[serde(rename = "apiVersion")]
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// Standard object metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<ObjectMeta>,
    /// All other fields.
    #[serde(flatten)]
    pub rest: std::collections::BTreeMap<String, serde_json::Value>,
}
