//! Items for the code that the derives generate. Not part of the public interface.

pub use crate::custom_resource::{CrdSchema, CustomResource};
pub use crate::definition::{
    Column, Conversion, Definition, DefinitionVersion, ObjectName, PostProcess, Scale, Service, Webhook,
    raw_column, raw_scale,
};
pub use crate::has_schema::HasSchema;
pub use crate::marks::{BoundKind, BoundMark, ColumnMark, GroupCount, Mark, RuleMark, ScalePath};
pub use crate::object_meta::ObjectMeta;
pub use crate::rule::{ListMerge, MapMerge, Message, Reason, Rule};
pub use crate::schema::{Descriptions, Part, SchemaOptions};
pub use crate::shape::{
    FieldShape, KeyErrors, ResourceSpec, Shape, Shaped, Unshaped, assert_disjoint, assert_list_map_key,
    assert_map_key, assert_other_names, assert_resource_spec, assert_set_items,
};
pub use crate::{CustomResourceDefinition, Error, Scope, UncheckedCrd};
pub use crd_core::KubeVersion;
pub use {schemars, serde, serde_json};

use schemars::Schema;
use serde_json::{Map, Value, json};

/// Returns a schemars transform for a variant whose content is a type without fields. It marks the content's schema, so that the lack
/// of fields counts as intended.
pub fn mark_variant(enum_name: &'static str) -> impl FnMut(&mut Schema) {
    move |schema| {
        let properties = schema.ensure_object().get_mut("properties").and_then(Value::as_object_mut);
        for property in properties.into_iter().flat_map(|properties| properties.values_mut()) {
            if let Value::Object(node) = property
                && node.len() == 1
                && node.get("type").is_some_and(|name| name == "object")
            {
                crate::schema::marks::add(node, Mark::for_type(enum_name));
            }
        }
    }
}

/// Returns a schemars transform that adds rules to a variant. If the variant's name is the key of its content, the rules apply to the
/// content. Otherwise, they apply to all objects with the variant's tag.
pub fn mark_rules(rules: impl Into<Vec<RuleMark>>) -> impl FnMut(&mut Schema) {
    let mark = Mark { validations: rules.into(), ..Mark::default() };
    move |schema| {
        let variant = schema.ensure_object();
        let has_tag = variant.get("properties").and_then(Value::as_object).is_none_or(|properties| {
            properties.len() != 1 || properties.values().any(|property| property.get("const").is_some())
        });
        let inner = variant.get_mut("properties").and_then(Value::as_object_mut);
        match inner.and_then(|properties| properties.values_mut().next()) {
            Some(Value::Object(inner)) if !has_tag => crate::schema::marks::add(inner, mark.clone()),
            _ => crate::schema::marks::add(variant, mark.clone()),
        }
    }
}

/// Returns a schemars transform for a variant without content. It forbids a content field next to the variant's tag.
pub fn mark_no_content(content: &'static str) -> impl FnMut(&mut Schema) {
    move |schema| {
        schema.insert("not".to_owned(), json!({"required": [content]}));
    }
}

/// Returns a schemars transform that stores the schema of a map's keys, from which rules for the map are later generated: a CRD has
/// no schema for keys. `path` leads to the map, such as `[][*]`.
pub fn mark_keys<K: schemars::JsonSchema>(path: &'static str) -> impl FnMut(&mut Schema) {
    move |schema| crate::schema::map_keys::mark::<K>(schema.ensure_object(), path)
}

/// Prints the advice on a CRD, and panics if an API server would reject it. The test that the derive emits calls this
/// function.
///
/// In a group of the Kubernetes project, the CRD may lack the approval annotation. A client that only reads such objects does not install
/// the CRD, and the compiler has already issued a warning.
///
/// # Panics
/// The type has no CRD, or the API server would reject it.
#[track_caller]
#[cfg_attr(not(feature = "check"), expect(clippy::panic, reason = "a test reports by panicking"))]
pub fn assert_sound<R: CustomResource>() {
    #[cfg(feature = "check")]
    assert_checked(R::unchecked(), UncheckedCrd::check_for_clients);
    #[cfg(not(feature = "check"))]
    panic!("the CRD `{}` is not checked: {NO_CHECK}", R::CRD_NAME);
}

/// Does the same as [`assert_sound`], but also panics if a path in a printer column or the scale subresource leads to no field. The API
/// server accepts such paths, and the macro cannot find them, because it sees only the fields of one type.
///
/// # Panics
/// The same as for [`assert_sound`].
#[track_caller]
#[cfg_attr(feature = "check", expect(clippy::panic, reason = "a test reports by panicking"))]
pub fn assert_sound_with_paths<R: CustomResource>() {
    #[cfg(feature = "check")]
    if let Ok(crd) = R::unchecked() {
        let lost = crate::advice::found::without_field(&crd);
        if !lost.is_empty() {
            panic!("the CRD `{}` has paths that lead to no field:\n{lost}", R::CRD_NAME);
        }
    }
    assert_sound::<R>();
}

/// The message of a test without the feature `check`.
#[cfg(not(feature = "check"))]
const NO_CHECK: &str =
    "tests need the feature `check` of crdkit\nhelp: run `cargo add --dev crdkit --features check`";

/// Does the same as [`assert_sound`] for a CRD with several versions. In a group of the Kubernetes project, this CRD needs the approval
/// annotation.
///
/// # Panics
/// The same as for [`assert_sound`].
#[track_caller]
#[cfg_attr(not(feature = "check"), expect(clippy::panic, reason = "a test reports by panicking"))]
pub fn assert_sound_crd(crd: Result<UncheckedCrd, Error>) {
    #[cfg(feature = "check")]
    assert_checked(crd, UncheckedCrd::check);
    #[cfg(not(feature = "check"))]
    match crd {
        Ok(crd) => panic!("the CRD `{}` is not checked: {NO_CHECK}", crd.into_crd().metadata.name),
        Err(error) => panic!("{error}"),
    }
}

#[cfg(feature = "check")]
#[track_caller]
#[expect(clippy::panic, reason = "a test reports by panicking")]
fn assert_checked(
    crd: Result<UncheckedCrd, Error>,
    check: fn(UncheckedCrd) -> Result<CustomResourceDefinition, Error>,
) {
    let checked = crd.and_then(|crd| {
        crate::advice::print(&crd);
        check(crd)
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
}

/// Joins a kind's CRDs, each with one version.
///
/// # Errors
/// The same as for [`merge_crds`](crate::merge_crds).
pub fn merge_unchecked(
    crds: impl IntoIterator<Item = Result<UncheckedCrd, Error>>,
    storage: &str,
) -> Result<UncheckedCrd, Error> {
    crate::versions::merge_unchecked(crds, storage)
}

/// The type of fields whose schema an attribute sets. The derives use it in mirror types, the copies of a type that they generate
/// for schemars.
pub enum Anything {}

impl schemars::JsonSchema for Anything {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        std::borrow::Cow::Borrowed("Anything")
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> Schema {
        Schema::default()
    }
}

/// Returns the schema that a function for schemars' `schema_with` generates.
pub fn schema_of(function: impl FnOnce(&mut schemars::SchemaGenerator) -> Schema) -> Value {
    crate::schema::from_function(function)
}

/// Returns the schema of `R` for use inside another type. It has `apiVersion`, `kind` and `metadata`, and rejects objects of other
/// kinds.
pub fn schema_of_object<R: CustomResource, Spec: schemars::JsonSchema>(
    generator: &mut schemars::SchemaGenerator,
    is_flat: bool,
    status: Option<Schema>,
    mark: Mark,
) -> Schema {
    let mut schema = if is_flat {
        Spec::json_schema(generator)
    } else {
        let spec = generator.subschema_for::<Spec>();
        schemars::json_schema!({"type": "object", "properties": {"spec": spec}, "required": ["spec"]})
    };
    if let Value::Object(properties) =
        schema.ensure_object().entry("properties").or_insert_with(|| Map::new().into())
    {
        for (field, value) in [("apiVersion", R::API_VERSION), ("kind", R::KIND)] {
            properties.entry(field).or_insert_with(|| serde_json::json!({"type": "string", "enum": [value]}));
        }
        properties.extend(status.map(|status| ("status".to_owned(), status.to_value())));
    }
    schemars::transform::Transform::transform(&mut mark.embedded_resource(), &mut schema);
    schema_for(generator, schema)
}

/// Returns a type's schema for a generator. `schema` is the schema of the mirror type, the copy that the derive generates for schemars.
pub fn schema_for(generator: &schemars::SchemaGenerator, schema: Schema) -> Schema {
    crate::schema::for_generator(generator, schema)
}

/// The possible return values of `post_process`.
pub trait PostProcessed {
    /// Converts the value to a result.
    ///
    /// # Errors
    /// The function rejects the CRD.
    fn into_result(self) -> Result<(), String>;
}

impl PostProcessed for () {
    fn into_result(self) -> Result<(), String> {
        Ok(())
    }
}

impl<E: std::fmt::Display> PostProcessed for Result<(), E> {
    fn into_result(self) -> Result<(), String> {
        self.map_err(|error| error.to_string())
    }
}

/// Converts a rule to a `RuleMark`.
pub fn rule(rule: impl Into<Rule>) -> RuleMark {
    rule.into().into_mark()
}

/// Returns a mark with a merge strategy.
pub fn merge_strategy(strategy: &impl crate::rule::MergeStrategy) -> Mark {
    strategy.to_mark()
}

/// Rejects an object whose `apiVersion` or `kind` (`field`) has another value. The field may be absent.
///
/// # Errors
/// `found` is present and differs from `expected`.
pub fn check_type<E: serde::de::Error>(
    field: &str,
    found: Option<&str>,
    expected: &'static str,
) -> Result<(), E> {
    match found {
        Some(found) if found != expected => {
            Err(E::custom(format_args!("{field} is `{found}`, not `{expected}`")))
        }
        _ => Ok(()),
    }
}

/// Rejects an object that does not have this `apiVersion` and `kind`.
///
/// # Errors
///
/// `apiVersion` or `kind` is missing or differs.
pub fn require_type(
    object: &Value,
    api_version: &'static str,
    kind: &'static str,
) -> Result<(), serde_json::Error> {
    for (field, expected) in [("apiVersion", api_version), ("kind", kind)] {
        let found = object.get(field).and_then(Value::as_str);
        if found.is_none() {
            let message = format!("{field} is missing: expected `{expected}`");
            return Err(serde::de::Error::custom(message));
        }
        check_type(field, found, expected)?;
    }
    Ok(())
}

/// Asserts that `T` derives `CrdSchema`.
pub const fn assert_crd_schema<T: CrdSchema + ?Sized>() {}

#[cfg(feature = "testing")]
pub use crate::testing::{Rejection, validate_object, validate_part};

/// Emits items that run rules, if the feature `testing` is enabled.
#[cfg(feature = "testing")]
#[macro_export]
#[doc(hidden)]
macro_rules! __with_rules {
    ($($item:tt)*) => { $($item)* };
}

/// Emits an error, because the feature `testing` is not enabled.
#[cfg(not(feature = "testing"))]
#[macro_export]
#[doc(hidden)]
macro_rules! __with_rules {
    ($($item:tt)*) => {
        ::core::compile_error!("`cel` runs rules: add the feature `testing` to `crdkit`");
    };
}
pub use crate::__with_rules as with_rules;

/// Needs the feature `testing`.
#[cfg(not(feature = "testing"))]
#[macro_export]
macro_rules! assert_accepted {
    ($($tokens:tt)*) => {
        $crate::__without_testing!()
    };
}

/// Needs the feature `testing`.
#[cfg(not(feature = "testing"))]
#[macro_export]
macro_rules! assert_rejected {
    ($($tokens:tt)*) => {
        $crate::__without_testing!()
    };
}

/// Needs the feature `testing`.
#[cfg(not(feature = "testing"))]
#[macro_export]
macro_rules! assert_update_rejected {
    ($($tokens:tt)*) => {
        $crate::__without_testing!()
    };
}

/// Emits the error for an assertion without its feature.
#[cfg(not(feature = "testing"))]
#[macro_export]
#[doc(hidden)]
macro_rules! __without_testing {
    () => {
        ::core::compile_error!("validation needs a feature: run `cargo add --dev crdkit --features testing`")
    };
}

/// Joins strings in a constant.
#[macro_export]
#[doc(hidden)]
macro_rules! __join {
    ($($part:expr),+ $(,)?) => {{
        const PARTS: &[&str] = &[$($part),+];
        const LENGTH: usize = $crate::__private::length(PARTS);
        const BYTES: [u8; LENGTH] = $crate::__private::bytes(PARTS);
        const TEXT: &str = match ::core::str::from_utf8(&BYTES) {
            ::core::result::Result::Ok(text) => text,
            ::core::result::Result::Err(_) => "",
        };
        TEXT
    }};
}
pub use crate::__join as join;

/// Returns the total length of the strings.
pub const fn length(parts: &[&str]) -> usize {
    let (mut total, mut i) = (0, 0);
    while i < parts.len() {
        total += parts[i].len();
        i += 1;
    }
    total
}

/// Returns the `N` bytes of the concatenated strings.
pub const fn bytes<const N: usize>(parts: &[&str]) -> [u8; N] {
    let mut out = [0; N];
    let (mut at, mut i) = (0, 0);
    while i < parts.len() {
        let part = parts[i].as_bytes();
        let mut j = 0;
        while j < part.len() {
            out[at] = part[j];
            at += 1;
            j += 1;
        }
        i += 1;
    }
    out
}
