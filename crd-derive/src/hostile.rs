//! Runs the macros on hostile input: every attribute with every hostile value, and random sets of attributes. The macros
//! must not panic, and their output must parse.

use std::str::FromStr;

use proc_macro2::TokenStream;
use proptest::prelude::*;
use syn::DeriveInput;

use crate::nesting::too_deep;

/// The attributes that the macros read.
const WORDS: &[&str] = &[
    "group",
    "version",
    "kind",
    "root",
    "singular",
    "plural",
    "list_kind",
    "shortname",
    "category",
    "namespaced",
    "status",
    "scale",
    "printcolumn",
    "selectable",
    "validation",
    "spec_validation",
    "derive",
    "attr",
    "doc",
    "annotation",
    "label",
    "object_annotation",
    "object_label",
    "descriptions",
    "max_description",
    "description_depth",
    "storage",
    "served",
    "deprecated",
    "no_spec",
    "spec_optional",
    "unchecked_paths",
    "kube_version",
    "min_kube_version",
    "no_test",
    "schema",
    "conversion",
    "object_name",
    "spec_default",
    "status_default",
    "crd_preserve_unknown_fields",
    "version_patch",
    "patch",
    "post_process",
    "kube",
    "cel",
    "crates",
    "crate_path",
    "exactly_one_of",
    "at_most_one_of",
    "at_least_one_of",
    "preserve_unknown_fields",
    "schema_at",
    "schema_patch",
    "allow",
    "list_type",
    "list_map_keys",
    "map_type",
    "merge_strategy",
    "embedded_resource",
    "int_or_string",
    "schemaless",
    "recursion",
    "kubernetes_enums",
    "nullable",
    "format",
    "immutable",
    "item_validation",
    "value_validation",
    "spec_replicas",
    "status_replicas",
    "label_selector",
    "schema_with",
    "since",
    "until",
    "default",
    "renamed",
    "changed",
    "instead",
    "r#type",
    "a::b",
    "unknown",
];

/// Tokens to put after an attribute's name.
const VALUES: &[&str] = &[
    "",
    "()",
    "(a)",
    "(\"a\")",
    "(\"a\", \"b\")",
    "(a = 1)",
    "(a(b(c)))",
    "([])",
    "(,)",
    "= \"\"",
    "= \" \"",
    "= \"r#type\"",
    "= \"type\"",
    "= \"Self\"",
    "= \"crate\"",
    "= \"_\"",
    "= \"1.0\"",
    "= \"v1\"",
    "= \"Foo\"",
    "= \"Foo Bar\"",
    "= \" Foo\"",
    "= \"Foo<T>\"",
    "= \"Fn() -> (u8)\"",
    "= \"fn(u8) -> impl A + 'a\"",
    "= \"dyn A + B\"",
    "= \"for<'a> fn(&'a u8)\"",
    "= \"&'a mut [u8; { 1 }]\"",
    "= \"_ \"",
    "= \"!\"",
    "= \"::\"",
    "= \"::a\"",
    "= \"a::\"",
    "= \"a::b<c>::d\"",
    "= \"<T as U>::V\"",
    "= \"<\"",
    "= \"(\"",
    "= \")\"",
    "= \"\\u{0}\"",
    "= \"\\u{130}stanbul\"",
    "= \"\\u{3a3}\"",
    "= \"{}\"",
    "= \"[]\"",
    "= \"null\"",
    "= \"{\\\"name\\\": \\\"a\\\", \\\"type\\\": \\\"integer\\\", \\\"jsonPath\\\": \\\".spec[a\\\"}\"",
    "= \"{\\\"specReplicasPath\\\": \\\".spec.a\\\", \\\"statusReplicasPath\\\": \\\"a\\\"}\"",
    "= \".spec.a\"",
    "= \".spec[\"",
    "= \".\"",
    "= \"..\"",
    "= \"self.a\"",
    "= \"self.a >\"",
    "= \"(?=a)\"",
    "= \"set\"",
    "= \"map\"",
    "= \"None\"",
    "= \"none\"",
    "= \"manual\"",
    "= \"disabled\"",
    "= 1",
    "= -1",
    "= 1.5",
    "= 99999999999999999999999999999999999999999",
    "= true",
    "= 'c'",
    "= b\"a\"",
    "= c\"a\"",
    "= CONST",
    "= concat!(\"a\", 1)",
    "= concat!(",
    "= []",
    "= [\"a\", \"b\"]",
    "= [1]",
    "= (\"a\", \"b\")",
    "= |x| x",
    "= Rule::new(\"self.a\").message(\"\")",
    "= Rule::new()",
    "= ListMerge::Map(vec![\"a\".into()])",
    "= ListMerge::Set",
    "= { a }",
    "= r#\"{}\"#",
    "(rule = \"\", message = \"\", reason = \"x\", field_path = \"x\")",
    "(name = \"a\", type = \"integer\", json_path = \".spec.a\")",
    "(name = \"\", type = \"\", json_path = \"\")",
    "(spec_replicas_path = \".spec.a\", status_replicas_path = \".status.a\")",
    "(service(namespace = \"\", name = \"\", port = 0), url = \"\", review_versions = [])",
    "(pattern = \"(\", min_length = -1, max_length = 0)",
    "(crdkit = \"\", kube = \"a<b>\", std = 1)",
    "(a-b, reason = \"\")",
    "(\"a\", reason = \"a\\u{202e}b\\nc\")",
    "(since = \"v1\", from = \"r#type\")",
    "(since = \"v9\", from = \"\", up = \"\", down = \"(\")",
];

/// Code with placeholders for attributes: `@` on the item, `%` on a field, `$` on a variant.
const ITEMS: &[&str] = &[
    "@ struct FooSpec { % a: Option<String>, % r#type: Vec<u8>, #[serde(flatten)] % c: Bar }",
    "@ struct FooSpec<T: Clone, const N: usize> where T: Copy { % a: T, b: [T; N] }",
    "@ struct r#Foo(% i32);",
    "@ struct Foo(% i32, % String);",
    "@ struct Foo;",
    "@ #[serde(tag = \"t\")] enum Foo { $ A, $ B { % a: u64 }, $ C(% i32) }",
    "@ #[serde(untagged)] enum Foo<'a> { $ A(% &'a str), $ B(% std::collections::BTreeMap<Vec<u8>, ()>) }",
    "@ enum Foo {}",
    "@ union Foo { % a: i32 }",
    "@ #[serde(try_from = \"Bar\", rename_all = \"nope\")] struct Foo { #[serde(rename = \"a\")] % b: i32, a: fn() }",
];

const WELL: &str = "#[crd(group = \"a.b\", version = \"v1\", kind = \"Foo\")]";

/// Version lists for `#[versions]`.
const LISTS: &[&str] = &["v1", "v1, v2(storage, deprecated = \"a\")", "v1, r#type(storage), v3(served = 1)"];

/// Runs all macros on an item.
fn run(code: &str) {
    run_with(code, LISTS);
}

/// Runs both derives on an item, and `#[versions]` with each of the lists on a module that contains the item.
fn run_with(code: &str, lists: &[&str]) {
    let Ok(tokens) = TokenStream::from_str(code) else { return };
    if too_deep(&tokens).is_some() {
        return;
    }
    let is_code = |tokens: TokenStream| {
        let parsed = syn::parse2::<syn::File>(tokens.clone());
        assert!(parsed.is_ok(), "{code}\nbecomes something that does not parse:\n{tokens}");
    };
    if let Ok(input) = syn::parse2::<DeriveInput>(tokens) {
        is_code(crate::resource_or_error(&input));
        is_code(crate::schema_or_error(&input));
    }
    if lists.is_empty() {
        return;
    }
    let module = format!("mod foos {{ {code} }}").replace("#[x_kube", "#[version");
    let Ok(module) = syn::parse_str::<syn::ItemMod>(&module) else { return };
    for list in lists {
        let list = syn::parse_str(list).expect("the lists above parse");
        is_code(crate::versions_or_error(list, module.clone()));
    }
}

fn item(item: &str, on_item: &str, on_field: &str, on_variant: &str) -> String {
    item.replace('@', on_item).replace('%', on_field).replace('$', on_variant)
}

/// Returns code with an attribute on the item and on a field. The item also has all attributes that a resource requires.
fn with_all_needed(word: &str, value: &str) -> String {
    let attr = format!("#[crd({word} {value})]");
    item(ITEMS[0], &format!("{WELL} {attr}"), &attr, "")
}

/// Returns the code `around` with the attribute in all placeholders.
fn at_all_places(word: &str, value: &str, name: &str, around: &str) -> String {
    let attr = format!("#[{name}({word} {value})]");
    let on_variant = if name == "crd" { attr.as_str() } else { "" };
    item(around, &attr, &attr, on_variant)
}

const ATTRIBUTES: [&str; 3] = ["crd", "kube", "x_kube"];

#[test]
fn no_value_of_an_attribute_makes_a_macro_panic() {
    for (i, word) in WORDS.iter().enumerate() {
        // Every second pair, in turn at one place or at all; a quarter of them in a module with versions, too.
        for (j, value) in VALUES.iter().enumerate().skip(i % 2).step_by(2) {
            let n = (i + j) / 2;
            let lists = if n % 8 < 2 { &LISTS[n / 8 % LISTS.len()..][..1] } else { &[] };
            let code = match n % 2 {
                0 => with_all_needed(word, value),
                _ => at_all_places(word, value, ATTRIBUTES[n / 2 % 3], ITEMS[n / 2 % ITEMS.len()]),
            };
            run_with(&code, lists);
        }
    }
}

#[test]
#[ignore = "minutes: the same with every pair at every place of every item, under every list of versions"]
fn no_value_of_an_attribute_makes_a_macro_panic_anywhere() {
    for word in WORDS {
        for value in VALUES {
            run(&with_all_needed(word, value));
            for (i, around) in ITEMS.iter().enumerate() {
                run(&at_all_places(word, value, ATTRIBUTES[i % 3], around));
            }
        }
    }
}

#[test]
fn attributes_that_are_no_lists_are_errors() {
    for attr in [
        "#[crd]",
        "#[crd = 1]",
        "#[crd()]",
        "#[crd{}]",
        "#[crd[a]]",
        "#[crd(,)]",
        "#[crd(\"a\")]",
        "#[crd(1 = 2)]",
        "#[kube]",
        "#[x_kube = \"a\"]",
    ] {
        for around in ITEMS {
            run(&item(around, attr, attr, attr));
            run(&item(around, &format!("{WELL} {attr}"), attr, attr));
        }
    }
}

#[test]
fn deep_texts_are_errors_at_the_literal() {
    let depth = 10_000;
    for (open, close) in [("Vec<", ">"), ("(", ")"), ("&", ""), ("[", "]"), ("a::", "b"), ("-", "")] {
        let text = format!("{}a{}", open.repeat(depth), close.repeat(if close == "b" { 1 } else { depth }));
        for word in ["status", "root", "crate_path", "derive", "attr", "post_process", "kind"] {
            run(&item(ITEMS[0], &format!("{WELL} #[crd({word} = \"{text}\")]"), "", ""));
        }
        run(&item(
            ITEMS[0],
            WELL,
            &format!("#[crd(schema_with = \"{text}\")] #[schemars(range(min = \"{text}\"))]"),
            "",
        ));
    }
}

/// Generates an attribute with several items.
fn attribute() -> impl Strategy<Value = String> {
    let word = (prop::sample::select(WORDS), prop::sample::select(VALUES))
        .prop_map(|(word, value)| format!("{word} {value}"));
    let names = prop::sample::select(&["crd", "crd", "kube", "x_kube", "schemars", "serde"][..]);
    (names, prop::collection::vec(word, 0..5))
        .prop_map(|(name, words)| format!("#[{name}({})]", words.join(", ")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_set_of_attributes_makes_a_macro_panic(
        around in prop::sample::select(ITEMS),
        on_item in prop::collection::vec(attribute(), 0..3),
        on_field in prop::collection::vec(attribute(), 0..3),
        on_variant in attribute(),
        is_well in any::<bool>(),
    ) {
        let well = if is_well { WELL } else { "" };
        run(&item(around, &format!("{well} {}", on_item.join(" ")), &on_field.join(" "), &on_variant));
    }
}
