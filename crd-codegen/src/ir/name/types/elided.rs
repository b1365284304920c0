//! Finds the types that the user writes.

use super::Names;
use super::places;
use crate::config::Elide;
use crate::ir::{Model, Type, TypeId};

impl Names {
    /// Returns the types that an `elide` option omits, each with its name. A union in an object with other properties cannot be omitted,
    /// because it has no path. For the same reason, the struct that represents such a union in JSON cannot be omitted.
    pub(crate) fn elided(&self, rule: &Elide, models: &[Model], kinds: &[&str]) -> Vec<(TypeId, String)> {
        let Some(graph) = models.first().map(|model| &*model.graph) else { return Vec::new() };
        let mut found: Vec<(TypeId, String)> = match rule {
            Elide::Named(name) => {
                let views = self.kinds.iter().chain([&self.shared]);
                let named = views.flat_map(|view| view.names.iter().filter(|(_, own)| *own == name));
                named.map(|(id, name)| (*id, name.clone())).collect()
            }
            Elide::At(place) => {
                let kinds = self.kinds.iter().zip(models).zip(kinds).enumerate();
                let meant = kinds.filter(|(_, (_, kind))| place.is_about(kind));
                let found = meant.filter_map(|(at, ((view, model), _))| {
                    let (id, _) = places::find(model, at, place.steps())?;
                    Some((id, view.names.get(&id)?.clone()))
                });
                found.collect()
            }
        };
        let is_among_fields = |id: TypeId| {
            let mut fields = graph.iter().flat_map(|(_, type_)| type_.fields());
            fields.any(|field| field.is_flattened && field.type_ == id)
        };
        let is_wire = |id: TypeId| graph.iter().any(|(_, type_)| type_.wire() == Some(id));
        found.sort();
        found.dedup_by_key(|(id, _)| *id);
        found.retain(|(id, _)| {
            let is_part_of_union =
                matches!(graph[*id], Type::Union(_)) && is_among_fields(*id) || is_wire(*id);
            graph[*id].is_generated() && !is_part_of_union
        });
        found
    }
}
