//! Attributes of a resource.

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Ident, Meta, Path, Token, Type};

use super::conversion::Conversion;
use super::descriptions::Part;
use super::read::attributes;
use super::rule::Rule;
use super::text::{CratePath, Pair, Parsed, Release, Text};
use super::value::{Flag, FromMeta, SpannedValue};

attributes! {
    /// The attributes of a resource.
    pub(crate) struct ResourceAttrs {
        pub(crate) group: Text,
        pub(crate) version: Text,
        pub(crate) kind: Text,
        pub(crate) root: Option<Parsed<Ident>>,
        pub(crate) singular: Option<Text>,
        pub(crate) plural: Option<Text>,
        pub(crate) list_kind: Option<Text>,
        pub(crate) short_names: Vec<Text> = "shortname",
        pub(crate) categories: Vec<Text> = "category",
        pub(crate) namespaced: Flag,
        pub(crate) status: Option<Parsed<Type>>,
        pub(crate) scale: Option<SpannedValue<ScaleAttr>>,
        pub(crate) columns: Vec<ColumnAttr> = "printcolumn",
        pub(crate) selectable: Vec<Text>,
        pub(crate) validations: Vec<Rule> = "validation",
        pub(crate) derives: Vec<Parsed<Path>> = "derive",
        pub(crate) attrs: Vec<Parsed<Meta>> = "attr",
        pub(crate) doc: Option<Text>,
        pub(crate) annotations: Vec<Pair> = "annotation",
        pub(crate) labels: Vec<Pair> = "label",
        pub(crate) object_annotations: Vec<Pair> = "object_annotation",
        pub(crate) object_labels: Vec<Pair> = "object_label",
        pub(crate) descriptions: Option<Part>,
        pub(crate) max_description: Option<u32>,
        pub(crate) description_depth: Option<u32>,
        pub(crate) storage: Option<bool>,
        pub(crate) served: Option<bool>,
        pub(crate) deprecated: Option<Deprecated>,
        pub(crate) no_spec: Flag,
        pub(crate) spec_optional: Flag,
        pub(crate) unchecked_paths: Flag,
        pub(crate) no_test: Flag,
        pub(crate) unchecked: Flag,
        pub(crate) schema: Option<Text>,
        pub(crate) conversion: Option<Conversion>,
        pub(crate) object_name: Option<ObjectName>,
        pub(crate) spec_default: Option<Text>,
        pub(crate) status_default: Option<Text>,
        pub(crate) crd_preserve_unknown_fields: Option<bool>,
        pub(crate) version_patches: Vec<Text> = "version_patch",
        pub(crate) patches: Vec<Text> = "patch",
        pub(crate) post_process: Option<Parsed<Expr>>,
        pub(crate) kube: Flag,
        pub(crate) cel: Flag,
        pub(crate) crates: Option<Crates>,
        pub(crate) crate_path: Option<Parsed<CratePath>>,
        pub(crate) kube_version: Option<Release>,
        /// The version to add to errors about this type. `versions` sets it.
        pub(crate) in_version: Option<Text>,
        pub(crate) min_kube_version: Flag,
    }
}

attributes! {
    /// The paths of crates that the user's crate renames.
    #[derive(Clone, Default)]
    pub(crate) struct Crates {
        pub(crate) crdkit: Option<Parsed<CratePath>>,
        pub(crate) kube: Option<Parsed<CratePath>>,
        pub(crate) kube_core: Option<Parsed<CratePath>>,
        pub(crate) k8s_openapi: Option<Parsed<CratePath>>,
        // kube-derive's other paths: crdkit has those crates itself.
        pub(crate) _schemars: Option<Parsed<CratePath>> = "schemars",
        pub(crate) _serde: Option<Parsed<CratePath>> = "serde",
        pub(crate) _serde_json: Option<Parsed<CratePath>> = "serde_json",
        pub(crate) _std: Option<Parsed<CratePath>> = "std",
    }
}

attributes! {
    /// The requirements for the name of an object.
    #[derive(Clone)]
    pub(crate) struct ObjectName {
        pub(crate) pattern: Option<Text>,
        pub(crate) min_length: Option<i64>,
        pub(crate) max_length: Option<i64>,
    }
}

/// `deprecated` or `deprecated = "use v2"`.
#[derive(Clone)]
pub(crate) enum Deprecated {
    /// Without a warning.
    Flag,
    /// Clients receive this warning.
    Warning(Text),
}

impl ResourceAttrs {
    /// Adds the traits in `attr = "derive(...)"` to those in `derive`. The attribute is an error, but code that uses the traits then
    /// compiles.
    pub(crate) fn derive_what_is_meant(&mut self) {
        let lists = self.attrs.iter().filter_map(|attr| match &attr.0 {
            Meta::List(list) if list.path.is_ident("derive") => Some(list),
            _ => None,
        });
        let paths = lists
            .filter_map(|list| list.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated).ok());
        let always = ["Clone", "Debug", "Serialize", "Deserialize"];
        let is_always = |path: &Path| {
            path.segments.last().is_some_and(|last| always.contains(&last.ident.to_string().as_str()))
        };
        let meant: Vec<Path> = paths.flatten().filter(|path| !is_always(path)).collect();
        for path in meant {
            let code = |path: &Path| path.to_token_stream().to_string();
            if !self.derives.iter().any(|derive| code(&derive.0) == code(&path)) {
                self.derives.push(Parsed(path));
            }
        }
    }
}

impl FromMeta for Deprecated {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        match item {
            Meta::Path(_) => Ok(Self::Flag),
            _ => Text::from_meta(item).map(Self::Warning),
        }
    }
}

/// A printer column, as separate items or as a JSON string.
#[derive(Clone)]
pub(crate) enum ColumnAttr {
    /// `printcolumn = r#"{...}"#`
    Raw(Text),
    /// `printcolumn(name = "...", ...)`
    Parts(Box<Column>),
}

attributes! {
    /// The items that describe a printer column.
    #[derive(Clone)]
    pub(crate) struct Column {
        pub(crate) name: Text,
        type_: Option<Text> = "type",
        // kube-derive's name for it.
        type_underscore: Option<Text> = "type_",
        pub(crate) json_path: Text,
        pub(crate) description: Option<Text>,
        pub(crate) format: Option<Text>,
        pub(crate) priority: Option<i32>,
    }
}

impl Column {
    /// Returns the type. It is always `Some`, because `from_meta` rejects columns without a type.
    pub(crate) fn type_(&self) -> Option<&Text> {
        self.type_.as_ref().or(self.type_underscore.as_ref())
    }
}

impl FromMeta for ColumnAttr {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        match item {
            Meta::List(_) => {
                let column = Column::from_meta(item)?;
                if column.type_().is_none() {
                    let help = "missing field `type`: `boolean`, `date`, `integer`, `number` or `string`";
                    return Err(syn::Error::new(item.span(), help));
                }
                Ok(Self::Parts(Box::new(column)))
            }
            _ => Text::from_meta(item).map(Self::Raw),
        }
    }
}

/// The scale subresource, as separate items or as a JSON string.
#[derive(Clone)]
pub(crate) enum ScaleAttr {
    /// `scale = r#"{...}"#`
    Raw(Text),
    /// `scale(spec_replicas_path = "...", ...)`
    Parts(Box<Scale>),
}

attributes! {
    /// The items that describe the scale subresource.
    #[derive(Clone)]
    pub(crate) struct Scale {
        pub(crate) spec_replicas_path: Text,
        pub(crate) status_replicas_path: Text,
        pub(crate) label_selector_path: Option<Text>,
    }
}

impl FromMeta for ScaleAttr {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        match item {
            Meta::List(_) => Scale::from_meta(item).map(|scale| Self::Parts(Box::new(scale))),
            _ => Text::from_meta(item).map(Self::Raw),
        }
    }
}
