//! The fields that a CRD can have, and their values.

/// A field that a CRD can have.
#[derive(Debug)]
pub(crate) struct Keyword {
    pub(crate) name: &'static str,
    /// A sentence about the keyword's effect.
    pub(crate) effect: &'static str,
    pub(crate) values: Values,
    /// The minor Kubernetes version that added the keyword, or `None` if the keyword is as old as `apiextensions.k8s.io/v1`, which is from
    /// 1.16.
    pub(crate) since: Option<u32>,
}

/// An API type, with its fields.
#[derive(Debug)]
pub(crate) struct Owner {
    /// The type's name in the API.
    pub(crate) name: &'static str,
    /// The upstream file that declares the type.
    pub(crate) source: &'static str,
    pub(crate) keywords: &'static [Keyword],
}

/// The possible values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// Any string.
    Text,
    /// One of these strings.
    Words(&'static [&'static str]),
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// Any value.
    Any,
    /// A list of strings.
    Texts,
    /// A CEL expression.
    Cel,
    /// A path from the root of an object: `.spec.replicas`.
    Path,
    /// An object of the API type with this name.
    Object(&'static str),
    /// A list of such objects.
    List(&'static str),
    /// A map of such objects.
    Map(&'static str),
    /// The server rejects the keyword.
    Rejected,
}

impl Owner {
    /// Returns a field.
    pub(crate) fn keyword(&self, name: &str) -> Option<&'static Keyword> {
        self.keywords.iter().find(|keyword| keyword.name == name)
    }
}

impl Keyword {
    /// Explains the keyword in a few lines of Markdown.
    pub(crate) fn about(&self, owner: &Owner) -> String {
        let since = self.since.unwrap_or(16);
        let values = match self.values {
            Values::Words(words) => format!(
                "\n\nOne of {}.",
                words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
            ),
            Values::Cel => "\n\nA CEL expression.".to_owned(),
            Values::Path => "\n\nA path from the root of the object, such as `.spec.replicas`.".to_owned(),
            _ => String::new(),
        };
        format!(
            "**{}** ({})\n\n{}{values}\n\nSince Kubernetes 1.{since}. Source: `{}`.",
            self.name, owner.name, self.effect, owner.source
        )
    }
}
