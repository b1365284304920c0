//! Properties and columns are in the order of fields, whatever order JSON objects have in the program.

use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shelf", namespaced)]
#[serde(rename_all = "camelCase")]
struct ShelfSpec {
    #[crd(printcolumn)]
    z_index: i32,
    #[serde(flatten)]
    size: Option<Box<Size>>,
    books: Vec<Book>,
    #[serde(rename(serialize = "written", deserialize = "read"), default)]
    both: Option<u8>,
    cover: Cover,
    #[crd(printcolumn)]
    r#abstract: String,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Size {
    width: u8,
    height: Option<u8>,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Book {
    title: String,
    author: String,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Cover {
    Paper { sheets: u8, colour: Option<String> },
    Board { cloth: bool },
}

/// Returns the properties of the schema that is last under a key, in order.
fn keys(yaml: &str, key: &str) -> Vec<String> {
    let (_, below) = yaml.rsplit_once(&format!(" {key}:\n")).expect("it has the key");
    let mut lines = below.lines().peekable();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let of_schema = lines.peek().map_or(0, |line| indent(line));
    let is_start = |line: &&str| indent(line) == of_schema && line.trim() == "properties:";
    lines.by_ref().find(is_start).expect("it has properties");
    let depth = lines.peek().map_or(0, |line| indent(line));
    let own = lines.take_while(|line| indent(line) >= depth).filter(|line| indent(line) == depth);
    own.map(|line| line.trim().trim_end_matches(':').to_owned()).collect()
}

#[test]
fn properties_have_the_order_of_fields() -> Result<(), crdkit::Error> {
    let yaml = Shelf::crd_yaml()?;
    let spec = ["zIndex", "width", "height", "books", "read", "written", "cover", "abstract"];
    assert_eq!(keys(&yaml, "spec"), spec, "{yaml}");
    assert_eq!(keys(&yaml, "items"), ["title", "author"], "{yaml}");
    assert_eq!(keys(&yaml, "cover"), ["type", "sheets", "colour", "cloth"], "{yaml}");
    let json = serde_json::to_string(&Shelf::crd()?).expect("a CRD has a JSON form");
    let at = |key: &str| json.find(&format!("\"{key}\":{{")).expect(key);
    assert!(
        at("zIndex") < at("width") && at("width") < at("books") && at("books") < at("abstract"),
        "{json}"
    );
    let crd = Shelf::crd()?;
    let columns = crd.spec.versions[0].additional_printer_columns.iter().flatten();
    let paths: Vec<&str> = columns.map(|column| &*column.json_path).collect();
    assert_eq!(paths, [".spec.zIndex", ".spec.abstract"]);
    Ok(())
}
