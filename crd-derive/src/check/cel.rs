//! Checks rules: their syntax, the names of fields, and literal patterns. `typed` checks functions and types.
//!
//! A macro sees only one type. `crd()` and the generated test find mistakes that depend on other types.

use crd_cel::ast::{Expr, ExprId, Literal};
use crd_cel::{Ast, Issues, escape_name};
use crd_go::re2;

use super::suggestion::suggestion;

/// The type and the fields of a value, as far as the macro knows them.
#[cfg_attr(test, derive(Clone))]
pub(super) enum Known {
    /// The macro knows nothing.
    Nothing,
    /// The value has this type, which has no fields.
    Scalar(&'static str),
    /// The value is a list of these items.
    List(Box<Self>),
    /// The value is a map from strings to these values.
    Map(Box<Self>),
    /// The value has only these fields. The names are escaped as in rules.
    Fields(Vec<(String, Self)>),
}

/// Names other than fields with which an expression may begin.
const NAMES: &[&str] = &[
    "self",
    "oldSelf",
    "bool",
    "bytes",
    "double",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "type",
    "uint",
    "base64",
    "cel",
    "format",
    "google",
    "ip",
    "kubernetes",
    "lists",
    "math",
    "net",
    "optional",
    "sets",
    "strings",
    "url",
];

/// Parses a rule, and checks that its fields exist.
///
/// # Errors
///
/// The error, in the API server's words.
pub(super) fn check(rule: &str, this: &Known, old: &Known) -> Result<(), String> {
    let ast = crd_cel::parse(rule).map_err(|issues| {
        let help = issues.as_slice().iter().find_map(|issue| issue.help.as_deref());
        help.map_or_else(|| issues.to_string(), |help| format!("{issues}\nhelp: {help}"))
    })?;
    let ids = nodes(&ast);
    let wrong = wrong_name(&ast, &ids, this, old).or_else(|| wrong_pattern(&ast, &ids));
    match wrong {
        Some((position, message, help)) => Err(format!("{}{help}", Issues::single(rule, position, message))),
        None => Ok(()),
    }
}

/// Finds the first wrong name. Returns its position, the error and a suggestion.
fn wrong_name(ast: &Ast<'_>, ids: &[ExprId], this: &Known, old: &Known) -> Option<(usize, String, String)> {
    let variables = variables(ast, ids);
    // A variable of a macro hides what is outside.
    if variables.contains(&"self") || variables.contains(&"oldSelf") {
        return None;
    }
    let mut known: Vec<&Known> = Vec::new();
    known.resize_with(ast.len(), || &Known::Nothing);
    for &id in ids {
        match ast.expr(id) {
            Expr::Ident(name) => match name.as_ref() {
                "self" => known[id.index()] = this,
                "oldSelf" => known[id.index()] = old,
                name => {
                    let is_field = matches!(this, Known::Fields(fields) if fields.iter().any(|(field, _)| field == name));
                    if is_field && !NAMES.contains(&name) && !variables.contains(&name) {
                        let message = format!("undeclared reference to '{name}' (in container '')");
                        return Some((
                            ast.position(id),
                            message,
                            format!("\nhelp: did you mean `self.{name}`?"),
                        ));
                    }
                }
            },
            Expr::Select { operand, field, .. } => match select(known[operand.index()], field) {
                Ok(found) => known[id.index()] = found,
                Err((message, help)) => return Some((ast.position(id), message, help)),
            },
            Expr::Call { function, args, .. } if function == "_?._" => {
                if let [operand, name] = ast.list(*args)
                    && let Expr::Literal(Literal::String(name)) = ast.expr(*name)
                    && let Err((message, help)) = select(known[operand.index()], name)
                {
                    return Some((ast.position(id), message, help));
                }
            }
            _ => {}
        }
    }
    None
}

/// Finds the first literal pattern that the API server rejects. Returns its position, the error and the reason.
fn wrong_pattern(ast: &Ast<'_>, ids: &[ExprId]) -> Option<(usize, String, String)> {
    ids.iter().find_map(|id| {
        let Expr::Call { function, args, .. } = ast.expr(*id) else { return None };
        // `text.matches(pattern)` and `matches(text, pattern)`.
        let pattern = *ast.list(*args).last().filter(|_| function == "matches")?;
        let Expr::Literal(Literal::String(text)) = ast.expr(pattern) else { return None };
        let error = re2::check(text).err()?;
        let help = error.help().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
        Some((ast.position(pattern), error.to_string(), help))
    })
}

/// Returns what is known about a value's field.
fn select<'k>(known: &'k Known, field: &str) -> Result<&'k Known, (String, String)> {
    match known {
        // Of lists and maps the types tell.
        Known::Nothing | Known::List(_) | Known::Map(_) => Ok(&Known::Nothing),
        Known::Scalar(name) => {
            Err((format!("type '{name}' does not support field selection"), String::new()))
        }
        Known::Fields(fields) => match fields.iter().find(|(name, _)| is_called(name, field)) {
            Some((_, known)) => Ok(known),
            None => {
                let names: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
                let help = suggestion(field, &names);
                Err((format!("undefined field '{field}'"), format!("\nhelp{help}")))
            }
        },
    }
}

/// Returns `true` if `field` in a rule refers to the field with the escaped name `name`. Since Kubernetes 1.31, a rule
/// may also contain a reserved word without escaping it.
fn is_called(name: &str, field: &str) -> bool {
    let is_escaped_word = |inner: &str| escape_name(inner).is_some_and(|escaped| escaped == name);
    name == field
        || name
            .strip_prefix("__")
            .and_then(|name| name.strip_suffix("__"))
            .is_some_and(|inner| inner == field && is_escaped_word(inner))
}

/// Returns all nodes of an expression, children before parents.
fn nodes(ast: &Ast<'_>) -> Vec<ExprId> {
    let mut is_seen = vec![false; ast.len()];
    let mut ids = Vec::new();
    let mut open = vec![(ast.root(), false)];
    while let Some((id, is_left)) = open.pop() {
        if is_left {
            ids.push(id);
        } else if !std::mem::replace(&mut is_seen[id.index()], true) {
            open.push((id, true));
            open.extend(ast.children(id).into_iter().rev().map(|child| (child, false)));
        }
    }
    ids
}

/// Returns the variables that macros declare.
fn variables<'a>(ast: &'a Ast<'_>, ids: &[ExprId]) -> Vec<&'a str> {
    let mut variables = Vec::new();
    for id in ids {
        if let Expr::Comprehension(fold) = ast.expr(*id) {
            variables.push(fold.var);
            variables.extend(fold.var2);
        }
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Known {
        let fields = ["minReplicas", "name", "tags", "int"].map(|name| {
            (name.to_owned(), if name == "name" { Known::Scalar("string") } else { Known::Nothing })
        });
        Known::Fields(fields.into_iter().collect())
    }

    #[test]
    fn names_of_fields_are_looked_up() {
        let right = [
            "self.minReplicas > 1 && has(self.tags) && oldSelf.nope",
            "self.tags.all(tag, tag.any.thing == self.name)",
            "self.tags.exists(name, name.x == 1)",
            "self.tags.all(self, self.nope)",
            "self.?tags.hasValue() && int(self.name) == 1",
            "has(self.tags.deeper) && self.tags[0].x",
        ];
        for rule in right {
            assert_eq!(check(rule, &fields(), &Known::Nothing), Ok(()), "{rule}");
        }
        let wrong = [
            (
                "self.minReplcas > 1",
                "ERROR: <input>:1:5: undefined field 'minReplcas'\n | self.minReplcas > 1\n | ....^\n\
                 help: did you mean `minReplicas`?",
            ),
            (
                "has(self.tag)",
                "ERROR: <input>:1:4: undefined field 'tag'\n | has(self.tag)\n | ...^\nhelp: did you mean `tags`?",
            ),
            (
                "self.?tag.hasValue()",
                "ERROR: <input>:1:5: undefined field 'tag'\n | self.?tag.hasValue()\n | ....^\n\
                 help: did you mean `tags`?",
            ),
            (
                "self.name.length > 1",
                "ERROR: <input>:1:10: type 'string' does not support field selection\n | self.name.length > 1\n \
                 | .........^",
            ),
            (
                "minReplicas > 1",
                "ERROR: <input>:1:1: undeclared reference to 'minReplicas' (in container '')\n | minReplicas > 1\n \
                 | ^\nhelp: did you mean `self.minReplicas`?",
            ),
        ];
        for (rule, error) in wrong {
            assert_eq!(check(rule, &fields(), &Known::Nothing), Err(error.to_owned()), "{rule}");
        }
    }

    #[test]
    fn reserved_words_name_fields_as_on_the_server() {
        let words = [
            "as",
            "break",
            "const",
            "continue",
            "else",
            "for",
            "function",
            "if",
            "import",
            "let",
            "loop",
            "package",
            "namespace",
            "return",
            "var",
            "void",
            "while",
        ];
        let known = Known::Fields(words.map(|word| (format!("__{word}__"), Known::Nothing)).into());
        for word in words {
            for rule in [
                format!("self.{word} == 'a'"),
                format!("self.__{word}__ == 'a'"),
                format!("has(self.{word}) && oldSelf.{word} == self.{word}"),
                format!("self.?{word}.hasValue()"),
            ] {
                assert_eq!(check(&rule, &known, &known), Ok(()), "{rule}");
            }
            let error = check(&format!("{word} == 'a'"), &known, &known).expect_err("it is not a name");
            assert!(error.contains(&format!("reserved identifier: {word}")), "{error}");
        }
        // Keywords and operators are not names, even after a dot.
        let known = Known::Fields(
            ["true", "false", "null", "in"].map(|word| (format!("__{word}__"), Known::Nothing)).into(),
        );
        for word in ["true", "false", "null", "in"] {
            assert_eq!(check(&format!("has(self.__{word}__)"), &known, &known), Ok(()), "{word}");
            let error = check(&format!("self.{word} == 'a'"), &known, &known).expect_err("it is a token");
            assert!(error.contains("Syntax error"), "{error}");
        }
        // Escapes of other names are reached by nothing but themselves.
        let known = Known::Fields(vec![
            ("__dot__".to_owned(), Known::Nothing),
            ("a__dash__b".to_owned(), Known::Nothing),
        ]);
        assert_eq!(check("self.__dot__ == self.a__dash__b", &known, &known), Ok(()));
        for rule in ["self.dot", "self.a", "self.namespace"] {
            assert!(check(rule, &known, &known).is_err(), "{rule}");
        }
    }

    #[test]
    fn literal_patterns_are_read() {
        let known = Known::Nothing;
        assert!(check("self.matches('^[a-z]+$') && matches(self, '(')", &known, &known).is_err());
        assert_eq!(check("self.matches('^[a-z]+$')", &known, &known), Ok(()));
        let error = check("self.matches('a(?=b)')", &known, &known).expect_err("RE2 has no look-ahead");
        assert!(error.contains("invalid or unsupported Perl syntax: `(?=`"), "{error}");
        assert!(error.contains("help: RE2 has no look-ahead"), "{error}");
    }

    #[test]
    fn syntax_errors_are_the_servers() {
        let error = check("self.a >", &Known::Nothing, &Known::Nothing).expect_err("it is not an expression");
        assert!(error.starts_with("ERROR: <input>:1:9: Syntax error"), "{error}");
        assert!(error.ends_with("\n | self.a >\n | ........^"), "{error}");
    }
}
