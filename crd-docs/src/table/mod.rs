//! The table that `kubectl get` prints for objects.
//!
//! Source: `registry/customresource/tableconvertor` of apiextensions-apiserver.

mod age;
mod print;

pub use age::human_duration;
pub use print::print;

use crd_core::CustomResourceDefinition;
use crd_core::crd::PrinterColumn;
use crd_go::budget::Reserve;
use crd_go::json::{marshal, show};
use crd_go::time::Timestamp;
use serde_json::{Value, json};

use crate::json_path::{Failed, JsonPath, share};
use crate::openapi::metadata_description;

/// A version's columns, which turn objects into rows.
#[derive(Clone, Debug)]
pub struct Columns {
    columns: Vec<Column>,
    /// The paths for all columns except the first.
    paths: Vec<JsonPath>,
}

/// The definition of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// The heading.
    pub name: String,
    /// `boolean`, `date`, `integer`, `number` or `string`.
    pub type_: String,
    /// An OpenAPI format.
    pub format: String,
    /// The description of the column.
    pub description: String,
    /// 0 for the standard view, and a larger number for `-o wide`.
    pub priority: i32,
}

impl Column {
    /// Returns the column definition in the JSON of a `Table`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({
            "name": self.name,
            "type": self.type_,
            "format": self.format,
            "description": self.description,
            "priority": self.priority,
        })
    }
}

impl Columns {
    /// Returns a version's columns, or `None` if the CRD does not have the version.
    ///
    /// If a path cannot be parsed, only the columns before it are returned, as on the API server.
    ///
    /// ```
    /// use crd_core::CustomResourceDefinition;
    /// use crd_docs::table::{self, Columns};
    /// use crd_go::budget::Reserve;
    /// use serde_json::json;
    ///
    /// let crd = CustomResourceDefinition::from_value(json!({"spec": {"versions": [{"name": "v1",
    /// "additionalPrinterColumns": [
    ///     {"name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas"},
    /// ]}]}}))?;
    /// let columns = Columns::for_version(&crd, "v1").unwrap();
    /// let object = json!({"metadata": {"name": "a"}, "spec": {"replicas": 3}});
    /// let row = columns.row(&object, None, &mut Reserve::new(table::RESERVE));
    /// assert_eq!(row.cells, [json!("a"), json!(3)]);
    /// # Ok::<(), crd_core::DecodeError>(())
    /// ```
    #[must_use]
    pub fn for_version(crd: &CustomResourceDefinition, version: &str) -> Option<Self> {
        let version = crd.version(version)?;
        let mut columns = Self { columns: vec![name()], paths: Vec::new() };
        match version.additional_printer_columns.as_deref() {
            None | Some([]) => columns.add(&age()),
            Some(written) => written.iter().try_for_each(|column| columns.add(column)),
        }
        .ok();
        Some(columns)
    }

    fn add(&mut self, column: &PrinterColumn) -> Result<(), crate::json_path::Malformed> {
        self.paths.push(JsonPath::parse(&format!("{{{}}}", column.json_path))?);
        let path = || format!("Custom resource definition column (in JSONPath format): {}", column.json_path);
        let description = &column.description;
        self.columns.push(Column {
            name: column.name.clone(),
            type_: column.type_.clone(),
            format: column.format.clone(),
            description: if description.is_empty() { path() } else { description.clone() },
            priority: column.priority.unwrap_or_default(),
        });
        Ok(())
    }

    /// Returns the definitions of the columns.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns an object's cells. Dates are shown as ages at the time `now`, or as `<unknown>` if `now` is `None`.
    ///
    /// The number of steps for evaluating the columns' paths is limited. The limit grows with the object's size, and `reserve` has
    /// additional steps that all rows share. If the paths take more steps, the remaining cells are `null`.
    #[must_use]
    pub fn row(&self, object: &Value, now: Option<Timestamp>, reserve: &mut Reserve) -> Row<'_> {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let mut row = Row { cells: vec![json!(name)], left_out: Vec::new() };
        let mut work = reserve.budget(share(object));
        for (column, path) in self.columns.iter().skip(1).zip(&self.paths) {
            let found = path.first_within(object, &mut work);
            let cell = found.map(|value| value.map(|value| cell(&column.type_, value, now)));
            // The text of a cell can be as long as the object.
            let cell = cell.and_then(|cell| match &cell {
                Some(Value::String(text)) => Ok(work.take(text.len() as u64).map(|()| cell)?),
                _ => Ok(cell),
            });
            if cell == Err(Failed::Exhausted) {
                row.left_out.push(column.name.as_str());
            }
            row.cells.push(cell.ok().flatten().unwrap_or_default());
        }
        row
    }
}

/// The cells of an object.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Row<'c> {
    /// One cell for each column.
    pub cells: Vec<Value>,
    /// The names of columns that are left out because their paths take too many steps.
    pub left_out: Vec<&'c str>,
}

/// The number of additional steps that all rows of a table share: see [`Columns::row`].
pub const RESERVE: u64 = 4_000_000;

fn name() -> Column {
    Column {
        name: "Name".to_owned(),
        type_: "string".to_owned(),
        format: "name".to_owned(),
        description: metadata_description("name").to_owned(),
        priority: 0,
    }
}

/// Returns the column that the API server adds to CRDs without columns.
fn age() -> PrinterColumn {
    let mut age = PrinterColumn::default();
    age.name = "Age".to_owned();
    age.type_ = "date".to_owned();
    age.description = metadata_description("creationTimestamp").to_owned();
    age.json_path = ".metadata.creationTimestamp".to_owned();
    age
}

/// Returns the cell for a value, or `null` if the value does not have the column's type.
fn cell(type_: &str, value: &Value, now: Option<Timestamp>) -> Value {
    match (type_, value) {
        ("string", Value::Null) => json!("<no value>"),
        ("string", Value::Array(_) | Value::Object(_)) => json!(marshal(value)),
        ("string", value) => json!(show(value)),
        ("integer", Value::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => json!(integer),
            #[expect(clippy::cast_possible_truncation, reason = "Go cuts floats, too")]
            (None, Some(float)) => json!(float as i64),
            (None, None) => Value::Null,
        },
        ("number", Value::Number(number)) => json!(number.as_f64()),
        ("boolean", Value::Bool(bool)) => json!(bool),
        ("date", Value::String(text)) => json!(age::age(text, now)),
        _ => Value::Null,
    }
}
