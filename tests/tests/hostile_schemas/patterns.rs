//! Patterns that are large, and patterns that need many steps.

use crd_tests::tool::Outcome::{Generated, Undecided, Wrong};
use serde_json::{Value, json};

use super::{Bomb, REQUEST, check, fields, list, many, random_text, validate};

/// Returns all of them.
pub(crate) fn bombs() -> Vec<Bomb> {
    [long(), classes(), matched(), in_items()].into_iter().flatten().collect()
}

/// Patterns of which an automaton on bytes takes 16 MiB, each another.
fn letters(i: usize) -> String {
    format!(r"^(\pL{{1,100}}\pN|\pS){{0,9}}N{i}$")
}

/// Returns the schema of a string with a pattern.
fn text(pattern: String) -> Value {
    json!({"type": "string", "pattern": pattern})
}

/// Returns the schema of a string with a pattern and a default.
fn with_default(pattern: String, default: &str) -> Value {
    json!({"type": "string", "pattern": pattern, "default": default})
}

/// Definitions with long or many patterns.
fn long() -> Vec<Bomb> {
    vec![
        check(
            "letters-patterns",
            json!({"type": "object", "properties": fields(100, |i| text(letters(i)))}),
            Generated,
        ),
        check(
            "letters-patterns-of-defaults",
            json!({"type": "object", "properties": fields(100, |i| {
                with_default(letters(i), "+N")
            })}),
            Wrong,
        ),
        check(
            "many-patterns-of-defaults",
            json!({"type": "object", "properties": fields(30_000, |i| {
                with_default(format!(r"^[a-z]{{1,63}}(\.\w+){{0,9}}x{i}$"), "aa")
            })}),
            Wrong,
        ),
        check("long-pattern", text("a".repeat(REQUEST)), Generated),
        check("long-pattern-of-case", text(format!("(?i){}", "k".repeat(REQUEST))), Generated),
        check("pattern-of-parentheses", text("()".repeat(REQUEST / 2)), Generated),
        check("pattern-of-alternatives", text("|".repeat(REQUEST)), Generated),
        check("repeated-text", with_default(format!("^({}){{1000}}$", "abc".repeat(1000)), "x"), Undecided),
    ]
}

/// Definitions with patterns of many or large classes.
fn classes() -> Vec<Bomb> {
    vec![
        check("pattern-of-classes", text(r"\pL".repeat(20_000)), Generated),
        check(
            "patterns-of-classes",
            list(json!({"type": "object", "properties": fields(40, |_| text(r"[\pL]".repeat(10_000)))})),
            Generated,
        ),
        check(
            "class-of-many-ranges",
            text(format!("[{}]", ('\u{10000}'..='\u{10ffff}').step_by(2).take(700_000).collect::<String>())),
            Generated,
        ),
        check(
            "classes-whose-case-does-not-count",
            text(format!(
                "(?i){}",
                (0..150_000).map(|i| format!("[{i:05}b-\\x{{10ffff}}]")).collect::<String>()
            )),
            Generated,
        ),
    ]
}

/// Patterns that need many steps to match.
fn matched() -> Vec<Bomb> {
    let all = |count: usize, pattern: &dyn Fn(usize) -> String, value: &str| {
        (
            json!({"type": "object", "properties": fields(count, |i| text(pattern(i)))}),
            fields(count, |_| json!(value)),
        )
    };
    let (letters_schema, letters_object) = all(100, &letters, "a1N");
    let (many_schema, many_object) = all(30_000, &|i| format!(r"^[a-z]{{1,63}}(\.\w+){{0,9}}x{i}$"), "aa");
    let (words_schema, words_object) = all(60, &|i| format!(r"^(\w{{1,50}}|\d\pL{{10}}){{1,10}}{i}$"), "abc");
    let thrashing = |pattern: &str| {
        let text = random_text(REQUEST);
        (
            json!({"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}}),
            json!({"a": text}),
        )
    };
    let (thrashing_schema, thrashing_object) = thrashing("(a|b)*a(a|b){900}c");
    let (small_schema, small_object) = thrashing("(a|b)*a(a|b){12}c");
    vec![
        validate("letters-patterns-matched", letters_schema, letters_object, Wrong),
        validate("many-patterns-matched", many_schema, many_object, Wrong),
        validate("words-patterns-matched", words_schema, words_object, Wrong),
        validate("thrashing-pattern", thrashing_schema, thrashing_object, Undecided),
        validate("thrashing-small-pattern", small_schema, small_object, Undecided),
    ]
}

/// Patterns that are matched with many items.
fn in_items() -> Vec<Bomb> {
    let alternatives: Vec<String> = (0..100_000).map(|i| format!("word{i}")).collect();
    vec![
        validate(
            "pattern-in-many-items",
            list(text(random_text(100_000))),
            many(400_000, |_| json!("a")),
            Wrong,
        ),
        validate(
            "letters-in-many-items",
            list(text(letters(0))),
            many(100_000, |_| json!("abcdefghijklmnop1N0")),
            Generated,
        ),
        validate(
            "alternatives-in-many-items",
            list(text(format!("^({})$", alternatives.join("|")))),
            many(100_000, |i| json!(format!("word{i}"))),
            Undecided,
        ),
        validate("nested-stars", list(text("^((a*)*)*b$".to_owned())), json!(["a".repeat(REQUEST)]), Wrong),
    ]
}
