//! Checks `'...'.format([...])` if the string and the list are literals.

use crate::ast::{Expr, ExprId, Literal};
use crate::checked::Checked;
use crate::errors::Errors;
use crate::types::{Ty, Type};

/// Checks a call to the method `format`.
pub(crate) fn check_call(checked: &Checked<'_, '_>, errors: &mut Errors<'_>, call: ExprId) {
    let ast = &checked.ast;
    let Expr::Call { target: Some(target), args, .. } = ast.expr(call) else { return };
    let Expr::Literal(Literal::String(text)) = ast.expr(*target) else { return };
    let [list] = *ast.list(*args) else { return };
    let Expr::List { elements, .. } = ast.expr(list) else { return };
    let elements = ast.list(*elements);
    let mut used = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        if bytes[at] != b'%' {
            at += 1;
            continue;
        }
        if bytes.get(at + 1) == Some(&b'%') {
            at += 2;
            continue;
        }
        match clause(checked, errors, &bytes[at + 1..], elements, used) {
            Ok(length) => at += 1 + length,
            Err((place, message)) => return errors.report(ast, place.unwrap_or(call), message),
        }
        used += 1;
    }
    if elements.len() > used {
        let message =
            format!("too many arguments supplied to string.format (expected {used}, got {})", elements.len());
        errors.report(ast, call, message);
    }
}

/// An error's node and message. The node is `None` if the error is reported at the call itself.
type Wrong = (Option<ExprId>, String);

/// Checks the formatting clause after a percent sign, and returns the clause's length.
fn clause(
    checked: &Checked<'_, '_>,
    errors: &Errors<'_>,
    clause: &[u8],
    elements: &[ExprId],
    index: usize,
) -> Result<usize, Wrong> {
    if clause.is_empty() {
        return Err((None, "unexpected end of string".to_owned()));
    }
    let Some(&element) = elements.get(index) else {
        return Err((None, format!("index {index} out of range")));
    };
    let unparsed = |why: String| (None, format!("could not parse formatting clause: {why}"));
    let precision =
        precision(clause).map_err(|why| unparsed(format!("error while parsing precision: {why}")))?;
    let Some(&letter) = clause.get(precision) else {
        return Err(unparsed(
            "error while parsing precision: could not find end of precision specifier".into(),
        ));
    };
    let accepted = Accepted::from_letter(letter)
        .ok_or_else(|| unparsed(format!("unrecognized formatting clause \"{}\"", char::from(letter))))?;
    match accepted.refused(checked, element) {
        None => Ok(precision + 1),
        Some(place) => {
            let found = errors.name(&checked.types, checked.type_of(place));
            let found = found.split('(').next().unwrap_or_default();
            Err((Some(place), format!("error during formatting: {}, was given {found}", accepted.wording())))
        }
    }
}

/// Returns the length of the precision (such as `.2`) at the start of `clause`, or 0 if there is none.
fn precision(clause: &[u8]) -> Result<usize, String> {
    if clause.first() != Some(&b'.') {
        return Ok(0);
    }
    let length = clause[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if length + 1 == clause.len() {
        return Err("could not find end of precision specifier".to_owned());
    }
    let digits = String::from_utf8_lossy(&clause[1..=length]);
    let why = match digits.parse::<i64>() {
        Ok(_) => return Ok(length + 1),
        Err(_) if digits.is_empty() => "invalid syntax",
        Err(_) => "value out of range",
    };
    Err(format!("error while converting precision to integer: strconv.Atoi: parsing \"{digits}\": {why}"))
}

/// The kind of a formatting clause. It decides which types the clause accepts.
#[derive(Clone, Copy, PartialEq)]
enum Accepted {
    String,
    Decimal,
    Fixed,
    Scientific,
    Binary,
    Hex,
    Octal,
}

impl Accepted {
    fn from_letter(letter: u8) -> Option<Self> {
        Some(match letter {
            b's' => Self::String,
            b'd' => Self::Decimal,
            b'f' => Self::Fixed,
            b'e' => Self::Scientific,
            b'b' => Self::Binary,
            b'x' | b'X' => Self::Hex,
            b'o' => Self::Octal,
            _ => return None,
        })
    }

    fn wording(self) -> &'static str {
        match self {
            Self::String => {
                "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, \
                 durations, and timestamps"
            }
            Self::Decimal => "decimal clause can only be used on integers",
            Self::Fixed => "fixed-point clause can only be used on doubles",
            Self::Scientific => "scientific clause can only be used on doubles",
            Self::Binary => "only integers and bools can be formatted as binary",
            Self::Hex => "only integers, byte buffers, and strings can be formatted as hex",
            Self::Octal => "octal clause can only be used on integers",
        }
    }

    /// Returns the node that the clause rejects: the argument itself, or an element, a key or a value in the argument.
    fn refused(self, checked: &Checked<'_, '_>, argument: ExprId) -> Option<ExprId> {
        let mut pending = vec![argument];
        while let Some(id) = pending.pop() {
            if self == Self::String
                && let Expr::List { .. } | Expr::Map(_) = checked.ast.expr(id)
            {
                pending.extend(checked.ast.children(id).into_iter().rev());
            } else if !self.takes(checked, checked.type_of(id)) {
                return Some(id);
            }
        }
        None
    }

    fn takes(self, checked: &Checked<'_, '_>, ty: Ty) -> bool {
        let ty = match checked.types.get(ty) {
            Type::Wrapper(inner) => checked.types.get(inner),
            ty => ty,
        };
        if ty == Type::Dyn {
            return true;
        }
        match self {
            Self::String => !matches!(ty, Type::Object(_) | Type::Library(_) | Type::Optional(_) | Type::Any),
            Self::Decimal | Self::Octal => matches!(ty, Type::Int | Type::Uint),
            Self::Fixed | Self::Scientific => matches!(ty, Type::Double | Type::String),
            Self::Binary => matches!(ty, Type::Int | Type::Uint | Type::Bool),
            Self::Hex => matches!(ty, Type::Int | Type::Uint | Type::String | Type::Bytes),
        }
    }
}
