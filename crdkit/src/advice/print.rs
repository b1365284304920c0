//! Prints advice on standard error, formatted like the output of `crdkit check`.

use std::collections::HashSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use crate::{Advice, UncheckedCrd};

/// The advice that this process has printed.
static PRINTED: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// Prints the advice on a CRD, unless this process has already printed it. Otherwise, both the generated test and
/// `CrdFiles` would print it.
///
/// The advice is written to standard error directly, because `cargo test` hides the output of `eprintln!` in passing tests.
pub(crate) fn print(crd: &UncheckedCrd) {
    let name = &crd.as_crd().metadata.name;
    let texts = crd.advice().into_iter().map(|advice| shown(name, &advice));
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    let printed = printed.get_or_insert_default();
    let new: String = texts.filter(|text| printed.insert(text.clone())).collect();
    // A closed standard error is not a mistake of the definition.
    let _ = std::io::stderr().write_all(new.as_bytes());
}

/// Returns the text to print. A warning from the API server has no path, so the text contains the CRD's name.
fn shown(definition: &str, advice: &Advice) -> String {
    let kind = if advice.name.is_empty() { String::new() } else { format!("[{}]", advice.name) };
    let place = if advice.place.is_empty() { format!("\n  --> {definition}") } else { String::new() };
    format!("warning{kind}: {advice}{place}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_has_the_form_of_the_command_line() {
        let mut advice = Advice {
            name: "wide-integer",
            field: "spec.versions[0].schema".to_owned(),
            place: "TankSpec.litres".to_owned(),
            location: "src/tank.rs:3".to_owned(),
            message: "too wide".to_owned(),
            help: "bound it".to_owned(),
        };
        assert_eq!(
            shown("tanks.example.com", &advice),
            "warning[wide-integer]: spec.versions[0].schema: too wide\n  --> TankSpec.litres (src/tank.rs:3)\n  \
             help: bound it\n\n"
        );
        (advice.name, advice.place, advice.field, advice.help) =
            ("", String::new(), String::new(), String::new());
        assert_eq!(shown("tanks.example.com", &advice), "warning: too wide\n  --> tanks.example.com\n\n");
    }
}
