//! Texts are separated by a byte that no text in UTF-8 has.

use html5gum::{Token, Tokenizer};
use pulldown_cmark::Options;

use super::page::{pages, strange, words};

pub(crate) fn run(bytes: &[u8]) {
    let texts: Vec<String> =
        bytes.split(|byte| *byte == 0xff).map(|text| String::from_utf8_lossy(text).into_owned()).collect();
    let [markdown, html] = pages(&texts);
    for options in [Options::empty(), Options::all()] {
        assert_eq!(strange(&markdown, options), None, "{markdown}");
    }
    // One body a text, and the text may not bring what runs or loads.
    assert!(words(&html).len() <= texts.len(), "{html}");
    let [_, harmless] = pages(&vec!["a".to_owned(); texts.len()]);
    assert_eq!(dangers(&html), dangers(&harmless), "{html}");
}

/// Returns the elements and attributes of a page by which it runs or loads something.
fn dangers(html: &str) -> Vec<String> {
    let mut dangers = Vec::new();
    for token in Tokenizer::new(html) {
        let Ok(Token::StartTag(tag)) = token else { continue };
        let name = String::from_utf8_lossy(&tag.name).into_owned();
        for (key, value) in &tag.attributes {
            let (key, value) = (String::from_utf8_lossy(key), String::from_utf8_lossy(value));
            let is_link = name == "a" && key == "href";
            let is_web =
                value.starts_with("http://") || value.starts_with("https://") || value.starts_with('#');
            if key.starts_with("on") || key == "style" || key == "src" || is_link && !is_web {
                dangers.push(format!("{name} {key}={value}"));
            }
        }
        if matches!(
            &*name,
            "script"
                | "style"
                | "link"
                | "meta"
                | "base"
                | "iframe"
                | "object"
                | "embed"
                | "img"
                | "form"
                | "svg"
        ) {
            dangers.push(name);
        }
    }
    dangers
}
