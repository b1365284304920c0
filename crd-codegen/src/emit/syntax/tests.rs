use super::*;

#[track_caller]
fn refused(result: Result<(), InvalidOption>, reason: &str) {
    let error = result.unwrap_err().to_string();
    assert!(error.contains(reason), "{error}");
    assert!(error.len() < 400, "{error}");
}

#[test]
fn names_that_would_not_compile_are_refused() {
    for name in [
        "u8", "str", "r#type", "r#Foo", "Self", "self", "crate", "_", "", "a b", "foo", "_Foo", "__Field",
        "9", "Ünit",
    ] {
        refused(check_name(name), "cannot be the name of a type");
    }
    // In Greek and Cyrillic, and with a mark of its own.
    for name in ["\u{391}", "S\u{440}ec", "Cafe\u{301}", "A\u{200b}", "A\u{202e}"] {
        refused(check_name(name), "ASCII");
    }
    for name in [
        "Option",
        "Vec",
        "String",
        "Box",
        "Result",
        "Default",
        "Debug",
        "Serialize",
        "Deserialize",
        "Value",
        "S",
        "Wire",
    ] {
        refused(check_name(name), "generated code");
    }
    refused(check_name(&"A".repeat(201)), "at most 200");
    refused(check_name(&"A".repeat(1 << 20)), "at most 200");
    for name in ["Foo", "F", "A1_2", "Spec"] {
        assert_eq!(check_name(name), Ok(()));
    }
}

#[test]
fn types_that_no_field_can_have_are_refused() {
    for (text, reason) in [
        ("_", "not a type"),
        ("Vec<_>", "not a type"),
        ("impl Clone", "name the type"),
        ("Box<impl Fn() -> u8>", "name the type"),
        ("!", "no values"),
        ("&str", "reference"),
        ("&'static str", "reference"),
        ("Cow<'a, str>", "'static"),
        ("str", "size"),
        ("[u8]", "size"),
        ("dyn Clone", "size"),
        ("(u8, str)", "size"),
        ("Self", "enclosing"),
        ("*const u8", "pointer"),
        ("u8, y: u8", "not a type"),
        ("u8; struct A", "not a type"),
        ("\"", "not a type"),
        ("A\u{202e}", "invisible characters"),
        ("Foo", "full path"),
        ("Box<Foo>", "`Foo` is not known"),
        ("Option<Vec<Foo>>", "`Foo` is not known"),
        ("crate::A<Foo>", "`Foo` is not known"),
        ("(u8, Foo)", "`Foo` is not known"),
        ("[u8; N]", "`N` is not known"),
        ("Box<dyn Fn(Foo) -> u8>", "`Foo` is not known"),
        ("<Foo as crate::A>::B", "`Foo` is not known"),
        ("self::Foo", "`self::` is not known"),
        ("Self::Foo", "`Self::` is not known"),
        ("HashMap<String, u8>", "`HashMap` is not known"),
        ("r#Foo", "full path"),
    ] {
        refused(check_type(text), reason);
    }
    for text in [
        "u8",
        "crate::A<crate::B>",
        "Box<str>",
        "Box<dyn Fn(&str) -> u8>",
        "[u8; 3]",
        "()",
        "std::borrow::Cow<'static, str>",
        "a!()",
        "crate::a!(Foo)",
        "super::Foo",
        "::chrono::NaiveDate",
        "Option<Box<crate::A<String, { 1 }>>>",
        "Box<dyn Iterator<Item = u8> + Send>",
        "fn(a: u8) -> bool",
        "<crate::A as crate::B>::C",
        "std::collections::HashMap<String, Vec<f64>>",
        "[u8; crate::N]",
    ] {
        assert_eq!(check_type(text), Ok(()), "{text}");
    }
}

#[test]
fn derives_that_would_be_there_twice_are_refused_or_merged() {
    for text in ["Serialize", "serde::Serialize", "::serde::Deserialize"] {
        refused(check_path(text), "every generated type");
    }
    for text in ["self", "crate", "super::super", "a::Self", "A<B>", "A, B", "r#type::<u8>"] {
        refused(check_path(text), "not the path of a trait");
    }
    assert_eq!(standard_name("::std::clone::Clone"), Some("Clone"));
    assert_eq!(standard_name("derive_more::Debug"), None);
    for text in [
        "#[derive(Clone)]",
        "#[std::prelude::v1::derive(Foo)]",
        "#[cfg_attr(all(), derive(Clone))]",
        "#[cfg_attr(a, cfg_attr(b, derive(strum::Display, std::fmt::Debug)))]",
    ] {
        refused(check_attributes(text), "use `derive`");
    }
    assert_eq!(check_attributes("#[cfg_attr(feature = \"strum\", derive(strum::Display))]"), Ok(()));
    refused(check_path("JsonSchema"), "full path");
    refused(check_path("Foo"), "full path");
    assert_eq!(check_path("schemars::JsonSchema"), Ok(()));
}

/// The parser recurses as deeply as the text is nested; without limits, it would overflow the stack.
#[test]
fn deep_and_long_texts_are_refused() {
    for opening in [
        "(", "[", "Vec<", "&", "*const ", "fn(", "fn() -> ", "dyn Fn(", "[u8; -", "[u8; {", "[u8; !", "!",
        "A<{", "for<'a> ",
    ] {
        for length in [2_000, 100_000, 2_000_000] {
            let text = opening.repeat(length / opening.len());
            assert!(check_type(&text).is_err());
            assert!(check_path(&text).is_err());
            assert!(check_attributes(&format!("#[a = {text}")).is_err());
            assert!(check_attributes(&format!("#[a({text}")).is_err());
            assert!(check_name(&text).is_err());
        }
    }
    let closed = |depth| format!("{}u8{}", "Vec<".repeat(depth), ">".repeat(depth));
    assert_eq!(check_type(&closed(20)), Ok(()));
    refused(check_type(&closed(800)), "nested more than");
    refused(check_type(&closed(100_000)), "longer");
    refused(check_type(&format!("{}u8{}", "(".repeat(1_000), ")".repeat(1_000))), "nested more than");
    refused(check_type(&format!("{}u8", "&".repeat(1_000))), "nested more than");
    refused(check_attributes(&format!("#[a = {}1]", "-".repeat(1_000))), "nested more than");
    refused(
        check_attributes(&format!("#[a({}{})]", "(".repeat(1_000), ")".repeat(1_000))),
        "nested more than",
    );
    // Many options of one attribute are not deep.
    let many: Vec<String> = (0..100).map(|number| format!("a{number} = \"b\"")).collect();
    assert_eq!(check_attributes(&format!("#[serde({})]", many.join(", "))), Ok(()));
    assert_eq!(check_attributes("#[doc = \"a -> b = <c>\"]"), Ok(()));
}
