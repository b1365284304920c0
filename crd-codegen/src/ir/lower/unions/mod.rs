//! Recognizes unions, which are mutually exclusive properties. Properties may be excluded by keywords such as `oneOf` or `maxProperties`,
//! and by CEL rules. In each case, the accepted sets of properties are compared. A discriminator is a property whose value determines which
//! other property is set.

mod constraint;
mod discriminated;
mod group;

use std::collections::{BTreeSet, HashMap};

use crd_core::{Keyword, Structural};

use super::Lowering;
use super::place::{Position, Step};
use crate::config::Form;
use crate::ir::{self, About, Case, Field, Presence, Struct, Type, Union, WIRE};
use constraint::{Candidate, Constraint, Formula, MAX_TRIED, Properties};
use group::{AcceptedCase, Group};

pub(super) use constraint::KnownRules;

impl Lowering<'_> {
    /// Replaces the properties that form unions with a field for each union. Returns only the union if the object has no other properties.
    pub(super) fn with_unions(
        &mut self,
        schema: &Structural,
        mut struct_: Struct,
        position: &Position<'_>,
    ) -> Type {
        if !self.context.settings.unions {
            return Type::Struct(struct_);
        }
        let discriminators =
            if self.has_discriminators() { constraint::discriminators(schema) } else { Vec::new() };
        let groups = self.groups(schema, &struct_, &discriminators);
        if is_another_choice(schema, &groups, &discriminators) {
            let message =
                "no enum is generated for this `oneOf`: its branches do not require one property each";
            self.warn_invalid(position, Keyword::OneOf, message);
        }
        for group in groups {
            let mut unsafe_members = group
                .members
                .iter()
                .filter_map(|member| self.why_unsafe(schema, &struct_, member).map(|why| (member, why)));
            if let Some((member, why)) = unsafe_members.next() {
                let message =
                    format!("no enum is generated for this union, because `{member}` {why}: {}", group.doc());
                self.warn_invalid(position, Keyword::OneOf, message.trim_end_matches('.'));
                continue;
            }
            let at = struct_.fields.iter().position(|field| group.has(field)).unwrap_or_default();
            let (own, others): (Vec<Field>, Vec<Field>) =
                std::mem::take(&mut struct_.fields).into_iter().partition(|field| group.has(field));
            struct_.fields = others;
            let is_alone = group.is_required && struct_.fields.is_empty() && !struct_.keeps_rest;
            if is_alone {
                let union = self.union(&group, own, schema, position);
                return Type::Union(Union { about: struct_.about, ..union });
            }
            let property = match &group.discriminator {
                Some((property, _)) => property.clone(),
                None => free_name(schema, &struct_),
            };
            let position = position.step(Step::Property(&property));
            let union = self.union(&group, own, schema, &position);
            let about = self.about(schema, &position);
            let field = self.among_others(&group, property.clone(), Union { about, ..union });
            struct_.fields.insert(at.min(struct_.fields.len()), field);
        }
        Type::Struct(struct_)
    }

    /// Returns `true` if enums can be generated for discriminators. With the form `derive`, serde clones values to serialize them, so
    /// the enums must be `Clone`.
    fn has_discriminators(&self) -> bool {
        let settings = self.context.settings;
        settings.form != Form::Derive || settings.no_derive.iter().all(|rule| rule.path != "Clone")
    }

    /// Returns the field for a union in an object with other properties.
    fn among_others(&mut self, group: &Group, property: String, union: Union) -> Field {
        let about = About { doc: Some(group.type_doc().into()), is_on_field: false, ..union.about };
        let own_doc = union.discriminator.as_ref().and_then(|own| own.doc.clone());
        Field {
            property: property.into(),
            type_: self.graph.add(Type::Union(Union { about, ..union })),
            presence: if group.is_required { Presence::Required } else { Presence::Optional },
            doc: Some(own_doc.unwrap_or_else(|| group.doc().into())),
            default: None,
            attributes: None,
            is_flattened: true,
        }
    }

    /// Returns the union of all fields in the group.
    fn union(
        &mut self,
        group: &Group,
        fields: Vec<Field>,
        schema: &Structural,
        position: &Position<'_>,
    ) -> Union {
        let Some((property, cases)) = &group.discriminator else {
            return Union { fields: fields.into_iter().map(required).collect(), ..Union::default() };
        };
        let (own, members): (Vec<Field>, Vec<Field>) =
            fields.into_iter().partition(|field| *field.property == **property);
        let at = |name: &String| members.iter().position(|field| *field.property == **name);
        let case = |case: &AcceptedCase| Case {
            value: case.value.as_str().into(),
            member: case.member.as_ref().and_then(at),
            is_required: case.is_required,
        };
        let mut discriminator = ir::Discriminator {
            property: property.as_str().into(),
            doc: own.into_iter().find_map(|field| field.doc),
            text: self.graph.add(Type::String),
            cases: cases.iter().map(case).collect(),
            is_open: self.open_enums,
            wire: None,
        };
        if self.context.settings.form == Form::Derive {
            let fields = std::iter::once(discriminator.field()).chain(members.iter().cloned()).collect();
            let about = self.about(schema, &position.step(Step::Property(WIRE)));
            let wire = Struct { about: About { doc: None, ..about }, fields, ..Struct::default() };
            discriminator.wire = Some(self.graph.add(Type::Struct(wire)));
        }
        Union {
            about: About::default(),
            fields: members.into_iter().map(required).collect(),
            discriminator: Some(discriminator),
        }
    }

    /// Returns the reason why a property cannot be a variant, if there is one.
    fn why_unsafe(&self, schema: &Structural, struct_: &Struct, name: &str) -> Option<&'static str> {
        let Some(property) = schema.properties.get(name) else { return Some("is not one of its properties") };
        match struct_.fields.iter().find(|field| *field.property == *name) {
            _ if property.generic.default.is_some() => Some("has a default"),
            _ if property.is_nullable() => Some("may be `null`"),
            _ if schema.is_required(name) => Some("is required"),
            // JSON of any kind has `null`, too.
            Some(field) if matches!(self.graph[field.type_], Type::Any) => Some("has no type"),
            Some(_) => None,
            None => Some("is in another union"),
        }
    }

    /// Returns the groups of mutually exclusive properties, ordered by the first member.
    fn groups(&mut self, schema: &Structural, struct_: &Struct, known: &[Candidate]) -> Vec<Group> {
        let constraints = self.known_rules.constraints(schema, known);
        let mut groups: Vec<Group> = Vec::new();
        let of_values = constraints.iter().filter(|constraint| !constraint.discriminators.is_empty());
        let mut safe: BTreeSet<&String> = of_values.flat_map(|constraint| &constraint.names).collect();
        safe.retain(|name| self.why_unsafe(schema, struct_, name).is_none());
        for discriminator in known {
            let is_free =
                |name: &String| safe.contains(name) && !groups.iter().any(|group| group.names(name));
            let group =
                discriminated::group(discriminator, &constraints, &is_free, &mut self.known_rules.sets);
            groups.extend(group);
        }
        let is_left = |constraint: &&Constraint| {
            let is_taken = |name: &String| groups.iter().any(|group| group.names(name));
            constraint.discriminators.is_empty() && !constraint.names.iter().any(is_taken)
        };
        let left: Vec<&Constraint> = constraints.iter().filter(is_left).collect();
        for part in connected(&left) {
            if let Some(group) = group(&part) {
                groups.push(group);
                continue;
            }
            // Together they do not make a union; each by itself may.
            let single: Vec<Group> = part.iter().filter_map(|constraint| group(&[constraint])).collect();
            let is_alone = |group: &&Group| {
                let shares = |other: &&Group| other.members.iter().any(|name| group.members.contains(name));
                single.iter().filter(shares).count() == 1
            };
            groups.extend(single.iter().filter(is_alone).cloned());
        }
        let order: HashMap<&str, usize> = schema.properties.keys().zip(0..).collect();
        let at = |name: &String| order.get(name.as_str()).copied().unwrap_or(usize::MAX);
        for group in &mut groups {
            group.members.sort_by_key(at);
        }
        groups.sort_by_key(|group| group.members.first().map(at));
        groups
    }
}

/// Returns `true` if the schema has a `oneOf` that did not become a union.
fn is_another_choice(schema: &Structural, groups: &[Group], known: &[Candidate]) -> bool {
    let branches = schema.value_validation.as_deref().and_then(|validation| validation.one_of.as_deref());
    let Some(branches) = branches.filter(|branches| branches.len() > 1) else { return false };
    let Some(names) = constraint::names_of_choice(branches, known) else { return true };
    !groups.iter().any(|group| names.iter().all(|name| group.names(name)))
}

fn required(field: Field) -> Field {
    Field { presence: Presence::Required, ..field }
}

/// Returns a group of all names in the constraints, if they are mutually exclusive.
fn group(constraints: &[&Constraint]) -> Option<Group> {
    let names: BTreeSet<&String> = constraints.iter().flat_map(|constraint| &constraint.names).collect();
    let members: Vec<String> = names.into_iter().cloned().collect();
    let is_required = match constraints {
        // The plain spellings, however many properties there are.
        [Constraint { formula: Formula::Count { least: 1, most: 1, .. }, .. }] => true,
        [Constraint { formula: Formula::Count { least: 0, most: 1, .. }, .. }] => false,
        [Constraint { formula: Formula::One(parts), .. }]
            if parts.len() == members.len() && parts.iter().all(|part| matches!(part, Formula::Has(_))) =>
        {
            true
        }
        _ if members.len() > MAX_TRIED => return None,
        _ => {
            let is_taken = |set: usize| {
                let properties = Properties { names: &members, set, discriminator: None };
                constraints.iter().all(|constraint| constraint.formula.holds(properties))
            };
            let none = is_taken(0);
            let agrees = |set: usize| is_taken(set) == (set.count_ones() == 1);
            if !(1..1 << members.len()).all(agrees) {
                return None;
            }
            !none
        }
    };
    Some(Group { members, is_required, discriminator: None })
}

/// Groups constraints that have a property in common.
fn connected<'c>(constraints: &[&'c Constraint]) -> Vec<Vec<&'c Constraint>> {
    let mut parts: Vec<Vec<&Constraint>> = Vec::new();
    for &constraint in constraints {
        let shares =
            |part: &Vec<&Constraint>| part.iter().any(|other| !other.names.is_disjoint(&constraint.names));
        let (touched, apart): (Vec<_>, Vec<_>) = std::mem::take(&mut parts).into_iter().partition(shares);
        parts = apart;
        parts.push(touched.into_iter().flatten().chain([constraint]).collect());
    }
    parts
}

/// Returns a name for the union's field that is not the name of a property.
fn free_name(schema: &Structural, struct_: &Struct) -> String {
    let is_free = |name: &String| {
        !schema.properties.contains(name) && struct_.fields.iter().all(|field| *field.property != **name)
    };
    let names = std::iter::once("oneOf".to_owned()).chain((2..).map(|number| format!("oneOf{number}")));
    names.into_iter().find(is_free).unwrap_or_default()
}
