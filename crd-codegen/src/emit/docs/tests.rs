use super::Documentation;

fn lines(description: &str) -> Vec<String> {
    Documentation::from_description(Some(description)).lines
}

fn check(description: &str, expected: &[&str]) {
    assert_eq!(lines(description), expected, "{description:?}");
}

#[test]
fn prose_stays() {
    check("One line.", &["One line."]);
    check("  Two\n  lines.  \n\n\nNext.\n", &["Two", "lines.", "", "Next."]);
    check("*.example.com and a_b", &["*.example.com and a_b"]);
}

#[test]
fn links_and_html_are_no_accident() {
    check("see [1] and <key>", &["see \\[1\\] and \\<key>"]);
    check("[docs](https://a.io/x) [x](y)", &["[docs](https://a.io/x) \\[x\\](y)"]);
    check("at https://a.io/b_c#d, or http://x.", &["at <https://a.io/b_c#d>, or <http://x>."]);
    check("<https://a.io>", &["\\<<https://a.io>>"]);
    check("https:// and http://", &["https:// and http://"]);
}

#[test]
fn spans_of_code_stay_over_lines() {
    check("`[a]` and ``b`<c>`` and `d\n<e>`", &["`[a]` and ``b`<c>`` and `d", "<e>`"]);
    check("an open ` [a]", &["an open \\` \\[a\\]"]);
    check("C:\\*x and \\d", &["C:\\\\*x and \\d"]);
}

#[test]
fn code_is_no_test() {
    check(
        "Like:\n\n    let a = [1];\n\n    b\n\nEnd",
        &["Like:", "", "```text", "let a = [1];", "", "b", "```", "", "End"],
    );
    check("```yaml\na: [b]\n```\nc", &["```text", "a: [b]", "```", "c"]);
    check("~~~\nopen", &["~~~text", "open", "~~~"]);
    check("\tcode with ```\n", &["````text", "code with ```", "````"]);
    check("Text\n    continued, no code", &["Text", "continued, no code"]);
}

#[test]
fn lists_have_indented_lines() {
    check("- a\nb\n  - c\n10. d\n    e\n\nf", &["- a", "  b", "- c", "10. d", "    e", "", "f"]);
    check("* a\n\n  more\n\nend", &["* a", "", "  more", "", "end"]);
    check("2.", &["2\\."]);
}

#[test]
fn nothing_becomes_a_heading_or_a_quotation() {
    check("Title\n---\n# x\n> y\n===\n-", &["Title", "\\---", "\\# x", "\\> y", "\\===", "\\-"]);
}

#[test]
fn what_is_not_seen_is_shown() {
    check("a\u{202e}b\rc\u{0}", &["a\\u{202e}b\\u{d}c\\u{0}"]);
}

#[test]
fn long_texts_take_no_time() {
    for text in ["[", "`", "`` `", "http", "<", "- ", "\n", "    a\n", "[a](http://"] {
        let long = text.repeat(300_000 / text.len());
        let started = std::time::Instant::now();
        assert!(!lines(&format!("x{long}")).is_empty());
        // Far more than it takes, far less than if it took time with the square of the length.
        assert!(started.elapsed().as_secs() < 10, "{text:?}: {:?}", started.elapsed());
    }
}
