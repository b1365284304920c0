//! Prints messages as workflow commands for GitHub Actions. GitHub then shows the messages next to the lines.

use crate::{Level, Message, shortened};

/// Returns one workflow command, with a line feed at the end.
pub(crate) fn github(message: &Message) -> String {
    let command = match message.level {
        Level::Error => "error",
        Level::Warning | Level::Note => "warning",
        Level::Notice => "notice",
    };
    let mut out = format!("::{command} title={}", property(message.reason));
    if !message.file.is_empty() {
        out += &format!(",file={}", property(repository_path(&message.file)));
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

/// Returns a path in the form that GitHub compares with changed files. The `./` from `check .` is removed.
pub(crate) fn repository_path(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_below_the_current_folder_are_those_of_the_repository() {
        let annotation =
            |file: &str| github(&Message { file: file.to_owned(), ..Message::for_run("a".to_owned()) });
        assert!(annotation("./crds/a.yaml").contains(",file=crds/a.yaml"), "{}", annotation("./crds/a.yaml"));
        assert!(annotation("../a.yaml").contains(",file=../a.yaml"), "{}", annotation("../a.yaml"));
    }
}
