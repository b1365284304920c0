//! Generates values for a schema or a part of it, without validation.

use std::sync::Arc;

use crd_core::Structural;
use crd_core::values::Patterns;
use serde_json::Value;

use crate::maker::{Maker, Style};
use crate::sampler::Sampler;
use crate::work::{STEPS, Work};

/// Returns an endless sequence of random values for a schema. The values depend only on the seed.
///
/// Most values match the schema, and the rules for strings and numbers, but this is not checked. For objects that the API server accepts,
/// use [`Sampler`].
///
/// ```
/// use crd_core::Structural;
/// use crd_core::crd::JsonSchemaProps;
/// use serde_json::json;
///
/// let schema = JsonSchemaProps::from_value(json!({"type": "integer", "minimum": 3, "maximum": 5}))?;
/// let schema = Structural::from_json_schema(&schema)?;
/// for value in crd_sample::values_of(&schema, 7).take(10) {
///     assert!((3..=5).contains(&value.as_i64().unwrap()));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn values_of(schema: &Structural, seed: u64) -> impl Iterator<Item = Value> {
    let mut maker = Maker::new(seed, &Arc::new(Patterns::default()), Work::new(STEPS, None));
    std::iter::from_fn(move || {
        maker.work = Work::new(STEPS, None);
        Some(maker.value(schema, "", Style::Random))
    })
}

impl Sampler {
    /// Returns an endless sequence of random values for the schema at a path, or an empty sequence if there is no schema. The path consists
    /// of field names, map keys and list indices.
    ///
    /// The values are not validated, because only a whole object can be accepted or rejected.
    ///
    /// ```
    /// # fn example(sampler: &crd_sample::Sampler) {
    /// for size in sampler.values(&["spec", "size"].map(str::to_owned)).take(10) {
    ///     println!("{size}");
    /// }
    /// # }
    /// ```
    pub fn values(&self, at: &[String]) -> impl Iterator<Item = Value> {
        let mut maker = self.maker();
        let schema = crate::change::schema_at(&self.schema, at);
        let name = at.last().map(String::as_str).unwrap_or_default();
        std::iter::from_fn(move || {
            maker.work = self.work();
            schema.map(|schema| maker.value(schema, name, Style::Random))
        })
    }
}
