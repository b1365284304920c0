//! Messages as workflow commands of GitHub Actions, which shows them beside the lines.

use crate::{Level, Message, shortened};

/// One workflow command, with a line feed at the end.
pub(crate) fn github(message: &Message) -> String {
    let command = match message.level {
        Level::Error => "error",
        Level::Warning | Level::Note => "warning",
    };
    let mut out = format!("::{command} title={}", property(message.reason));
    if !message.file.is_empty() {
        out += &format!(",file={}", property(&message.file));
    }
    if let Some(spot) = &message.spot {
        out += &format!(",line={},col={}", spot.line, spot.column);
    }
    out += &format!("::{}", data(&shortened(&message.text)));
    if let Some(help) = &message.help {
        out += &data(&format!("\nhelp: {help}"));
    }
    out + "\n"
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
