//! Generates Rust code that creates a custom resource object.

use crd_sample::SharedSteps;
use serde_json::Value;

use super::{families, kinds, layout};
use crate::{Config, Definition, Versions};

/// Returns a function `example` that creates this object. The function uses the types that [`generate`](crate::generate) generates from
/// this CRD alone. Returns `None` if the API server rejects the CRD, if nothing is generated for the object's version, or if a value in the
/// object does not have its field's type. Objects that the API server accepts, with defaults filled in, always have values of the right
/// types.
///
/// Values that cannot be written as literals, such as times, are deserialized from JSON. The function then returns a `Result` with the
/// error of `serde_json`.
///
/// ```
/// use crd_codegen::{Config, Definition, Origin, object_as_rust};
/// use crd_core::CustomResourceDefinition;
/// use serde_json::json;
///
/// let crd = CustomResourceDefinition::from_value(json!({
///     "metadata": {"name": "shirts.stable.example.com"},
///     "spec": {
///         "group": "stable.example.com",
///         "names": {"plural": "shirts", "kind": "Shirt"},
///         "scope": "Namespaced",
///         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
///             "type": "object",
///             "required": ["spec"],
///             "properties": {"spec": {"type": "object", "properties": {"color": {"type": "string"}}}},
///         }}}],
///     },
/// }))?;
/// let definition = Definition { crd, origin: Origin { file: "shirts.yaml".into(), document: 0 } };
/// let object = json!({
///     "apiVersion": "stable.example.com/v1", "kind": "Shirt", "metadata": {"name": "a"}, "spec": {"color": "red"},
/// });
/// let text = object_as_rust(&definition, &object, &Config::new()).unwrap();
/// assert!(text.starts_with("// Types of the module `stable_example_com::v1::shirt`.\nfn example() -> Shirt {\n"));
/// assert!(text.contains("spec: ShirtSpec {\n            color: Some(String::from(\"red\")),\n        },"));
/// # Ok::<(), crd_core::DecodeError>(())
/// ```
#[must_use]
pub fn object_as_rust(definition: &Definition, object: &Value, config: &Config) -> Option<String> {
    if !crd_core::check(&definition.crd).is_empty() {
        return None;
    }
    let (_, version) = object["apiVersion"].as_str()?.split_once('/')?;
    let mut config = config.clone();
    config.versions(Versions::Named(vec![version.to_owned()]));
    let settings = &config.resolve();
    let definitions = std::slice::from_ref(definition);
    let places = layout::places(definitions, settings);
    let mut output = kinds::definition(definition, places.first()?, settings, (&SharedSteps::new(), &|| ()));
    let kind = (0, output.kinds.pop()?);
    let families = families::families(definitions, vec![kind], settings);
    families.first()?.object(object, settings)
}
