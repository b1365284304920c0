//! Checks the types of list items and map keys while the user's crate compiles.
//!
//! A macro sees the tokens of only one type. Therefore, the derive describes the type's values in the constant [`CrdSchema::SHAPE`], and
//! the code for a list of this type reads the constant. Types that derive only schemars' trait have no such constant. `crd()` reports
//! mistakes in these types.

use std::marker::PhantomData;

use crate::CrdSchema;

/// The kind of a type's values, and their fields if they are objects.
#[derive(Clone, Copy)]
pub enum Shape {
    /// Not known before the schema is generated.
    Unknown,
    /// A string, a number or a boolean.
    Scalar,
    /// A list or a map.
    Collection,
    /// An object with exactly these fields.
    Object(&'static [FieldShape]),
    /// One of these strings, or a property with that name if the enum is flattened.
    Unit(&'static [&'static str]),
    /// An object with the fields of all these parts: a struct with flattened fields, or an enum of objects.
    Parts(&'static [Self]),
}

/// A field of an object.
#[derive(Clone, Copy)]
pub struct FieldShape {
    /// The name that serde writes.
    pub name: &'static str,
    /// Set if the field may be absent and has no default.
    pub is_optional: bool,
    /// The shape of the field's value.
    pub shape: Shape,
}

/// Gives access to the shape of any type. If `T` implements [`CrdSchema`], `Shaped::<T>::SHAPE` is the inherent constant below,
/// because inherent constants take precedence. For all other types, it is the constant from [`Unshaped`].
pub struct Shaped<T: ?Sized>(PhantomData<T>);

impl<T: CrdSchema + ?Sized> Shaped<T> {
    /// The shape from the derive.
    pub const SHAPE: Shape = T::SHAPE;
}

/// The shape of types that do not implement [`CrdSchema`].
pub trait Unshaped {
    /// Unknown.
    const SHAPE: Shape = Shape::Unknown;
}

impl<T: ?Sized> Unshaped for Shaped<T> {}

/// The messages for an invalid key in `list_map_keys`.
pub struct KeyErrors {
    /// The key is not a field.
    pub unknown: &'static str,
    /// The key may be absent.
    pub optional: &'static str,
    /// The key is not a scalar.
    pub composite: &'static str,
    /// The items have no fields at all.
    pub no_object: &'static str,
}

/// Asserts that items with this shape have a key, as a list of type `map` requires.
///
/// # Panics
/// The items lack the key; the user's crate then does not compile.
#[track_caller]
#[expect(clippy::panic, reason = "it runs while the crate compiles, whose error it is")]
pub const fn assert_list_map_key(items: Shape, key: &str, errors: &KeyErrors) {
    let fields = match items {
        Shape::Unknown | Shape::Parts(_) => return,
        Shape::Scalar | Shape::Collection | Shape::Unit(_) => panic!("{}", errors.no_object),
        Shape::Object(fields) => fields,
    };
    let mut i = 0;
    while i < fields.len() {
        if is_same(fields[i].name, key) {
            if fields[i].is_optional {
                panic!("{}", errors.optional);
            }
            if matches!(fields[i].shape, Shape::Collection | Shape::Object(_)) {
                panic!("{}", errors.composite);
            }
            return;
        }
        i += 1;
    }
    panic!("{}", errors.unknown);
}

/// Asserts that items with this shape can be compared with each other, as a list of type `set` requires.
///
/// # Panics
/// The items are objects; the user's crate then does not compile.
#[track_caller]
#[expect(clippy::panic, reason = "it runs while the crate compiles, whose error it is")]
pub const fn assert_set_items(items: Shape, error: &'static str) {
    if matches!(items, Shape::Object(_)) {
        panic!("{}", error);
    }
}

/// Asserts that values with this shape can be keys of a JSON object.
///
/// # Panics
/// The values are objects or lists; the user's crate then does not compile.
#[track_caller]
#[expect(clippy::panic, reason = "it runs while the crate compiles, whose error it is")]
pub const fn assert_map_key(keys: Shape, error: &'static str) {
    if matches!(keys, Shape::Object(_) | Shape::Collection) {
        panic!("{}", error);
    }
}

/// Asserts that a flattened type has none of the fields next to it. Each name in `names` comes with its error.
///
/// # Panics
/// The type has one of the names; the user's crate then does not compile.
#[track_caller]
#[expect(clippy::panic, reason = "it runs while the crate compiles, whose error it is")]
pub const fn assert_other_names(flattened: Shape, names: &[(&str, &'static str)]) {
    let mut i = 0;
    while i < names.len() {
        if has_field(flattened, names[i].0) {
            panic!("{}", names[i].1);
        }
        i += 1;
    }
}

/// Asserts that two flattened types have no field in common.
///
/// # Panics
/// The types share a field; the user's crate then does not compile.
#[track_caller]
#[expect(clippy::panic, reason = "it runs while the crate compiles, whose error it is")]
pub const fn assert_disjoint(one: Shape, other: Shape, error: &'static str) {
    if overlap(one, other) {
        panic!("{}", error);
    }
}

const fn overlap(one: Shape, other: Shape) -> bool {
    let mut i = 0;
    match one {
        Shape::Object(fields) => {
            while i < fields.len() {
                if has_field(other, fields[i].name) {
                    return true;
                }
                i += 1;
            }
        }
        Shape::Unit(names) => {
            while i < names.len() {
                if has_field(other, names[i]) {
                    return true;
                }
                i += 1;
            }
        }
        Shape::Parts(parts) => {
            while i < parts.len() {
                if overlap(parts[i], other) {
                    return true;
                }
                i += 1;
            }
        }
        Shape::Unknown | Shape::Scalar | Shape::Collection => {}
    }
    false
}

const fn has_field(shape: Shape, name: &str) -> bool {
    let mut i = 0;
    match shape {
        Shape::Object(fields) => {
            while i < fields.len() {
                if is_same(fields[i].name, name) {
                    return true;
                }
                i += 1;
            }
        }
        Shape::Unit(names) => {
            while i < names.len() {
                if is_same(names[i], name) {
                    return true;
                }
                i += 1;
            }
        }
        Shape::Parts(parts) => {
            while i < parts.len() {
                if has_field(parts[i], name) {
                    return true;
                }
                i += 1;
            }
        }
        Shape::Unknown | Shape::Scalar | Shape::Collection => {}
    }
    false
}

/// A spec that derives `CustomResource`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has `#[crd(...)]` that only `CustomResource` reads, and does not derive it",
    label = "this has no effect",
    note = "derive `crdkit::CustomResource` too, or remove the attribute; a rule of the type alone is a `spec_validation` next to `#[kube(...)]`"
)]
pub trait ResourceSpec {}

/// Asserts that `T` is a spec.
pub const fn assert_resource_spec<T: ResourceSpec>() {}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
