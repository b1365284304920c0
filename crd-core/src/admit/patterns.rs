//! Patterns of schemas, each compiled once however many values it is for.

use std::collections::HashMap;

use crd_cel::re2::Regex;

/// The most steps that one search may take. What comes near it is no schema that anyone wrote: a pattern of a kilobyte
/// may look through a text of a hundred megabytes.
const MOST_STEPS: u64 = 1 << 33;

/// Compiled patterns.
#[derive(Default)]
pub(crate) struct Patterns(HashMap<String, Result<Regex, String>>);

impl Patterns {
    /// Whether `pattern` matches somewhere in `text`.
    ///
    /// # Errors
    /// The pattern is none, or takes too much memory, or too long on such a text.
    pub(crate) fn is_match(&mut self, pattern: &str, text: &str) -> Result<bool, String> {
        if let Some(compiled) = self.0.get(pattern) {
            return search(compiled, text);
        }
        let compiled = Regex::new(pattern).map_err(|error| error.to_string());
        search(self.0.entry(pattern.to_owned()).or_insert(compiled), text)
    }
}

fn search(compiled: &Result<Regex, String>, text: &str) -> Result<bool, String> {
    let regex = compiled.as_ref().map_err(Clone::clone)?;
    if regex.most_steps(text.len()) > MOST_STEPS {
        return Err(format!("it is too large to be looked for in {} bytes", text.len()));
    }
    Ok(regex.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_of_pattern_and_text_is_bounded() {
        let long = "x".repeat(1 << 20);
        let mut patterns = Patterns::default();
        assert_eq!(patterns.is_match("^x+$", &long), Ok(true));
        assert_eq!(patterns.is_match(&long[..1000], &long), Ok(true));
        let error =
            patterns.is_match(&long, &long).map_err(|error| error.contains("too large to be looked for"));
        assert_eq!(error, Err(true));
    }
}
