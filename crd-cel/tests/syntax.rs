//! Syntax errors have the places and the texts of the API server; valid expressions have its trees.

use crd_cel::ast::{Ast, Expr, ExprId, Literal};
use crd_cel::parse;

const OPERAND: &str = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, \
                       STRING, BYTES, IDENTIFIER}";

/// Expressions and their errors. `OPERAND` stands for the list of all tokens that can begin an expression.
const ERRORS: &[(&str, &[&str])] = &[
    ("", &["1:1 Syntax error: mismatched input '<EOF>' expecting OPERAND"]),
    ("a.", &["1:3 Syntax error: no viable alternative at input '.'"]),
    ("a..b", &["1:3 Syntax error: no viable alternative at input '..'"]),
    ("a.true", &["1:3 Syntax error: mismatched input 'true' expecting IDENTIFIER"]),
    (
        "a.in > 0",
        &[
            "1:3 Syntax error: no viable alternative at input '.in'",
            "1:6 Syntax error: extraneous input '>' expecting OPERAND",
        ],
    ),
    ("(a", &["1:3 Syntax error: missing ')' at '<EOF>'"]),
    ("a)", &["1:2 Syntax error: extraneous input ')' expecting <EOF>"]),
    ("a b c", &["1:3 Syntax error: mismatched input 'b' expecting <EOF>"]),
    ("a ? b", &["1:6 Syntax error: mismatched input '<EOF>' expecting ':'"]),
    ("[1,, 2]", &["1:4 Syntax error: mismatched input ',' expecting ']'"]),
    ("{1: 2", &["1:6 Syntax error: mismatched input '<EOF>' expecting {'}', ','}"]),
    ("f(a,)", &["1:5 Syntax error: mismatched input ')' expecting OPERAND"]),
    ("f(a b)", &["1:5 Syntax error: extraneous input 'b' expecting ')'"]),
    ("!", &["1:2 Syntax error: extraneous input '<EOF>' expecting OPERAND"]),
    (
        "a = 1",
        &[
            "1:3 Syntax error: token recognition error at: '= '",
            "1:5 Syntax error: extraneous input '1' expecting <EOF>",
        ],
    ),
    (
        "'a\n'",
        &[
            "1:1 Syntax error: token recognition error at: ''a\n'",
            "2:1 Syntax error: token recognition error at: '''",
            "2:2 Syntax error: mismatched input '<EOF>' expecting OPERAND",
        ],
    ),
    (
        "ž == @",
        &[
            "1:1 Syntax error: token recognition error at: 'ž'",
            "1:3 Syntax error: mismatched input '==' expecting OPERAND",
            "1:6 Syntax error: token recognition error at: '@'",
            "1:7 Syntax error: mismatched input '<EOF>' expecting OPERAND",
        ],
    ),
    ("for + if", &["1:1 reserved identifier: for", "1:7 reserved identifier: if"]),
    ("9223372036854775808", &["1:1 invalid int literal"]),
    ("has(a)", &["1:5 invalid argument to has() macro"]),
    ("a.all(1, b)", &["1:7 argument must be a simple name"]),
    ("a.map(b.c, b)", &["1:8 argument is not an identifier"]),
    ("a.all(__result__, b)", &["1:7 iteration variable overwrites accumulator variable"]),
    ("a.all(i, i, b)", &["1:10 duplicate variable name: i"]),
];

#[test]
fn errors_and_their_places() {
    for &(rule, errors) in ERRORS {
        let issues = parse(rule).expect_err(rule);
        let got: Vec<_> = issues
            .as_slice()
            .iter()
            .map(|issue| {
                let (line, column) = issues.line_and_column(issue).expect("a place");
                format!("{line}:{column} {}", issue.message)
            })
            .collect();
        let wanted: Vec<_> = errors.iter().map(|error| error.replace("OPERAND", OPERAND)).collect();
        assert_eq!(got, wanted, "{rule}");
    }
}

#[test]
fn trees() {
    for (rule, tree) in [
        ("a + b * c - d", "_-_(_+_(a, _*_(b, c)), d)"),
        ("a < b == c", "_==_(_<_(a, b), c)"),
        ("a || b || c || d", "_||_(_||_(a, b), _||_(c, d))"),
        ("a && b && c", "_&&_(_&&_(a, b), c)"),
        ("a ? b : c ? d : e", "_?_:_(a, b, _?_:_(c, d, e))"),
        ("!!a", "a"),
        ("- -1", "1"),
        ("--a", "a"),
        ("-1.5", "-1.5"),
        ("-a.b", "-_(a.b)"),
        ("!-1", "!_(-1)"),
        ("a.b(c)[d].?e[?f]", "_[?_](_?._(_[_](a.b(c), d), \"e\"), f)"),
        (".a.f()", ".a.f()"),
        ("[a, ?b,]", "[a, ?b]"),
        ("{a: b, ?c: d}", "{a: b, ?c: d}"),
        ("a.B{c: d}", "a.B{c: d}"),
        ("a in b", "@in(a, b)"),
        ("a.`b`", "a.b"),
        ("has(a.b)", "has(a.b)"),
        (
            "a.exists_one(x, p)",
            "fold(a, x, @result = 0, true, _?_:_(p, _+_(@result, 1), @result), _==_(@result, 1))",
        ),
        ("a.map(x, p, t)", "fold(a, x, @result = [], true, _?_:_(p, _+_(@result, [t]), @result), @result)"),
        (
            "a.optMap(x, t)",
            "_?_:_(a.hasValue(), optional.of(fold([], #unused, x = a.value(), false, x, t)), optional.none())",
        ),
    ] {
        let ast = parse(rule).expect(rule);
        assert_eq!(print(&ast, ast.root()), tree, "{rule}");
    }
}

fn print(ast: &Ast<'_>, id: ExprId) -> String {
    let list = |ids: &[ExprId]| ids.iter().map(|id| print(ast, *id)).collect::<Vec<_>>().join(", ");
    let mark = |optional: bool| if optional { "?" } else { "" };
    match ast.expr(id) {
        Expr::Literal(Literal::Int(value)) => value.to_string(),
        Expr::Literal(Literal::Double(value)) => value.to_string(),
        Expr::Literal(Literal::Bool(value)) => value.to_string(),
        Expr::Literal(Literal::String(value)) => format!("{value:?}"),
        Expr::Ident(name) => name.to_string(),
        Expr::Select { operand, field, test_only: false } => format!("{}.{field}", print(ast, *operand)),
        Expr::Select { operand, field, .. } => format!("has({}.{field})", print(ast, *operand)),
        Expr::Call { function, target: Some(target), args } => {
            format!("{}.{function}({})", print(ast, *target), list(ast.list(*args)))
        }
        Expr::Call { function, args, .. } => format!("{function}({})", list(ast.list(*args))),
        Expr::List { elements, optional } => {
            let elements = ast.list(*elements).iter().enumerate();
            let elements =
                elements.map(|(i, id)| mark(optional.contains(&(i as u32))).to_owned() + &print(ast, *id));
            format!("[{}]", elements.collect::<Vec<_>>().join(", "))
        }
        Expr::Map(entries) => {
            let entries = entries.iter().map(|entry| {
                format!("{}{}: {}", mark(entry.optional), print(ast, entry.key), print(ast, entry.value))
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Expr::Struct { type_name, fields } => {
            let fields = fields.iter().map(|field| format!("{}: {}", field.name, print(ast, field.value)));
            format!("{type_name}{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Expr::Comprehension(fold) => format!(
            "fold({}, {}, {} = {}, {})",
            print(ast, fold.range),
            fold.var,
            fold.accumulator,
            print(ast, fold.init),
            list(&[fold.condition, fold.step, fold.result])
        ),
        other => format!("{other:?}"),
    }
}
