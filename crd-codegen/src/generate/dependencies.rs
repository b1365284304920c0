//! Finds the crates that generated code uses.

use std::collections::BTreeSet;

use crate::config::{Builders, BytesType, DateTimeType, Form, Settings};
use crate::emit::Dependency;
use crate::ir::{Graph, Struct, Type, TypeId, Values};

/// Returns the crates that the types need, besides serde.
pub(super) fn dependencies(graph: &Graph, roots: &[&Struct], settings: &Settings) -> BTreeSet<Dependency> {
    let types = UsedTypes::reachable_from(graph, roots);
    let mut dependencies = BTreeSet::new();
    if settings.kube {
        let kube = if settings.form == Form::Kube { Dependency::KubeDerive } else { Dependency::Kube };
        dependencies.insert(kube);
    }
    if settings.derives_schemas() {
        dependencies.extend(schemars(&types, settings).or(Some(Dependency::Schemars)));
    }
    if settings.validate {
        dependencies.insert(Dependency::CrdkitValidate);
    }
    if settings.client {
        dependencies.extend([Dependency::Futures, Dependency::Tokio]);
    }
    dependencies.extend(match settings.builders {
        Builders::None => None,
        Builders::TypedBuilder => Some(Dependency::TypedBuilder),
        Builders::Bon => Some(Dependency::Bon),
    });
    if settings.form == Form::Derive {
        dependencies.insert(Dependency::Crdkit);
        dependencies.extend(schemars(&types, settings));
    }
    if types.any(holds_fractions) {
        dependencies.insert(Dependency::SerdeJsonExact);
    }
    if settings.kube || types.any(|type_| type_.kubernetes().is_some()) {
        let has_schemas = settings.derives_schemas();
        dependencies.insert(if has_schemas {
            Dependency::K8sOpenapiSchemars
        } else {
            Dependency::K8sOpenapi
        });
    }
    if types.any(|type_| matches!(type_, Type::DateTime)) {
        dependencies.extend(match settings.date_time {
            DateTimeType::String => None,
            DateTimeType::Chrono => Some(Dependency::Chrono),
            DateTimeType::Jiff => Some(Dependency::Jiff),
        });
    }
    dependencies
}

/// The types that fields use, directly or through other types. The graph may also contain unused types, such as omitted types.
struct UsedTypes<'g>(Vec<&'g Type>);

impl<'g> UsedTypes<'g> {
    fn reachable_from(graph: &'g Graph, roots: &[&Struct]) -> Self {
        let mut is_used = vec![false; graph.len()];
        let mut left: Vec<TypeId> =
            roots.iter().flat_map(|root| &root.fields).map(|field| field.type_).collect();
        let mut types = Vec::new();
        while let Some(id) = left.pop() {
            if std::mem::replace(&mut is_used[id.index()], true) {
                continue;
            }
            let type_ = &graph[id];
            types.push(type_);
            left.extend(type_.fields().iter().map(|field| field.type_));
            left.extend(type_.wire());
            if let Type::List(part) | Type::Map(part) | Type::Nullable(part) = type_ {
                left.push(*part);
            }
        }
        Self(types)
    }

    fn any(&self, is_meant: impl Fn(&Type) -> bool) -> bool {
        self.0.iter().any(|type_| is_meant(type_))
    }
}

/// Returns `true` if values of the type can be numbers with a fraction.
fn holds_fractions(type_: &Type) -> bool {
    match type_ {
        Type::Any | Type::Number | Type::EmbeddedResource => true,
        Type::Struct(struct_) => struct_.keeps_rest,
        Type::Enum(enum_) => matches!(enum_.values, Values::Numbers(_)),
        _ => false,
    }
}

/// Returns the schemars features that generated types need, for the form `derive`.
fn schemars(types: &UsedTypes<'_>, settings: &Settings) -> Option<Dependency> {
    let has_date_times = types.any(|type_| matches!(type_, Type::DateTime));
    match settings.date_time {
        DateTimeType::Chrono if has_date_times => Some(Dependency::SchemarsChrono),
        DateTimeType::Jiff if has_date_times => Some(Dependency::SchemarsJiff),
        _ => types
            .any(|type_| {
                matches!(type_, Type::IntOrString | Type::Quantity | Type::EmbeddedResource)
                    || matches!(type_, Type::Bytes) && settings.bytes == BytesType::Bytes
            })
            .then_some(Dependency::Schemars),
    }
}
