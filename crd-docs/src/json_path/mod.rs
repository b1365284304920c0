//! JSON paths as in printer columns and kubectl. This is Kubernetes' own dialect of JSONPath, with all its quirks.
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
    /// Literal strings and, for each pair of braces, a [`Node::List`].
    pub(crate) nodes: Vec<Node>,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// The nodes between two braces.
    List(Vec<Node>),
    /// A literal string, outside or inside a filter.
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

/// A number in a slice. `known` is `false` if the number is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Bound {
    value: i64,
    known: bool,
    /// `true` for the implicit end of a single index: `[2]` means `[2:3]`.
    derived: bool,
}

impl JsonPath {
    /// Parses a template.
    ///
    /// # Errors
    /// The template is malformed. The message is client-go's.
    pub fn parse(template: &str) -> Result<Self, Malformed> {
        parse::template(template).map(|nodes| Self { nodes })
    }

    /// Returns the value that a printer column shows: the first value that the first pair of braces finds.
    ///
    /// # Errors
    /// The path cannot be followed, or takes too many steps for the size of the object: see [`Failed`].
    pub fn first<'v>(&'v self, object: &'v Value) -> Result<Option<&'v Value>, Failed> {
        self.first_within(object, &mut Reserve::new(0).budget(share(object)))
    }

    /// Returns the same value as [`JsonPath::first`], but with `work` as the limit for the number of steps. Several paths can share one
    /// limit.
    pub(crate) fn first_within<'v>(
        &'v self,
        object: &'v Value,
        work: &mut Budget<'_>,
    ) -> Result<Option<&'v Value>, Failed> {
        evaluate::first(&self.nodes, object, work)
    }
}
