//! What was meant: the known word nearest to the one that was found.

/// What may stand instead, the likeliest alone if there is one.
pub(super) fn choice(found: &str, known: &[&str]) -> String {
    match known.iter().find(|known| known.eq_ignore_ascii_case(found)) {
        Some(known) => format!(": did you mean `{known}`?"),
        None => format!(": use one of `{}`", known.join("`, `")),
    }
}

/// The field that was meant, or all there are.
pub(super) fn suggestion(found: &str, names: &[String]) -> String {
    let distance = |name: &String| (distance(found, name), name.clone());
    match names.iter().map(distance).min() {
        Some((distance, name)) if distance * 3 <= found.len().max(3) => format!(": did you mean `{name}`?"),
        _ if names.is_empty() => ": it has none".to_owned(),
        _ => format!(": it has `{}`", names.join("`, `")),
    }
}

/// How many letters have to change for one word to become the other, without regard to case and `_`.
fn distance(a: &str, b: &str) -> usize {
    let letters =
        |word: &str| word.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect::<Vec<_>>();
    let (a, b) = (letters(a), letters(b));
    crd_cel::distance::distance(&a, &b)
}
