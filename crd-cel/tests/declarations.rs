//! The table of overloads is what the API server's own compiler lists for each version.
#![cfg(feature = "check")]

use std::collections::BTreeSet;
use std::path::Path;

use crd_cel::{Declarations, Declared, Environment, Scope, Shape, Variable, Version};
use serde_json::Value;

/// Function, overload and signature of each overload that a version has.
fn overloads(minor: u32) -> Vec<String> {
    // The lists were recorded from a server of 1.36.
    let functions = Environment::new(Version::new(minor)).with_server(Version::new(36)).functions();
    functions.map(|f| format!("{} {} {}", f.name, f.overload, f.signature)).collect()
}

/// Until 1.28, the server's lists name the comparisons of numbers of two types, which are switched off.
fn is_switched_off(minor: u32, overload: &str) -> bool {
    let types = ["int64", "uint64", "double"];
    let id = overload.split(' ').nth(1).unwrap_or_default();
    minor < 28
        && (id.starts_with("less_") || id.starts_with("greater_"))
        && id.split('_').filter(|part| types.contains(part)).count() == 2
}

#[test]
fn equals_the_servers_lists() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/conformance/cel");
    if !folder.exists() {
        println!("skipped: {} is not there", folder.display());
        return;
    }
    for minor in [25, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36] {
        let file = std::fs::read_to_string(folder.join(format!("functions-1.{minor}.json"))).expect("a list");
        let listed: Value = serde_json::from_str(&file).expect("JSON");
        let listed =
            listed["functions"].as_array().expect("functions").iter().filter(|f| f["disabled"] != true);
        // The order of a function's overloads is part of what is compared.
        let wanted: Vec<String> = listed
            .flat_map(|function| {
                let overloads = function["overloads"].as_array().into_iter().flatten();
                overloads.map(|overload| line(function["name"].as_str().expect("a name"), overload))
            })
            .filter(|overload| !is_switched_off(minor, overload))
            .collect();
        assert_eq!(overloads(minor), wanted, "1.{minor}");
    }
}

fn line(function: &str, overload: &Value) -> String {
    let args: Vec<String> = overload["args"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|arg| ty(arg.as_str().expect("a type")))
        .collect();
    let signature = match args.split_first() {
        Some((target, args)) if overload["member"] == true => format!("{target}.({})", args.join(", ")),
        _ => format!("({})", args.join(", ")),
    };
    let id = overload["id"].as_str().expect("an id");
    format!("{function} {id} {signature} -> {}", ty(overload["result"].as_str().expect("a result")))
}

fn ty(name: &str) -> String {
    name.replace("google.protobuf.Timestamp", "timestamp")
        .replace("google.protobuf.Duration", "duration")
        .replace(['<', '>'], "")
}

#[test]
fn says_which_version_a_function_needs() {
    let needs = |function, minor| Environment::new(Version::new(minor)).needs(function).map(Version::minor);
    assert_eq!(needs("format", 28), Some(29));
    assert_eq!(needs("format", 29), None);
    assert_eq!(needs("sortBy", 33), Some(34));
    assert_eq!(needs("transformList", 31), Some(32));
    assert_eq!(needs("size", 1), None);
    assert_eq!(needs("nope", 25), None);
    let functions: BTreeSet<_> = Environment::new(Version::NEWEST).functions().map(|f| f.name).collect();
    assert_eq!(functions.len(), 155);
}

#[test]
fn older_versions_have_less() {
    let mut declarations = Declarations::default();
    let dynamic = declarations.add(Declared { shape: Shape::Dyn, max_elements: 1, min_serialized_size: 1 });
    let variables = [("self", Variable::Declared(dynamic))];
    let scope = Scope::new(&declarations, dynamic, &variables);
    for (rule, since) in [
        ("self.all(x, x > 1)", 25),
        ("1 < 1.5", 28),
        ("self.?a.hasValue()", 28),
        ("quantity('1').isInteger()", 28),
        ("'%d'.format([1]) == '1'", 29),
        ("sets.contains([1], [1])", 29),
        ("isIP('::1')", 30),
        ("format.uri().validate('a').hasValue()", 31),
        ("self.all(i, v, true)", 32),
        ("isSemver('1.0.0')", 33),
        ("[1].sort() == [1]", 34),
        ("self.sortBy(x, x) == []", 34),
    ] {
        for minor in [25, 27, 28, 29, 30, 31, 32, 33, 34, 35] {
            let compiles = Environment::new(Version::new(minor)).compile(rule, &scope).is_ok();
            assert_eq!(compiles, minor >= since, "{rule} in 1.{minor}");
        }
    }
}

#[test]
fn servers_add_to_old_libraries_and_drop_from_them() {
    let has = |minor, overload| {
        let mut functions = Environment::for_stored(Version::new(minor)).functions();
        functions.any(|function| function.overload == overload)
    };
    for (overload, servers) in [
        ("list_first", 33..=37),
        ("optional_unwrapOpt", 33..=37),
        ("authorizer_fieldselector", 32..=37),
        ("int64_to_duration", 30..=36),
        ("list_includes_dyn_dyn", 37..=37),
    ] {
        for minor in 30..=37 {
            assert_eq!(has(minor, overload), servers.contains(&minor), "{overload} on 1.{minor}");
        }
    }
}
