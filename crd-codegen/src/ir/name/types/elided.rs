//! Types that the user writes instead of generated types.

use super::Names;
use super::places;
use crate::config::Elide;
use crate::ir::{Model, Type, TypeId};

impl Names {
    /// Returns the generated types that a rule leaves out, each with its name. A rule cannot leave out a union among the fields of an
    /// object, because the union has no place of its own. For the same reason, a rule cannot leave out the struct that serde reads and
    /// writes for such a union.
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
