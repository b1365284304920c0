//! Determines from a type's name whether its values are numbers, strings, lists or maps in JSON.

use syn::{GenericArgument, PathArguments, Type};

use crate::attrs::bounds::Number;

/// The kind of a type's values in JSON, as far as the type's tokens tell it.
#[derive(Clone, Copy)]
pub(crate) enum Shape<'a> {
    Bool,
    /// Integers in this range.
    Int(i128, i128),
    Float,
    Text,
    /// A list with items of this type.
    List(&'a Type),
    /// A map with values of this type.
    Map(&'a Type),
    /// Null, or a value of this type.
    Option(&'a Type),
    /// The tokens do not tell the kind.
    Unknown,
}

impl<'a> Shape<'a> {
    pub(crate) fn from_type(type_: &'a Type) -> Self {
        let path = match type_ {
            Type::Path(path) if path.qself.is_none() => &path.path,
            Type::Group(group) => return Self::from_type(&group.elem),
            Type::Paren(paren) => return Self::from_type(&paren.elem),
            Type::Array(array) => return Self::List(&array.elem),
            _ => return Self::Unknown,
        };
        let Some(last) = path.segments.last() else { return Self::Unknown };
        let name = last.ident.to_string();
        if let PathArguments::AngleBracketed(arguments) = &last.arguments {
            let types = || {
                arguments.args.iter().filter_map(|argument| match argument {
                    GenericArgument::Type(type_) => Some(type_),
                    _ => None,
                })
            };
            return match (name.as_str(), types().next(), types().nth(1)) {
                ("Option", Some(inner), None) => Self::Option(inner),
                ("Box", Some(inner), None) => Self::from_type(inner),
                ("Vec" | "VecDeque" | "BTreeSet" | "HashSet", Some(item), _) => Self::List(item),
                ("BTreeMap" | "HashMap", Some(_), Some(value)) => Self::Map(value),
                _ => Self::Unknown,
            };
        }
        // A path of several parts may be anybody's.
        if path.get_ident().is_none() {
            return Self::Unknown;
        }
        match name.as_str() {
            "bool" => Self::Bool,
            "String" | "char" => Self::Text,
            "f32" | "f64" => Self::Float,
            "i8" => Self::Int(i8::MIN.into(), i8::MAX.into()),
            "i16" => Self::Int(i16::MIN.into(), i16::MAX.into()),
            "i32" => Self::Int(i32::MIN.into(), i32::MAX.into()),
            "i64" | "isize" => Self::Int(i64::MIN.into(), i64::MAX.into()),
            "u8" => Self::Int(0, u8::MAX.into()),
            "u16" => Self::Int(0, u16::MAX.into()),
            "u32" => Self::Int(0, u32::MAX.into()),
            // The API server has no larger integers.
            "u64" | "usize" => Self::Int(0, i64::MAX.into()),
            _ => Self::Unknown,
        }
    }

    /// Returns the key types of all maps in a type, the outermost first. Each comes with the path to the map, such as `[][*]`.
    pub(crate) fn keys(type_: &Type) -> Vec<(String, &Type)> {
        let (mut keys, mut next) = (Vec::new(), vec![(String::new(), type_)]);
        while let Some((path, type_)) = next.pop() {
            match Shape::from_type(type_) {
                Shape::List(inner) => next.push((format!("{path}[]"), inner)),
                Shape::Option(inner) => next.push((path, inner)),
                Shape::Map(value) => {
                    keys.extend(first_argument(type_).map(|key| (path.clone(), key)));
                    next.push((format!("{path}[*]"), value));
                }
                _ => {}
            }
        }
        keys
    }

    /// Replaces an `Option` with its content.
    pub(crate) fn unwrapped(self) -> Self {
        match self {
            Self::Option(inner) => Self::from_type(inner),
            other => other,
        }
    }

    /// Returns the CEL type, if the values are scalars.
    pub(crate) fn cel_type(self) -> Option<&'static str> {
        match self {
            Self::Bool => Some("bool"),
            Self::Int(..) => Some("int"),
            Self::Float => Some("double"),
            Self::Text => Some("string"),
            Self::List(_) | Self::Map(_) | Self::Option(_) | Self::Unknown => None,
        }
    }

    /// Returns the minimum and the maximum, if the values are integers.
    pub(crate) fn range(self) -> Option<(Number, Number)> {
        match self {
            Self::Int(min, max) => Some((Number::Int(min), Number::Int(max))),
            _ => None,
        }
    }
}

/// Returns the first type among the generic arguments of a path.
fn first_argument(type_: &Type) -> Option<&Type> {
    let last = match type_ {
        Type::Path(path) => path.path.segments.last()?,
        Type::Group(group) => return first_argument(&group.elem),
        Type::Paren(paren) => return first_argument(&paren.elem),
        _ => return None,
    };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let first = arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(type_) => Some(type_),
        _ => None,
    })?;
    if last.ident == "Box" { first_argument(first) } else { Some(first) }
}
