//! Chooses a k8s-openapi type for a schema. Several types may have the same properties, and a match of only a few properties may be a
//! coincidence.

use std::collections::BTreeSet;

use crd_core::{Keyword, Structural};

use crate::ir::kubernetes::{TABLE, name_words, words};
use crate::ir::lower::place::Position;

/// The chosen type, if there is one.
pub(super) enum Choice {
    None,
    One(u16),
    Several,
}

/// The names and descriptions around a schema. They indicate its type if the properties are not sufficient.
pub(super) struct Evidence<'a> {
    schema: &'a Structural,
    /// The words in the property's name and in its description.
    words: BTreeSet<String>,
}

impl<'a> Evidence<'a> {
    pub(super) fn new(schema: &'a Structural, position: &Position<'_>) -> Self {
        let mut all = name_words(position.last_property().unwrap_or_default());
        let description = schema.generic.description.as_deref().unwrap_or_default();
        let beginning: String = description.chars().take(300).collect();
        for word in beginning.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            all.insert(word.to_lowercase());
            all.extend(name_words(word));
        }
        Self { schema, words: all }
    }

    /// Chooses among types with the same properties. A few properties such as `name` and `namespace`, which many objects have, are not
    /// sufficient.
    pub(super) fn choose(&self, same: &[u16]) -> Choice {
        let is_rare = |property: &str| TABLE.with_property(property).len() <= same.len();
        let is_telling = self.schema.properties.len() > 2 || self.schema.properties.keys().any(is_rare);
        let weighed: Vec<Weighed> = same.iter().map(|at| self.weigh(*at, same)).collect();
        let one = |is_meant: &dyn Fn(&Weighed) -> bool| {
            let mut meant =
                weighed.iter().filter(|candidate| is_meant(candidate)).map(|candidate| candidate.at);
            meant.next().filter(|_| meant.next().is_none())
        };
        if !is_telling {
            let is_evident = |candidate: &Weighed| {
                candidate.described > 0 || candidate.words > 0 && candidate.words == candidate.found
            };
            return match one(&is_evident) {
                Some(at) => Choice::One(at),
                None if weighed.iter().any(is_evident) => Choice::Several,
                None => Choice::None,
            };
        }
        if let [only] = same {
            return Choice::One(*only);
        }
        let best = weighed.iter().map(Weighed::score).max().unwrap_or_default();
        // With no evidence for a particular one, it is the one without any particulars.
        let chosen = if best > 0 {
            one(&|candidate| candidate.score() == best)
        } else {
            one(&|candidate| candidate.words == 0)
        };
        chosen.map_or(Choice::Several, Choice::One)
    }

    /// Returns the evidence that distinguishes a type from other types with the same properties.
    fn weigh(&self, at: u16, same: &[u16]) -> Weighed {
        const GENERAL: [&str; 11] = [
            "key",
            "local",
            "name",
            "object",
            "ref",
            "reference",
            "selector",
            "source",
            "spec",
            "type",
            "typed",
        ];
        let struct_ = TABLE.get(at);
        let others = || same.iter().filter(|other| **other != at).map(|other| TABLE.get(*other));
        let described = struct_.fields.iter().filter(|field| {
            let is_others = others()
                .any(|other| other.field(field.property).is_some_and(|other| other.says == field.says));
            let property = self.schema.properties.get(field.property);
            let description = property.and_then(|property| property.generic.description.as_deref());
            !field.says.is_empty() && !is_others && description.is_some_and(|text| words(text) == field.says)
        });
        let mut own = name_words(struct_.name());
        for other in others() {
            own.retain(|word| !name_words(other.name()).contains(word));
        }
        own.retain(|word| !GENERAL.contains(&word.as_str()));
        let found = own.iter().filter(|word| self.words.contains(*word)).count();
        Weighed { at, described: described.count(), words: own.len(), found }
    }
}

/// The evidence that an object has a specific type.
struct Weighed {
    at: u16,
    /// The number of properties with the same description as in the type.
    described: usize,
    /// The number of distinctive words in the type's name, and how many of them were found.
    words: usize,
    found: usize,
}

impl Weighed {
    fn score(&self) -> usize {
        // A description is a whole sentence, a word may be chance.
        2 * self.described + self.found
    }
}

/// Returns a type with nearly the same properties, and the difference.
pub(super) fn similar(properties: &[&str], position: &Position<'_>) -> Option<(u16, (Keyword, String))> {
    let mut counts: Vec<(u16, usize)> = Vec::new();
    for property in properties {
        for at in TABLE.with_property(property) {
            match counts.iter_mut().find(|(known, _)| known == at) {
                Some((_, count)) => *count += 1,
                None => counts.push((*at, 1)),
            }
        }
    }
    let is_near = |at: u16, common: usize| {
        let all = TABLE.get(at).fields.len() + properties.len() - common;
        let is_named =
            position.last_property().is_some_and(|name| is_named_after(name, TABLE.get(at).name()));
        // Of two objects with a name and a type, one is not nearly the other.
        common >= 3 && (4 * common >= 3 * all || is_named && 2 * common >= all)
    };
    let near = counts.into_iter().filter(|(at, common)| is_near(*at, *common));
    let (at, _) = near.max_by_key(|(at, common)| (*common, std::cmp::Reverse(*at)))?;
    let struct_ = TABLE.get(at);
    let more: Vec<String> = properties
        .iter()
        .filter(|property| struct_.field(property).is_none())
        .map(|property| format!("`{property}`"))
        .collect();
    let fewer: Vec<String> = struct_
        .fields
        .iter()
        .filter(|field| !properties.contains(&field.property))
        .map(|field| format!("`{}`", field.property))
        .collect();
    let difference = match (more.is_empty(), fewer.is_empty()) {
        (false, _) => (Keyword::Properties, format!("has {}, which the type does not have", some(&more))),
        (true, _) => (Keyword::Required, format!("has no {}", some(&fewer))),
    };
    Some((at, difference))
}

/// Returns `true` if the name of a property is the name of the type, possibly in the plural: `conditions` and `Condition`.
fn is_named_after(property: &str, type_: &str) -> bool {
    let property = property.to_lowercase();
    let type_ = type_.to_lowercase();
    property == type_ || property.strip_suffix('s') == Some(&type_)
}

fn some(names: &[String]) -> String {
    const SHOWN: usize = 4;
    match names {
        few if few.len() <= SHOWN => few.join(", "),
        many => format!("{} and {} more", many[..SHOWN].join(", "), many.len() - SHOWN),
    }
}
