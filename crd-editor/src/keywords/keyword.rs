//! Fields of the API of CRDs, and their values.

/// A field of the API of CRDs.
#[derive(Debug)]
pub(crate) struct Keyword {
    pub(crate) name: &'static str,
    /// The effect of the keyword, in a sentence.
    pub(crate) effect: &'static str,
    pub(crate) values: Values,
    /// The minor version of Kubernetes that added the keyword, if it is newer than `apiextensions.k8s.io/v1`, which was
    /// introduced in 1.16.
    pub(crate) since: Option<u32>,
}

/// The fields of a type of the Kubernetes API.
#[derive(Debug)]
pub(crate) struct Owner {
    /// The name of the type in the API.
    pub(crate) name: &'static str,
    /// The upstream file that declares the type.
    pub(crate) source: &'static str,
    pub(crate) keywords: &'static [Keyword],
}

/// The values that a field can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// Any string.
    Text,
    /// A string with one of these values.
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
    /// An object of the API with this name.
    Object(&'static str),
    /// A list of objects of the API with this name.
    List(&'static str),
    /// A map of objects of the API with this name.
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
    /// Returns the lines that an editor shows.
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
