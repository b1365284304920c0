//! Decodes CRDs from JSON, and encodes them as JSON. One declaration for each type generates the struct, its decoder and its encoder.

mod values;

use std::fmt;

use serde_json::{Map, Value};

use super::JsonSchemaProps;
use crate::FieldPath;
use crate::tree::{TreeVisitor, Visit};

/// A value in the model of a CRD, with its JSON form.
pub(super) trait Wire: Visit {
    /// Returns the name of the Go type in the API server's messages.
    fn go_type() -> String
    where
        Self: Sized;

    /// Returns the value for `null` in a list or a map.
    fn absent() -> Self
    where
        Self: Sized;

    /// Reads a value that is not `null` into an empty value. A value of a wrong type is reported to the decoder and stays
    /// empty. Reading in place avoids moving schemas, which are large and nested.
    fn read(&mut self, value: Value, decoder: &mut Decoder);

    /// Reads a value that is not `null`.
    fn decode(value: Value, decoder: &mut Decoder) -> Self
    where
        Self: Sized,
    {
        let mut this = Self::absent();
        this.read(value, decoder);
        this
    }
}

/// The name of a type in the API server's messages.
type GoType = fn() -> String;

/// Visits a field of a struct, unless its key is omitted.
pub(super) fn visit_field<'a>(name: &'static str, value: &'a impl Visit, visitor: &mut dyn TreeVisitor<'a>) {
    if !value.is_omitted() {
        visitor.field(name);
        value.visit(visitor);
    }
}

/// Declares a struct of the model with its JSON keys, and implements [`Wire`] for it.
macro_rules! wire {
    ($(#[$meta:meta])* pub struct $name:ident as $go:literal {
        $($(#[$field_meta:meta])* $field:ident: $type:ty = $key:literal $(as $named:literal)? $(with $codec:path)?,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
            /// Unknown keys, and keys that this project does not interpret.
            pub unknown: crate::OrderedMap<serde_json::Value>,
        }

        impl $name {
            /// The names of the struct's fields in JSON.
            pub const FIELDS: &'static [&'static str] = &[$($key),*];
        }

        impl Wire for $name {
            fn go_type() -> String {
                concat!("v1.", $go).to_owned()
            }

            fn absent() -> Self {
                Self::default()
            }

            fn read(&mut self, value: Value, decoder: &mut Decoder) {
                let Some(fields) = decoder.object(Self::go_type, value) else { return };
                let outer = decoder.enter_struct($go);
                for (key, value) in fields {
                    match key.as_str() {
                        $($key => $crate::crd::wire::read!(
                            decoder, self.$field, $key, value $(, as $named)? $(, with $codec)?
                        ),)*
                        _ => {
                            self.unknown.insert(key, value);
                        }
                    }
                }
                decoder.leave_struct(outer);
            }
        }

        impl $crate::tree::Visit for $name {
            fn visit<'a>(&'a self, visitor: &mut dyn $crate::tree::TreeVisitor<'a>) {
                visitor.begin_object();
                $($crate::crd::wire::visit_field($key, &self.$field, visitor);)*
                for (key, value) in self.unknown.iter() {
                    visitor.key(key);
                    visitor.value(value);
                }
                visitor.end();
            }
        }
    };
}
pub(super) use wire;

/// Reads a field of a struct. `as` gives the name of the field's Go type, if it differs from the name of the Rust type. `with` gives a
/// function that reads the field, for Go types with `UnmarshalJSON`.
macro_rules! read {
    ($decoder:ident, $slot:expr, $key:literal, $value:ident) => {
        $decoder.field(&mut $slot, $key, None, $value)
    };
    ($decoder:ident, $slot:expr, $key:literal, $value:ident, as $named:literal) => {
        $decoder.field(&mut $slot, $key, Some($named), $value)
    };
    ($decoder:ident, $slot:expr, $key:literal, $value:ident, with $codec:path) => {
        $decoder.field_with(&mut $slot, $key, $value, $codec)
    };
}
pub(super) use read;

/// The error for a value that cannot be read as a `CustomResourceDefinition`, with the API server's message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    path: FieldPath,
    message: String,
}

impl DecodeError {
    /// Returns the path of the value that cannot be read.
    #[must_use]
    pub fn path(&self) -> &FieldPath {
        &self.path
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DecodeError {}

/// The state of decoding: the current place, and the errors.
///
/// Go's decoder continues after a wrong type, and reports the first wrong type at the end. Errors of types with `UnmarshalJSON` (`items`,
/// `additionalProperties`, times) end decoding at once. Source: `sigs.k8s.io/json`, `internal/golang/encoding/json/decode.go`.
#[derive(Default)]
pub(super) struct Decoder {
    steps: Vec<DecodeStep>,
    /// The innermost struct, by its name in Go.
    struct_name: &'static str,
    /// `true` while a value whose type has `UnmarshalJSON` is read. Errors in this value have the path of the struct
    /// that contains it.
    own_reader: bool,
    saved: Option<DecodeError>,
    fatal: Option<DecodeError>,
    /// The memory of the model's lists, maps and boxes, in bytes.
    taken: usize,
}

/// Maximum depth of a value in a CRD, counted in steps. Each nested schema is two steps deeper (`properties`, a name); the outermost schema
/// is seven steps deep (`spec.versions[0].schema...`).
const MAX_STEPS: usize = 2 * JsonSchemaProps::MAX_DEPTH + 7;
/// The limit for the memory of the model. A schema takes hundreds of bytes, and three bytes of input can be a schema.
const MAX_TAKEN: usize = JsonSchemaProps::MAX_SCHEMAS * size_of::<JsonSchemaProps>();

enum DecodeStep {
    /// A struct's field, and the name of its Go type if it differs from the Rust type.
    Field(&'static str, Option<&'static str>),
    Index(usize),
    Key(Box<str>),
}

impl Decoder {
    /// Ends decoding with the error that Go's decoder would report, if there is one.
    pub(super) fn finish(self) -> Result<(), DecodeError> {
        self.fatal.or(self.saved).map_or(Ok(()), Err)
    }

    /// Reads the value of a struct's field.
    pub(super) fn field(
        &mut self,
        slot: &mut dyn Wire,
        key: &'static str,
        named: Option<&'static str>,
        value: Value,
    ) {
        // `null` counts as absent: encoding/json leaves the field unchanged.
        if !value.is_null() {
            self.step(DecodeStep::Field(key, named), slot, value);
        }
    }

    /// Reads the value of a struct's field with `codec`.
    pub(super) fn field_with<T>(
        &mut self,
        slot: &mut T,
        key: &'static str,
        value: Value,
        codec: fn(Value, &mut Self) -> T,
    ) {
        if !value.is_null() {
            self.steps.push(DecodeStep::Field(key, None));
            *slot = codec(value, self);
            self.steps.pop();
        }
    }

    /// Reads a value whose Go type has `UnmarshalJSON`.
    pub(super) fn own_reader<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = (std::mem::replace(&mut self.own_reader, true), self.saved.take());
        let value = read(self);
        self.fatal = self.fatal.take().or(self.saved.take());
        (self.own_reader, self.saved) = outer;
        value
    }

    /// Records `message` as an error at the current place.
    pub(super) fn fail(&mut self, message: impl Into<String>) {
        if self.saved.is_none() {
            self.saved = Some(DecodeError { path: self.path(), message: message.into() });
        }
    }

    /// Records `message` as the final error at the current place. Later errors are ignored.
    pub(super) fn abort(&mut self, message: impl Into<String>) {
        if self.fatal.is_none() {
            self.fatal = Some(DecodeError { path: self.path(), message: message.into() });
        }
    }

    /// Returns the members of an object. For other values, records the error and returns `None`.
    pub(super) fn object(&mut self, go_type: GoType, value: Value) -> Option<Map<String, Value>> {
        match value {
            Value::Object(fields) => Some(fields),
            other => {
                self.mistyped(go_type, &other);
                None
            }
        }
    }

    pub(super) fn enter_struct(&mut self, go_name: &'static str) -> &'static str {
        std::mem::replace(&mut self.struct_name, go_name)
    }

    pub(super) fn leave_struct(&mut self, outer: &'static str) {
        self.struct_name = outer;
    }

    /// Returns `true` if `count` more values fit into the limit for memory. Otherwise ends decoding with an error.
    fn has_room<T>(&mut self, count: usize) -> bool {
        self.taken = self.taken.saturating_add(count.saturating_mul(size_of::<T>()));
        if self.taken > MAX_TAKEN {
            let most = JsonSchemaProps::MAX_SCHEMAS;
            self.abort(format!("more than {most} schemas, or as much of something else"));
        }
        self.fatal.is_none()
    }

    fn step(&mut self, step: DecodeStep, slot: &mut dyn Wire, value: Value) {
        if self.fatal.is_some() {
            return;
        }
        if self.steps.len() >= MAX_STEPS {
            self.abort(format!("nested more than {} schemas deep", JsonSchemaProps::MAX_DEPTH));
            return;
        }
        self.steps.push(step);
        slot.read(value, self);
        self.steps.pop();
    }

    fn path(&self) -> FieldPath {
        self.steps.iter().fold(FieldPath::root(), |path, step| match step {
            DecodeStep::Field(name, _) => path.child(*name),
            DecodeStep::Index(index) => path.index(*index),
            DecodeStep::Key(key) => path.key(key.clone()),
        })
    }

    /// Records that the value has the wrong type.
    pub(super) fn mistyped(&mut self, go_type: GoType, found: &Value) {
        self.cannot_unmarshal(go_type, kind(found));
    }

    fn cannot_unmarshal(&mut self, go_type: GoType, found: &str) {
        let message = match self.steps.last() {
            Some(DecodeStep::Field(_, Some(named))) => self.type_error(found, named),
            _ => self.type_error(found, &go_type()),
        };
        self.fail(message);
    }

    /// Returns the text of Go's `json.UnmarshalTypeError`: fields by name, without indexes and map keys.
    pub(super) fn type_error(&self, found: &str, go_type: &str) -> String {
        let fields: Vec<&str> = self
            .steps
            .iter()
            .filter_map(|step| match step {
                DecodeStep::Field(name, _) => Some(*name),
                DecodeStep::Index(_) | DecodeStep::Key(_) => None,
            })
            .collect();
        // Only schemas contain types with `UnmarshalJSON` that contain further values.
        let struct_name = if self.own_reader { "JSONSchemaProps" } else { self.struct_name };
        let place = if fields.is_empty() {
            "Go value".to_owned()
        } else {
            format!("Go struct field {struct_name}.{}", fields.join("."))
        };
        format!("json: cannot unmarshal {found} into {place} of type {go_type}")
    }
}

/// Returns the kind of a value in Go's messages.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
