//! Markdown in which there is code, in every shape that a description may have.

/// Shapes that became tests of the generated crate once.
pub(crate) const KNOWN: [&str; 20] = [
    "- ~~~\n  std::fs::write(\"x\",\"y\").unwrap();",
    "-     std::fs::write(\"x\",\"y\").unwrap();",
    "1.     panic!();",
    "- ```\n  panic!();\n  // ```",
    "intro\n10. foo\n\n    panic!();",
    "- 1.     panic!();",
    "- - ~~~\n    panic!();",
    "- > ~~~\n  > panic!();",
    "a `span\n1.     panic!();\n` around it",
    "> ~~~\n> panic!();",
    ">     panic!();",
    "- [ ] ~~~\n  panic!();",
    "-\t\tpanic!();",
    "  - a\n\n          panic!();",
    "    panic!();",
    // From pulldown-cmark 0.12 on, a footnote ends the paragraph of a list item, and with it the span.
    "- a `span\n  [^1]: ~~~\n      panic!();\n  ` around it",
    "1. a `span\n   [^1]: - ```\n   panic!();\n   ` around it",
    // From then on, a tab is as wide as its place in the line makes it, also before a quotation.
    "a\n-\n\t> panic!();",
    "-\t\t> panic!();",
    "[a]:m\n    \n0) ```\n   panic!();",
];

/// Markdown that may come before code: paragraphs, lists, quotations, tables, notes, HTML and addresses that are still open.
pub(crate) const BEGINNINGS: [&str; 16] = [
    "",
    "intro\n",
    "intro\n\n",
    "- item\n",
    "- item\n\n",
    "10. item\n\n",
    "> quoted\n",
    "> - quoted\n",
    "| a | b |\n|---|---|\n| c | d |\n",
    "[^1]: note\n",
    "# heading\n",
    "<div>\n",
    "[a]: https://example.com\n",
    "an open `span\n",
    "```text\nfenced\n```\n",
    "a\\\n",
];

/// Markers that open a container, with its depth.
pub(crate) const MARKERS: [&str; 24] = [
    "",
    "- ",
    "* ",
    "+ ",
    "1. ",
    "10) ",
    "> ",
    ">",
    "- [ ] ",
    "-     ",
    "1.     ",
    "- - ",
    "- > ",
    "> - ",
    "[^1]: ",
    "    ",
    "\t",
    "-\t",
    "-\t\t",
    "- 1.     ",
    "> >     ",
    "   - ",
    "999999999.      ",
    "| ",
];

/// Code, or what looks like it.
pub(crate) const BODIES: [&str; 16] = [
    "~~~\ncode();",
    "~~~\ncode();\n~~~",
    "```\ncode();\n// ```",
    "```rust\ncode();\n```",
    "```text,rust\ncode();\n```",
    "~~~text rust\ncode();\n~~~",
    "```{.rust}\ncode();\n```",
    "````text\n```\ncode();\n`````",
    "    code();",
    "\tcode();",
    "a\n\n      code();",
    "`a\n1.     code();\n`",
    "<pre>\n\n    code();\n</pre>",
    "<!-- -->\n    code();",
    "title\n---\n        code();",
    "\u{3000}    code();\r\n\u{a0}     code();",
];

/// Returns every body behind every marker after every beginning: on the marker's line, and with the other lines indented as the
/// marker asks for.
pub(crate) fn all() -> Vec<String> {
    let mut all: Vec<String> = KNOWN.map(str::to_owned).to_vec();
    for beginning in BEGINNINGS {
        for marker in MARKERS {
            for body in BODIES {
                all.push(inside(beginning, marker, body));
            }
        }
    }
    all
}

/// `body` behind `marker`, its other lines where the marker's content stands.
pub(crate) fn inside(beginning: &str, marker: &str, body: &str) -> String {
    let below: String = marker
        .chars()
        .map(|c| if matches!(c, '>' | '\t') { c } else { ' ' })
        .take(marker.trim_end().len() + 1)
        .collect();
    format!("{beginning}{marker}{}", body.replace('\n', &format!("\n{below}")))
}
