//! Prints a table as `kubectl get` does.
//!
//! Source: `cli-runtime/pkg/printers/tableprinter.go` and Go's `text/tabwriter`.

use serde_json::Value;

use super::Column;

/// The least width of a column, and the spaces between two columns.
const LEAST_WIDTH: usize = 6;
const PADDING: usize = 3;

/// Returns the lines of a table, headings included. Columns with a priority are shown with `wide` only.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_docs::table::{Columns, print};
/// use serde_json::json;
///
/// let crd = CustomResourceDefinition::from_value(json!({"spec": {"versions": [{"name": "v1"}]}}))?;
/// let columns = Columns::for_version(&crd, "v1").unwrap();
/// let row = [json!("my-object"), json!(null)];
/// assert_eq!(print(columns.columns(), &[row.into()], false), "NAME        AGE\nmy-object   \n");
/// # Ok::<(), crd_core::DecodeError>(())
/// ```
#[must_use]
pub fn print(columns: &[Column], rows: &[Vec<Value>], wide: bool) -> String {
    let is_shown = |column: &&Column| wide || column.priority == 0;
    let heading = columns.iter().filter(is_shown).map(|column| column.name.to_uppercase()).collect();
    let shown = |row: &Vec<Value>| {
        let cells = columns.iter().zip(row).filter(|(column, _)| is_shown(column));
        cells.map(|(_, cell)| text(cell)).collect()
    };
    let lines: Vec<Vec<String>> = std::iter::once(heading).chain(rows.iter().map(shown)).collect();
    let count = lines.iter().map(Vec::len).max().unwrap_or_default();
    let length = |text: &String| text.chars().count();
    let width = |i: usize| {
        let longest = lines.iter().filter_map(|line| line.get(i)).map(length).max().unwrap_or_default();
        (longest + PADDING).max(LEAST_WIDTH)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut out = String::new();
    for line in &lines {
        for (i, cell) in line.iter().enumerate() {
            out.push_str(cell);
            if i + 1 < line.len() {
                out.extend(std::iter::repeat_n(' ', widths[i] - length(cell)));
            }
        }
        out.push('\n');
    }
    out
}

/// The text of a cell: the first line, with control characters made visible.
fn text(cell: &Value) -> String {
    let text = match cell {
        Value::Null => return String::new(),
        cell => crd_go::json::show(cell),
    };
    let mut lines = text.splitn(2, ['\n', '\r', '\u{c}']);
    let mut shown: String = lines.next().unwrap_or_default().replace('\u{1b}', "^[");
    if lines.next().is_some() {
        shown.push_str("...");
    }
    shown
}
