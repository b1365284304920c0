//! Types and their names. A table gives equal types the same number.

use std::collections::HashMap;

use crate::declared::{DeclId, Declarations};

/// A type's number in one [`Types`]. Equal types have the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ty(u32);

/// A CEL type. Type parameters are numbers in the same [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Type {
    /// `dyn`, a value of any type
    Dyn,
    /// The type of an expression with an error. This type is accepted everywhere, so that one mistake causes one error.
    Error,
    /// `null`
    Null,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `uint`
    Uint,
    /// `double`
    Double,
    /// `string`
    String,
    /// `bytes`
    Bytes,
    /// `google.protobuf.Timestamp`
    Timestamp,
    /// `google.protobuf.Duration`
    Duration,
    /// `google.protobuf.Any`
    Any,
    /// `google.protobuf.Int64Value` and similar types, whose values have the contained type or are null.
    Wrapper(Ty),
    /// `list(T)`
    List(Ty),
    /// `map(K, V)`
    Map(Ty, Ty),
    /// `optional_type(T)`
    Optional(Ty),
    /// The type of a type, such as `type(int)`. The type of `type` itself has no parameter.
    TypeOf(Option<Ty>),
    /// An object of a schema.
    Object(DeclId),
    /// A type of a library.
    Library(LibraryType),
    /// A type parameter in a function's declaration.
    Param(char),
    /// A type variable that the type checker creates for an expression.
    Var(u32),
}

/// A type that one of the libraries declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are those of `LibraryType::name`")]
pub enum LibraryType {
    Quantity,
    Url,
    Semver,
    NamedFormat,
    Ip,
    Cidr,
    Authorizer,
    PathCheck,
    GroupCheck,
    ResourceCheck,
    Decision,
}

impl LibraryType {
    pub(crate) const ALL: [Self; 11] = [
        Self::Quantity,
        Self::Url,
        Self::Semver,
        Self::NamedFormat,
        Self::Ip,
        Self::Cidr,
        Self::Authorizer,
        Self::PathCheck,
        Self::GroupCheck,
        Self::ResourceCheck,
        Self::Decision,
    ];

    /// Returns the type's name for messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Quantity => "kubernetes.Quantity",
            Self::Url => "kubernetes.URL",
            Self::Semver => "kubernetes.Semver",
            Self::NamedFormat => "kubernetes.NamedFormat",
            Self::Ip => "net.IP",
            Self::Cidr => "net.CIDR",
            Self::Authorizer => "kubernetes.authorization.Authorizer",
            Self::PathCheck => "kubernetes.authorization.PathCheck",
            Self::GroupCheck => "kubernetes.authorization.GroupCheck",
            Self::ResourceCheck => "kubernetes.authorization.ResourceCheck",
            Self::Decision => "kubernetes.authorization.Decision",
        }
    }

    /// Returns `true` if the library declares the type as a message. If a rule selects a field of such a type, the server reports an
    /// unknown message, not a type without fields.
    pub(crate) fn is_message(self) -> bool {
        !matches!(self, Self::Ip | Self::Cidr)
    }
}

/// The types in one type check. Each is stored only once.
#[derive(Clone, Debug)]
pub struct Types<'b> {
    base: Option<&'b Types<'b>>,
    types: Vec<Entry>,
    index: HashMap<Type, Ty>,
    /// `true` once a type was larger than [`MAX_SIZE`].
    pub(crate) overflowed: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    ty: Type,
    /// The number of types inside `ty`, counting repetitions.
    size: u32,
    /// `true` for a type that contains neither type parameters nor type variables.
    ground: bool,
}

/// Maximum number of types inside a type. The API server has no such limit. Without it, a short rule could take exponential time, because
/// each `.map(a, {a: a})` in a chain doubles the type's size.
const MAX_SIZE: u32 = 4096;

/// The numbers of the types in every table.
impl Ty {
    /// [`Type::Dyn`]
    pub const DYN: Self = Self(0);
    /// [`Type::Error`]
    pub const ERROR: Self = Self(1);
    /// [`Type::Null`]
    pub const NULL: Self = Self(2);
    /// [`Type::Bool`]
    pub const BOOL: Self = Self(3);
    /// [`Type::Int`]
    pub const INT: Self = Self(4);
    /// [`Type::Uint`]
    pub const UINT: Self = Self(5);
    /// [`Type::Double`]
    pub const DOUBLE: Self = Self(6);
    /// [`Type::String`]
    pub const STRING: Self = Self(7);
    /// [`Type::Bytes`]
    pub const BYTES: Self = Self(8);
    /// [`Type::Timestamp`]
    pub const TIMESTAMP: Self = Self(9);
    /// [`Type::Duration`]
    pub const DURATION: Self = Self(10);
    /// [`Type::Any`]
    pub const ANY: Self = Self(11);
}

const SIMPLE: [Type; 12] = [
    Type::Dyn,
    Type::Error,
    Type::Null,
    Type::Bool,
    Type::Int,
    Type::Uint,
    Type::Double,
    Type::String,
    Type::Bytes,
    Type::Timestamp,
    Type::Duration,
    Type::Any,
];

impl<'b> Types<'b> {
    /// Returns a table with only the constants of [`Ty`].
    pub(crate) fn new() -> Self {
        let mut types = Self { base: None, types: Vec::new(), index: HashMap::new(), overflowed: false };
        for simple in SIMPLE {
            types.intern(simple);
        }
        types
    }

    /// Returns a table that extends `base`.
    pub(crate) fn over(base: &'b Types<'b>) -> Self {
        Self { base: Some(base), types: Vec::new(), index: HashMap::new(), overflowed: false }
    }

    fn base_len(&self) -> usize {
        self.base.map_or(0, |base| base.types.len())
    }

    /// Returns the type with the number `ty`.
    #[must_use]
    pub fn get(&self, ty: Ty) -> Type {
        self.entry(ty).ty
    }

    /// Returns `true` for a type that contains neither type parameters nor type variables.
    pub(crate) fn is_ground(&self, ty: Ty) -> bool {
        self.entry(ty).ground
    }

    fn entry(&self, ty: Ty) -> Entry {
        let index = ty.0 as usize;
        match self.base {
            Some(base) if index < base.types.len() => base.types[index],
            base => self.types[index - base.map_or(0, |base| base.types.len())],
        }
    }

    /// Returns the number of a type.
    pub(crate) fn intern(&mut self, ty: Type) -> Ty {
        if let Some(known) = self.base.and_then(|base| base.index.get(&ty)) {
            return *known;
        }
        if let Some(known) = self.index.get(&ty) {
            return *known;
        }
        let (size, ground) = self.measure(ty);
        if size > MAX_SIZE {
            self.overflowed = true;
            return Ty::ERROR;
        }
        let number = Ty((self.base_len() + self.types.len()) as u32);
        self.index.insert(ty, number);
        self.types.push(Entry { ty, size, ground });
        number
    }

    fn measure(&self, ty: Type) -> (u32, bool) {
        let of = |inner: Ty| {
            let entry = self.entry(inner);
            (entry.size, entry.ground)
        };
        match ty {
            Type::List(inner) | Type::Optional(inner) | Type::Wrapper(inner) | Type::TypeOf(Some(inner)) => {
                let (size, ground) = of(inner);
                (size + 1, ground)
            }
            Type::Map(key, value) => {
                let ((key, key_ground), (value, value_ground)) = (of(key), of(value));
                (key + value + 1, key_ground && value_ground)
            }
            Type::Param(_) | Type::Var(_) => (1, false),
            _ => (1, true),
        }
    }

    /// Returns `true` if the type is `dyn`, or has `dyn` among its parameters.
    pub(crate) fn holds_dyn(&self, ty: Ty) -> bool {
        match self.get(ty) {
            Type::Dyn => true,
            Type::Wrapper(inner) | Type::List(inner) | Type::Optional(inner) | Type::TypeOf(Some(inner)) => {
                self.holds_dyn(inner)
            }
            Type::Map(key, value) => self.holds_dyn(key) || self.holds_dyn(value),
            _ => false,
        }
    }

    /// Returns the type's name for error messages, such as `list(string)`, `timestamp` or `null`.
    ///
    /// The names of objects are paths from the declaration `root`: `selfType.spec`.
    #[must_use]
    pub fn message(&self, ty: Ty, declarations: &Declarations, root: Option<DeclId>) -> String {
        let mut text = String::new();
        Printer { types: self, declarations, root, full: false }.print(ty, &mut text);
        text
    }

    /// Returns the type's full name, such as `google.protobuf.Timestamp` or `null_type`.
    #[must_use]
    pub fn name(&self, ty: Ty, declarations: &Declarations, root: Option<DeclId>) -> String {
        let mut text = String::new();
        Printer { types: self, declarations, root, full: true }.print(ty, &mut text);
        text
    }
}

struct Printer<'a> {
    types: &'a Types<'a>,
    declarations: &'a Declarations,
    root: Option<DeclId>,
    full: bool,
}

impl Printer<'_> {
    fn print(&self, ty: Ty, out: &mut String) {
        match self.types.get(ty) {
            Type::Dyn => out.push_str("dyn"),
            Type::Error if self.full => out.push_str("error"),
            Type::Error => out.push_str("!error!"),
            Type::Null if self.full => out.push_str("null_type"),
            Type::Null => out.push_str("null"),
            Type::Bool => out.push_str("bool"),
            Type::Int => out.push_str("int"),
            Type::Uint => out.push_str("uint"),
            Type::Double => out.push_str("double"),
            Type::String => out.push_str("string"),
            Type::Bytes => out.push_str("bytes"),
            Type::Timestamp if self.full => out.push_str("google.protobuf.Timestamp"),
            Type::Timestamp => out.push_str("timestamp"),
            Type::Duration if self.full => out.push_str("google.protobuf.Duration"),
            Type::Duration => out.push_str("duration"),
            Type::Any => out.push_str("any"),
            Type::Wrapper(inner) => self.print_with("wrapper", &[inner], out),
            Type::List(element) => self.print_with("list", &[element], out),
            Type::Map(key, value) => self.print_with("map", &[key, value], out),
            Type::Optional(inner) => self.print_with("optional_type", &[inner], out),
            Type::TypeOf(Some(of)) => self.print_with("type", &[of], out),
            Type::TypeOf(None) => out.push_str("type"),
            Type::Object(id) => out.push_str(&self.declarations.name(id, self.root)),
            Type::Library(library) => out.push_str(library.name()),
            Type::Param(name) => out.push(name),
            Type::Var(number) => out.push_str(&format!("_var{number}")),
        }
    }

    fn print_with(&self, name: &str, parameters: &[Ty], out: &mut String) {
        out.push_str(name);
        out.push('(');
        for (i, parameter) in parameters.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.print(*parameter, out);
        }
        out.push(')');
    }
}
