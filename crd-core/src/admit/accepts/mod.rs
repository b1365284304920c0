//! Quick verdicts on new objects: accepted or rejected, without messages and usually without a copy of the object.

use serde_json::Value;

use super::checks::run;
use super::kind::Kind;
use super::metadata::MetadataVerdict;
use super::preview::Preview;
use super::screen::Screened;
use super::submitted::FieldValidation;
use super::validator::{Validator, set};
use super::version::CompiledVersion;
use super::{metadata, scale};
use crate::Causes;
use crate::defaults::Room;
use crate::rules::{Found, MetadataUse, Old};
use crate::values::Meter;

impl Validator {
    /// Returns `true` if the API server accepts a new object. The verdict is the same as from [`create`](Self::create),
    /// which also returns the stored object and messages.
    ///
    /// An object that is stored as it was sent, apart from defaults, is neither copied nor converted. A copy is validated only if the
    /// object has unknown fields or embedded resources, or if a rule or another restriction can tell an absent field from its default. Like
    /// [`create`](Self::create), this method does not accept an object that exceeds a limit of this crate.
    ///
    /// ```
    /// # fn example(validator: crd_core::admit::Validator) {
    /// use serde_json::json;
    ///
    /// let object = json!({
    ///     "apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": "nightly"},
    ///     "spec": {"schedule": "0 3 * * *"},
    /// });
    /// assert_eq!(validator.accepts(&object), validator.create(&object).is_accepted());
    ///
    /// // `create` gives the reasons for a rejection.
    /// let unnamed = json!({"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {}});
    /// if !validator.accepts(&unnamed) {
    ///     for cause in validator.create(unnamed).causes() {
    ///         eprintln!("{cause}");
    ///     }
    /// }
    /// # }
    /// # let crd = crd_core::CustomResourceDefinition::from_value(serde_json::json!({
    /// #     "metadata": {"name": "crontabs.stable.example.com"},
    /// #     "spec": {
    /// #         "group": "stable.example.com", "scope": "Namespaced",
    /// #         "names": {"plural": "crontabs", "kind": "CronTab"},
    /// #         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
    /// #             "type": "object", "properties": {"spec": {
    /// #                 "type": "object", "properties": {"schedule": {"type": "string"}},
    /// #             }},
    /// #         }}}],
    /// #     },
    /// # }))?;
    /// # example(crd_core::admit::Validator::new(&crd)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn accepts(&self, object: &Value) -> bool {
        self.quick_verdict(object).unwrap_or_else(|| self.create(object).is_accepted())
    }

    /// Returns the verdict on an object, or `None` if only the complete validation can decide.
    fn quick_verdict(&self, object: &Value) -> Option<bool> {
        let kind = self.kind();
        let (version, metadata) = self.version_and_metadata(object)?;
        let filled;
        let (value, lacks_defaults) = match version.screened(object) {
            Screened::Fits { lacks_defaults } => (object, lacks_defaults),
            Screened::LacksDefaults => {
                filled = with_defaults(version, object)?;
                match version.screened(&filled) {
                    Screened::Fits { lacks_defaults: false } => (&filled, false),
                    Screened::Invalid { .. } => return Some(false),
                    Screened::Fits { .. } | Screened::LacksDefaults | Screened::Undecided => return None,
                }
            }
            Screened::Invalid { .. } => return Some(false),
            Screened::Undecided => return None,
        };
        let is_strict = self.field_validation() == FieldValidation::Strict;
        match metadata::check_new(metadata, kind, is_strict)? {
            MetadataVerdict::Invalid => return Some(false),
            // The server changes what the rules read.
            MetadataVerdict::Renamed if version.metadata_use == MetadataUse::Names => return None,
            MetadataVerdict::Renamed | MetadataVerdict::Valid => {}
        }
        match version.rest_of_verdict(value, lacks_defaults, self.work) {
            None if lacks_defaults => {
                version.rest_of_verdict(&with_defaults(version, object)?, false, self.work)
            }
            verdict => verdict,
        }
    }

    /// Checks a new object quickly before its validation. Returns `None` if the API server would change the object's metadata, or if only
    /// the complete validation can decide.
    pub(super) fn preview(&self, object: &Value, meter: &Meter) -> Option<Preview<'_>> {
        let (version, metadata) = self.version_and_metadata(object)?;
        if !metadata::is_stored_unchanged(metadata, self.kind()) {
            return None;
        }
        let screened = version.screened(object);
        let fits = screened == Screened::Fits { lacks_defaults: false };
        let is_valid = fits && has_valid_scale(version, object);
        let found = if is_valid { run_rules(version, object, meter) } else { None };
        let is_accepted =
            is_valid && !meter.is_stopped() && found.as_ref().is_none_or(|found| found.errors.is_empty());
        Some(Preview { version, screened, found, is_accepted })
    }

    /// Returns the version and the metadata of an object. `None` if the quick check of the other fields cannot lead to a verdict.
    fn version_and_metadata<'v>(&self, object: &'v Value) -> Option<(&CompiledVersion, &'v Value)> {
        let kind = self.kind();
        let root = RootFields::from_object(object)?;
        let version = kind.version_of(root.api_version).filter(|version| version.is_served)?;
        let can_tell = root.kind == kind.name
            && version.metadata_use < MetadataUse::Whole
            && can_be_stored(kind, version, object);
        can_tell.then_some((version, root.metadata))
    }
}

impl CompiledVersion {
    /// Returns the verdict of the checks that screening leaves out: the rules and the scale subresource. `None` if the verdict needs the
    /// object's defaults or the complete validation.
    fn rest_of_verdict(&self, object: &Value, lacks_defaults: bool, work: u64) -> Option<bool> {
        if lacks_defaults && self.scale_sees_defaults {
            return None;
        }
        if !has_valid_scale(self, object) {
            return Some(false);
        }
        self.rules.as_ref().map_or(Some(true), |rules| rules.are_followed(object, lacks_defaults, work))
    }
}

/// The fields that every object has: `apiVersion`, `kind` and `metadata`.
struct RootFields<'v> {
    api_version: &'v str,
    kind: &'v str,
    metadata: &'v Value,
}

impl<'v> RootFields<'v> {
    fn from_object(object: &'v Value) -> Option<Self> {
        let (mut api_version, mut kind, mut metadata) = (None, None, None);
        // They are the first ones of nearly every object: this is faster than hashing their names.
        for (name, value) in object.as_object()? {
            match name.as_str() {
                "apiVersion" => api_version = value.as_str(),
                "kind" => kind = value.as_str(),
                "metadata" => metadata = Some(value),
                _ => {}
            }
        }
        Some(Self { api_version: api_version?, kind: kind?, metadata: metadata? })
    }
}

/// Returns `true` if a valid object can be converted to its stored form and back without an error.
fn can_be_stored(kind: &Kind, version: &CompiledVersion, object: &Value) -> bool {
    let storage = kind.storage();
    if version.name == storage.name {
        return version.status_fits;
    }
    !version.has_resources
        && !storage.has_resources
        && storage
            .most_defaults
            .is_some_and(|most| most == 0 || most.saturating_mul(count(object)) <= Room::BYTES)
}

/// Counts a value together with all values inside it.
fn count(value: &Value) -> usize {
    let below = |value: &Value| if value.is_array() || value.is_object() { count(value) } else { 1 };
    match value {
        Value::Array(items) => 1 + items.iter().map(below).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(below).sum::<usize>(),
        _ => 1,
    }
}

/// Returns a copy of an object with its defaults. `None` if the defaults are too large, or if the object has a status
/// that the API server checks and then drops.
fn with_defaults(version: &CompiledVersion, object: &Value) -> Option<Value> {
    if version.has_status && object.get("status").is_some() {
        return None;
    }
    let mut filled = object.clone();
    let room = &mut Room::default();
    if version.has_status {
        version.defaults.fill_all_but(&mut filled, "status", room).ok()?;
        // The place of its default.
        set(&mut filled, "status", None);
    } else {
        version.defaults.fill(&mut filled, room).ok()?;
    }
    Some(filled)
}

fn has_valid_scale(version: &CompiledVersion, object: &Value) -> bool {
    let Some(scale) = &version.scale else { return true };
    let mut found = Causes::for_version(version.kube_version);
    scale::spec(object, scale, &mut found);
    scale::status(object, scale, &mut found);
    found.is_empty()
}

fn run_rules(version: &CompiledVersion, object: &Value, meter: &Meter) -> Option<Found> {
    version.rules.as_ref().map(|rules| run(rules, object, Old::NONE, (version.kube_version, meter)))
}

#[cfg(test)]
mod tests;
