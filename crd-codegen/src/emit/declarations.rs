//! Generates the declarations of the types in a file.

use proc_macro2::TokenStream;

use super::scope::Scope;
use super::{apply, enums, structs, unions};
use crate::ir::{Type, TypeId};

/// Returns the declarations of all types in the file. If a derive generates the root type, the spec's type has the attributes that describe
/// the resource.
pub(super) fn declarations(scope: &Scope<'_>, on_spec: Option<(TypeId, &TokenStream)>) -> TokenStream {
    let mut items = TokenStream::new();
    for &id in &scope.names.order {
        match &scope.model.graph[id] {
            Type::Struct(struct_) => {
                if struct_.kubernetes.is_none() {
                    let resource = on_spec.filter(|(spec, _)| *spec == id).map(|(_, attributes)| attributes);
                    items.extend(structs::items(scope, id, struct_, resource));
                }
                if let Some(forms) = scope.forms {
                    items.extend(apply::items(scope, forms, id));
                }
            }
            Type::Enum(enum_) => items.extend(enums::items(scope, id, enum_)),
            Type::Union(union) => {
                items.extend(unions::items(scope, id, union));
                if let Some(forms) = scope.forms {
                    items.extend(apply::items(scope, forms, id));
                }
            }
            _ => {}
        }
    }
    items
}
