//! A page with descriptions, and what parsers find in it. The fuzz target `pages` uses it too.

use crd_core::CustomResourceDefinition;
use crd_docs::pages::{PageFormat, page};
use html5gum::{Token, Tokenizer};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};
use serde_json::{Map, json};

/// Returns a page whose fields have these descriptions, in both formats.
pub(crate) fn pages(descriptions: &[String]) -> [String; 2] {
    let property =
        |(at, text): (usize, &String)| (format!("p{at}"), json!({"type": "string", "description": text}));
    let properties: Map<_, _> = descriptions.iter().enumerate().map(property).collect();
    let crd = CustomResourceDefinition::from_value(json!({"spec": {"names": {"kind": "A"}, "versions": [
        {"name": "v1", "served": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}}}]}}));
    let crd = crd.unwrap();
    [PageFormat::Markdown, PageFormat::Html].map(|format| page(&crd, &[], format).unwrap())
}

/// Returns the words of each field on a page in HTML, which is written apart from Markdown.
pub(crate) fn words(html: &str) -> Vec<String> {
    let (mut words, mut is_body, mut path): (Vec<String>, bool, bool) = Default::default();
    for token in Tokenizer::new(html) {
        match token.unwrap() {
            Token::StartTag(tag)
                if tag.attributes.get(b"class".as_slice()).is_some_and(|class| &***class == b"body") =>
            {
                is_body = true;
                words.push(String::new());
            }
            Token::StartTag(tag)
                if tag.attributes.get(b"class".as_slice()).is_some_and(|class| &***class == b"path") =>
            {
                path = true;
            }
            Token::EndTag(tag) if path && &**tag.name == b"p" => path = false,
            Token::EndTag(tag) if &**tag.name == b"details" => is_body = false,
            Token::String(text) if is_body && !path => {
                *words.last_mut().unwrap() += &String::from_utf8_lossy(&text);
            }
            _ => {}
        }
    }
    words
}

/// Returns what a parser finds in a page that is not meant.
pub(crate) fn strange(markdown: &str, options: Options) -> Option<String> {
    Parser::new_ext(markdown, options).find_map(|event| {
        let is_ours = match &event {
            Event::Start(Tag::Link { link_type, dest_url, title, .. }) => {
                *link_type == LinkType::Inline && dest_url.starts_with("http") && title.is_empty()
            }
            Event::Start(
                Tag::Paragraph | Tag::Heading { .. } | Tag::List(None) | Tag::Item | Tag::CodeBlock(_),
            )
            | Event::End(_)
            | Event::Text(_)
            | Event::Code(_)
            | Event::HardBreak => true,
            _ => false,
        };
        (!is_ours).then(|| format!("{event:?}"))
    })
}
