//! Nesting of files as modules of one file.

/// `text` as the inside of `pub mod name`. No literal has a line break in it, so lines can be moved.
pub(crate) fn nest(name: &str, text: &str) -> String {
    let mut nested = format!("pub mod {name} {{\n");
    for line in text.lines() {
        if line.is_empty() {
            nested.push('\n');
        } else {
            nested.push_str("    ");
            nested.push_str(line);
            nested.push('\n');
        }
    }
    nested.push_str("}\n");
    nested
}
