//! Parts of a text of documentation that are not prose.

/// Parts that the parser of this rustdoc, or of the next one, finds in a text and that rustdoc would compile, or a browser would run
/// or fetch.
pub(crate) fn dangers(text: &str) -> Vec<String> {
    [current::dangers(text), next::dangers(text)].concat()
}

macro_rules! parser {
    ($module:ident, $parser:ident) => {
        mod $module {
            use $parser::{CodeBlockKind, Event, Options, Parser, Tag};

            pub(super) fn dangers(text: &str) -> Vec<String> {
                let options = Options::ENABLE_TABLES
                    | Options::ENABLE_FOOTNOTES
                    | Options::ENABLE_STRIKETHROUGH
                    | Options::ENABLE_TASKLISTS
                    | Options::ENABLE_SMART_PUNCTUATION;
                let danger = |event: &Event<'_>| match event {
                    Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(tags))) => **tags != *"text",
                    Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Image { .. }) => true,
                    Event::Start(Tag::Link { dest_url, .. }) => dest_url.starts_with("javascript:"),
                    Event::Html(_) | Event::InlineHtml(_) => true,
                    _ => false,
                };
                let found = [options, Options::empty()].map(|options| {
                    let events = Parser::new_ext(text, options).filter(danger);
                    events.map(|event| format!("{event:?} in {text:?}")).collect::<Vec<_>>()
                });
                found.concat()
            }
        }
    };
}
parser!(current, pulldown_cmark);
parser!(next, pulldown_cmark_next);
