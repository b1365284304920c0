//! Names that cannot be given to generated types.

/// Names that have another meaning in generated files, including type parameters.
pub(super) const RESERVED: &[&str] = &[
    "Any",
    "AsMut",
    "AsRef",
    "BTreeMap",
    "Box",
    "ByteString",
    "Clone",
    "Copy",
    "D",
    "Cow",
    "Debug",
    "Default",
    "Deserialize",
    "Deserializer",
    "Drop",
    "EmbeddedResource",
    "Empty",
    "Eq",
    "Err",
    "Fn",
    "From",
    "HashMap",
    "Hash",
    "IntOrString",
    "Into",
    "IntoIterator",
    "Iterator",
    "None",
    "Number",
    "ObjectMeta",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Quantity",
    "Resource",
    "Result",
    "S",
    "Self",
    "Send",
    "Serialize",
    "Serializer",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToString",
    "Value",
    "Vec",
    "Wire",
];

/// Returns `true` if the name has another meaning in generated files.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// Further names that the form `derive` imports.
pub(crate) const RESERVED_WITH_DERIVES: &[&str] = &["CrdSchema", "CustomResource"];
