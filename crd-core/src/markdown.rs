//! A limit for descriptions that are parsed as Markdown.
//!
//! Descriptions come from other people, and some take more than linear time to parse: a parser searches a link's title again for each line,
//! and compares each emphasis marker with all open markers.

/// Maximum length of a text. All public descriptions are shorter than a tenth of this length.
const MAX_LENGTH: usize = 64 << 10;
/// Maximum depth of lists and quotations within one line: a parser compares each blank line with every open list and quotation.
const MAX_DEPTH: usize = 40;
/// Maximum number of steps for each byte of a text. A text with fewer bytes than this number counts as having this number of bytes.
const MAX_STEPS: u64 = 256;
/// Characters for which a parser looks at the rest of the paragraph, even beyond the line.
const SIGNS: &[u8] = b"*_~`[]<&\\!|$\"'";

/// Returns `true` if the time to parse these lines is proportional to the length of the text.
///
/// ```
/// use crd_core::markdown::is_cheap;
///
/// assert!(is_cheap("The *number* of `replicas`.\n\n- a\n- b".lines()));
/// assert!(!is_cheap(format!("[a](b \"{}", "x\n".repeat(10_000)).lines()));
/// assert!(!is_cheap(["*a_".repeat(10_000).as_str()]));
/// ```
#[must_use]
pub fn is_cheap<'t, L: IntoIterator<Item = &'t str>>(lines: L) -> bool {
    let (mut length, mut steps) = (0, 0);
    // The signs of the paragraph, and its length.
    let (mut signs, mut before) = (0, 0);
    for line in lines {
        length += line.len() + 1;
        if length > MAX_LENGTH || is_deep(line) {
            return false;
        }
        if line.trim_start_matches([' ', '\t', '>', '\r']).is_empty() {
            (signs, before) = (0, 0);
            continue;
        }
        let of_line = 1 + line.bytes().filter(|byte| SIGNS.contains(byte)).count();
        steps += (of_line * (before + line.len()) + signs * line.len()) as u64;
        signs += of_line;
        before += line.len();
    }
    steps <= MAX_STEPS * MAX_STEPS.max(length as u64)
}

/// Returns `true` if the line may open an unreasonable number of quotations and lists.
fn is_deep(line: &str) -> bool {
    let markers = line.bytes().take_while(|byte| b" \t>-+*.)".contains(byte) || byte.is_ascii_digit());
    let (mut depth, mut last) = (0, b' ');
    for byte in markers {
        // A list marker counts with the space after it, so that a rule is not deep.
        depth +=
            usize::from(byte == b'>' || matches!(byte, b' ' | b'\t') && !matches!(last, b' ' | b'\t' | b'>'));
        last = byte;
    }
    depth > MAX_DEPTH
}

#[cfg(test)]
mod tests {
    use super::is_cheap;

    #[test]
    fn texts_that_take_a_parser_more_than_linear_time_are_not_read() {
        for text in [
            "[a](b \"".to_owned() + &"x\n".repeat(1_000),
            "*a_".repeat(1_000),
            "<a b='".repeat(1_000),
            "[a]: b \"\n".repeat(1_000),
            "> ".repeat(50),
            "- ".repeat(50),
            "a\n\n".repeat(30_000),
            "a".repeat(70_000),
        ] {
            assert!(!is_cheap(text.lines()), "{}", &text[..50]);
        }
    }

    #[test]
    fn long_texts_of_people_are_read() {
        let paragraph =
            "The *name* of a `Service`, see [the page](https://a.example/b_c). It's `a` or \"b\", and <c>.\n"
                .repeat(12);
        let text = format!("{paragraph}\n- a\n- b\n\n").repeat(40);
        assert!(text.len() > 40_000 && is_cheap(text.lines()));
        assert!(
            is_cheap("- - a\n***\n`*_~`".lines()) && is_cheap(["*_".repeat(60).as_str()]) && is_cheap([])
        );
    }
}
