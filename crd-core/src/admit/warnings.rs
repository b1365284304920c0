//! The warnings of an answer: each once, and not more text than the API server sends.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/filters/warning.go`.

use std::collections::HashSet;

/// So many characters may all warnings have before they are cut.
const MOST_IN_ALL: usize = 4 * 1024;
/// So many characters are left of each then.
const MOST_OF_ONE: usize = 256;

/// Warnings, in order.
#[derive(Default)]
pub(super) struct Warnings {
    seen: HashSet<String>,
    texts: Vec<String>,
}

impl Warnings {
    /// Adds a warning, unless it is there already or could not stand in a header.
    pub(super) fn add(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() && !text.contains(char::is_control) && self.seen.insert(text.clone()) {
            self.texts.push(text);
        }
    }

    /// What is sent of them.
    pub(super) fn into_vec(self) -> Vec<String> {
        let all: usize = self.texts.iter().map(|text| text.chars().count()).sum();
        if all <= MOST_IN_ALL {
            return self.texts;
        }
        let mut written = 0;
        let cut = self.texts.into_iter().map(|text| text.chars().take(MOST_OF_ONE).collect::<String>());
        cut.take_while(|text| {
            let fits = written < MOST_IN_ALL;
            written += text.chars().count();
            fits
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_once_and_not_too_much() {
        let mut warnings = Warnings::default();
        for text in ["a", "", "b\n", "a", "c"] {
            warnings.add(text);
        }
        assert_eq!(warnings.into_vec(), ["a", "c"]);
        let mut warnings = Warnings::default();
        for i in 0..100 {
            warnings.add(format!("{i:0300}"));
        }
        let warnings = warnings.into_vec();
        assert_eq!((warnings.len(), warnings[0].len()), (16, 256));
    }
}
