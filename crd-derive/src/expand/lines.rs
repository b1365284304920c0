//! The lines of a type and its fields, for errors at run time.

use proc_macro2::Span;
use serde_json::{Map, Value};
use syn::DeriveInput;

/// The lines as a string of JSON: those of fields by the names that serde writes, that of the type without a name.
///
/// A literal costs the compiler nothing, where a `line!()` for each field would be expanded.
pub(super) fn lines(input: &DeriveInput, fields: impl Iterator<Item = (String, Span)>) -> String {
    let all = fields.chain([(String::new(), input.ident.span())]);
    let lines = all.filter_map(|(name, span)| Some((name, Value::from(line(span)?))));
    Value::Object(lines.collect::<Map<_, _>>()).to_string()
}

/// The line of a place; `None` outside of a compiler.
fn line(span: Span) -> Option<usize> {
    proc_macro::is_available().then(|| span.unwrap().line())
}
