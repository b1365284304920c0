//! Reference pages: hostile texts stay texts, in HTML and in Markdown, and pages have the facts of a definition.
#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers below are parts of tests")]

use std::collections::{BTreeMap, HashSet};

use crd_core::CustomResourceDefinition;
use crd_docs::pages::{PageEntry, PageFormat, PageSample, PageTooLarge, page, shared_files};
use html5gum::{Token, Tokenizer};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};
use serde_json::{Value, json};

/// Texts that try to be something else.
const HOSTILE: [&str; 34] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "</code></pre></details><h1>x</h1>",
    "</title><script>alert(1)</script>",
    "<!-- comment --> --> ]]>",
    "<svg/onload=alert(1)>\n\n<div>\n\n# x",
    "[a](javascript:alert(1))",
    "[a](JAVASCRIPT:alert(1)) ![a](javascript:x)",
    "<javascript:alert(1)>",
    "[a]: javascript:alert(1)\n\n[a]",
    "[a](data:text/html,x) [b](https://example.com/\"onclick=x) [c](https://example.com/a)b)",
    "[x](<https://example.com/) [y](javascript:alert(1)>)",
    "[<b>](https://example.com/{{x}})",
    "# heading",
    "heading\n===\n\nother\n---",
    "```\ncode\n````\n# x\n```\n<b>",
    "~~~\n```\n<b>\n~~~",
    "    indented\n\n```",
    "`a` ``b` `<i>`",
    "- a\n  - b\n\n    - <b>c</b>\n1. x",
    "> quote\n> # x",
    "a | b | c\n---|---|---\n1|2|3",
    "{{< script >}} {{% x %}} {{#include /etc/passwd}} {% raw %}",
    "`{{< x >}}` `{% x %}`",
    "```\n{{#include /etc/passwd}}\n<b>\n    # x\n```",
    "import x from 'y'\nexport const a = 1",
    "{alert(1)} ${x} :::note",
    "+ a\n* b\n- c\n1) d",
    "\\<b> \\` &lt;b&gt; &#60;b&#62; &amp;",
    "a\u{202e}b\u{0}c\r\nd\te",
    "***\n___\n- - -",
    "[^1] [^1]: x $$x$$ ~~x~~ **x** __x__",
    "",
];

fn definition(hostile: &str) -> CustomResourceDefinition {
    let schema = json!({
        "type": "object",
        "description": hostile,
        "required": [hostile],
        "properties": {
            hostile: {"type": "string", "description": hostile},
            "spec": {
                "type": "object",
                "default": {"a": hostile},
                "properties": {
                    "a": {"type": "string", "description": format!("Intro\n\n{hostile}"), "enum": [hostile], "default": hostile,
                          "pattern": hostile, "format": hostile, "example": hostile},
                    "b": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [hostile],
                          "items": {"type": "object", "properties": {hostile: {"type": "integer"}}}},
                    "c": {"type": "object", "additionalProperties": {"type": "string", "pattern": hostile}},
                    "d": {"type": "string", "externalDocs": {"url": hostile, "description": hostile}},
                    "e": {"type": "string", "externalDocs": {"url": "javascript:alert(1)"}},
                },
                "oneOf": [{"required": [hostile]}, {"properties": {"a": {"enum": [hostile]}}}],
                "not": {"properties": {"a": {"pattern": hostile}}},
                "x-kubernetes-validations": [
                    {"rule": hostile, "message": hostile, "messageExpression": hostile, "reason": hostile},
                ],
            },
        },
    });
    let version = |name: &str| {
        json!({"name": name, "served": true, "storage": true, "deprecated": true, "deprecationWarning": hostile,
            "schema": {"openAPIV3Schema": schema}, "selectableFields": [{"jsonPath": hostile}],
            "subresources": {"status": {}, "scale": {"specReplicasPath": hostile, "statusReplicasPath": hostile}},
            "additionalPrinterColumns": [
                {"name": hostile, "type": hostile, "jsonPath": hostile, "description": hostile, "priority": 1}]})
    };
    CustomResourceDefinition::from_value(json!({
        "metadata": {"name": hostile},
        "spec": {"group": hostile, "scope": hostile, "versions": [version(hostile), version("v1")],
            "names": {"plural": hostile, "singular": hostile, "kind": hostile, "shortNames": [hostile],
                "categories": [hostile]}},
    }))
    .unwrap()
}

fn samples(hostile: &str) -> Vec<PageSample> {
    vec![PageSample { version: "v1".to_owned(), yaml: format!("spec:\n  a: {hostile}\n") }]
}

/// The elements of pages with their attributes.
const ELEMENTS: [(&str, &[&str]); 36] = [
    ("html", &["lang"]),
    ("head", &[]),
    ("meta", &["charset", "name", "content"]),
    ("title", &[]),
    ("link", &["rel", "href"]),
    ("script", &["defer", "src"]),
    ("body", &[]),
    ("header", &[]),
    ("main", &[]),
    ("nav", &["aria-label"]),
    ("section", &["class", "id"]),
    ("h1", &[]),
    ("h2", &[]),
    ("h3", &[]),
    ("p", &["class", "id", "hidden"]),
    ("a", &["href", "rel"]),
    ("input", &["id", "type", "placeholder", "aria-label"]),
    ("button", &["type", "id"]),
    ("details", &["class", "id", "open"]),
    ("summary", &[]),
    ("code", &[]),
    ("pre", &["tabindex"]),
    ("span", &["class"]),
    ("b", &["class"]),
    ("div", &["class", "tabindex"]),
    ("dl", &[]),
    ("dt", &[]),
    ("dd", &[]),
    ("ul", &["class"]),
    ("li", &["data-words"]),
    ("table", &[]),
    ("thead", &[]),
    ("tbody", &[]),
    ("tr", &[]),
    ("th", &[]),
    ("td", &[]),
];

/// Returns the text of a page, and how often each element is there. Everything that is not ours fails.
fn read_html(html: &str) -> (String, BTreeMap<String, usize>) {
    let known: BTreeMap<&str, &[&str]> = ELEMENTS.into_iter().collect();
    let (mut open, mut text, mut count): (Vec<String>, String, BTreeMap<String, usize>) = Default::default();
    let mut anchors = HashSet::new();
    for token in Tokenizer::new(html) {
        match token.unwrap() {
            Token::StartTag(tag) => {
                let name = String::from_utf8(tag.name.to_vec()).unwrap();
                let allowed = known.get(name.as_str()).unwrap_or_else(|| panic!("<{name}> in {html}"));
                for (key, value) in &tag.attributes {
                    let (key, value) =
                        (String::from_utf8_lossy(key), String::from_utf8_lossy(value).into_owned());
                    assert!(allowed.contains(&&*key), "{name} {key}");
                    if key == "href" {
                        let is_ours =
                            value.starts_with('#') || value.ends_with(".html") || value.ends_with(".css");
                        assert!(is_ours || value.starts_with("https://"), "{value}");
                    }
                    assert!(key != "src" || value.ends_with("script.js"));
                    assert!(key != "id" || anchors.insert(value.clone()), "{value} is there twice");
                }
                *count.entry(name.clone()).or_default() += 1;
                if !matches!(name.as_str(), "meta" | "link" | "input") {
                    open.push(name);
                }
            }
            Token::EndTag(tag) => assert_eq!(open.pop().unwrap().as_bytes(), tag.name.as_slice()),
            Token::String(found) => text += &String::from_utf8_lossy(&found),
            Token::Doctype(_) => {}
            Token::Comment(_) | Token::Error(_) => panic!("a comment or an error of syntax"),
        }
    }
    assert!(open.is_empty());
    (text, count)
}

#[test]
fn no_text_of_a_definition_becomes_html() {
    let plain = page(&definition("plain"), &samples("plain"), PageFormat::Html).unwrap();
    let (_, expected) = read_html(&plain);
    for hostile in HOSTILE {
        let (text, count) =
            read_html(&page(&definition(hostile), &samples(hostile), PageFormat::Html).unwrap());
        if !hostile.contains(['\n', '\u{0}', '`', '[']) && !hostile.is_empty() {
            assert!(text.matches(hostile).count() > 20, "{hostile} is not shown");
        }
        // Parts of descriptions may differ, and nothing else.
        for name in ["script", "h1", "h2", "h3", "input", "button", "table", "tr"] {
            assert_eq!(count.get(name), expected.get(name), "{name} {hostile}");
        }
    }
}

/// Returns the headings of a page and its text. HTML and links to places that are not ours fail.
fn read_markdown(markdown: &str) -> (Vec<String>, String) {
    let (mut headings, mut text) = (Vec::new(), String::new());
    for options in [Options::empty(), Options::all()] {
        headings.clear();
        text.clear();
        for event in Parser::new_ext(markdown, options) {
            match event {
                Event::Start(Tag::Heading { level, id, .. }) => headings.push(format!("{level} {id:?}")),
                Event::Start(Tag::Link { dest_url, link_type, .. }) => {
                    assert_eq!(link_type, LinkType::Inline, "{markdown}");
                    assert!(dest_url.starts_with("https://") || dest_url.ends_with(".md"), "{dest_url}");
                }
                Event::Start(Tag::Image { .. } | Tag::HtmlBlock | Tag::Table(_) | Tag::BlockQuote(_))
                | Event::Html(_)
                | Event::InlineHtml(_)
                | Event::FootnoteReference(_)
                | Event::Rule => panic!("{event:?} in {markdown}"),
                Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough) => panic!("{event:?}"),
                Event::Text(found) | Event::Code(found) => text += &found,
                _ => {}
            }
        }
    }
    (headings, text)
}

#[test]
fn no_text_of_a_definition_becomes_markdown() {
    let levels = |headings: &[String]| headings.iter().map(|one| one[..2].to_owned()).collect::<Vec<_>>();
    let plain = levels(
        &read_markdown(&page(&definition("plain"), &samples("plain"), PageFormat::Markdown).unwrap()).0,
    );
    for hostile in HOSTILE {
        let markdown = page(&definition(hostile), &samples(hostile), PageFormat::Markdown).unwrap();
        let (headings, _) = read_markdown(&markdown);
        assert_eq!(levels(&headings), plain, "{hostile}\n{markdown}");
        assert!(!markdown.contains("{{") && !markdown.contains("{%"), "{markdown}");
        // MDX and Docusaurus read these at the beginning of a line, but not within code.
        let mut outside = markdown.clone();
        for (event, range) in Parser::new_ext(&markdown, Options::empty()).into_offset_iter() {
            if matches!(event, Event::Start(Tag::CodeBlock(_))) {
                outside.replace_range(range.clone(), &"x".repeat(range.len()));
            }
        }
        for start in ["\nimport ", "\nexport ", "\n:::"] {
            assert!(!outside.contains(start), "{start} in {markdown}");
        }
    }
}

/// Returns what a page in Markdown has for a description.
fn described(description: &str) -> String {
    let crd = CustomResourceDefinition::from_value(json!({"spec": {"names": {"kind": "A"}, "versions": [
        {"name": "v1", "served": true, "schema": {"openAPIV3Schema": {"type": "object", "description": description}}}]}}));
    let page = page(&crd.unwrap(), &[], PageFormat::Markdown).unwrap();
    page.split_once("{#version:v1}\n\n").unwrap().1.to_owned()
}

#[test]
fn the_finished_line_is_read_by_no_other_reader_as_code() {
    for (description, expected) in [
        // MDX runs lines that begin with these words, whatever blanks are before them, and whatever they were joined from.
        ("\u{a0} export default x", "&#160; &#101;xport default x\n\n"),
        ("\u{3000}import x\n\nexporter", "&#12288;&#105;mport x\n\n&#101;xporter\n\n"),
        ("exp[ort default x](<>)", "&#101;xport default x ()\n\n"),
        ("1[. An item](<>) 2. 3", "1&#46; An item () 2. 3\n\n"),
        ("[exp](javascript:x)*ort* `a`", "exp (javascript&#58;x)ort `a`\n\n"),
        // The fences of two spans fuse.
        ("`a`*``b`<i>``*", "`a` ``b`<i>``\n\n"),
        ("```` ``` ````", "&#34;&#96;&#96;&#96;&#34;\n\n"),
        // Directives, attributes, and files that other steps read even within code.
        ("a :b[c]{d=e} ::f", "a &#58;b&#91;c&#93;&#123;d&#61;e&#125; &#58;&#58;f\n\n"),
        ("/// html | script", "&#47;&#47;&#47; html &#124; script\n\n"),
        ("`--8<-- \"a\"`", "&#34;--8&#60;-- &#34;a&#34;&#34;\n\n"),
        (
            "`<!--@include: a-->` `{!a!}`",
            "&#34;&#60;&#33;--&#64;include: a--&#62;&#34; &#34;&#123;&#33;a&#33;&#125;&#34;\n\n",
        ),
        (
            "~~~~\n```mdx-code-block\nexport a\n```\n~~~~",
            "&#96;&#96;&#96;mdx-code-block  \n&#101;xport a  \n&#96;",
        ),
        (
            "{{ a }} `{{ b }}`",
            "&#123;&#8203;&#123; a &#125;&#125; &#34;&#123;&#8203;&#123; b &#125;&#125;&#34;\n\n",
        ),
        ("    {{ a }}\n      b", "&#123;&#8203;&#123; a &#125;&#125;  \n&#160;&#160;b\n\n"),
        // Addresses that GitHub makes links of.
        ("a@b.c www.a.b ftp://a.b", "a&#64;b.c www&#46;a.b ftp&#58;&#47;&#47;a.b\n\n"),
        // Python-Markdown has no fences in lists.
        ("- a\n\n  ```\n  <b>\n  ```", "-   a\n\n    &#60;b&#62;\n\n"),
        ("- a\n\n  ```\n  b\n  ```", "-   a\n\n    ```\n    b\n    ```\n\n"),
        ("- ```\n  a@b.c{onclick=d}\n  ```", "- a&#64;b.c&#123;onclick&#61;d&#125;\n\n"),
        // Lists in a row are one list; what is simple stays simple.
        (
            "Some `text`, see https://a.b/c:\n\n- a\n- b\n\n* c",
            "Some `text`, see [https://a.b/c](https://a.b/c):\n\n- a\n- b\n- c\n\n",
        ),
    ] {
        let found = described(description);
        assert!(found.starts_with(expected), "{description:?} is\n{found}");
    }
}

#[test]
fn names_of_fields_do_not_repeat_an_identifier_of_the_page() {
    let fields: Value = ["filter", "unfold", "fold", "theme", "nothing", "page:filter"]
        .into_iter()
        .map(|name| (name.to_owned(), json!({"type": "string"})))
        .chain([
            ("version".to_owned(), json!({"type": "object", "properties": {"v1": {"type": "string"}}})),
            ("kubectl".to_owned(), json!({"type": "object", "properties": {"commands": {"type": "string"}}})),
        ])
        .collect();
    let version = |name: &str| json!({"name": name, "served": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": fields}}});
    let versions = ["v2", "v1", "version", "page", "kubectl"].map(version);
    let crd =
        CustomResourceDefinition::from_value(json!({"spec": {"names": {"kind": "A"}, "versions": versions}}));
    let crd = crd.unwrap();
    // The reader fails on an identifier that is there twice.
    read_html(&page(&crd, &[], PageFormat::Html).unwrap());
    let markdown = page(&crd, &[], PageFormat::Markdown).unwrap();
    let mut anchors: Vec<&str> =
        markdown.lines().filter_map(|line| Some(line.split_once(" {#")?.1)).collect();
    let count = anchors.len();
    anchors.sort_unstable();
    anchors.dedup();
    assert_eq!(anchors.len(), count);
}

fn shirt() -> CustomResourceDefinition {
    let spec = |more: Value| {
        let mut properties = json!({
            "size": {"type": "integer", "minimum": 1, "maximum": 9, "exclusiveMaximum": true},
            "ports": {"type": "array", "maxItems": 3, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                "items": {"type": "object", "required": ["name"], "properties": {
                    "name": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]},
                    "protocol": {"type": "string", "enum": ["TCP", "UDP"], "default": "TCP"}}}},
        });
        properties.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}})
    };
    CustomResourceDefinition::from_value(json!({"spec": {
        "group": "stable.example.com", "scope": "Namespaced", "names": {"plural": "shirts", "kind": "Shirt"},
        "versions": [
            {"name": "v1alpha0", "served": true},
            {"name": "v1alpha1", "served": true, "schema": spec(json!({"old": {"type": "string"}}))},
            {"name": "v1", "served": true, "storage": true, "schema": spec(json!({"new": {"type": "string"}, "more": {
                "type": "object", "properties": {"inside": {"type": "boolean"}}}}))},
            {"name": "v2", "served": false},
        ],
    }}))
    .unwrap()
}

#[test]
fn a_page_has_the_facts_of_every_field() {
    let markdown = page(&shirt(), &[], PageFormat::Markdown).unwrap();
    let (_, text) = read_markdown(&markdown);
    for expected in [
        "Value: at least 1",
        "Value: less than 9",
        "list of objects, keyed by name",
        "Items: at most 3 items",
        "merges items that have the same keys",
        "One of: \"TCP\", \"UDP\"",
        "Default: \"TCP\" – set only if spec.ports is present",
        "the value cannot be changed",
        "string, since v1",
        "object, since v1",
        "string, required",
        "Removed fields of the previous version:spec.old",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    for anchor in ["{#spec-ports-protocol}", "{#v1alpha1.spec-ports-protocol}", "{#version:v1}"] {
        assert!(markdown.contains(anchor), "{anchor}");
    }
    assert!(!text.contains("v2"));
    // A version without a schema had unknown fields, and fields come with their parents.
    assert!(!text.contains("since v1alpha1") && !text.contains("boolean, since"));
}

#[test]
fn types_of_kubernetes_have_links() {
    let properties = json!({
        "selector": {"type": "object", "properties": {
            "matchLabels": {"type": "object", "additionalProperties": {"type": "string"}},
            "matchExpressions": {"type": "array", "items": {"type": "object"}},
        }},
        "mine": {"type": "object", "properties": {"matchLabels": {"type": "string"}}},
    });
    let crd = CustomResourceDefinition::from_value(json!({"spec": {
        "group": "stable.example.com", "names": {"plural": "shirts", "kind": "Shirt"},
        "versions": [{"name": "v1", "served": true, "schema": {"openAPIV3Schema": {
            "type": "object", "properties": {"metadata": {"type": "object"}, "spec": {"type": "object", "properties": properties}},
        }}}],
    }}))
    .unwrap();
    for format in [PageFormat::Html, PageFormat::Markdown] {
        let text = page(&crd, &[], format).unwrap();
        let count = |link: &str| {
            text.matches(&format!("https://kubernetes.io/docs/reference/kubernetes-api/{link}")).count()
        };
        assert_eq!(count("common-definitions/label-selector/#LabelSelector"), 1, "{text}");
        assert_eq!((count("common-definitions/object-meta/#ObjectMeta"), count("")), (1, 2), "{text}");
    }
}

#[test]
fn different_paths_have_different_anchors() {
    let property =
        json!({"type": "object", "properties": {"b": {"type": "string"}, "B": {"type": "string"}}});
    let names = ["a", "a-b", "a_b", "a.b", "a_2db", "a b", "", "ä"];
    let properties: Value = names.iter().map(|name| ((*name).to_owned(), property.clone())).collect();
    let crd = CustomResourceDefinition::from_value(json!({"spec": {"names": {"kind": "A"}, "versions": [
        {"name": "v1", "served": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}}}]}}));
    // The reader fails on an identifier that is there twice.
    let (_, count) = read_html(&page(&crd.unwrap(), &[], PageFormat::Html).unwrap());
    assert_eq!(count["details"], 24);
}

#[test]
fn long_paths_have_no_page() {
    let properties: Value = (0..1000).map(|i| (format!("f{i}"), json!({"type": "string"}))).collect();
    let long = json!({"x".repeat(10_000): {"type": "object", "properties": properties}});
    let crd = CustomResourceDefinition::from_value(json!({"spec": {"names": {"kind": "A"}, "versions": [
        {"name": "v1", "served": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": long}}}]}}));
    assert_eq!(page(&crd.unwrap(), &[], PageFormat::Html), Err(PageTooLarge));
}

#[test]
fn long_descriptions_are_text() {
    let crd = CustomResourceDefinition::from_value(json!({"spec": {"names": {"kind": "A"}, "versions": [
        {"name": "v1", "served": true, "schema": {"openAPIV3Schema": {
            "type": "object", "description": "*a_ ".repeat(20_000)}}}]}}));
    assert!(page(&crd.unwrap(), &[], PageFormat::Html).unwrap().contains("<p>*a_ *a_ "));
}

#[test]
fn the_index_links_to_every_kind() {
    let mut crd = shirt();
    crd.spec.names.short_names = Some(vec!["<b>".to_owned(), "\"x".to_owned()]);
    for format in [PageFormat::Html, PageFormat::Markdown] {
        let entries = [PageEntry::for_crd(&crd, format).unwrap()];
        let files = shared_files(&entries, format);
        assert!(files[0].1.contains(&entries[0].path()));
        match format {
            PageFormat::Html => assert_eq!(read_html(&files[0].1).1["li"], 1),
            PageFormat::Markdown => assert_eq!(read_markdown(&files[0].1).0.len(), 2),
        }
    }
}
