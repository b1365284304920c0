//! Properties that become a union.

use crate::ir::Field;

/// Properties of which exactly one, or at most one, can be set.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) members: Vec<String>,
    pub(super) is_required: bool,
    /// The discriminator, and a case for each of its values.
    pub(super) discriminator: Option<(String, Vec<AcceptedCase>)>,
}

impl Group {
    /// Returns `true` if the property becomes a part of the union.
    pub(super) fn names(&self, property: &str) -> bool {
        self.members.iter().any(|name| name == property)
            || self.discriminator.as_ref().is_some_and(|(name, _)| name == property)
    }

    pub(super) fn has(&self, field: &Field) -> bool {
        self.names(&field.property)
    }

    pub(super) fn all(&self) -> String {
        let all: Vec<String> = self.members.iter().map(|name| format!("`{name}`")).collect();
        all.join(", ")
    }

    /// Returns the documentation for the union's field, if the schema has none for it.
    pub(super) fn doc(&self) -> String {
        if self.discriminator.is_some() {
            return self.type_doc();
        }
        let few = if self.is_required { "Exactly one" } else { "At most one" };
        format!("{few} of {}.", self.all())
    }

    /// Returns the documentation of the union's type. A union that is a whole object is documented by its description.
    pub(super) fn type_doc(&self) -> String {
        match &self.discriminator {
            Some((property, _)) => {
                format!("A value of `{}`, with the property that belongs to it.", property.replace('`', "'"))
            }
            None => format!("One of {}.", self.all()),
        }
    }
}

/// A value of the discriminator, and the property that it selects.
#[derive(Clone, Debug)]
pub(super) struct AcceptedCase {
    pub(super) value: String,
    /// The property that may be set.
    pub(super) member: Option<String>,
    /// `true` if the member must be set.
    pub(super) is_required: bool,
}
