//! The known name nearest to a misspelled name: "did you mean ...?".

/// Returns the name in `known` that `name` was probably meant to be.
///
/// Case, `_` and `-` are ignored. For every three letters, one letter may be inserted, removed, replaced, or swapped with the next letter.
/// One letter may always be changed, and three at most, but never all letters of a name. Among equally similar names, names that also agree
/// in case are preferred, and then the alphabetically first name.
///
/// The time is linear in the length of the names.
///
/// ```
/// use crd_go::nearest::nearest;
///
/// let known = ["minReplicas", "maxReplicas", "name"];
/// assert_eq!(nearest("minReplcas", known), Some("minReplicas"));
/// assert_eq!(nearest("MAX_REPLICAS", known), Some("maxReplicas"));
/// assert_eq!(nearest("image", known), None);
/// ```
#[must_use]
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let letters = letters(name);
    let most = (letters.len() / 3).clamp(1, MOST_EDITS);
    let distances = known.into_iter().filter_map(|known| Some((distance(&letters, known, most)?, known)));
    distances.min_by_key(|(edits, known)| (*edits, differing(name, known), *known)).map(|(_, known)| known)
}

/// Maximum number of edits for which a name counts as a likely misspelling of another name.
const MOST_EDITS: usize = 3;

fn letters(name: &str) -> Vec<char> {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// Returns the number of positions in which two names differ, including case.
fn differing(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).filter(|(a, b)| a != b).count()
}

/// Returns the number of letters to insert, remove, replace, or swap with the next letter, if there are at most `most`.
fn distance(a: &[char], b: &str, most: usize) -> Option<usize> {
    // The lower case of a character may have other lengths than the character, so this bound is a loose one.
    if b.len() > 8 * (a.len() + most) {
        return None;
    }
    let b = letters(b);
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    // Of each row, only the cells at most `most` from the diagonal are computed: all others cost more than `most`.
    let mut rows = [(0..=b.len()).collect(), vec![0; b.len() + 1], vec![0; b.len() + 1]];
    let mut was_near = true;
    for i in 1..=a.len() {
        let mut is_near = false;
        for j in i.saturating_sub(most)..=b.len().min(i + most) {
            let cell = |i: usize, j: usize| if i.abs_diff(j) <= most { rows[i % 3][j] } else { most + 1 };
            let edits = if j == 0 {
                i
            } else {
                let replaced = cell(i - 1, j - 1) + usize::from(a[i - 1] != b[j - 1]);
                let is_swapped = i > 1 && j > 1 && (a[i - 1], a[i - 2]) == (b[j - 2], b[j - 1]);
                let swapped = if is_swapped { cell(i - 2, j - 2) + 1 } else { replaced };
                replaced.min(swapped).min(cell(i - 1, j) + 1).min(cell(i, j - 1) + 1)
            };
            is_near |= edits <= most;
            rows[i % 3][j] = edits;
        }
        if !is_near && !was_near {
            return None;
        }
        was_near = is_near;
    }
    let row = &rows[a.len() % 3];
    let is_all = |edits: usize| edits > 0 && edits >= a.len().max(b.len());
    Some(row[b.len()]).filter(|edits| *edits <= most && !is_all(*edits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (a, b, edits) in [
            ("", "", Some(0)),
            ("name", "nmae", Some(1)),
            ("profiles", "rpofiesl", Some(3)),
            ("replicas", "replcas", Some(1)),
            ("replicas", "xreplicas", Some(1)),
            ("replicas", "eplicasxy", Some(3)),
            ("abcdef", "bcdefa", Some(2)),
            ("abcdef", "ghijkl", None),
            ("a", "abcde", None),
        ] {
            assert_eq!(distance(&letters(a), b, 3), edits, "{a} {b}");
            assert_eq!(distance(&letters(b), a, 3), edits, "{b} {a}");
        }
    }

    /// Computes the table of all prefixes, without a limit.
    fn slow(a: &[char], b: &[char]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i.max(j)
                } else {
                    let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let least = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    let is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                    if is_swapped { least.min(table[i - 2][j - 2] + 1) } else { least }
                };
            }
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn the_limit_changes_no_distance() {
        let mut state = 1u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for _ in 0..5_000 {
            let mut word =
                |length| (0..length).map(|_| ["a", "b", "c"][next(3) as usize]).collect::<String>();
            let (a, b) = (word(7), word(8));
            for (a, b) in [(&a[..], &b[..]), (&b[1..], &a[..5])] {
                for most in 0..4 {
                    let all = slow(&letters(a), &letters(b));
                    let longer = a.len().max(b.len());
                    let expected = Some(all).filter(|edits| *edits <= most && (all == 0 || all < longer));
                    assert_eq!(distance(&letters(a), b, most), expected, "{a} {b} {most}");
                }
            }
        }
    }

    #[test]
    fn names_that_are_not_alike_are_not_suggested() {
        let known = ["minReplicas", "maxReplicas", "name", "Name", "NAME", "b"];
        for (name, meant) in [
            ("nam", Some("name")),
            ("NAME", Some("NAME")),
            ("Nam", Some("Name")),
            ("min_replicas", Some("minReplicas")),
            ("mReplicas", Some("maxReplicas")),
            ("na", None),
            ("bb", Some("b")),
            ("x", None),
            ("image", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), meant, "{name}");
        }
    }
}
