//! How unlike two words are: shared with the crates that say what was meant, and no part of what this crate promises.

/// How many letters have to be put in, taken out or changed.
#[must_use]
pub fn distance<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn letters_are_counted() {
        for (a, b, letters) in [("", "", 0), ("", "ab", 2), ("name", "nmae", 2), ("replicas", "replcas", 1)] {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), letters, "{a} {b}");
        }
    }
}
