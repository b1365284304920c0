//! JSON paths of printer columns and kubectl: a dialect that only Kubernetes has, with all its quirks.
//!
//! Source: `client-go/util/jsonpath`.

mod compare;
mod evaluate;
mod parse;
mod quoted;

pub use evaluate::Failed;
pub(crate) use evaluate::share;
pub use parse::Malformed;

use crd_go::budget::{Budget, Reserve};
use serde_json::Value;

/// A template such as `{.spec.replicas}`.
///
/// ```
/// use crd_docs::json_path::JsonPath;
/// use serde_json::json;
///
/// let ready = JsonPath::parse(r#"{.status.conditions[?(@.type=="Ready")].status}"#)?;
/// let object = json!({"status": {"conditions": [{"type": "Synced"}, {"type": "Ready", "status": "True"}]}});
/// assert_eq!(ready.first(&object).unwrap(), Some(&json!("True")));
///
/// let error = JsonPath::parse("{.spec[x]}").unwrap_err();
/// assert_eq!(error.to_string(), "invalid array index x");
/// # Ok::<(), crd_docs::json_path::Malformed>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPath {
    /// Literal strings and, for each pair of braces, a list of steps.
    pub(crate) nodes: Vec<Node>,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// The steps between two braces.
    List(Vec<Node>),
    /// A string between the steps, or in a filter.
    Text(Value),
    Field(String),
    Identifier(String),
    /// An index or a slice of a list.
    Slice([Bound; 3]),
    Filter {
        left: Vec<Node>,
        operator: String,
        right: Vec<Node>,
    },
    /// A number or a boolean.
    Literal(Value),
    Wildcard,
    Recursive,
    Union(Vec<Vec<Node>>),
}

/// A number in a slice; `known` is `true` if the path contains the number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Bound {
    value: i64,
    known: bool,
    /// `true` for the end that follows from a single index: `[2]` means `[2:3]`.
    derived: bool,
}

impl JsonPath {
    /// Reads a template.
    ///
    /// # Errors
    /// The template is malformed; the message is client-go's.
    pub fn parse(template: &str) -> Result<Self, Malformed> {
        parse::template(template).map(|nodes| Self { nodes })
    }

    /// Returns the first value that the first pair of braces finds, as a printer column shows it.
    ///
    /// # Errors
    /// A step cannot be taken, or the path needs more work than the size of the object allows: [`Failed`].
    pub fn first<'v>(&'v self, object: &'v Value) -> Result<Option<&'v Value>, Failed> {
        self.first_within(object, &mut Reserve::new(0).budget(share(object)))
    }

    /// Returns the same value as [`JsonPath::first`], but takes the work from `work`, which several paths share.
    pub(crate) fn first_within<'v>(
        &'v self,
        object: &'v Value,
        work: &mut Budget<'_>,
    ) -> Result<Option<&'v Value>, Failed> {
        evaluate::first(&self.nodes, object, work)
    }
}
