//! Formats a table like `kubectl get`.
//!
//! Source: `cli-runtime/pkg/printers/tableprinter.go` and Go's `text/tabwriter`.

use serde_json::Value;

use super::Column;

/// Minimum width of a column, and the spaces between two columns.
const LEAST_WIDTH: usize = 6;
const PADDING: usize = 3;

/// Maximum number of spaces for aligning a table, in addition to one for each character in the cells. Without this limit, the table's size
/// can be quadratic, because each row can have one long cell in a different column.
const MOST_SPACES: usize = 1 << 20;

/// Returns a table's lines, including the headings. Columns with a priority are shown with `wide` only.
///
/// A column that would need far more spaces than its cells have characters is not aligned. Its cells are then followed by three spaces.
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
    let widths = widths(&lines);
    let mut out = String::new();
    for line in &lines {
        for (i, cell) in line.iter().enumerate() {
            out.push_str(cell);
            if i + 1 < line.len() {
                let spaces = widths[i].map_or(PADDING, |width| width - length(cell));
                out.extend(std::iter::repeat_n(' ', spaces));
            }
        }
        out.push('\n');
    }
    out
}

/// Returns the width of each column, or `None` for a column whose alignment would take too many spaces.
fn widths(lines: &[Vec<String>]) -> Vec<Option<usize>> {
    let count = lines.iter().map(Vec::len).max().unwrap_or_default();
    let characters: usize = lines.iter().flatten().map(|text| length(text)).sum();
    let mut spaces = MOST_SPACES + characters;
    let width = |i: usize| {
        let lengths = || lines.iter().filter_map(|line| line.get(i)).map(|text| length(text));
        let width = (lengths().max()? + PADDING).max(LEAST_WIDTH);
        let needed = lengths().map(|length| width - length).sum();
        spaces = spaces.checked_sub(needed)?;
        Some(width)
    };
    (0..count).map(width).collect()
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Returns a cell's first line, with control characters made visible.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn spaces_do_not_outgrow_the_cells() {
        let column = |name: &str| Column { name: name.to_owned(), ..super::super::name() };
        let columns: Vec<Column> = (0..300).map(|i| column(&format!("c{i}"))).collect();
        // Each row has one long cell, in a column of its own.
        let row = |i: usize| {
            let mut row = vec![json!(""); columns.len()];
            row[i] = json!("x".repeat(1_000));
            row
        };
        let rows: Vec<Vec<Value>> = (0..columns.len()).map(row).collect();
        let printed = print(&columns, &rows, false);
        assert!(printed.len() < 4_000_000, "{}", printed.len());
        let line = printed.lines().nth(columns.len()).expect("a line for each row");
        assert!(line.ends_with(&"x".repeat(1_000)), "no cell is cut");
    }
}
