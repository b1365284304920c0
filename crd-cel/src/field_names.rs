//! Finds field names in a checked expression, with the type that each field belongs to.

use std::ops::Range;

use crate::ast::{Expr, ExprId, Literal};
use crate::checked::Checked;
use crate::declared::DeclId;
use crate::operator::Operator;
use crate::types::{Ty, Type};
use crd_go::cel_names::unescape_name;

/// A field's name after a dot in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldName {
    /// The name's byte range in the text, without backticks.
    pub bytes: Range<usize>,
    /// The name in the schema: `a-b` for `a__dash__b`.
    pub name: String,
    /// The type before the dot. `None` if the type is known only when the expression runs.
    pub owner: Option<DeclId>,
}

impl Checked<'_, '_> {
    /// Returns the field names in `text`, in order. `text` must be the text of this expression. Map keys are left out.
    #[must_use]
    pub fn field_names(&self, text: &str) -> Vec<FieldName> {
        let ast = self.ast();
        let mut found = Vec::new();
        let mut rest = vec![ast.root()];
        while let Some(id) = rest.pop() {
            rest.extend(ast.children(id));
            let (operand, name): (ExprId, &str) = match ast.expr(id) {
                Expr::Select { operand, field, .. } => (*operand, field),
                Expr::Call { function, target: None, args }
                    if **function == *Operator::OptionalSelect.name() =>
                {
                    let &[operand, name] = ast.list(*args) else { continue };
                    let Expr::Literal(Literal::String(name)) = ast.expr(name) else { continue };
                    (operand, name)
                }
                _ => continue,
            };
            // The name is a part of the text, whatever a macro makes of the expression around it.
            let start = name.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
            let bytes = start..start.wrapping_add(name.len());
            if text.get(bytes.clone()) == Some(name)
                && let Some(owner) = self.owner(self.type_of(operand))
            {
                let is_quoted = text[..start].ends_with('`');
                let plain = unescape_name(name).filter(|_| !is_quoted);
                let name = plain.map_or_else(|| name.to_owned(), std::borrow::Cow::into_owned);
                found.push(FieldName { bytes, name, owner });
            }
        }
        found.sort_by_key(|found| found.bytes.start);
        // Macros repeat a part of the text.
        found.dedup();
        found
    }

    /// Returns the declared type of an object before a dot. Returns `Some(None)` if the type is known only at run time, and `None` for
    /// other types.
    fn owner(&self, ty: Ty) -> Option<Option<DeclId>> {
        match self.types.get(ty) {
            Type::Object(id) => Some(Some(id)),
            Type::Dyn | Type::Any | Type::Error | Type::Var(_) | Type::Param(_) => Some(None),
            Type::Optional(inner) | Type::Wrapper(inner) => self.owner(inner),
            _ => None,
        }
    }
}
