//! Finds circles between the files of a crate: files that use items of each other, directly or through other files.
//!
//! A file that is part of a circle cannot be read, tested or moved alone. `tests/housekeeping/circles.txt` lists the circles
//! that may stay, each with its reason. `tests/housekeeping/floors.txt` lists the floors of the crates that have them.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod floors;
mod modules;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crd_tests::workspace;
use floors::Floors;
use modules::Modules;

/// The published crates, as directories of the workspace.
const CRATES: [&str; 14] = [
    "crd-go",
    "crd-cel",
    "crd-core",
    "crd-sample",
    "crd-diff",
    "crd-docs",
    "crd-editor",
    "crd-server",
    "crd-input",
    "crd-report",
    "crd-derive",
    "crdkit",
    "crd-codegen",
    "crdkit-cli",
];

/// The file with the circles that may stay, in the workspace.
const ALLOWED: &str = "tests/housekeeping/circles.txt";

#[test]
fn files_of_a_crate_form_no_circles() {
    let allowed = read_allowed();
    let mut wrong = Vec::new();
    let mut unused: BTreeSet<_> = allowed.keys().cloned().collect();
    for name in CRATES {
        for circle in Modules::read(&workspace().join(name).join("src")).circles() {
            let circle: BTreeSet<_> = circle.iter().map(|module| format!("{name}/{module}")).collect();
            unused.remove(&circle);
            if !allowed.contains_key(&circle) {
                wrong.push(circle.into_iter().collect::<Vec<_>>().join(" "));
            }
        }
    }
    assert!(wrong.is_empty(), "these files use each other in a circle:\n{}", wrong.join("\n"));
    assert!(unused.is_empty(), "{ALLOWED} lists circles that are gone: {unused:?}");
}

/// Reads the allowed circles: a line of modules, and below it an indented line with the reason.
fn read_allowed() -> BTreeMap<BTreeSet<String>, String> {
    let text = std::fs::read_to_string(workspace().join(ALLOWED)).unwrap();
    let lines: Vec<_> = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let mut allowed = BTreeMap::new();
    for pair in lines.chunks(2) {
        let [circle, reason] = pair else { panic!("{ALLOWED}: a circle has no reason: {pair:?}") };
        assert!(reason.starts_with("    "), "{ALLOWED}: the reason of a circle is indented: {reason}");
        allowed.insert(circle.split_whitespace().map(str::to_owned).collect(), reason.trim().to_owned());
    }
    allowed
}

/// The file with the floors of crates, in the workspace.
const FLOORS: &str = "tests/housekeeping/floors.txt";

#[test]
fn files_use_only_floors_below_theirs() {
    let text = std::fs::read_to_string(workspace().join(FLOORS)).unwrap();
    let lines: Vec<_> = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let is_floor = |line: &str| line.starts_with("    ");
    let mut broken = Vec::new();
    for (at, name) in lines.iter().enumerate().filter(|(_, line)| !is_floor(line)) {
        let floors = Floors::parse(lines[at + 1..].iter().copied().take_while(|line| is_floor(line)));
        let modules = Modules::read(&workspace().join(name).join("src"));
        broken.extend(floors.broken(&modules).into_iter().map(|broken| format!("{name}: {broken}")));
    }
    assert!(broken.is_empty(), "{FLOORS} does not allow this:\n{}", broken.join("\n"));
}

/// Returns the circles of a crate with the given files.
fn circles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    Modules::parse(files.iter().map(|(path, text)| (Path::new(path), *text))).circles()
}

#[test]
fn circles_through_every_kind_of_path_are_found() {
    let circle = [vec!["a".to_owned(), "b".to_owned()]];
    let root = ("lib.rs", "mod a; mod b;");
    let b = ("b.rs", "use crate::a::A; pub struct B(A);");
    for a in [
        "pub struct A; fn f(b: crate::b::B) {}",
        "use super::b::B; pub struct A(B);",
        "use super::b; pub struct A(b::B);",
        "use crate::{b::{self, B as Other}}; pub struct A(Other);",
        "use crate::b::*; pub struct A(B);",
        "pub struct A; fn f() { println!(\"{:?}\", crate::b::B::default()) }",
        "pub struct A; impl From<super::b::B> for A { fn from(_: super::b::B) -> Self { A } }",
    ] {
        assert_eq!(circles(&[root, ("a.rs", a), b]), circle, "{a}");
    }
}

#[test]
fn a_reexport_leads_to_the_file_of_its_item() {
    let root = ("lib.rs", "mod a; pub mod b;");
    let module = ("b/mod.rs", "mod inner; mod outer; pub use inner::Inner; pub use outer::Outer;");
    let inner = ("b/inner.rs", "pub struct Inner;");
    let outer = ("b/outer.rs", "use crate::a::A; pub struct Outer(A);");
    let uses = |name: &str| format!("use crate::b::{name}; pub struct A({name});");
    assert_eq!(circles(&[root, module, inner, outer, ("a.rs", &uses("Inner"))]), Vec::<Vec<String>>::new());
    assert_eq!(circles(&[root, module, inner, outer, ("a.rs", &uses("Outer"))]), [["a", "b/outer"]]);
}

#[test]
fn a_module_that_uses_its_parent_is_a_circle_only_if_the_parent_uses_it() {
    let child = ("a/b.rs", "use super::Shared; pub fn f(_: Shared) {}");
    let declares = ("a/mod.rs", "mod b; pub use b::f; pub struct Shared;");
    let calls = ("a/mod.rs", "mod b; pub struct Shared; fn g() { b::f(Shared) }");
    assert_eq!(circles(&[("lib.rs", "mod a;"), declares, child]), Vec::<Vec<String>>::new());
    assert_eq!(circles(&[("lib.rs", "mod a;"), calls, child]), [["a", "a/b"]]);
}

#[test]
fn tests_do_not_count() {
    let a = ("a.rs", "pub struct A; #[cfg(test)] mod tests { use crate::b::B; }");
    let b = ("b.rs", "use crate::a::A; pub struct B(A);");
    assert_eq!(
        circles(&[("lib.rs", "mod a; mod b; #[cfg(test)] mod tests;"), a, b]),
        Vec::<Vec<String>>::new()
    );
}

#[test]
fn a_file_that_uses_a_floor_above_or_another_room_is_found() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "pub struct A;"),
        ("b/mod.rs", "mod inner; pub use inner::B; pub struct Own; fn f(_: crate::a::A) {}"),
        ("b/inner.rs", "pub struct B(super::Own);"),
        ("c.rs", "use crate::b::B; pub struct C(B);"),
    ];
    let modules = Modules::parse(files.iter().map(|(path, text)| (Path::new(path), *text)));
    let broken = |floors: &'static [&str]| Floors::parse(floors.iter().copied()).broken(&modules);
    assert_eq!(broken(&["a", "b", "c"]), [""; 0]);
    assert_eq!(broken(&["b", "a", "c"]), ["`b` uses `a`, which is not below it"]);
    assert_eq!(broken(&["a", "b | c"]), ["`c` uses `b/inner`, which is not below it"]);
    assert_eq!(broken(&["a", "b c"]), [""; 0]);
    assert_eq!(broken(&["a", "b/inner", "b c"]), ["`b/inner` uses `b`, which is not below it"]);
    assert_eq!(broken(&["a", "b"]), ["`c` is on no floor"]);
}
