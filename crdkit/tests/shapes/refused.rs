//! Shapes that no CRD can express: the error names type, field and remedy.

use std::collections::BTreeMap;

use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};

use crate::refused;

#[derive(CrdSchema, Serialize, Deserialize)]
struct Holder<T> {
    field: Vec<T>,
}

#[test]
fn units_and_tuples() {
    refused::<Holder<()>>(
        "`Holder`: `.spec.field[]`: is a unit type, whose only value is null; help: use a struct with braces (`struct \
         Empty {}`), a `bool`, or `#[serde(skip)]` the field",
    );
    refused::<Holder<(String, i32)>>(
        "`Holder`: `.spec.field[]`: is a tuple of different types: a list in a CRD has one schema for all its items; \
         help: use a struct with named fields, or `#[crd(schemaless)]`",
    );
    refused::<Holder<[String; 0]>>(
        "`Holder`: `.spec.field[]`: is always an empty list; help: `#[serde(skip)]` the field, or give the list a type \
         for its items",
    );
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Node {
    next: Option<Box<Node>>,
}

#[test]
fn recursion() {
    refused::<Node>(
        "`Node`: `.spec.next`: is recursive: it contains a `Node` inside a `Node`; help: put `#[crd(recursion = 3)]` \
         on a field of the cycle: the API server then keeps deeper levels without checking them; or `#[crd(schemaless)]`",
    );
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Mixed {
    Nothing,
    Something { a: String },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Clash {
    A { value: String },
    B { value: Vec<String> },
}

#[test]
fn enums_of_several_types() {
    let help = "help: give unit variants braces (`A {}`), rename the field in one variant, or use `#[crd(schemaless)]`";
    refused::<Holder<Mixed>>(&format!(
        "`Mixed`: `.spec.field[]`: is a string in one variant of an enum and an object in another: in a CRD, a value has a \
         single type; {help}"
    ));
    refused::<Holder<OneOrMany>>(&format!(
        "`OneOrMany`: `.spec.field[]`: is a string in one variant of an enum and an array in another: in a CRD, a value \
         has a single type; {help}"
    ));
    refused::<Holder<Clash>>(&format!(
        "`Clash`: `.spec.field[].value`: is a string in one variant of an enum and an array in another: in a CRD, a \
         value has a single type; {help}"
    ));
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Size {
    #[schemars(range(max = 9))]
    size: u8,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum MapsClash {
    Sizes { of: BTreeMap<String, Size> },
    Names { of: BTreeMap<String, Nameless> },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum BoundsClash {
    Small { of: BTreeMap<String, u8> },
    Large { of: BTreeMap<String, u16> },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum UntaggedBounds {
    Small { of: BTreeMap<String, u8>, small: bool },
    Signed { of: BTreeMap<String, i8> },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum UntaggedValues {
    Names { of: BTreeMap<String, String>, all: bool },
    Values { of: BTreeMap<String, serde_json::Value> },
}

#[test]
fn maps_of_several_types_of_values() {
    let why = "has another type or other attributes in another variant of an enum: a CRD cannot check the values of a map for \
               one variant only; help: use the same type and attributes in all variants, rename the field in one of them, or \
               use `#[crd(schemaless)]`";
    refused::<Holder<MapsClash>>(&format!("`MapsClash`: `.spec.field[].of[*]`: {why}"));
    refused::<Holder<BoundsClash>>(&format!("`BoundsClash`: `.spec.field[].of[*]`: {why}"));
    refused::<Holder<UntaggedBounds>>(&format!("`UntaggedBounds`: `.spec.field[].of[*]`: {why}"));
    // serde reads every value as the second variant.
    assert!(crate::schema_of::<Holder<UntaggedValues>>().is_ok());
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct FlatMap {
    own: bool,
    #[serde(flatten)]
    rest: BTreeMap<String, String>,
}

#[test]
fn flattened_maps_of_one_type() {
    refused::<FlatMap>(
        "`FlatMap`: `.spec`: flattens a map of typed values next to fields: a CRD has either properties or a map; \
         help: flatten a map of `serde_json::Value`, make the map a separate field, or put \
         `#[crd(preserve_unknown_fields)]` on `FlatMap`, which derives `CrdSchema`, and other fields are kept and not checked",
    );
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Keyed<T: schemars::JsonSchema> {
    #[crd(list_type = "map", list_map_keys = ["name"])]
    items: Vec<T>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Nameless {
    id: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct OptionalName {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct ListName {
    name: Vec<String>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct SetOf<T: schemars::JsonSchema> {
    #[crd(list_type = "set")]
    items: Vec<T>,
}

// A type by another name is not known to the macro.
type Text = String;

#[derive(CrdSchema, Serialize, Deserialize)]
struct ListTypeOfText {
    #[crd(list_type = "atomic")]
    text: Text,
}

#[test]
fn list_types() {
    refused::<Keyed<Nameless>>(
        "`Keyed`: `.spec.items`: has the list map key `name`, which is not a field of its items; help: name a field of \
         the items; use the name that serde writes",
    );
    refused::<Keyed<OptionalName>>(
        "`Keyed`: `.spec.items`: has the list map key `name`, which may be absent; help: make the field required by \
         removing `Option`, or give it a `#[serde(default = ...)]`",
    );
    refused::<Keyed<ListName>>(
        "`Keyed`: `.spec.items`: has the list map key `name`, which is not a scalar; help: name a field that is a \
         string, a number or a boolean",
    );
    refused::<SetOf<Nameless>>(
        "`SetOf`: `.spec.items`: is a set of objects, which the API server cannot compare; help: use `list_type = \
         \"map\"` with `list_map_keys`, or `list_type = \"atomic\"`",
    );
    refused::<ListTypeOfText>(
        "`ListTypeOfText`: `.spec.text`: has a list type but is not a list; help: put `list_type` on a `Vec`",
    );
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(exactly_one_of = ["a", "c"])]
struct Group {
    // What a flattened type brings is not known to the macro.
    #[serde(flatten)]
    rest: Rest,
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<String>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Rest {}

#[test]
fn groups_of_unknown_fields() {
    refused::<Group>(
        "`Group`: `.spec`: has a group with `c`, which is not one of its fields; help: use the name that serde writes",
    );
}

#[derive(CrdSchema)]
enum Never {}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Huge {
    #[serde(default = "huge")]
    number: u64,
}

fn huge() -> u64 {
    u64::MAX
}

#[test]
fn values_that_cannot_be() {
    refused::<Never>(
        "`Never`: `.spec`: no value can have this type; help: give the enum a variant that is not skipped, or \
         `#[serde(skip)]` the field",
    );
    refused::<Huge>(
        "`Huge`: `.spec.number`: has the default 18446744073709551615, which is larger than any integer of the API; help: \
         use a default below 2^63, or a string",
    );
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum OldRule {
    A(WithOldRule),
    B,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(validation = "self.a == oldSelf.a")]
struct WithOldRule {
    a: String,
}

#[test]
fn rules_of_one_variant_that_compare_with_the_old_value() {
    refused::<OldRule>(
        "`OldRule`: `.spec`: has `x-kubernetes-validations` in one variant of an enum, but lacks it or has another \
         value in another variant; help: use the same attributes in all variants, or rename the field in one of them",
    );
}
