//! The crates that generated code uses.

use std::collections::BTreeSet;

use crate::config::{Builders, BytesType, DateTimeType, Form, Settings};
use crate::emit::Dependency;
use crate::ir::{Graph, Type, Values};

/// The crates that the types of a graph need, besides serde.
pub(super) fn dependencies(graph: &Graph, settings: &Settings) -> BTreeSet<Dependency> {
    let mut dependencies = BTreeSet::new();
    if settings.kube {
        let kube = if settings.form == Form::Kube { Dependency::KubeDerive } else { Dependency::Kube };
        dependencies.insert(kube);
    }
    if settings.derives_schemas() {
        dependencies.extend(schemars(graph, settings).or(Some(Dependency::Schemars)));
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
        dependencies.extend(schemars(graph, settings));
    }
    if graph.iter().any(|(_, type_)| holds_fractions(type_)) {
        dependencies.insert(Dependency::SerdeJsonExact);
    }
    if settings.kube || graph.iter().any(|(_, type_)| type_.kubernetes().is_some()) {
        let has_schemas = settings.derives_schemas();
        dependencies.insert(if has_schemas {
            Dependency::K8sOpenapiSchemars
        } else {
            Dependency::K8sOpenapi
        });
    }
    if graph.iter().any(|(_, type_)| matches!(type_, Type::DateTime)) {
        dependencies.extend(match settings.date_time {
            DateTimeType::String => None,
            DateTimeType::Chrono => Some(Dependency::Chrono),
            DateTimeType::Jiff => Some(Dependency::Jiff),
        });
    }
    dependencies
}

/// Returns `true` if a number with a fraction may stand in the type itself.
fn holds_fractions(type_: &Type) -> bool {
    match type_ {
        Type::Any | Type::Number | Type::EmbeddedResource => true,
        Type::Struct(struct_) => struct_.keeps_rest,
        Type::Enum(enum_) => matches!(enum_.values, Values::Numbers(_)),
        _ => false,
    }
}

/// The features of schemars that the types of the form `derive` need.
fn schemars(graph: &Graph, settings: &Settings) -> Option<Dependency> {
    let uses = |is_used: &dyn Fn(&Type) -> bool| graph.iter().any(|(_, type_)| is_used(type_));
    let has_date_times = uses(&|type_| matches!(type_, Type::DateTime));
    match settings.date_time {
        DateTimeType::Chrono if has_date_times => Some(Dependency::SchemarsChrono),
        DateTimeType::Jiff if has_date_times => Some(Dependency::SchemarsJiff),
        _ => uses(&|type_| {
            matches!(type_, Type::IntOrString | Type::Quantity | Type::EmbeddedResource)
                || matches!(type_, Type::Bytes) && settings.bytes == BytesType::Bytes
        })
        .then_some(Dependency::Schemars),
    }
}
