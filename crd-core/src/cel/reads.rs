//! Finds the paths that a rule reads, and the constants in the rule.

use crd_cel::ast::{Comprehension, Expr, ExprId, Literal};
use crd_cel::{Ast, parse, unescape_name};
use serde_json::Value;

/// The paths that a rule reads, and the constants in the rule, as found in the syntax tree.
///
/// A search for values that violate the rule starts from these paths and constants.
///
/// ```
/// use crd_core::cel::{ReadStep, Reads};
/// use serde_json::json;
///
/// let reads = Reads::from_rule("self.ports.all(p, p.port != 22) && has(self.name)").unwrap();
/// let paths: Vec<String> = reads.paths.iter().map(|path| path.iter().map(ReadStep::to_string).collect()).collect();
/// assert_eq!(paths, [".name", ".ports", ".ports[*]", ".ports[*].port"]);
/// assert_eq!(reads.constants, [json!(22)]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Reads {
    /// The sorted paths of the values that the rule reads, relative to the value to which the rule applies. An empty path stands for that
    /// value itself.
    pub paths: Vec<Vec<ReadStep>>,
    /// The sorted elements of `paths` whose values must be present: the rule reads these values without `.?`, and contains no `has()` with
    /// the same path.
    pub needed: Vec<Vec<ReadStep>>,
    /// The rule's literals, except booleans and literals that JSON cannot represent.
    pub constants: Vec<Value>,
}

/// A step of a path that a rule reads, printed as `.name` or `[*]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ReadStep {
    /// The field or entry with this name.
    Field(String),
    /// Every item of a list, or every entry of a map.
    Each,
}

impl std::fmt::Display for ReadStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Each => f.write_str("[*]"),
        }
    }
}

impl ReadStep {
    /// Returns a path in the syntax of rules: beginning with `self`, and with names escaped for CEL.
    ///
    /// ```
    /// use crd_core::cel::ReadStep;
    ///
    /// let path = [ReadStep::Field("ports".to_owned()), ReadStep::Each, ReadStep::Field("if".to_owned())];
    /// assert_eq!(ReadStep::spelled(&path), "self.ports[*].__if__");
    /// ```
    #[must_use]
    pub fn spelled(path: &[Self]) -> String {
        let mut text = "self".to_owned();
        for step in path {
            match step {
                Self::Field(name) => {
                    text.push('.');
                    text.push_str(&crate::escape_name(name).unwrap_or(name.into()));
                }
                Self::Each => text.push_str("[*]"),
            }
        }
        text
    }
}

impl Reads {
    /// Finds the paths and constants of `rule`. Returns `None` if the rule cannot be parsed.
    #[must_use]
    pub fn from_rule(rule: &str) -> Option<Self> {
        let ast = parse(rule).ok()?;
        let mut reader = Reader {
            ast: &ast,
            variables: Vec::new(),
            paths: Vec::new(),
            selected: Vec::new(),
            asked: Vec::new(),
            constants: Vec::new(),
        };
        reader.read(ast.root());
        let Reader { paths, selected, asked, constants, .. } = reader;
        let (mut needed, asked) = (sorted(selected), sorted(asked));
        needed.retain(|path| asked.binary_search(path).is_err());
        Some(Self { paths: sorted(paths), needed, constants })
    }
}

type Path = Vec<ReadStep>;

fn sorted(mut paths: Vec<Path>) -> Vec<Path> {
    paths.sort_unstable();
    paths.dedup();
    paths
}

struct Reader<'a, 's> {
    ast: &'a Ast<'s>,
    /// The variables of enclosing loops, the innermost last, each with the path of its values.
    variables: Vec<(&'a str, Option<Path>)>,
    paths: Vec<Path>,
    /// Paths that are read by plain selections. Such a selection fails if the value is absent.
    selected: Vec<Path>,
    /// Paths whose presence the rule tests.
    asked: Vec<Path>,
    constants: Vec<Value>,
}

impl<'a> Reader<'a, '_> {
    /// Records the paths that an expression reads. Returns the path of the result, if the result is a part of the value to which the rule
    /// applies.
    fn read(&mut self, id: ExprId) -> Option<Path> {
        let ast = self.ast;
        let path = match ast.expr(id) {
            Expr::Ident(name) => return self.variable(name.trim_start_matches('.')),
            Expr::Literal(literal) => {
                let constant = constant(literal).filter(|constant| !self.constants.contains(constant));
                self.constants.extend(constant);
                return None;
            }
            Expr::Select { operand, field, test_only } => {
                let field =
                    unescape_name(field).map_or_else(|| (*field).to_owned(), |name| name.into_owned());
                let path = below(self.read(*operand)?, ReadStep::Field(field));
                if *test_only {
                    self.asked.push(path.clone());
                } else if !is_optional(ast, *operand) {
                    self.selected.push(path.clone());
                }
                path
            }
            Expr::Call { function, target: None, args }
                if matches!(&**function, "_[_]" | "_[?_]" | "_?._") =>
            {
                let &[operand, key] = ast.list(*args) else { return None };
                let path = self.read(operand);
                let step = match ast.expr(key) {
                    Expr::Literal(Literal::String(name)) => ReadStep::Field(name.clone().into_owned()),
                    _ => {
                        self.read(key);
                        ReadStep::Each
                    }
                };
                below(path?, step)
            }
            Expr::Comprehension(fold) => return self.fold(fold),
            _ => {
                ast.children(id).into_iter().for_each(|child| drop(self.read(child)));
                return None;
            }
        };
        self.paths.push(path.clone());
        Some(path)
    }

    fn variable(&mut self, name: &str) -> Option<Path> {
        if let Some((_, path)) = self.variables.iter().rev().find(|(known, _)| *known == name) {
            return path.clone();
        }
        (name == "self").then(Vec::new)
    }

    /// Records the paths that a loop reads. Returns the path of the list or map that the loop iterates over, as the path of the result.
    /// For `filter`, this path is correct.
    fn fold(&mut self, fold: &'a Comprehension<'_>) -> Option<Path> {
        let range = self.read(fold.range);
        let each = range.clone().map(|path| below(path, ReadStep::Each));
        self.paths.extend(each.clone());
        let before = self.variables.len();
        // A single variable is the key of a map, which has no path, or the item of a list.
        self.variables.push((fold.var, if fold.var2.is_some() { None } else { each.clone() }));
        self.variables.extend(fold.var2.map(|name| (name, each)));
        self.variables.push((fold.accumulator, None));
        for part in [fold.init, fold.condition, fold.step, fold.result] {
            self.read(part);
        }
        self.variables.truncate(before);
        range
    }
}

/// Returns `true` for `a.?b` and for selections from `a.?b`, which do not require the value.
fn is_optional(ast: &Ast<'_>, mut id: ExprId) -> bool {
    loop {
        match ast.expr(id) {
            Expr::Select { operand, test_only: false, .. } => id = *operand,
            Expr::Call { function, target: None, args } => match (&**function, ast.list(*args)) {
                ("_?._" | "_[?_]", _) => return true,
                ("_[_]", [operand, _]) => id = *operand,
                _ => return false,
            },
            _ => return false,
        }
    }
}

fn below(mut path: Path, step: ReadStep) -> Path {
    path.push(step);
    path
}

fn constant(literal: &Literal<'_>) -> Option<Value> {
    match literal {
        Literal::Int(number) => Some(Value::from(*number)),
        Literal::Uint(number) => Some(Value::from(*number)),
        Literal::Double(number) => Some(Value::from(*number)).filter(|number| !number.is_null()),
        Literal::String(text) => Some(Value::from(&**text)),
        Literal::Null | Literal::Bool(_) | Literal::Bytes(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: &str, expected: &[&str]) {
        let reads = Reads::from_rule(rule).expect("it parses");
        let shown = |path: &Path| path.iter().map(ToString::to_string).collect::<String>();
        assert_eq!(reads.paths.iter().map(shown).collect::<Vec<_>>(), expected, "{rule}");
    }

    #[test]
    fn paths() {
        check("true", &[]);
        check("self > 1", &[]);
        check("self.a.b == 'x'", &[".a", ".a.b"]);
        check("has(self.__if__)", &[".if"]);
        check("self.a == oldSelf.a", &[".a"]);
        check("self.?a.b.orValue(1) == 1 && self['c'].d == 2", &[".a", ".a.b", ".c", ".c.d"]);
        check("self.m[self.k] == 1", &[".k", ".m", ".m[*]"]);
        check("self.l.filter(x, x.a == 1).all(y, y.b > 0)", &[".l", ".l[*]", ".l[*].a", ".l[*].b"]);
        check("self.l.all(x, x.m.exists(x, x.a))", &[".l", ".l[*]", ".l[*].m", ".l[*].m[*]", ".l[*].m[*].a"]);
        check("self.m.all(k, v, v.a == k)", &[".m", ".m[*]", ".m[*].a"]);
        check("size(self.a + self.b) < 3", &[".a", ".b"]);
    }

    #[test]
    fn needed() {
        let check = |rule: &str, expected: &[&str]| {
            let shown = |path: &Path| path.iter().map(ToString::to_string).collect::<String>();
            let needed = Reads::from_rule(rule).expect("it parses").needed;
            assert_eq!(needed.iter().map(shown).collect::<Vec<_>>(), expected, "{rule}");
        };
        check("self.a.b > 1", &[".a", ".a.b"]);
        check("!has(self.a) || self.a.b > 1", &[".a.b"]);
        check("has(self.a.b) && self.a.b > 1", &[".a"]);
        check("self.?a.b.orValue(1) > 1 && self.c.?d.hasValue()", &[".c"]);
        check("self[?'a'].b.hasValue() && self.?a[0].b.hasValue()", &[]);
        check("self.l.all(x, !has(x.a) || x.a > x.b)", &[".l", ".l[*].b"]);
        check("self.a == oldSelf.b", &[".a"]);
        check("has(self.__if__) ? self.if > 1 : true", &[]);
        check("true", &[]);
    }

    #[test]
    fn constants() {
        let reads =
            Reads::from_rule("self.a in ['x', 'y'] && self.b * 2 < 1.5 && self.a != 'x'").expect("it parses");
        assert_eq!(reads.constants, [Value::from("x"), Value::from("y"), Value::from(2), Value::from(1.5)]);
        assert_eq!(Reads::from_rule("self ="), None);
    }
}
