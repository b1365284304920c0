//! Examines a CRD's version before objects are generated.

use std::sync::Arc;

use crd_core::Structural;
use crd_core::crd::{JsonSchemaProps, Version};
use crd_core::schema::{NestedValidation, ValueValidation};

use crate::error::Unusable;

/// Maximum length of a pattern in bytes. Building the automaton for a longer pattern can take a second. The longest pattern in a public CRD
/// has 2 KiB.
const LONGEST_PATTERN: usize = 16 << 10;

/// Checks that samples can be generated for a version.
///
/// # Errors
/// - The version is not served.
/// - A pattern is too long.
pub(crate) fn readable(version: &Version) -> Result<(), Unusable> {
    if !version.served {
        return Err(Unusable::NotServed(version.name.clone()));
    }
    match version.open_api_v3_schema().is_some_and(|schema| schema.any(&has_long_pattern)) {
        true => Err(Unusable::LongPattern),
        false => Ok(()),
    }
}

/// Returns a version's structural schema.
pub(crate) fn structural(version: &Version) -> Structural {
    let schema = version.open_api_v3_schema().map(Structural::from_json_schema);
    // The validator rejects what is not structural.
    schema.and_then(Result::ok).unwrap_or_default()
}

/// Returns the schema for creating objects. It has no status if the status is a subresource.
pub(crate) fn created(version: &Version, schema: &Arc<Structural>) -> Arc<Structural> {
    if version.subresources.as_ref().is_none_or(|subresources| subresources.status.is_none()) {
        return Arc::clone(schema);
    }
    let mut schema = Structural::clone(schema);
    schema.properties.remove("status");
    if let Some(required) =
        schema.value_validation.as_mut().and_then(|validation| validation.required.as_mut())
    {
        required.retain(|name| name != "status");
    }
    Arc::new(schema)
}

fn has_long_pattern(schema: &JsonSchemaProps) -> bool {
    schema.pattern.as_ref().is_some_and(|pattern| pattern.len() > LONGEST_PATTERN)
}

/// Returns the number of patterns in a schema, outside `allOf`, `anyOf`, `oneOf` and `not`.
pub(crate) fn patterns(schema: &Structural) -> usize {
    let own = schema.value_validation.as_ref().is_some_and(|validation| validation.pattern.is_some());
    usize::from(own) + schema.children().map(|(_, child)| patterns(child)).sum::<usize>()
}

/// Returns the total length of all defaults in a schema, in bytes.
pub(crate) fn default_bytes(schema: &Structural) -> usize {
    let own = schema.generic.default.as_ref().map_or(0, |default| default.to_string().len());
    own + schema.children().map(|(_, child)| default_bytes(child)).sum::<usize>()
}

/// Up to these numbers, the entries and rules in a CRD cost no additional steps. Public CRDs have fewer. An entry is a name, a value or a
/// branch in a keyword.
const MOST_ENTRIES: usize = 5_000;
const MOST_RULES: usize = 1_000;

/// Returns the number of steps of one validation, without the steps for patterns and defaults.
pub(crate) fn steps_of_judgement(schema: &Structural) -> u64 {
    let (entries, rules) = entries(schema);
    let (entries, rules) = (entries.saturating_sub(MOST_ENTRIES), rules.saturating_sub(MOST_RULES));
    (100 + 20 * entries + 100 * rules) as u64
}

/// Returns the number of entries (names, values and branches in keywords), and the number of rules.
fn entries(schema: &Structural) -> (usize, usize) {
    let own = schema.value_validation.as_deref().map_or(0, validation_entries);
    let below = schema.children().map(|(_, child)| entries(child));
    below.fold((own, schema.validations.len()), |all, one| (all.0 + one.0, all.1 + one.1))
}

fn validation_entries(validation: &ValueValidation) -> usize {
    let branches = [&validation.all_of, &validation.any_of, &validation.one_of];
    let branches = branches.into_iter().flat_map(|all| all.iter().flatten()).chain(validation.not.as_deref());
    validation.enum_.as_ref().map_or(0, Vec::len)
        + validation.required.as_ref().map_or(0, Vec::len)
        + branches.map(branch_entries).sum::<usize>()
}

fn branch_entries(branch: &NestedValidation) -> usize {
    let items = branch.items.iter().map(|items| branch_entries(items)).sum::<usize>();
    let properties = branch.properties.iter().map(|(_, property)| branch_entries(property)).sum::<usize>();
    1 + validation_entries(&branch.value_validation) + items + properties
}
