//! Finds what surrounds a cursor in an unfinished expression: the operand before the dot, and the enclosing macros' variables.

use std::ops::Range;

use crd_go::KubeVersion;

use crate::lex::{Token, TokenKind, lex};
use crate::mentions::{MACROS, ends_operand};

/// The position of a cursor in a complete or incomplete expression.
///
/// ```
/// use crd_cel::ExpressionCursor;
///
/// let text = "self.ports.all(p, p.protocol.st";
/// let cursor = ExpressionCursor::new(text, text.len()).unwrap();
/// assert_eq!(&text[cursor.word], "st");
/// assert_eq!(cursor.receiver.as_deref(), Some("(self.ports).map(x, x)[0].protocol"));
/// assert_eq!(cursor.variables, [("p".to_owned(), "(self.ports).map(x, x)[0]".to_owned())]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpressionCursor {
    /// The byte range of the name at the cursor; empty if a name can begin there.
    pub word: Range<usize>,
    /// The expression before the dot. A macro's variable is replaced with an expression of the same type, so that this text can be
    /// type-checked outside the macro.
    pub receiver: Option<String>,
    /// The variables of the enclosing macros, each with an expression of the same type.
    pub variables: Vec<(String, String)>,
}

/// Maximum number of enclosing macros whose variables are resolved.
const MOST_VARIABLES: usize = 16;
/// Maximum length of the expression for a variable, in bytes.
const LONGEST: usize = 4096;

impl ExpressionCursor {
    /// Returns the cursor position for a byte offset in an expression; `None` in a string or a number.
    #[must_use]
    pub fn new(text: &str, at: usize) -> Option<Self> {
        let tokens = lex(text, KubeVersion::default()).tokens;
        let (start, end) = (|token: &Token| token.start as usize, |token: &Token| token.end as usize);
        let before = tokens.iter().take_while(|token| end(token) <= at && token.kind != TokenKind::End);
        let mut known = before.count();
        // The token that contains the cursor, or ends at it.
        let mut word = at..at;
        if let Some(next) = tokens.get(known).filter(|next| start(next) < at && next.kind != TokenKind::End) {
            if !is_name(next.kind) {
                return None;
            }
            word = start(next)..end(next);
        } else if let Some(last) = known.checked_sub(1).map(|last| tokens[last])
            && end(&last) == at
            && is_name(last.kind)
        {
            word = start(&last)..end(&last);
            known -= 1;
        } else if let Some(next) = tokens.get(known).filter(|next| start(next) == at && is_name(next.kind)) {
            word = start(next)..end(next);
        }
        if tokens[..known].last().is_some_and(|last| is_value(last.kind) && end(last) == at) {
            return None;
        }
        let before = Tokens { text, tokens: &tokens[..known] };
        let variables = before.variables();
        let receiver = before.last_kind().filter(|kind| *kind == TokenKind::Dot).and_then(|_| {
            let range = before.operand(known.checked_sub(1)?)?;
            Some(before.replaced(range, &variables))
        });
        Some(Self { word, receiver, variables })
    }
}

/// Returns `true` for numbers and strings, which cannot contain names.
fn is_value(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Int | TokenKind::Uint | TokenKind::Float | TokenKind::String | TokenKind::Bytes)
}

fn is_name(kind: TokenKind) -> bool {
    use TokenKind::{EscapedIdent, False, Ident, In, Null, True};
    matches!(kind, Ident | EscapedIdent | In | True | False | Null)
}

struct Tokens<'t> {
    text: &'t str,
    tokens: &'t [Token],
}

impl<'t> Tokens<'t> {
    fn kind(&self, i: usize) -> Option<TokenKind> {
        self.tokens.get(i).map(|token| token.kind)
    }

    fn last_kind(&self) -> Option<TokenKind> {
        self.tokens.last().map(|token| token.kind)
    }

    fn text(&self, i: usize) -> &'t str {
        self.tokens.get(i).map_or("", |token| &self.text[token.start as usize..token.end as usize])
    }

    /// Returns the tokens of the operand that ends just before a token. An operand is a chain of names, calls and indexes.
    fn operand(&self, end: usize) -> Option<Range<usize>> {
        let mut at = end;
        loop {
            let last = at.checked_sub(1)?;
            let kind = self.kind(last)?;
            at = match kind {
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                    let open = self.opening(last)?;
                    let is_called = open.checked_sub(1).and_then(|name| self.kind(name));
                    match (kind, is_called) {
                        // What is called or indexed belongs to it.
                        (TokenKind::RightParen, Some(kind)) if is_name(kind) => open - 1,
                        (TokenKind::RightBracket, Some(kind)) if ends_operand(kind) => {
                            at = open;
                            continue;
                        }
                        _ => open,
                    }
                }
                kind if ends_operand(kind) => last,
                _ => return None,
            };
            // A dot, or `.?` of an optional field.
            let before = |steps: usize| at.checked_sub(steps).and_then(|before| self.kind(before));
            match before(1) {
                Some(TokenKind::Dot) if at > 1 => at -= 1,
                Some(TokenKind::Question) if at > 2 && before(2) == Some(TokenKind::Dot) => at -= 2,
                _ => return Some(at..end),
            }
        }
    }

    /// Returns the opening bracket for a closing bracket.
    fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for i in (0..=close).rev() {
            match self.kind(i)? {
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => depth += 1,
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(i);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Returns the variables of the macros whose parentheses are still open at the end of the text.
    fn variables(&self) -> Vec<(String, String)> {
        let mut open = Vec::new();
        for (i, token) in self.tokens.iter().enumerate() {
            match token.kind {
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => open.push(i),
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                    open.pop();
                }
                _ => {}
            }
        }
        let mut variables: Vec<(String, String)> = Vec::new();
        for paren in open.into_iter().take(MOST_VARIABLES) {
            // `range.all(x, ...)`, and with two variables `range.all(k, v, ...)`.
            let is_macro = paren >= 3
                && MACROS.contains(&self.text(paren - 1))
                && self.kind(paren - 2) == Some(TokenKind::Dot)
                && self.kind(paren + 1) == Some(TokenKind::Ident)
                && self.kind(paren + 2) == Some(TokenKind::Comma);
            let Some(range) = self.operand(paren.saturating_sub(2)).filter(|_| is_macro) else { continue };
            let range = self.replaced(range, &variables);
            if range.len() > LONGEST {
                break;
            }
            let is_optional = self.text(paren - 1).starts_with("opt");
            // For a map, a single variable is the key.
            let element =
                if is_optional { format!("({range}).value()") } else { format!("({range}).map(x, x)[0]") };
            let mut declare = |i: usize, meaning: String| {
                variables.retain(|(name, _)| name != self.text(i));
                variables.push((self.text(i).to_owned(), meaning));
            };
            let has_two = self.kind(paren + 3) == Some(TokenKind::Ident)
                && self.kind(paren + 4) == Some(TokenKind::Comma);
            if has_two {
                declare(paren + 1, format!("({range}).transformList(k, v, k)[0]"));
                declare(paren + 3, format!("({range}).transformList(k, v, v)[0]"));
            } else {
                declare(paren + 1, element);
            }
        }
        variables
    }

    /// Returns the source text of the tokens, with variables replaced.
    fn replaced(&self, range: Range<usize>, variables: &[(String, String)]) -> String {
        let mut out = String::new();
        let mut end = self.tokens.get(range.start).map_or(0, |token| token.start as usize);
        for i in range.clone() {
            let token = self.tokens[i];
            out.push_str(&self.text[end..token.start as usize]);
            end = token.end as usize;
            let is_field = i > 0 && self.kind(i - 1) == Some(TokenKind::Dot);
            let meaning = variables.iter().find(|(name, _)| name == self.text(i) && !is_field);
            out.push_str(meaning.map_or(self.text(i), |(_, meaning)| meaning.as_str()));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(marked: &str, word: &str, receiver: Option<&str>, variables: &[&str]) {
        let at = marked.find('¦').unwrap();
        let text = marked.replacen('¦', "", 1);
        let cursor = ExpressionCursor::new(&text, at).unwrap();
        assert_eq!(&text[cursor.word], word);
        assert_eq!(cursor.receiver.as_deref(), receiver);
        let names: Vec<String> =
            cursor.variables.into_iter().map(|(name, meaning)| format!("{name}={meaning}")).collect();
        assert_eq!(names, variables);
    }

    #[test]
    fn what_stands_before_a_dot() {
        check("¦", "", None, &[]);
        check("sel¦f.x", "self", None, &[]);
        check("self.¦", "", Some("self"), &[]);
        check("self.a.b¦ == 1", "b", Some("self.a"), &[]);
        check("1 + self.a[0].b('x').¦", "", Some("self.a[0].b('x')"), &[]);
        check("!(self.a ? x : y).¦", "", Some("(self.a ? x : y)"), &[]);
        check("size(self.a) > 0 && self.¦", "", Some("self"), &[]);
        check("has(self.¦", "", Some("self"), &[]);
        check("'abc'.¦", "", Some("'abc'"), &[]);
        check("self.a ==¦", "", None, &[]);
        check("quantity(self.a).isG¦", "isG", Some("quantity(self.a)"), &[]);
    }

    #[test]
    fn no_names_in_strings_and_numbers() {
        assert_eq!(ExpressionCursor::new("'abc'", 2), None);
        assert_eq!(ExpressionCursor::new("12", 2), None);
    }

    #[test]
    fn macros_around_declare_variables() {
        check("self.l.all(x, ¦", "", None, &["x=(self.l).map(x, x)[0]"]);
        check(
            "self.l.all(x, x.m.exists(y, y.¦",
            "",
            Some("((self.l).map(x, x)[0].m).map(x, x)[0]"),
            &["x=(self.l).map(x, x)[0]", "y=((self.l).map(x, x)[0].m).map(x, x)[0]"],
        );
        check("self.l.all(x, x > 0) && x¦", "x", None, &[]);
        check(
            "self.m.all(k, v, v.¦",
            "",
            Some("(self.m).transformList(k, v, v)[0]"),
            &["k=(self.m).transformList(k, v, k)[0]", "v=(self.m).transformList(k, v, v)[0]"],
        );
        check("self.?a.optMap(x, x.¦", "", Some("(self.?a).value()"), &["x=(self.?a).value()"]);
    }
}
