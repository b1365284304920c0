//! The support module: hand-written types that generated types use.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span};

/// An item or submodule of the support module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Piece {
    ByteString,
    Client,
    Discriminator,
    EmbeddedResource,
    Empty,
    IntOrString,
    Kubernetes,
    Managed,
    ObjectMeta,
    Quantity,
    Number,
    OneOf,
    OpenStringEnum,
    Present,
    StringEnum,
    TypeMeta,
    Validation,
}

impl Piece {
    /// Returns the name that generated code imports, or `None` if it imports none.
    pub(super) fn import(self) -> Option<Ident> {
        let name = match self {
            Self::ByteString => "ByteString",
            Self::Client => "client",
            Self::Discriminator => "discriminator",
            Self::EmbeddedResource => "EmbeddedResource",
            Self::Empty => "Empty",
            Self::IntOrString => "IntOrString",
            Self::Kubernetes => return None,
            Self::Managed => "managed",
            Self::ObjectMeta => "ObjectMeta",
            Self::Quantity => "Quantity",
            Self::Number => "number",
            Self::OneOf => "one_of",
            Self::OpenStringEnum => "open_string_enum",
            Self::Present => "present",
            Self::StringEnum => "string_enum",
            Self::TypeMeta => "type_meta",
            Self::Validation => "validation",
        };
        Some(Ident::new(name, Span::call_site()))
    }

    fn text(self, kube: bool, schemas: Schemas) -> &'static str {
        match self {
            // Without the derive's mark, an object without fields is one that keeps everything.
            Self::Empty if schemas == Schemas::Crdkit => include_str!("schema/empty.rs"),
            Self::ByteString => include_str!("byte_string.rs"),
            Self::Client => include_str!("client.rs"),
            Self::Discriminator => include_str!("discriminator.rs"),
            Self::EmbeddedResource => include_str!("embedded_resource.rs"),
            Self::Empty => include_str!("empty.rs"),
            Self::IntOrString => include_str!("int_or_string.rs"),
            Self::Kubernetes => include_str!("kubernetes.rs"),
            Self::Managed => include_str!("managed.rs"),
            Self::ObjectMeta if kube => "pub use kube::core::ObjectMeta;\n",
            Self::ObjectMeta => include_str!("object_meta.rs"),
            Self::Quantity => include_str!("quantity.rs"),
            Self::Number => include_str!("number.rs"),
            Self::OneOf => include_str!("one_of.rs"),
            Self::OpenStringEnum => include_str!("open_string_enum.rs"),
            Self::Present => include_str!("present.rs"),
            Self::StringEnum => include_str!("string_enum.rs"),
            Self::TypeMeta => include_str!("type_meta.rs"),
            Self::Validation => include_str!("validation.rs"),
        }
    }
}

impl Piece {
    /// Returns the implementations of the traits for schemas; empty if there are none.
    fn schema(self, schemas: Schemas) -> &'static str {
        match self {
            Self::Empty if schemas == Schemas::Schemars => include_str!("schema/empty_object.rs"),
            Self::ByteString => include_str!("schema/byte_string.rs"),
            Self::EmbeddedResource => include_str!("schema/embedded_resource.rs"),
            Self::IntOrString => include_str!("schema/int_or_string.rs"),
            Self::Quantity => include_str!("schema/quantity.rs"),
            Self::Client
            | Self::Discriminator
            | Self::Empty
            | Self::Kubernetes
            | Self::Managed
            | Self::ObjectMeta
            | Self::Number
            | Self::OneOf
            | Self::OpenStringEnum
            | Self::Present
            | Self::StringEnum
            | Self::TypeMeta
            | Self::Validation => "",
        }
    }
}

/// The traits for schemas that the types of the support module implement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schemas {
    None,
    /// The traits of schemars.
    Schemars,
    /// The traits of schemars, and crdkit's derives.
    Crdkit,
}

/// A crate that generated code uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Dependency {
    Bon,
    Chrono,
    Crdkit,
    CrdkitValidate,
    Futures,
    Jiff,
    K8sOpenapi,
    K8sOpenapiSchemars,
    Kube,
    KubeDerive,
    Schemars,
    SchemarsChrono,
    SchemarsJiff,
    Serde,
    SerdeJson,
    SerdeJsonExact,
    Tokio,
    TypedBuilder,
}

impl Dependency {
    /// Returns the crate's line in `Cargo.toml`.
    pub(crate) fn line(self) -> &'static str {
        match self {
            Self::Bon => "bon = \"3\"",
            Self::Chrono => "chrono = { version = \"0.4\", features = [\"serde\"] }",
            Self::Crdkit => "crdkit = \"0.1\"",
            Self::CrdkitValidate => "crdkit = { version = \"0.1\", features = [\"validate\"] }",
            Self::Futures => "futures = \"0.3\"",
            Self::Schemars => "schemars = \"1\"",
            Self::SchemarsChrono => "schemars = { version = \"1\", features = [\"chrono04\"] }",
            Self::SchemarsJiff => "schemars = { version = \"1\", features = [\"jiff02\"] }",
            Self::Jiff => "jiff = { version = \"0.2\", features = [\"serde\"] }",
            Self::K8sOpenapi => {
                "k8s-openapi = { version = \"0.29\", features = [\"latest\"] } # 0.28 for kube 4"
            }
            Self::K8sOpenapiSchemars => {
                "k8s-openapi = { version = \"0.29\", features = [\"latest\", \"schemars\"] } # 0.28 for kube 4"
            }
            Self::Kube => "kube = \"5\" # or 4",
            Self::KubeDerive => "kube = { version = \"5\", features = [\"derive\"] } # or 4",
            Self::Serde => "serde = { version = \"1\", features = [\"derive\"] }",
            Self::SerdeJson => "serde_json = \"1\"",
            // Without the feature, serde_json reads some fractions as a neighbor of theirs.
            Self::SerdeJsonExact => "serde_json = { version = \"1\", features = [\"float_roundtrip\"] }",
            Self::Tokio => "tokio = { version = \"1\", features = [\"time\"] }",
            Self::TypedBuilder => "typed-builder = \"0.23\"",
        }
    }

    /// Returns the crate's line in a library's `Cargo.toml`. The program that uses the library selects the Kubernetes version and TLS
    /// features.
    pub(crate) fn line_in_package(self, has_client: bool) -> String {
        match self {
            Self::K8sOpenapi => "k8s-openapi = \"0.29\"".to_owned(),
            Self::K8sOpenapiSchemars => {
                "k8s-openapi = { version = \"0.29\", features = [\"schemars\"] }".to_owned()
            }
            Self::Kube => {
                let features = if has_client { ", features = [\"client\"]" } else { "" };
                format!("kube = {{ version = \"5\", default-features = false{features} }}")
            }
            Self::KubeDerive => {
                "kube = { version = \"5\", default-features = false, features = [\"derive\"] }".to_owned()
            }
            other => other.line().to_owned(),
        }
    }
}

/// Returns the text of the support module. A test checks that the text is valid Rust, so the generator does not check it again.
pub(crate) fn file(pieces: &BTreeSet<Piece>, kube: bool, schemas: Schemas, header: &str) -> String {
    let mut text = header.to_owned();
    for piece in pieces {
        text.push('\n');
        text.push_str(piece.text(kube, schemas));
        if schemas != Schemas::None {
            text.push_str(piece.schema(schemas));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The items of the support module that need only serde.
    const PLAIN: [Piece; 14] = [
        Piece::Discriminator,
        Piece::ByteString,
        Piece::EmbeddedResource,
        Piece::Empty,
        Piece::IntOrString,
        Piece::Managed,
        Piece::ObjectMeta,
        Piece::Quantity,
        Piece::Number,
        Piece::OneOf,
        Piece::OpenStringEnum,
        Piece::Present,
        Piece::StringEnum,
        Piece::TypeMeta,
    ];
    const WITH_OTHER_CRATES: [Piece; 3] = [Piece::Client, Piece::Kubernetes, Piece::Validation];

    #[test]
    fn all_pieces_together_are_rust() {
        let all: BTreeSet<Piece> = PLAIN.into_iter().chain(WITH_OTHER_CRATES).collect();
        for kube in [false, true] {
            for schemas in [Schemas::None, Schemas::Schemars, Schemas::Crdkit] {
                let text = file(&all, kube, schemas, "// @generated\n");
                syn::parse_file(&text).unwrap();
            }
        }
    }

    /// The goldens of `tests/golden.rs` refer to this file.
    #[test]
    fn the_support_module_is_the_golden_one() {
        let header = "// @generated by crd-codegen. Do not edit.\n";
        let text = file(&BTreeSet::from(PLAIN), false, Schemas::None, header);
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/support.rs");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        assert_eq!(text, std::fs::read_to_string(&path).unwrap_or_default(), "UPDATE_GOLDEN=1 rewrites it");
    }
}
