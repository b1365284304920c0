//! Decoding and encoding of strings, numbers, lists and maps.

use serde_json::{Number, Value};

use super::{DecodeStep, Decoder, Wire};
use crate::OrderedMap;
use crate::tree::{TreeVisitor, Visit};

impl Wire for String {
    fn go_type() -> String {
        "string".to_owned()
    }

    fn absent() -> Self {
        Self::new()
    }

    fn read(&mut self, value: Value, decoder: &mut Decoder) {
        match value {
            Value::String(text) => *self = text,
            other => decoder.mistyped(Self::go_type, &other),
        }
    }
}

impl Wire for bool {
    fn go_type() -> String {
        "bool".to_owned()
    }

    fn absent() -> Self {
        false
    }

    fn read(&mut self, value: Value, decoder: &mut Decoder) {
        match value {
            Value::Bool(flag) => *self = flag,
            other => decoder.mistyped(Self::go_type, &other),
        }
    }
}

macro_rules! integer {
    ($($type:ty = $go:literal),*) => {$(
        impl Wire for $type {
            fn go_type() -> String {
                $go.to_owned()
            }

            fn absent() -> Self {
                0
            }

            fn read(&mut self, value: Value, decoder: &mut Decoder) {
                if let Some(number) = value.as_i64().and_then(|number| Self::try_from(number).ok()) {
                    *self = number;
                    return;
                }
                match &value {
                    // Go names the number that does not fit.
                    Value::Number(number) => decoder.cannot_unmarshal(Self::go_type, &format!("number {number}")),
                    other => decoder.mistyped(Self::go_type, other),
                }
            }
        }
    )*};
}
integer!(i32 = "int32", i64 = "int64");

impl Wire for Number {
    fn go_type() -> String {
        "float64".to_owned()
    }

    fn absent() -> Self {
        Self::from(0)
    }

    fn read(&mut self, value: Value, decoder: &mut Decoder) {
        match value {
            Value::Number(number) => *self = number,
            other => decoder.mistyped(Self::go_type, &other),
        }
    }
}

impl Wire for Value {
    fn go_type() -> String {
        "v1.JSON".to_owned()
    }

    fn absent() -> Self {
        Self::Null
    }

    fn read(&mut self, value: Value, _: &mut Decoder) {
        *self = value;
    }
}

impl<T: Wire> Wire for Option<T> {
    fn go_type() -> String {
        T::go_type()
    }

    fn absent() -> Self {
        None
    }

    fn read(&mut self, value: Value, decoder: &mut Decoder) {
        insert(self).read(value, decoder);
    }
}

impl<T: Wire> Wire for Box<T> {
    fn go_type() -> String {
        T::go_type()
    }

    fn absent() -> Self {
        Self::new(T::absent())
    }

    fn read(&mut self, value: Value, decoder: &mut Decoder) {
        if decoder.has_room::<T>(1) {
            T::read(self, value, decoder);
        }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn go_type() -> String {
        format!("[]{}", T::go_type())
    }

    fn absent() -> Self {
        Self::new()
    }

    fn read(&mut self, value: Value, decoder: &mut Decoder) {
        let Value::Array(items) = value else {
            decoder.mistyped(Self::go_type, &value);
            return;
        };
        if !decoder.has_room::<T>(items.len()) {
            return;
        }
        self.reserve_exact(items.len());
        for (index, value) in items.into_iter().enumerate() {
            let slot = push(self);
            if !value.is_null() {
                decoder.step(DecodeStep::Index(index), slot, value);
            }
        }
    }
}

impl<T: Wire> Wire for OrderedMap<T> {
    fn go_type() -> String {
        format!("map[string]{}", T::go_type())
    }

    fn absent() -> Self {
        Self::new()
    }

    fn read(&mut self, value: Value, decoder: &mut Decoder) {
        let Value::Object(fields) = value else {
            decoder.mistyped(Self::go_type, &value);
            return;
        };
        if !decoder.has_room::<T>(fields.len()) {
            return;
        }
        if !fields.is_empty() {
            *self = Self::with_capacity(fields.len());
        }
        for (key, value) in fields {
            let key = key.into_boxed_str();
            let slot = self.get_or_insert_with(key.clone(), T::absent);
            if !value.is_null() {
                decoder.step(DecodeStep::Key(key), slot, value);
            }
        }
    }
}

/// Fills a slot with an empty value. This is a separate function, so that the value is not on the stack while its fields are read.
#[inline(never)]
fn insert<T: Wire>(slot: &mut Option<T>) -> &mut T {
    slot.insert(T::absent())
}

/// Appends an empty value to a list. This is a separate function, so that the value is not on the stack.
#[inline(never)]
fn push<T: Wire>(list: &mut Vec<T>) -> &mut T {
    let index = list.len();
    list.push(T::absent());
    &mut list[index]
}

impl Visit for String {
    fn visit<'a>(&'a self, visitor: &mut dyn TreeVisitor<'a>) {
        visitor.text(self);
    }

    fn is_omitted(&self) -> bool {
        self.is_empty()
    }
}

macro_rules! leaf {
    ($($type:ty),*) => {$(
        impl Visit for $type {
            fn visit<'a>(&'a self, visitor: &mut dyn TreeVisitor<'a>) {
                visitor.leaf(Value::from(self.clone()));
            }
        }
    )*};
}
leaf!(bool, i32, i64, Number);

impl Visit for Value {
    fn visit<'a>(&'a self, visitor: &mut dyn TreeVisitor<'a>) {
        visitor.value(self);
    }
}

impl<T: Visit> Visit for Option<T> {
    fn visit<'a>(&'a self, visitor: &mut dyn TreeVisitor<'a>) {
        match self {
            Some(value) => value.visit(visitor),
            None => visitor.text(""),
        }
    }

    // An empty string in a struct is omitted, but a pointer to an empty string is not.
    fn is_omitted(&self) -> bool {
        self.is_none()
    }
}

impl<T: Visit> Visit for Box<T> {
    fn visit<'a>(&'a self, visitor: &mut dyn TreeVisitor<'a>) {
        T::visit(self, visitor);
    }

    fn is_omitted(&self) -> bool {
        T::is_omitted(self)
    }
}

impl<T: Visit> Visit for Vec<T> {
    fn visit<'a>(&'a self, visitor: &mut dyn TreeVisitor<'a>) {
        visitor.begin_list();
        self.iter().for_each(|item| item.visit(visitor));
        visitor.end();
    }
}

impl<T: Visit> Visit for OrderedMap<T> {
    fn visit<'a>(&'a self, visitor: &mut dyn TreeVisitor<'a>) {
        visitor.begin_object();
        for (key, value) in self.iter() {
            visitor.key(key);
            value.visit(visitor);
        }
        visitor.end();
    }
}
