//! The API server's responses to requests with objects of a kind.

use std::sync::Arc;

use crd_go::json::deep_equal;
use serde_json::{Map, Value};

use super::admission::{Admission, Rejection, StatusReason};
use super::checks::{Checks, Object, Part};
use super::decode::{Decoded, coerce_silently, decode, strictly};
use super::kind::Kind;
use super::preview::Preview;
use super::screen::Screened;
use super::submitted::{FieldValidation, StoredObject, Submitted};
use super::version::CompiledVersion;
use super::warnings::Warnings;
use super::{metadata, store};
use crate::Causes;
use crate::crd::ObjectMeta;
use crate::defaults::Room;
use crate::embedded::{self, Unreadable};
use crate::rules::MetadataUse;
use crate::values::numbers::{as_decoded, for_each_number};
use crate::values::{Meter, Patterns};

/// Validates objects of a CRD as the API server does: with pruning, defaults, the schema and the rules.
///
/// A CRD is compiled once. Clones are cheap, and can be used in other threads.
///
/// An object is validated in the version of its `apiVersion`. The API server must accept the CRD: see [`check`](crate::check()). Fields
/// that only the server can set (such as `uid`, `creationTimestamp` and `resourceVersion`) stay absent; a name from `generateName` ends in
/// `xxxxx`. An object without a namespace belongs to the namespace of the request. An update applies to the stored state, regardless of its
/// `resourceVersion`.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_core::admit::Validator;
/// use serde_json::json;
///
/// let crd = CustomResourceDefinition::from_value(json!({
///     "metadata": {"name": "crontabs.stable.example.com"},
///     "spec": {
///         "group": "stable.example.com",
///         "names": {"plural": "crontabs", "kind": "CronTab"},
///         "scope": "Namespaced",
///         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
///             "type": "object",
///             "properties": {"spec": {
///                 "type": "object",
///                 "required": ["schedule"],
///                 "properties": {
///                     "schedule": {"type": "string", "maxLength": 20},
///                     "replicas": {"type": "integer", "default": 1, "maximum": 10},
///                 },
///                 "x-kubernetes-validations": [
///                     {"rule": "self.schedule == oldSelf.schedule", "message": "the schedule is fixed"},
///                 ],
///             }},
///         }}}],
///     },
/// }))?;
/// let validator = Validator::new(&crd)?;
/// let object = |spec| json!({
///     "apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": "nightly"}, "spec": spec,
/// });
///
/// let admission = validator.create(object(json!({"schedule": "0 3 * * *", "color": "red"})));
/// assert_eq!(admission.warnings, ["unknown field \"spec.color\""]);
/// let stored = admission.result?;
/// assert_eq!(stored, object(json!({"schedule": "0 3 * * *", "replicas": 1})));
///
/// let admission = validator.update(object(json!({"schedule": "0 4 * * *", "replicas": 11})), &stored);
/// let causes: Vec<String> = admission.causes().iter().map(ToString::to_string).collect();
/// assert_eq!(causes, [
///     "spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10",
///     "spec: Invalid value: the schedule is fixed",
/// ]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Validator {
    pub(super) kind: Arc<Kind>,
    field_validation: FieldValidation,
    /// If `true`, responses contain the object as read back from the storage; otherwise, the object before its conversion to the storage
    /// version.
    is_read_back: bool,
    /// Maximum number of CPU steps for one response.
    pub(super) work: u64,
    /// Maximum number of schema violations that become causes of a rejection.
    causes: usize,
}

impl Validator {
    pub(super) fn of(kind: Kind, work: u64) -> Self {
        Self {
            kind: Arc::new(kind),
            field_validation: FieldValidation::default(),
            is_read_back: true,
            work,
            causes: Causes::MOST,
        }
    }

    /// Sets the treatment of unknown and duplicate fields. By default, such fields cause a warning.
    ///
    /// ```no_run
    /// # fn example(validator: crd_core::admit::Validator, object: serde_json::Value) {
    /// use crd_core::admit::FieldValidation;
    ///
    /// let strict = validator.with_field_validation(FieldValidation::Strict);
    /// assert!(!strict.create(object).is_accepted());
    /// # }
    /// ```
    #[must_use]
    pub fn with_field_validation(&self, field_validation: FieldValidation) -> Self {
        Self { field_validation, ..self.clone() }
    }

    /// Sets the maximum number of CPU steps for one response, each of about ten nanoseconds: see
    /// [`ServerOptions::work`](super::ServerOptions::work).
    ///
    /// ```no_run
    /// # fn example(validator: crd_core::admit::Validator, object: serde_json::Value) {
    /// let admission = validator.with_work(1_000).create(object);
    /// if admission.is_undecided() {
    ///     println!("more work than 1,000 steps");
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn with_work(&self, work: u64) -> Self {
        Self { work, ..self.clone() }
    }

    /// Sets the maximum number of schema violations that become causes; further violations are counted. Validation is faster with a small
    /// number.
    #[must_use]
    pub fn with_causes(&self, most: usize) -> Self {
        Self { causes: most, ..self.clone() }
    }

    /// Returns a validator whose responses contain each object as the API server passes it to its storage, in the request's version. These
    /// objects still have the fields that the storage version lacks, and lack the defaults of the storage version.
    /// [`converted`](Self::converted) returns the stored object, and [`read`](Self::read) returns the object in the API server's response.
    /// If an update has another UID than the stored object, the response is not a conflict, but has a cause for the UID, as for a patch.
    ///
    /// ```
    /// # fn example(validator: crd_core::admit::Validator, sent: serde_json::Value) -> Result<(), crd_core::admit::Rejection> {
    /// let admitted = validator.before_storage().create(sent).result?;
    /// let stored = validator.converted(&admitted, "v1")?;
    /// let answer = validator.read(&stored, "v2")?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn before_storage(&self) -> Self {
        Self { is_read_back: false, ..self.clone() }
    }

    /// Returns the response to a request that creates an object.
    #[must_use]
    pub fn create(&self, object: impl Into<Submitted>) -> Admission {
        self.answer(|means| self.try_create(object.into(), means))
    }

    /// Returns the response to a request that replaces the stored object `old`.
    ///
    /// The stored object can be older than the CRD. Errors in its unchanged parts are ignored.
    #[must_use]
    pub fn update(&self, object: impl Into<Submitted>, old: impl Into<StoredObject>) -> Admission {
        self.answer(|means| self.try_update(object.into(), old.into(), means))
    }

    /// Returns the response to a request that replaces only the status of the stored object `old`.
    #[must_use]
    pub fn update_status(&self, object: impl Into<Submitted>, old: impl Into<StoredObject>) -> Admission {
        self.answer(|means| self.try_update_status(object.into(), old.into(), means))
    }

    /// Returns an object as the API server decodes it from a request: without fields that the object's version lacks, and with that
    /// version's defaults. Nothing is validated.
    ///
    /// # Errors
    /// - The object cannot be decoded.
    ///
    /// ```
    /// # fn example(validator: crd_core::admit::Validator, sent: serde_json::Value) -> Result<(), crd_core::admit::Rejection> {
    /// let decoded = validator.decoded(&sent)?;
    /// assert_eq!(decoded["apiVersion"], sent["apiVersion"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn decoded(&self, object: impl Into<Submitted>) -> Result<Value, Rejection> {
        let Decoded { version, mut value, meta, .. } =
            decode(&self.kind, object.into(), Part::Object, None, &mut Warnings::default())?;
        if version.has_status {
            version.defaults.fill_only(&mut value, "status", &mut Room::default()).map_err(store::no_room)?;
        }
        set(&mut value, "metadata", Some(embedded::write(meta)));
        Ok(value)
    }

    /// Returns the patterns of the CRD, each compiled at its first use.
    #[must_use]
    pub fn patterns(&self) -> &Arc<Patterns> {
        &self.kind.patterns
    }

    /// Returns the warning for requests in a version, if the version is deprecated.
    #[must_use]
    pub fn deprecation(&self, version: &str) -> Option<&str> {
        self.kind.version(version)?.deprecation.as_deref()
    }

    pub(super) fn kind(&self) -> &Kind {
        &self.kind
    }

    pub(super) fn field_validation(&self) -> FieldValidation {
        self.field_validation
    }

    fn try_create(
        &self,
        object: Submitted,
        (warnings, meter): (&mut Warnings, &Meter),
    ) -> Result<Value, Rejection> {
        let kind = &*self.kind;
        let known =
            if object.duplicate_fields.is_empty() { self.preview(&object.value, meter) } else { None };
        if let Some(Preview { version, is_accepted: true, .. }) = known {
            version.deprecation.iter().for_each(|deprecation| warnings.add(deprecation));
            let mut value = object.value;
            for_each_number(&mut value, &as_decoded);
            return self.written(value, version, true);
        }
        let (known, found) = known.map_or((None, None), |known| (Some(known.screened), known.found));
        let Decoded { version, kind: own_kind, mut value, mut meta, screened, .. } =
            self.decode(object, Part::Object, known, warnings)?;
        metadata::prepare_create(&mut meta, kind.is_namespaced, warnings);
        if version.has_status {
            set(&mut value, "status", None);
        }
        let fits = own_kind == kind.name && version.fits(screened, &value);
        let checked = if fits && version.metadata_use < MetadataUse::Whole {
            set(&mut value, "metadata", Some(embedded::write(meta.clone())));
            metadata::as_checked(&meta, kind)
        } else {
            as_checked(&mut value, &meta, kind)
        };
        let checks = Checks { kind, version, meter, fits };
        let causes = checks.create(Object { value: &value, meta: &checked }, found, warnings)?;
        if !causes.all.is_empty() {
            return Err(Rejection::invalid(&own_kind, &kind.group, &meta.name, causes));
        }
        metadata::warn_of_finalizers(&meta, None, kind.kube_version, warnings);
        self.stored(value, &meta, version, fits)
    }

    fn try_update(
        &self,
        object: Submitted,
        old: StoredObject,
        (warnings, meter): (&mut Warnings, &Meter),
    ) -> Result<Value, Rejection> {
        let kind = &*self.kind;
        let Decoded { version, kind: own_kind, mut value, mut meta, screened, .. } =
            self.decode(object, Part::Object, None, warnings)?;
        let (mut old_value, old_meta) = self.read_old(old, version)?;
        self.same_object(&meta, &old_meta)?;
        metadata::prepare_update(&mut meta, &old_meta, kind.is_namespaced, warnings);
        if version.has_status {
            let status = old_value.get("status").cloned();
            set(&mut value, "status", status);
        }
        // The quick check does not see the status of the stored object.
        let has_old_status = version.has_status && value.get("status").is_some();
        let fits = own_kind == kind.name && !has_old_status && version.fits(screened, &value);
        if !same_but_metadata(&value, &old_value) {
            meta.generation = meta.generation.map(|generation| generation.saturating_add(1));
        }
        let checked = as_checked(&mut value, &meta, kind);
        let old_checked = as_checked(&mut old_value, &old_meta, kind);
        let (new, old) =
            (Object { value: &value, meta: &checked }, Object { value: &old_value, meta: &old_checked });
        let causes = Checks { kind, version, meter, fits }.update(new, old, Part::Object, warnings)?;
        if !causes.all.is_empty() {
            return Err(Rejection::invalid(&own_kind, &kind.group, &meta.name, causes));
        }
        metadata::warn_of_finalizers(&meta, Some(&old_meta), kind.kube_version, warnings);
        self.stored(value, &meta, version, fits)
    }

    fn try_update_status(
        &self,
        object: Submitted,
        old: StoredObject,
        (warnings, meter): (&mut Warnings, &Meter),
    ) -> Result<Value, Rejection> {
        let kind = &*self.kind;
        let Decoded { version, kind: own_kind, value: sent, mut meta, .. } =
            self.decode(object, Part::Status, None, warnings)?;
        if !version.has_status {
            let message = "the server could not find the requested resource";
            return Err(Rejection::new(StatusReason::NotFound, message));
        }
        let (mut old_value, old_meta) = self.read_old(old, version)?;
        self.same_object(&meta, &old_meta)?;
        metadata::dedup_owners(&mut meta, warnings);
        // Of what was sent only the status counts.
        let mut value = old_value.clone();
        set(&mut value, "status", sent.get("status").cloned());
        let checked = as_checked(&mut value, &old_meta, kind);
        let old_checked = as_checked(&mut old_value, &old_meta, kind);
        let (new, old) =
            (Object { value: &value, meta: &checked }, Object { value: &old_value, meta: &old_checked });
        let causes = Checks { kind, version, meter, fits: false }.update(new, old, Part::Status, warnings)?;
        if !causes.all.is_empty() {
            return Err(Rejection::invalid(&kind.name, &kind.group, &old_meta.name, causes));
        }
        if own_kind != kind.name {
            // What says that it is of another kind was not pruned, but what is stored is.
            coerce_silently(&mut value, version, Unreadable::Dropped)
                .map_err(|error| Rejection::new(StatusReason::InternalError, error))?;
            let filled = version.defaults.fill(&mut value, &mut Room::default());
            filled.map_err(store::no_room)?;
        }
        self.stored(value, &old_meta, version, false)
    }

    fn answer(&self, request: impl FnOnce((&mut Warnings, &Meter)) -> Result<Value, Rejection>) -> Admission {
        let (mut warnings, meter) = (Warnings::default(), Meter::new(self.work).with_causes(self.causes));
        let result = request((&mut warnings, &meter));
        let work = self.work.saturating_sub(meter.left());
        Admission { result, warnings: warnings.into_vec(), work, is_incomplete: meter.is_stopped() }
    }

    /// Decodes the object of a request. `screened` is the result of an earlier quick check of the object.
    fn decode(
        &self,
        object: Submitted,
        part: Part,
        screened: Option<Screened>,
        warnings: &mut Warnings,
    ) -> Result<Decoded<'_>, Rejection> {
        let mut decoded = decode(&self.kind, object, part, screened, warnings)?;
        match self.field_validation {
            FieldValidation::Ignore => {}
            FieldValidation::Warn => {
                std::mem::take(&mut decoded.strict_errors)
                    .into_iter()
                    .for_each(|error| warnings.add_strict(error));
            }
            FieldValidation::Strict if decoded.strict_errors.is_empty() => {}
            FieldValidation::Strict => return Err(strictly(&self.kind, decoded)),
        }
        Ok(decoded)
    }

    fn read_old(
        &self,
        StoredObject(mut value): StoredObject,
        version: &CompiledVersion,
    ) -> Result<(Value, ObjectMeta), Rejection> {
        let meta = store::read(&mut value, &self.kind, version)?;
        if value.get("kind").and_then(Value::as_str) != Some(&self.kind.name) {
            let message = format!("the stored object is not a {}", self.kind.name);
            return Err(Rejection::new(StatusReason::InternalError, message));
        }
        Ok((value, meta))
    }

    /// Checks that the request and the stored object have the same name.
    fn same_object(&self, meta: &ObjectMeta, old: &ObjectMeta) -> Result<(), Rejection> {
        let refuse = |reason, message: String| Err(Rejection::new(reason, message));
        if meta.name.is_empty() {
            return refuse(
                StatusReason::BadRequest,
                format!(
                    "the name of the object ({} based on URL) was undeterminable: name must be provided",
                    old.name
                ),
            );
        }
        if meta.name != old.name {
            return refuse(
                StatusReason::BadRequest,
                format!(
                    "the name of the object ({}) does not match the name on the URL ({})",
                    meta.name, old.name
                ),
            );
        }
        let namespaces = [&meta.namespace, &old.namespace];
        if self.kind.is_namespaced
            && namespaces[0] != namespaces[1]
            && namespaces.iter().all(|name| !name.is_empty())
        {
            return refuse(
                StatusReason::BadRequest,
                format!(
                    "the namespace of the object ({}) does not match the namespace on the request ({})",
                    meta.namespace, old.namespace
                ),
            );
        }
        // A caller with a storage of its own checks preconditions.
        if self.is_read_back && !meta.uid.is_empty() && !old.uid.is_empty() && meta.uid != old.uid {
            return refuse(
                StatusReason::Conflict,
                format!(
                    "Operation cannot be fulfilled on {}.{} {}: StorageError: invalid object, Code: 4, \
                     AdditionalErrorMsg: Precondition failed: UID in precondition: {}, UID in object meta: {}",
                    self.kind.plural,
                    self.kind.group,
                    crd_go::strings::quote(&old.name),
                    meta.uid,
                    old.uid
                ),
            );
        }
        Ok(())
    }

    /// Returns the response to a request that stores an object from [`as_checked`]. `meta` is the metadata that was passed to `as_checked`.
    /// `fits` is `true` if a quick check found that the object needs no change.
    fn stored(
        &self,
        mut value: Value,
        meta: &ObjectMeta,
        version: &CompiledVersion,
        fits: bool,
    ) -> Result<Value, Rejection> {
        if let Some(Value::Object(fields)) = value.get_mut("metadata") {
            let is_namespaced = self.kind.is_namespaced;
            let made_up =
                [("uid", meta.uid.is_empty()), ("namespace", is_namespaced && meta.namespace.is_empty())];
            for (field, _) in made_up.iter().filter(|(_, is_made_up)| *is_made_up) {
                crd_go::json::remove(fields, field);
            }
        }
        self.written(value, version, fits)
    }

    /// Returns the response to a request that stores an object with its final metadata. `fits` is `true` if a quick check found that the
    /// object needs no change.
    fn written(&self, mut value: Value, version: &CompiledVersion, fits: bool) -> Result<Value, Rejection> {
        if !self.is_read_back && version.name != self.kind.storage().name {
            return Ok(value);
        }
        // An empty object keeps the place, and nothing that is done to the rest of the object touches it.
        let empty = Value::Object(Map::new());
        let metadata = value.get_mut("metadata").map(|metadata| std::mem::replace(metadata, empty));
        store::write(&mut value, &self.kind, version, fits)?;
        set(&mut value, "metadata", metadata);
        Ok(value)
    }
}

/// Inserts the metadata into an object for the checks, and returns the inserted metadata.
fn as_checked(value: &mut Value, meta: &ObjectMeta, kind: &Kind) -> ObjectMeta {
    let meta = metadata::as_checked(meta, kind);
    set(value, "metadata", Some(embedded::write(meta.clone())));
    meta
}

pub(super) fn set(value: &mut Value, field: &str, new: Option<Value>) {
    let Value::Object(fields) = value else { return };
    match new {
        Some(new) => drop(fields.insert(field.to_owned(), new)),
        None => drop(crd_go::json::remove(fields, field)),
    }
}

fn same_but_metadata(a: &Value, b: &Value) -> bool {
    let (Value::Object(a), Value::Object(b)) = (a, b) else { return false };
    let others = |fields: &Map<String, Value>| fields.keys().filter(|key| *key != "metadata").count();
    let mut fields = a.iter().filter(|(key, _)| *key != "metadata");
    others(a) == others(b) && fields.all(|(key, a)| b.get(key).is_some_and(|b| deep_equal(a, b)))
}
