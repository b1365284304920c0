//! Declares the functions, once per process, from the signatures in the table of functions.

use std::collections::HashMap;
use std::sync::OnceLock;

use crd_go::KubeVersion;

use crate::functions::{self, OverloadId, Row};
use crate::types::{LibraryType, Ty, Type, Types};

/// An overload of a function.
#[derive(Debug)]
pub(crate) struct Overload {
    /// The index of the overload in the table of functions.
    pub(crate) id: OverloadId,
    pub(crate) row: &'static Row,
    /// `true` for a method: the first argument is the receiver.
    pub(crate) member: bool,
    pub(crate) args: Vec<Ty>,
    pub(crate) result: Ty,
    /// The names of the overload's type parameters.
    pub(crate) params: Vec<char>,
}

/// The declarations of all functions, for all versions of Kubernetes.
#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) types: Types<'static>,
    pub(crate) overloads: Vec<Overload>,
    functions: HashMap<&'static str, (usize, usize)>,
    /// The types that have a name in rules, by name.
    names: HashMap<&'static str, Ty>,
}

/// The namespaces that can precede the dot in a function's name.
const NAMESPACES: [&str; 7] = ["cel", "format", "ip", "lists", "optional", "sets", "strings"];

impl Library {
    pub(crate) fn get() -> &'static Self {
        static LIBRARY: OnceLock<Library> = OnceLock::new();
        LIBRARY.get_or_init(Self::read)
    }

    /// Returns the overloads of a function in all versions, in the order in which the type checker tries them.
    pub(crate) fn function(&self, name: &str) -> Option<std::ops::Range<usize>> {
        self.functions.get(name).map(|&(start, end)| start..end)
    }

    /// Returns the names of all functions in an environment of `version`, on a server of version `server`. Operators are left out.
    pub(crate) fn names_in(
        &self,
        version: KubeVersion,
        server: KubeVersion,
    ) -> impl Iterator<Item = &'static str> {
        let overloads =
            self.overloads.iter().filter(move |overload| overload.row.versions.are_in(version, server));
        overloads
            .map(|overload| overload.row.function)
            .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
    }

    /// Returns the overloads of `namespace.name`.
    pub(crate) fn namespaced(&self, namespace: &str, name: &str) -> Option<std::ops::Range<usize>> {
        // Most targets are variables. This avoids the allocation of a string for each.
        if !NAMESPACES.contains(&namespace) {
            return None;
        }
        self.function(&format!("{namespace}.{name}"))
    }

    /// Returns the type for a name such as `int` or `google.protobuf.Timestamp`. A library's types exist since the version that introduced
    /// the library.
    pub(crate) fn type_name(&self, name: &str, version: KubeVersion) -> Option<Ty> {
        let since = if name.starts_with("net.") { 30 } else { 0 };
        self.names.get(name).copied().filter(|_| version.is_at_least(since))
    }

    fn read() -> Self {
        let mut library = Self {
            types: Types::new(),
            overloads: Vec::new(),
            functions: HashMap::new(),
            names: HashMap::new(),
        };
        for (at, row) in functions::rows().iter().enumerate() {
            let overload = library.overload(at, row).expect("the table of functions is our own and tested");
            library.functions.entry(row.function).or_insert((at, at)).1 = at + 1;
            library.overloads.push(overload);
        }
        library.declare_names();
        library
    }

    /// Reads the signature of a row: `list(V).() -> optional_type(V)`.
    fn overload(&mut self, at: usize, row: &'static Row) -> Option<Overload> {
        let (args, result) = row.signature.split_once(" -> ")?;
        let mut params = Vec::new();
        let open = args.find(".(").map_or(0, |dot| dot + 1);
        let target = args[..open].strip_suffix('.');
        let mut types = Vec::new();
        for arg in
            target.into_iter().chain(split_arguments(args[open..].strip_prefix('(')?.strip_suffix(')')?))
        {
            types.push(self.parse_type(arg, &mut params)?);
        }
        let result = self.parse_type(result, &mut params)?;
        let id = OverloadId::new(at);
        Some(Overload { id, row, member: target.is_some(), args: types, result, params })
    }

    fn parse_type(&mut self, text: &str, params: &mut Vec<char>) -> Option<Ty> {
        let ty = match text.split_once('(') {
            None => match simple(text) {
                Some(simple) => simple,
                None => {
                    let name =
                        text.chars().next().filter(|name| text.len() == 1 && name.is_ascii_uppercase())?;
                    if !params.contains(&name) {
                        params.push(name);
                    }
                    Type::Param(name)
                }
            },
            Some((name, rest)) => {
                let mut inner = Vec::new();
                for argument in split_arguments(rest.strip_suffix(')')?) {
                    inner.push(self.parse_type(argument, params)?);
                }
                match (name, &*inner) {
                    ("list", &[element]) => Type::List(element),
                    ("map", &[key, value]) => Type::Map(key, value),
                    ("optional_type", &[inner]) => Type::Optional(inner),
                    ("type", &[of]) => Type::TypeOf(Some(of)),
                    _ => return None,
                }
            }
        };
        Some(self.types.intern(ty))
    }

    fn declare_names(&mut self) {
        let mut intern = |ty| self.types.intern(ty);
        let (a, b) = (intern(Type::Param('A')), intern(Type::Param('B')));
        let mut names = vec![
            ("bool", Ty::BOOL),
            ("bytes", Ty::BYTES),
            ("double", Ty::DOUBLE),
            ("duration", Ty::DURATION),
            ("google.protobuf.Duration", Ty::DURATION),
            ("google.protobuf.Timestamp", Ty::TIMESTAMP),
            ("int", Ty::INT),
            ("list", intern(Type::List(a))),
            ("map", intern(Type::Map(a, b))),
            ("null_type", Ty::NULL),
            ("optional_type", intern(Type::Optional(a))),
            ("string", Ty::STRING),
            ("timestamp", Ty::TIMESTAMP),
            ("type", intern(Type::TypeOf(None))),
            ("uint", Ty::UINT),
        ];
        // Messages that every protobuf registry knows, as the types that they have in CEL.
        for (name, inner) in [
            ("google.protobuf.BoolValue", Ty::BOOL),
            ("google.protobuf.BytesValue", Ty::BYTES),
            ("google.protobuf.DoubleValue", Ty::DOUBLE),
            ("google.protobuf.FloatValue", Ty::DOUBLE),
            ("google.protobuf.Int32Value", Ty::INT),
            ("google.protobuf.Int64Value", Ty::INT),
            ("google.protobuf.StringValue", Ty::STRING),
            ("google.protobuf.UInt32Value", Ty::UINT),
            ("google.protobuf.UInt64Value", Ty::UINT),
        ] {
            names.push((name, intern(Type::Wrapper(inner))));
        }
        names.push(("google.protobuf.Any", Ty::ANY));
        names.push(("google.protobuf.Value", Ty::DYN));
        names.push(("google.protobuf.Struct", intern(Type::Map(Ty::STRING, Ty::DYN))));
        names.push(("google.protobuf.ListValue", intern(Type::List(Ty::DYN))));
        // Opaque types have a name that rules can write; messages of libraries have none.
        for library in LibraryType::ALL.into_iter().filter(|library| !library.is_message()) {
            names.push((library.name(), intern(Type::Library(library))));
        }
        self.names = names.into_iter().collect();
    }
}

/// Splits `map(string, A), int` at the commas outside parentheses.
fn split_arguments(text: &str) -> Vec<&str> {
    let (mut arguments, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b',' if depth == 0 => {
                arguments.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    if !text.is_empty() {
        arguments.push(text[start..].trim());
    }
    arguments
}

fn simple(name: &str) -> Option<Type> {
    Some(match name {
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "double" => Type::Double,
        "duration" => Type::Duration,
        "dyn" => Type::Dyn,
        "int" => Type::Int,
        "string" => Type::String,
        "timestamp" => Type::Timestamp,
        "uint" => Type::Uint,
        _ => Type::Library(LibraryType::ALL.into_iter().find(|library| library.name() == name)?),
    })
}

/// Returns the type of a field in a `google.protobuf` message.
pub(crate) fn message_field(message: &str, field: &str) -> Option<MessageField> {
    Some(match (message.strip_prefix("google.protobuf.")?, field) {
        ("Timestamp" | "Duration", "seconds" | "nanos") | ("Int32Value" | "Int64Value", "value")
        // An enum with one value.
        | ("Value", "null_value") => MessageField::Of(Ty::INT),
        ("UInt32Value" | "UInt64Value", "value") => MessageField::Of(Ty::UINT),
        ("DoubleValue" | "FloatValue", "value") | ("Value", "number_value") => MessageField::Of(Ty::DOUBLE),
        ("StringValue", "value") | ("Any", "type_url") | ("Value", "string_value") => {
            MessageField::Of(Ty::STRING)
        }
        ("BoolValue", "value") | ("Value", "bool_value") => MessageField::Of(Ty::BOOL),
        ("BytesValue" | "Any", "value") => MessageField::Of(Ty::BYTES),
        ("Value", "struct_value") | ("Struct", "fields") => MessageField::Struct,
        ("Value", "list_value") | ("ListValue", "values") => MessageField::List,
        _ => return None,
    })
}

/// The type of a message's field.
pub(crate) enum MessageField {
    /// The field has any other type.
    Of(Ty),
    /// `map(string, dyn)`
    Struct,
    /// `list(dyn)`
    List,
}
