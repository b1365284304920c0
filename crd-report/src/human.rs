//! Prints messages as text, in the layout of rustc.

use annotate_snippets::{AnnotationKind, Group, Level as Shown, Origin, Renderer, Snippet};

use crate::{Level, Message, Spot, shortened, visible};

/// Returns the message with colors. The output stream removes the colors if they are disabled or not supported.
pub(crate) fn human(message: &Message) -> String {
    let level = match message.level {
        Level::Error => Shown::ERROR,
        Level::Warning | Level::Note => Shown::WARNING,
        Level::Notice => Shown::NOTE,
    };
    let file = visible(&message.file);
    let text = shortened(&message.text);
    let title = level.primary_title(visible(&text));
    let title = if message.is_advice { title.id(message.reason) } else { title };
    let line;
    let group = match &message.spot {
        Some(spot) if !spot.source.is_empty() => {
            line = shown_line(spot);
            let (source, span) = &line;
            let snippet = Snippet::source(source).line_start(spot.line).path(&*file);
            title.element(snippet.annotation(AnnotationKind::Primary.span(span.clone())))
        }
        Some(spot) => title.element(Origin::path(&*file).line(spot.line).char_column(spot.column)),
        None if file.is_empty() => Group::with_title(title),
        None => title.element(Origin::path(&*file)),
    };
    let group = match &message.help {
        Some(help) => group.element(Shown::HELP.message(visible(help))),
        None => group,
    };
    let mut text = Renderer::styled().render(&[group]);
    text.push_str("\n\n");
    text
}

/// Returns the line with control characters escaped. Tabs become single spaces, so that column numbers stay correct.
fn shown_line(spot: &Spot) -> (String, std::ops::Range<usize>) {
    let tidy = |text: &str| visible(&text.replace('\t', " ")).into_owned();
    let before = tidy(&spot.source[..spot.span.start]);
    let meant = tidy(&spot.source[spot.span.clone()]);
    let span = before.len()..before.len() + meant.len();
    (before + &meant + &tidy(&spot.source[spot.span.end..]), span)
}
