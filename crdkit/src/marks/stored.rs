//! Values that a schema contains as JSON until a pass uses them.
//!
//! The conversions do not use serde's derives, whose code would be a tenth of all code that crdkit adds to a debug binary.

use serde_json::{Map, Value};

/// A value that can be stored as JSON.
pub(crate) trait Stored: Sized {
    /// Converts the value to JSON.
    fn store(&self) -> Value;

    /// Reads the value from JSON. Returns `None` if the JSON is not in the form of [`store`](Self::store).
    fn restore(value: &Value) -> Option<Self>;

    /// Returns the value that an absent key stands for, or `None` if the key is required.
    fn absent() -> Option<Self> {
        None
    }

    /// Returns `true` for the value that an absent key stands for.
    fn is_absent(&self) -> bool {
        false
    }
}

/// Implements [`Stored`] for a struct, or for an enum of unit variants. A field's key is the field's name, unless another key is
/// given here.
macro_rules! stored {
    (struct $name:ident { $($field:ident $(= $key:literal)?),* $(,)? }) => {
        impl $crate::marks::stored::Stored for $name {
            fn store(&self) -> serde_json::Value {
                let Self { $($field),* } = self;
                let mut object = serde_json::Map::new();
                $($crate::marks::stored::keep(&mut object, $crate::marks::stored::key!($field $($key)?), $field);)*
                serde_json::Value::Object(object)
            }

            fn restore(value: &serde_json::Value) -> Option<Self> {
                let object = value.as_object()?;
                Some(Self { $($field: $crate::marks::stored::field(object, $crate::marks::stored::key!($field $($key)?))?),* })
            }

            fn absent() -> Option<Self> {
                Self::restore(&serde_json::Value::Object(serde_json::Map::new()))
            }

            fn is_absent(&self) -> bool {
                let Self { $($field),* } = self;
                $($crate::marks::stored::Stored::is_absent($field))&&*
            }
        }
    };
    (enum $name:ident { $($variant:ident),* $(,)? }) => {
        impl $crate::marks::stored::Stored for $name {
            fn store(&self) -> serde_json::Value {
                match self { $(Self::$variant => stringify!($variant)),* }.into()
            }

            fn restore(value: &serde_json::Value) -> Option<Self> {
                match value.as_str()? {
                    $(stringify!($variant) => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use stored;

macro_rules! key {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $key:literal) => {
        $key
    };
}
pub(crate) use key;

/// Stores a field.
pub(crate) fn keep<T: Stored>(object: &mut Map<String, Value>, key: &str, field: &T) {
    if !field.is_absent() {
        object.insert(key.to_owned(), field.store());
    }
}

/// Reads a field.
pub(crate) fn field<T: Stored>(object: &Map<String, Value>, key: &str) -> Option<T> {
    object.get(key).map_or_else(T::absent, T::restore)
}

impl Stored for bool {
    fn store(&self) -> Value {
        (*self).into()
    }

    fn restore(value: &Value) -> Option<Self> {
        value.as_bool()
    }

    fn absent() -> Option<Self> {
        Some(false)
    }

    fn is_absent(&self) -> bool {
        !self
    }
}

impl Stored for i32 {
    fn store(&self) -> Value {
        (*self).into()
    }

    fn restore(value: &Value) -> Option<Self> {
        value.as_i64()?.try_into().ok()
    }
}

impl Stored for u32 {
    fn store(&self) -> Value {
        (*self).into()
    }

    fn restore(value: &Value) -> Option<Self> {
        value.as_u64()?.try_into().ok()
    }
}

impl Stored for String {
    fn store(&self) -> Value {
        self.as_str().into()
    }

    fn restore(value: &Value) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}

/// A pair of strings is stored as a list of two strings.
impl Stored for (String, String) {
    fn store(&self) -> Value {
        Value::Array(vec![self.0.store(), self.1.store()])
    }

    fn restore(value: &Value) -> Option<Self> {
        match value.as_array()?.as_slice() {
            [first, second] => Some((String::restore(first)?, String::restore(second)?)),
            _ => None,
        }
    }
}

impl Stored for Value {
    fn store(&self) -> Value {
        self.clone()
    }

    fn restore(value: &Value) -> Option<Self> {
        Some(value.clone())
    }
}

impl Stored for Map<String, Value> {
    fn store(&self) -> Value {
        Value::Object(self.clone())
    }

    fn restore(value: &Value) -> Option<Self> {
        value.as_object().cloned()
    }
}

impl<T: Stored> Stored for Option<T> {
    fn store(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::store)
    }

    fn restore(value: &Value) -> Option<Self> {
        T::restore(value).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Stored> Stored for Vec<T> {
    fn store(&self) -> Value {
        let mut list = Vec::new();
        for item in self {
            list.push(item.store());
        }
        Value::Array(list)
    }

    fn restore(value: &Value) -> Option<Self> {
        // A loop: an iterator adds ten functions to the program for each type of items.
        let mut items = Vec::new();
        for item in value.as_array()? {
            items.push(T::restore(item)?);
        }
        Some(items)
    }

    fn absent() -> Option<Self> {
        Some(Vec::new())
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}
