//! Runs the quick check on objects that lack defaults, as if the defaults were filled in.

use crd_go::json::marshal;

use super::node::{LoneDefault, ScreenDefaults, ScreenNode};
use super::{FoundProperties, ScreenWalk, Screened};
use crate::Structural;
use crate::defaults::default_of;
use crate::schema::{NestedAdditionalProperties, NestedValidation, ValueValidation};

/// Maximum number of properties with a bit in `FoundProperties`.
const MOST_BITS: usize = 64;

impl ScreenDefaults {
    /// Returns the defaults of an object's properties, and assigns a bit to each property that [`ScreenDefaults::alone`] contains.
    pub(super) fn new(schema: &Structural, properties: &mut [ScreenNode], reach: &Reach<'_>) -> Self {
        let mut alone = Vec::new();
        let defaults = schema.properties.iter().zip(properties).enumerate();
        let mut count = 0;
        for (position, ((name, property), node)) in defaults.filter(|(_, (_, node))| node.has_default) {
            count += 1;
            let Some(default) = default_of(property).filter(|_| !reach.depends_on(name)) else { continue };
            if alone.len() < MOST_BITS {
                node.default_bit = 1 << alone.len();
                // The name has its quotes, a colon and a comma.
                alone.push(LoneDefault { position, size: marshal(default).len() + name.len() + 4 });
            }
        }
        Self { count, alone: alone.into() }
    }
}

impl<'a> ScreenWalk<'_, '_, 'a> {
    /// Checks the defaults of the properties that an object lacks. Returns how many of these properties are required.
    pub(super) fn absent_defaults(
        &mut self,
        node: &'a ScreenNode,
        schema: &'a Structural,
        found: &FoundProperties,
    ) -> Result<u32, Screened> {
        self.lacks_defaults = true;
        let (mut absent, mut required) = (0, 0);
        for (bit, default) in node.defaults.alone.iter().enumerate() {
            if found.default_bits & (1 << bit) != 0 {
                continue;
            }
            let property = &node.properties[default.position];
            let Some(schema) = schema.properties.get_index(default.position) else { continue };
            let Some(value) = default_of(schema) else { continue };
            self.room = self.room.checked_sub(default.size).ok_or(Screened::Undecided)?;
            self.value(property, schema, value)?;
            absent += 1;
            required += u32::from(property.is_required);
        }
        if found.defaults + absent == node.defaults.count {
            Ok(required)
        } else {
            Err(Screened::LacksDefaults)
        }
    }
}

/// The restrictions that depend on a value's properties, from the schemas of the value itself and of the enclosing values.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach<'s> {
    /// `true` if the value as a whole is compared with other values.
    is_compared: bool,
    /// `true` if the number of the value's properties is limited.
    is_counted: bool,
    /// The schemas in `allOf`, `anyOf`, `oneOf` and `not` that apply to the value.
    branches: Vec<&'s NestedValidation>,
    /// The keys of the list that contains the value as an item.
    keys: &'s [String],
}

impl<'s> Reach<'s> {
    /// Adds the restrictions of the value's own schema.
    pub(super) fn with(mut self, schema: &'s Structural) -> Self {
        if let Some(validation) = &schema.value_validation {
            self.add(validation);
        }
        self
    }

    /// Returns the restrictions that apply to a property.
    pub(super) fn property(&self, name: &str) -> Self {
        self.below(|branch| branch.properties.get(name).or_else(|| branch_of_values(branch)))
    }

    /// Returns the restrictions that apply to the values of a map.
    pub(super) fn values(&self) -> Self {
        self.below(branch_of_values)
    }

    /// Returns the restrictions that apply to the items of a list with this schema.
    pub(super) fn items(&self, schema: &'s Structural) -> Self {
        let items = self.below(|branch| branch.items.as_deref());
        Self {
            is_compared: items.is_compared || schema.extensions.list_type.as_deref() == Some("set"),
            keys: schema.extensions.list_map_keys.as_deref().unwrap_or_default(),
            ..items
        }
    }

    fn below(&self, step: impl Fn(&'s NestedValidation) -> Option<&'s NestedValidation>) -> Self {
        let mut reach = Self { is_compared: self.is_compared, ..Self::default() };
        self.branches.iter().filter_map(|branch| step(branch)).for_each(|branch| reach.add_branch(branch));
        reach
    }

    fn add_branch(&mut self, branch: &'s NestedValidation) {
        self.branches.push(branch);
        self.add(&branch.value_validation);
    }

    fn add(&mut self, validation: &'s ValueValidation) {
        self.is_compared |= validation.enum_.is_some() || validation.unique_items.is_some();
        self.is_counted |= validation.min_properties.is_some() || validation.max_properties.is_some();
        let lists = [&validation.all_of, &validation.any_of, &validation.one_of];
        let branches = lists.into_iter().flatten().flatten().chain(validation.not.as_deref());
        branches.for_each(|branch| self.add_branch(branch));
    }

    /// Returns `true` if one of the restrictions depends on the presence or the value of a property.
    fn depends_on(&self, property: &str) -> bool {
        let is_required = |branch: &NestedValidation| {
            branch.value_validation.required.iter().flatten().any(|name| name == property)
        };
        self.is_compared
            || self.is_counted
            || self.keys.iter().any(|key| key == property)
            || self.branches.iter().any(|branch| {
                branch.properties.contains(property)
                    || branch.additional_properties.is_some()
                    || is_required(branch)
            })
    }
}

fn branch_of_values(branch: &NestedValidation) -> Option<&NestedValidation> {
    match &branch.additional_properties {
        Some(NestedAdditionalProperties::Schema(values)) => Some(values),
        Some(NestedAdditionalProperties::Allowed(_)) | None => None,
    }
}
