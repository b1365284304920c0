//! Recognizes schemas that correspond to k8s-openapi types, provided that the types preserve every value that the schemas allow.

mod evidence;
mod fit;
mod recognised;

use crd_core::Structural;
use crd_core::schema::SchemaType;

use super::Lowering;
use super::keywords::{int_or_string, string};
use super::place::{Position, Step};
use crate::config::K8sOpenapi;
use crate::ir::Type;
use crate::ir::kubernetes::{Kubernetes, TABLE};
use evidence::{Choice, Evidence, similar};
use fit::{Fit, Misfit};
use recognised::NotTaken;

pub(super) use recognised::{NearMisses, Recognised};

impl Lowering<'_> {
    /// Returns the k8s-openapi type that matches an object, if there is one.
    pub(super) fn kubernetes_struct(&self, schema: &Structural, position: &Position<'_>) -> Recognised {
        let Some(fit) = self.fit() else { return Recognised::Not(None) };
        if schema.properties.is_empty() || self.is_overridden_below(position) {
            return Recognised::Not(None);
        }
        let not = |message: String, keyword, is_below| {
            Recognised::Not(Some(NotTaken { message, keyword, is_below }))
        };
        let properties: Vec<&str> = schema.properties.keys().collect();
        let same = TABLE.with_exact_properties(&properties);
        if same.is_empty() {
            return match similar(&properties, position) {
                Some((near, (keyword, difference))) => {
                    let message =
                        format!("nearly matches `{}` of k8s-openapi: {difference}", TABLE.get(near).path);
                    not(message, Some(keyword), false)
                }
                None => Recognised::Not(None),
            };
        }
        let evidence = Evidence::new(schema, position);
        let at = match evidence.choose(&same) {
            Choice::One(at) => at,
            Choice::Several => {
                let fitting: Vec<u16> =
                    same.iter().copied().filter(|at| fit.struct_(schema, *at).is_ok()).collect();
                match *fitting {
                    [one] => one,
                    _ => {
                        let names = listed(&same);
                        let message =
                            format!("matches several types of k8s-openapi, so none is used: {names}");
                        return not(message, None, false);
                    }
                }
            }
            Choice::None => return Recognised::Not(None),
        };
        match fit.struct_(schema, at) {
            Ok(()) => {
                let applied = Fit { is_applied: true, ..fit };
                match self.context.settings.apply && applied.struct_(schema, at).is_err() {
                    true => Recognised::TakenButForApply(at),
                    false => Recognised::Taken(Type::Kubernetes(Kubernetes::Struct(at))),
                }
            }
            Err(Misfit { path, what, keyword }) => {
                let place = if path.is_empty() { "it".to_owned() } else { format!("`{path}`") };
                let message =
                    format!("nearly matches `{}` of k8s-openapi: {place} {what}", TABLE.get(at).path);
                not(message, Some(keyword), path.contains(['.', '[', '{']))
            }
        }
    }

    /// Adds a near miss, unless the reason is a part of the object that was already reported. `before` is the number of near misses before
    /// the object's parts were visited.
    pub(super) fn not_taken(&mut self, not: Option<NotTaken>, position: &Position<'_>, before: usize) {
        if let Some(NotTaken { message, keyword, is_below }) = not
            && !(is_below && self.near_misses.count > before)
        {
            self.near_misses.add(message, keyword, || position.path(&self.context.path));
        }
    }

    /// Returns the k8s-openapi type for a value that is not an object.
    pub(super) fn kubernetes_scalar(&self, schema: &Structural, position: &Position<'_>) -> Option<Type> {
        let settings = self.context.settings;
        // All three write some values in a form of their own.
        if settings.k8s_openapi != K8sOpenapi::Equivalent || self.is_overridden_below(position) {
            return None;
        }
        let is_date_time = schema.type_ == Some(SchemaType::String)
            && matches!(string(schema), Type::DateTime)
            && !settings.has_chosen_date_time;
        let kind = match () {
            () if schema.is_int_or_string() => match int_or_string(schema) {
                Type::Quantity => Kubernetes::Quantity,
                _ => Kubernetes::IntOrString,
            },
            () if is_date_time => Kubernetes::Time,
            () => return None,
        };
        Some(Type::Kubernetes(kind))
    }

    fn fit(&self) -> Option<Fit> {
        let settings = self.context.settings;
        let is_exact = match settings.k8s_openapi {
            K8sOpenapi::None => return None,
            K8sOpenapi::Exact => true,
            K8sOpenapi::Equivalent => false,
        };
        Some(Fit { is_exact, is_applied: false, has_null: settings.explicit_null })
    }

    /// Returns `true` if a type or name override applies to this position or to a position inside it.
    fn is_overridden_below(&self, position: &Position<'_>) -> bool {
        let settings = self.context.settings;
        let types = settings.type_override.iter().map(|rule| &rule.place);
        let names = settings.name_override.iter().map(|rule| &rule.place);
        let depth = position.depth();
        types.chain(names).any(|place| {
            place.is_about(self.context.kind)
                && place.steps().get(..depth).is_some_and(|above| position.is(above))
        })
    }
}

fn listed(types: &[u16]) -> String {
    let names: Vec<String> = types.iter().map(|at| format!("`{}`", TABLE.get(*at).path)).collect();
    names.join(", ")
}

/// Methods for the depth of a position, and for the last property on its path.
impl Position<'_> {
    fn depth(&self) -> usize {
        self.above().map_or(0, |(above, _)| 1 + above.depth())
    }

    fn last_property(&self) -> Option<&str> {
        match self.above()? {
            (_, Step::Property(name)) => Some(name),
            (above, _) => above.last_property(),
        }
    }
}
