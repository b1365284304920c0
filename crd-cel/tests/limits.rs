//! No text overflows a stack of 2 MiB, also in a debug build, and none takes long.
#![cfg(feature = "check")]

use std::time::{Duration, Instant};

use crd_cel::{Declarations, Declared, Environment, Scope, Shape, Variable, Version};

/// Three quarters of the stack that threads of tests and of macros have: who calls us needs some of it.
const STACK: usize = 3 << 19;

/// Compiles, prices and instantiates in a thread with a small stack.
fn compile(rule: String) -> Result<u64, String> {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let mut declarations = Declarations::default();
        let dynamic =
            declarations.add(Declared { shape: Shape::Dyn, max_elements: 10, min_serialized_size: 1 });
        let scope = [("self", Variable::Declared(dynamic))];
        let scope = Scope::new(&declarations, dynamic, &scope);
        let start = Instant::now();
        let result = Environment::for_server(Version::new(36))
            .compile(&rule, &scope)
            .map_err(|issues| issues.to_string());
        let result = result.map(|checked| {
            checked.instantiate().expect("nothing here is constant and wrong");
            checked.max_cost()
        });
        assert!(start.elapsed() < Duration::from_secs(20), "took {:?}", start.elapsed());
        result
    });
    thread.expect("a thread").join().expect("no panic")
}

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

const SHAPES: [(&str, &str, &str); 14] = [
    ("(", "self", ")"),
    ("[", "self", "]"),
    ("{1: ", "self", "}"),
    ("self[", "self", "]"),
    ("dyn(", "self", ")"),
    ("self.contains(", "self", ")"),
    ("!(", "self", ")"),
    ("-(", "self", ")"),
    ("self ? self : (", "self", ")"),
    ("dyn(1) == 1 + 1 * (", "self", ")"),
    ("self.all(x, ", "self", ")"),
    ("self.map(x, self, ", "self", ")"),
    ("self.transformMap(k, v, self, ", "self", ")"),
    ("self.sortBy(x, ", "self", ")"),
];

#[test]
fn nesting_is_bounded() {
    for (open, inner, close) in SHAPES {
        for depth in [10, 80, 120, 245, 260, 2000, 20_000] {
            let rule = nested(open, inner, close, depth);
            if rule.chars().count() > 100_000 {
                continue;
            }
            let result = compile(rule);
            if depth > 250 {
                let error = result.expect_err(open);
                let limit = error.contains("limit exceeded: 250") || error.contains("max recursion depth");
                assert!(limit, "{open}: {error}");
            }
        }
    }
}

#[test]
fn unclosed_nesting_is_bounded() {
    for (open, ..) in SHAPES {
        for depth in [50, 249, 4_000] {
            assert!(compile(open.repeat(depth)).is_err(), "{open}");
        }
    }
}

#[test]
fn chains_are_bounded() {
    for link in [".a", "[0]", ".size()", " + self", " * self", " == self", ".map(x, x)", ".?a"] {
        let compiled = compile(format!("self{}", link.repeat(100)));
        assert!(!compiled.is_err_and(|error| error.contains("limit") || error.contains("max")), "{link}");
        for length in [300, 5_000, 99_000 / link.len()] {
            assert!(compile(format!("self{}", link.repeat(length))).is_err(), "{link} {length}");
        }
    }
    assert!(compile(format!("self{}", " ? self : self".repeat(5_000))).is_err());
}

#[test]
fn logical_chains_are_balanced() {
    for link in [" || self", " && self"] {
        assert!(compile(format!("self{}", link.repeat(10_000))).is_ok());
    }
    assert!(compile(format!("{}self", "!".repeat(90_000))).is_ok());
    assert!(compile(format!("[{}]", "self,".repeat(19_000))).is_ok());
}

#[test]
fn what_macros_double_is_bounded() {
    let doubled = compile(format!("self{}", ".optMap(x, x)".repeat(60))).unwrap_err();
    assert!(doubled.contains("nodes with its macros expanded"), "{doubled}");
    // A type that doubles with every link.
    let typed = compile(format!("[1]{}", ".map(x, {dyn(x): x})".repeat(40)));
    assert!(typed.is_ok(), "{typed:?}");
    let typed = compile(format!("[1]{}", ".map(x, {x: x})".repeat(40))).unwrap_err();
    assert!(typed.contains("types of the expression are too large"), "{typed}");
}

#[test]
fn too_long_is_refused() {
    let error = compile(" ".repeat(100_001)).unwrap_err();
    assert_eq!(
        error,
        "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000"
    );
}

#[test]
fn noise_is_answered() {
    // A small generator of our own: the same texts in every run.
    let pieces = [
        "self", ".", "?", "[", "]", "(", ")", "{", "}", ",", ":", "1", "'a'", "\"", "'''", "+", "-", "!",
        "==", "in", "&&", "||", "true", "null", "b'\\x'", ".map(x, ", "has(", " ", "\n", "ž", "@", "`a`",
        "x", "0x", "1e", "for",
    ];
    let mut state: u64 = 1;
    for _ in 0..5_000 {
        let mut rule = String::new();
        for _ in 0..(state >> 33) % 40 + 1 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            rule.push_str(pieces[(state >> 33) as usize % pieces.len()]);
        }
        if let Err(issues) = crd_cel::parse(&rule) {
            assert!(!issues.as_slice().is_empty(), "{rule:?}");
            assert!(issues.to_string().starts_with("ERROR: <input>:"), "{rule:?}");
        }
    }
}
