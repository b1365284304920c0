//! Well-typed expressions from bytes, built from all overloads, macros and literals of rules.

mod table;

use std::sync::LazyLock;

pub use table::Ty;
use table::{Overload, overloads};

static OVERLOADS: LazyLock<Vec<Overload>> = LazyLock::new(overloads);

/// The fields of `self`, by their types.
pub const FIELDS: [(&str, &str); 11] = [
    ("b", "bool"),
    ("i", "int"),
    ("n", "double"),
    ("s", "string"),
    ("bytes", "bytes"),
    ("time", "timestamp"),
    ("dur", "duration"),
    ("ls", "list string"),
    ("li", "list int"),
    ("m", "map int"),
    ("any", "dyn"),
];

/// Builds an expression from bytes, the same expression for the same bytes.
pub struct Maker<'b> {
    bytes: &'b [u8],
    /// The variables of the surrounding macros.
    locals: Vec<(String, Ty)>,
    names: usize,
    /// `true` if some arguments have a wrong type.
    pub is_sloppy: bool,
}

/// The greatest size of types that are chosen freely.
const MAX_TYPE: usize = 4;

impl<'b> Maker<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, locals: Vec::new(), names: 0, is_sloppy: false }
    }

    /// Any type.
    pub fn ty(&mut self, depth: usize) -> Ty {
        const SIMPLE: [&str; 16] = [
            "bool",
            "int",
            "string",
            "bool",
            "uint",
            "double",
            "bytes",
            "timestamp",
            "duration",
            "kubernetes.Quantity",
            "kubernetes.URL",
            "kubernetes.Semver",
            "kubernetes.NamedFormat",
            "net.IP",
            "net.CIDR",
            "string",
        ];
        match self.pick(if depth == 0 { 4 } else { 7 }) {
            4 => Ty::list(self.ty(depth - 1)),
            5 => Ty::optional(self.ty(depth - 1)),
            6 => {
                let key = ["string", "int", "uint", "bool"][self.pick(4)];
                Ty::Map(Box::new(Ty::Simple(key)), Box::new(self.ty(depth - 1)))
            }
            _ => Ty::Simple(SIMPLE[self.pick(SIMPLE.len())]),
        }
    }

    /// Returns an expression of a type.
    pub fn expr(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 || self.bytes.is_empty() {
            return self.leaf(ty);
        }
        match self.pick(8) {
            0 => self.leaf(ty),
            1 => {
                let condition = self.expr(&Ty::Simple("bool"), depth - 1);
                let (yes, no) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
                format!("({condition} ? {yes} : {no})")
            }
            2 | 3 => self.with_macro(ty, depth - 1).unwrap_or_else(|| self.leaf(ty)),
            _ => self.call(ty, depth - 1).unwrap_or_else(|| self.leaf(ty)),
        }
    }

    /// Returns a number below `count`.
    pub fn pick(&mut self, count: usize) -> usize {
        match self.bytes {
            [first, rest @ ..] => {
                self.bytes = rest;
                usize::from(*first) % count
            }
            [] => 0,
        }
    }

    fn call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let fits = |overload: &&Overload| overload.result.unify(ty, &mut Vec::new());
        let fitting: Vec<_> = OVERLOADS.iter().filter(fits).collect();
        if fitting.is_empty() {
            return None;
        }
        // There are more than 256 of `bool`.
        let at = self.pick(256) * 256 + self.pick(256);
        let overload = fitting[at % fitting.len()];
        let mut params = Vec::new();
        overload.result.unify(ty, &mut params);
        let mut formals = Vec::new();
        for arg in &overload.args {
            formals.push(arg.with(&mut params, &mut || self.ty(1)));
        }
        if formals.iter().any(|formal| formal.size() > MAX_TYPE + ty.size() || !formal.has_keys()) {
            return None;
        }
        let args = formals.iter().map(|formal| self.argument(formal, depth)).collect::<Vec<_>>();
        Some(written(overload, &args))
    }

    /// Returns an argument. Parameters of any type get a `dyn` value, because with other types several overloads would match.
    fn argument(&mut self, formal: &Ty, depth: usize) -> String {
        match formal {
            Ty::Simple("dyn") => {
                let ty = self.ty(1);
                format!("dyn({})", self.expr(&ty, depth))
            }
            Ty::List(of) if **of == Ty::Simple("dyn") => {
                let count = self.pick(4);
                let elements: Vec<_> = (0..count).map(|_| self.argument(of, depth)).collect();
                // Without a `dyn` there is no list of it.
                format!(
                    "[dyn(0){}]",
                    elements.iter().map(|element| format!(", {element}")).collect::<String>()
                )
            }
            _ if self.is_sloppy && self.pick(16) == 0 => {
                let other = self.ty(2);
                self.expr(&other, depth)
            }
            _ => self.expr(formal, depth),
        }
    }

    fn with_macro(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let source = self.ty(1);
        let range = Ty::list(source.clone());
        let bool = Ty::Simple("bool");
        let int = Ty::Simple("int");
        Some(match ty {
            Ty::Simple("bool") => {
                let list = self.expr(&range, depth);
                match self.pick(6) {
                    0 => self.fold(&list, "all", &[&source], &[&bool], depth),
                    1 => self.fold(&list, "exists", &[&source], &[&bool], depth),
                    2 => self.fold(&list, "exists_one", &[&source], &[&bool], depth),
                    3 => self.fold(&list, "all", &[&int, &source], &[&bool], depth),
                    4 => self.fold(&list, "existsOne", &[&int, &source], &[&bool], depth),
                    _ => format!("has(self.{})", FIELDS[self.pick(FIELDS.len())].0),
                }
            }
            Ty::List(of) => match self.pick(5) {
                0 => {
                    let list = self.expr(ty, depth);
                    self.fold(&list, "filter", &[of], &[&bool], depth)
                }
                1 => {
                    let list = self.expr(ty, depth);
                    let keys = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
                    let key = Ty::Simple(keys[self.pick(keys.len())]);
                    self.fold(&list, "sortBy", &[of], &[&key], depth)
                }
                2 => {
                    let list = self.expr(&range, depth);
                    self.fold(&list, "map", &[&source], &[of], depth)
                }
                3 => {
                    let list = self.expr(&range, depth);
                    self.fold(&list, "map", &[&source], &[&bool, of], depth)
                }
                _ => {
                    let list = self.expr(&range, depth);
                    self.fold(&list, "transformList", &[&int, &source], &[&bool, of], depth)
                }
            },
            Ty::Map(key, value) => {
                let map = self.expr(&Ty::Map(key.clone(), Box::new(source.clone())), depth);
                self.fold(&map, "transformMap", &[key, &source], &[value], depth)
            }
            Ty::Optional(of) => {
                let optional = self.expr(&Ty::optional(source.clone()), depth);
                match self.pick(2) {
                    0 => self.fold(&optional, "optMap", &[&source], &[of], depth),
                    _ => self.fold(&optional, "optFlatMap", &[&source], &[ty], depth),
                }
            }
            _ => return None,
        })
    }

    /// `range.name(x, y, part)`
    fn fold(&mut self, range: &str, name: &str, vars: &[&Ty], parts: &[&Ty], depth: usize) -> String {
        let outer = self.locals.len();
        let mut args = Vec::new();
        for var in vars {
            self.names += 1;
            let local = format!("v{}", self.names);
            args.push(local.clone());
            self.locals.push((local, (*var).clone()));
        }
        for part in parts {
            args.push(self.expr(part, depth));
        }
        self.locals.truncate(outer);
        format!("{range}.{name}({})", args.join(", "))
    }

    /// Returns a variable, a field or a literal.
    fn leaf(&mut self, ty: &Ty) -> String {
        let locals = self.locals.iter().filter(|(_, of)| of == ty).map(|(name, _)| name.clone());
        let fields =
            FIELDS.iter().filter(|(_, of)| field_type(of) == *ty).map(|(name, _)| format!("self.{name}"));
        let known: Vec<_> = locals.chain(fields).collect();
        if !known.is_empty() && self.pick(3) > 0 {
            return known[self.pick(known.len())].clone();
        }
        match ty {
            Ty::Simple(name) => {
                let choices = literals(name);
                choices[self.pick(choices.len())].to_owned()
            }
            Ty::List(of) => {
                let more = self.pick(3);
                let elements: Vec<_> = (0..=more).map(|_| self.leaf(of)).collect();
                format!("[{}]", elements.join(", "))
            }
            Ty::Map(key, value) => format!("{{{}: {}}}", self.leaf(key), self.leaf(value)),
            Ty::Optional(of) => match self.pick(3) {
                0 => format!("[{}][?1]", self.leaf(of)),
                1 => format!("optional.ofNonZeroValue({})", self.leaf(of)),
                _ => format!("optional.of({})", self.leaf(of)),
            },
            Ty::Type(of) => format!("type({})", self.leaf(of)),
            Ty::Param(_) => unreachable!("parameters were replaced"),
        }
    }
}

/// Returns the type of a field, parsed from its notation in [`FIELDS`].
pub fn field_type(text: &'static str) -> Ty {
    match text.split_once(' ') {
        Some(("list", of)) => Ty::list(Ty::Simple(of)),
        Some((_, of)) => Ty::Map(Box::new(Ty::Simple("string")), Box::new(Ty::Simple(of))),
        None => Ty::Simple(text),
    }
}

/// Returns a call in the syntax of rules, with operators in parentheses.
fn written(overload: &Overload, args: &[String]) -> String {
    match (overload.function, args) {
        ("_?_:_", [condition, yes, no]) => format!("({condition} ? {yes} : {no})"),
        ("_[_]", [operand, index]) => format!("{operand}[{index}]"),
        ("_[?_]", [operand, index]) => format!("{operand}[?{index}]"),
        ("@in", [element, range]) => format!("({element} in {range})"),
        ("!_" | "-_", [operand]) => format!("{}({operand})", &overload.function[..1]),
        (operator, [left, right]) if operator.starts_with('_') => {
            format!("({left} {} {right})", operator.trim_matches('_'))
        }
        (function, [target, args @ ..]) if overload.is_member => {
            format!("{target}.{function}({})", args.join(", "))
        }
        (function, args) => format!("{function}({})", args.join(", ")),
    }
}

fn literals(name: &str) -> &'static [&'static str] {
    match name {
        "bool" => &["true", "false"],
        "int" => {
            &["0", "1", "-1", "2", "7", "9223372036854775807", "-9223372036854775808", "0x10", "1000000"]
        }
        "uint" => &["0u", "1u", "18446744073709551615u", "0xFFu"],
        "double" => &["0.0", "-1.5", "1e300", "2.0", "9223372036854775807.0", "1e-300"],
        "string" => &[
            "''",
            "'a'",
            "'hello world'",
            "\"\\u00e9\\U0001F600\"",
            "r'\\d'",
            "'1'",
            "'1.2.3'",
            "'10.0.0.0/8'",
            "'::1'",
            "'1h'",
            "'2020-01-01T00:00:00Z'",
            "'1Ki'",
            "'https://a.example:80/b?c=d'",
            "'%s %d %.2f'",
            "'America/New_York'",
            "'true'",
        ],
        "bytes" => &["b''", "b'abc'", "b'\\xff'"],
        "timestamp" => {
            &["timestamp('2020-02-29T12:30:45.5Z')", "timestamp('0001-01-01T00:00:00Z')", "timestamp(0)"]
        }
        "duration" => &["duration('1h')", "duration('-1.5s')", "duration('0')"],
        "null" => &["null"],
        "kubernetes.Quantity" => {
            &["quantity('1')", "quantity('1.5Gi')", "quantity('-100m')", "quantity('1e10')"]
        }
        "kubernetes.URL" => &["url('https://a.example/b?c=d')", "url('/a')"],
        "kubernetes.Semver" => &["semver('1.2.3')", "semver('0.1.0-alpha.1+b')", "semver('v1.2', true)"],
        "kubernetes.NamedFormat" => &["format.dns1123Label()", "format.uri()", "format.date()"],
        "net.IP" => &["ip('127.0.0.1')", "ip('::1')"],
        "net.CIDR" => &["cidr('10.0.0.0/8')", "cidr('2001:db8::/32')"],
        _ => &["dyn(1)", "dyn('a')", "self.any"],
    }
}
