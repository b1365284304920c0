//! Finds constants in a checked expression that cannot be evaluated.
//!
//! When the API server compiles an expression to a program, it converts literals and compiles literal patterns. If this fails, the rule is
//! rejected. The API server also rejects type names without a value.

use std::fmt;

use crd_go::number::{Form, parse_float, shortest};
use crd_go::re2;
use crd_go::time::{Duration, Timestamp, is_unix_time};

use crate::ast::{Expr, ExprId, ExprList, Literal, MapEntry};
use crate::checked::{Checked, Reference};
use crate::declare::Library;
use crate::faults::{UNHASHABLE_BYTES, no_qualifier};
use crate::functions::Conversion;
use crate::names::undotted;
use crate::operator::Operator;
use crate::types::Type;
use crd_go::KubeVersion;

/// The API server's reason for not compiling an expression to a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstantiationError(String);

impl fmt::Display for InstantiationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InstantiationError {}

impl Checked<'_, '_> {
    /// Checks that the expression can be compiled to a program.
    ///
    /// # Errors
    /// - A constant expression is invalid, such as `int('x')` or the pattern in `s.find('(')`. The first error in the order of evaluation
    ///   is returned.
    pub fn instantiate(&self) -> Result<(), InstantiationError> {
        // Children first, in the order of evaluation.
        let mut order = Vec::with_capacity(self.ast.len());
        let mut pending = vec![self.ast.root()];
        while let Some(id) = pending.pop() {
            order.push(id);
            pending.extend(self.parts(id));
        }
        let mut constants = vec![None; self.ast.len()];
        for id in order.into_iter().rev() {
            constants[id.index()] = self.constant(id, &constants).map_err(InstantiationError)?;
        }
        Ok(())
    }

    /// Returns the children of a node, without the parts of a qualified name.
    fn parts(&self, id: ExprId) -> Vec<ExprId> {
        match (self.ast.expr(id), self.references[id.index()]) {
            (Expr::Select { .. }, Reference::Name) => Vec::new(),
            (Expr::Call { args, .. }, Reference::Call { namespaced: true, .. }) => {
                self.ast.list(*args).to_vec()
            }
            _ => self.ast.children(id),
        }
    }

    /// Returns the value of a node if it is constant.
    fn constant(&self, id: ExprId, constants: &[Option<Constant>]) -> Result<Option<Constant>, String> {
        match self.ast.expr(id) {
            Expr::Literal(literal) => Ok(Some(Constant::from_literal(literal))),
            Expr::Ident(name) => self.type_value(id, undotted(name)),
            Expr::Call { function, args, .. } => self.call(id, undotted(function), *args, constants),
            Expr::List { elements, optional } => {
                let is_constant = |id: &ExprId| constants[id.index()].is_some();
                let whole = optional.is_empty() && self.ast.list(*elements).iter().all(is_constant);
                Ok(whole.then_some(Constant::Other("list")))
            }
            Expr::Map(entries) => {
                let is_constant = |entry: &MapEntry| {
                    let parts = [entry.key, entry.value];
                    !entry.optional && parts.iter().all(|id| constants[id.index()].is_some())
                };
                let has_bytes =
                    |entry: &MapEntry| matches!(constants[entry.key.index()], Some(Constant::Bytes(_)));
                match entries.iter().all(is_constant) {
                    // The server panics while it handles the request.
                    true if entries.iter().any(has_bytes) => Err(UNHASHABLE_BYTES.to_owned()),
                    whole => Ok(whole.then_some(Constant::Other("map"))),
                }
            }
            _ => Ok(None),
        }
    }

    /// Returns the value of a type's name. Types that exist only in declarations have no value.
    fn type_value(&self, id: ExprId, name: &str) -> Result<Option<Constant>, String> {
        if !matches!(self.types.get(self.type_of(id)), Type::TypeOf(_)) {
            return Ok(None);
        }
        let known = !matches!(name, "duration" | "timestamp")
            && Library::get().type_name(name, KubeVersion::NEWEST).is_some();
        if known {
            Ok(Some(Constant::Other("type")))
        } else {
            Err(format!("reference to undefined type: {name}"))
        }
    }

    fn call(
        &self,
        id: ExprId,
        function: &str,
        args: ExprList,
        constants: &[Option<Constant>],
    ) -> Result<Option<Constant>, String> {
        let Reference::Call { start, .. } = self.references[id.index()] else { return Ok(None) };
        let row = self.overloads[start as usize].row();
        let arg = |i: usize| constants[self.ast.list(args).get(i)?.index()].as_ref();
        let pattern = match row.function {
            // A pattern is the last argument of the function, and the first of the methods.
            "matches" => arg(args.len() - 1),
            "find" | "findAll" => arg(0),
            _ => None,
        };
        if let Some(Constant::String(pattern)) = pattern {
            re2::check(pattern).map_err(|error| error.to_string())?;
        }
        if let (Some(Operator::Index | Operator::OptionalIndex), Some(index)) =
            (Operator::named(function), arg(1))
            && let Some(kind) = no_qualifier(index.type_name())
        {
            return Err(format!("invalid qualifier type: {kind}"));
        }
        if args.len() != 1 {
            return Ok(None);
        }
        match (Conversion::named(function), arg(0)) {
            (Some(conversion), Some(value)) => value.convert(conversion).map(Some),
            _ => Ok(None),
        }
    }
}

/// A constant, with as much of its value as conversions need.
#[derive(Clone, Debug, PartialEq)]
enum Constant {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(String),
    Bytes(Vec<u8>),
    Duration(Duration),
    Timestamp(Timestamp),
    /// A value that cannot be converted. Only the name of its type is kept.
    Other(&'static str),
}

impl Constant {
    fn from_literal(literal: &Literal<'_>) -> Self {
        match literal {
            Literal::Null => Self::Null,
            Literal::Bool(value) => Self::Bool(*value),
            Literal::Int(value) => Self::Int(*value),
            Literal::Uint(value) => Self::Uint(*value),
            Literal::Double(value) => Self::Double(*value),
            Literal::String(value) => Self::String(value.clone().into_owned()),
            Literal::Bytes(value) => Self::Bytes(value.clone().into_owned()),
        }
    }

    fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Other(name) => name,
        }
    }

    fn convert(&self, to: Conversion) -> Result<Self, String> {
        let converted = match to {
            Conversion::Dyn => Ok(Some(self.clone())),
            Conversion::Type => Ok(Some(Self::Other("type"))),
            Conversion::Bool => self.to_bool(),
            Conversion::Int => self.to_int(),
            Conversion::Uint => self.to_uint(),
            Conversion::Double => self.to_double(),
            Conversion::String => self.to_text(),
            Conversion::Bytes => Ok(self.to_bytes()),
            Conversion::Duration => self.to_duration(),
            Conversion::Timestamp => self.to_timestamp(),
        };
        converted?.ok_or_else(|| no_such_overload(to.name(), self.type_name()))
    }

    fn no_conversion(&self, to: &str) -> String {
        format!("type conversion error from '{}' to '{to}'", self.type_name())
    }

    fn to_bool(&self) -> Converted {
        Ok(Some(match self {
            Self::Bool(_) => self.clone(),
            Self::String(text) => match &**text {
                "1" | "t" | "T" | "TRUE" | "true" | "True" => Self::Bool(true),
                "0" | "f" | "F" | "FALSE" | "false" | "False" => Self::Bool(false),
                _ => return Err(self.no_conversion("bool")),
            },
            _ => return Ok(None),
        }))
    }

    fn to_int(&self) -> Converted {
        const OVERFLOW: &str = "integer overflow";
        Ok(Some(Self::Int(match self {
            Self::Int(value) => *value,
            Self::Uint(value) => i64::try_from(*value).map_err(|_| OVERFLOW.to_owned())?,
            // The ends of the range are excluded, because a float does not distinguish them from values out of range.
            Self::Double(value) if *value > i64::MIN as f64 && *value < i64::MAX as f64 => *value as i64,
            Self::Double(_) => return Err(OVERFLOW.to_owned()),
            Self::String(text) => text.parse().map_err(|_| self.no_conversion("int"))?,
            Self::Duration(value) => value.0,
            Self::Timestamp(value) => value.seconds,
            _ => return Ok(None),
        })))
    }

    fn to_uint(&self) -> Converted {
        const OVERFLOW: &str = "unsigned integer overflow";
        Ok(Some(Self::Uint(match self {
            Self::Uint(value) => *value,
            Self::Int(value) => u64::try_from(*value).map_err(|_| OVERFLOW.to_owned())?,
            Self::Double(value) if *value >= 0.0 && *value < u64::MAX as f64 => *value as u64,
            Self::Double(_) => return Err(OVERFLOW.to_owned()),
            // Go accepts no sign here.
            Self::String(text) if !text.starts_with('+') => {
                text.parse().map_err(|_| self.no_conversion("uint"))?
            }
            Self::String(_) => return Err(self.no_conversion("uint")),
            _ => return Ok(None),
        })))
    }

    fn to_double(&self) -> Converted {
        Ok(Some(Self::Double(match self {
            Self::Double(value) => *value,
            Self::Int(value) => *value as f64,
            Self::Uint(value) => *value as f64,
            Self::String(text) => parse_float(text).ok_or_else(|| self.no_conversion("double"))?,
            _ => return Ok(None),
        })))
    }

    fn to_text(&self) -> Converted {
        Ok(Some(Self::String(match self {
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Uint(value) => value.to_string(),
            Self::Double(value) => shortest(*value, Form::General),
            Self::Duration(value) => value.print(),
            Self::Timestamp(value) => value.print(),
            Self::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => text.to_owned(),
                Err(_) => return Err("invalid UTF-8 in bytes, cannot convert to string".to_owned()),
            },
            Self::String(text) => text.clone(),
            _ => return Ok(None),
        })))
    }

    fn to_bytes(&self) -> Option<Self> {
        match self {
            Self::Bytes(_) => Some(self.clone()),
            Self::String(text) => Some(Self::Bytes(text.clone().into_bytes())),
            _ => None,
        }
    }

    fn to_duration(&self) -> Converted {
        Ok(Some(match self {
            Self::Duration(_) => self.clone(),
            Self::String(text) => Duration::parse(text)
                .map(Self::Duration)
                .ok_or_else(|| self.no_conversion("google.protobuf.Duration"))?,
            Self::Int(_) => return Err(self.no_conversion("google.protobuf.Duration")),
            _ => return Ok(None),
        }))
    }

    fn to_timestamp(&self) -> Converted {
        Ok(Some(match self {
            Self::Timestamp(_) => self.clone(),
            Self::String(text) => match Timestamp::parse(text) {
                Some(time) if time.is_in_range() => Self::Timestamp(time),
                Some(_) => return Err("timestamp overflow".to_owned()),
                None => return Err(self.no_conversion("google.protobuf.Timestamp")),
            },
            Self::Int(seconds) if !is_unix_time(*seconds) => return Err("timestamp overflow".to_owned()),
            Self::Int(seconds) => Self::Timestamp(Timestamp { seconds: *seconds, nanos: 0, offset: 0 }),
            _ => return Ok(None),
        }))
    }
}

/// A converted constant, or `None` if the function has no overload for the constant.
type Converted = Result<Option<Constant>, String>;

/// Returns the error for a function that has no overload for a constant.
pub(crate) fn no_such_overload(function: &str, argument: &str) -> String {
    format!("no such overload: {function}({argument})")
}
