//! Functions for expressions, read from the table of overloads of `crd-cel`.

use std::fmt;

use crd_cel::{Environment, Function, Version};

/// A type of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    /// `int`, `dyn`, `net.IP` and the like, by its name in the table.
    Simple(&'static str),
    List(Box<Ty>),
    Map(Box<Ty>, Box<Ty>),
    Optional(Box<Ty>),
    Type(Box<Ty>),
    /// A type parameter; no expression has it.
    Param(char),
}

impl Ty {
    pub fn list(of: Ty) -> Self {
        Self::List(Box::new(of))
    }

    pub fn optional(of: Ty) -> Self {
        Self::Optional(Box::new(of))
    }

    /// Returns the number of types in it.
    pub fn size(&self) -> usize {
        match self {
            Self::Simple(_) | Self::Param(_) => 1,
            Self::List(of) | Self::Optional(of) | Self::Type(of) => 1 + of.size(),
            Self::Map(key, value) => 1 + key.size() + value.size(),
        }
    }

    /// Returns `true` if the keys of all maps in it have types that keys can have.
    pub fn has_keys(&self) -> bool {
        match self {
            Self::Simple(_) | Self::Param(_) => true,
            Self::List(of) | Self::Optional(of) | Self::Type(of) => of.has_keys(),
            Self::Map(key, value) => {
                matches!(**key, Self::Simple("bool" | "int" | "uint" | "string")) && value.has_keys()
            }
        }
    }

    fn read(text: &'static str) -> Self {
        let Some((name, inner)) = text.split_once('(') else {
            let mut chars = text.chars();
            return match (chars.next(), chars.next()) {
                (Some(param), None) => Self::Param(param),
                _ => Self::Simple(text),
            };
        };
        let mut inner = arguments(inner.strip_suffix(')').unwrap_or(inner)).into_iter().map(Self::read);
        let mut next = || Box::new(inner.next().expect("a parameter"));
        match name {
            "list" => Self::List(next()),
            "map" => Self::Map(next(), next()),
            "optional_type" => Self::Optional(next()),
            _ => Self::Type(next()),
        }
    }

    /// Finds the types of the parameters with which this type becomes `ty`. Returns `false` if there are none.
    pub fn unify(&self, ty: &Ty, params: &mut Vec<(char, Ty)>) -> bool {
        match (self, ty) {
            (Self::Param(name), _) => match params.iter().find(|(known, _)| known == name) {
                Some((_, known)) => known == ty,
                None => {
                    params.push((*name, ty.clone()));
                    true
                }
            },
            (Self::Simple(a), Self::Simple(b)) => a == b,
            (Self::List(a), Self::List(b))
            | (Self::Optional(a), Self::Optional(b))
            | (Self::Type(a), Self::Type(b)) => a.unify(b, params),
            (Self::Map(a, b), Self::Map(c, d)) => a.unify(c, params) && b.unify(d, params),
            _ => false,
        }
    }

    /// Returns the type with types for its parameters, and with `fresh` ones for unknown parameters.
    pub fn with(&self, params: &mut Vec<(char, Ty)>, fresh: &mut dyn FnMut() -> Ty) -> Ty {
        match self {
            Self::Simple(_) => self.clone(),
            Self::List(of) => Self::List(Box::new(of.with(params, fresh))),
            Self::Optional(of) => Self::Optional(Box::new(of.with(params, fresh))),
            Self::Type(of) => Self::Type(Box::new(of.with(params, fresh))),
            Self::Map(key, value) => {
                Self::Map(Box::new(key.with(params, fresh)), Box::new(value.with(params, fresh)))
            }
            Self::Param(name) => match params.iter().find(|(known, _)| known == name) {
                Some((_, known)) => known.clone(),
                None => {
                    let ty = fresh();
                    params.push((*name, ty.clone()));
                    ty
                }
            },
        }
    }
}

/// The name that the checker prints.
impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Simple("timestamp") => f.write_str("google.protobuf.Timestamp"),
            Self::Simple("duration") => f.write_str("google.protobuf.Duration"),
            Self::Simple("null") => f.write_str("null_type"),
            Self::Simple(name) => f.write_str(name),
            Self::List(of) => write!(f, "list({of})"),
            Self::Map(key, value) => write!(f, "map({key}, {value})"),
            Self::Optional(of) => write!(f, "optional_type({of})"),
            Self::Type(of) => write!(f, "type({of})"),
            Self::Param(name) => write!(f, "{name}"),
        }
    }
}

/// A function with arguments of certain types.
pub struct Overload {
    pub function: &'static str,
    pub is_member: bool,
    pub args: Vec<Ty>,
    pub result: Ty,
}

/// Returns all overloads that a rule can call by name or operator, and whose result has a type of its own.
pub fn overloads() -> Vec<Overload> {
    Environment::new(Version::NEWEST).functions().map(overload).filter(is_of_use).collect()
}

fn is_of_use(overload: &Overload) -> bool {
    // The checker leaves it to a server to have an implementation, and none has one.
    let unimplemented = overload.function == "duration" && overload.args == [Ty::Simple("int")];
    let unknown = matches!(overload.function, "_?._" | "optional.none");
    let unwritable = overload.function.starts_with("cel.@")
        || overload.function.starts_with('@') && overload.function != "@in";
    let is_authorizer =
        |ty: &Ty| matches!(ty, Ty::Simple(name) if name.starts_with("kubernetes.authorization"));
    let authorizes = overload.args.iter().chain([&overload.result]).any(is_authorizer);
    !unimplemented && !unknown && !unwritable && !authorizes
}

/// Reads the signature of a function: `list(V).() -> optional_type(V)`.
fn overload(function: Function) -> Overload {
    let (args, result) = function.signature.split_once(" -> ").expect("a signature");
    let (target, args) = match args.split_once(".(") {
        Some((target, args)) => (Some(target), args),
        None => (None, &args[1..]),
    };
    let args = arguments(args.strip_suffix(')').unwrap_or(args));
    let args = target.into_iter().chain(args).map(Ty::read).collect();
    Overload { function: function.name, is_member: target.is_some(), args, result: Ty::read(result) }
}

fn arguments(text: &'static str) -> Vec<&'static str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    if !text.is_empty() {
        parts.push(text[start..].trim());
    }
    parts
}
