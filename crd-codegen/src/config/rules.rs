//! Options for individual types or fields: derives, attributes, replaced types, replaced names and omitted types.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::InvalidOption;
use crate::emit::syntax;

/// Serializes an option's value as the string that the command line accepts.
macro_rules! as_text {
    ($($name:ident),*) => {$(
        impl TryFrom<String> for $name {
            type Error = InvalidOption;

            fn try_from(text: String) -> Result<Self, InvalidOption> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(rule: $name) -> Self {
                rule.to_string()
            }
        }
    )*};
}
as_text!(Derive, Attribute, TypeOverride, NameOverride, Elide);

/// The generated types to which a derive or an attribute is added.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// All types.
    All,
    /// `@struct`: all structs, including root types.
    Structs,
    /// `@enum`: all enums.
    Enums,
    /// `@enum:simple`: enums whose variants have no fields.
    SimpleEnums,
    /// `@root`: the types of whole objects.
    Roots,
    /// The type with this name.
    Named(String),
}

impl Target {
    /// Splits `TARGET=REST`; without `=` the target is all types.
    fn split(text: &str) -> Result<(Self, &str), InvalidOption> {
        // An attribute without a target may hold `=` itself: `#[doc = "x"]`.
        let Some((target, rest)) = text.split_once('=').filter(|_| !text.starts_with('#')) else {
            return Ok((Self::All, text));
        };
        let target = match target.trim() {
            "@struct" => Self::Structs,
            "@enum" => Self::Enums,
            "@enum:simple" => Self::SimpleEnums,
            "@root" => Self::Roots,
            name if syntax::is_identifier(name) => Self::Named(name.to_owned()),
            other => {
                return Err(InvalidOption::new(format!(
                    "`{}` is neither the name of a type nor one of `@struct`, `@enum`, `@enum:simple`, `@root`",
                    syntax::shown(other)
                )));
            }
        };
        Ok((target, rest))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => Ok(()),
            Self::Structs => f.write_str("@struct="),
            Self::Enums => f.write_str("@enum="),
            Self::SimpleEnums => f.write_str("@enum:simple="),
            Self::Roots => f.write_str("@root="),
            Self::Named(name) => write!(f, "{name}="),
        }
    }
}

/// A trait to derive: `Eq`, `@enum=strum::Display`, `CertificateSpec=Hash`.
///
/// Traits of the standard library, such as `Clone`, `Default` or `Eq`, are not derived for a type if one of its fields does not implement
/// them. All other traits are derived for every type of the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Derive {
    pub(crate) target: Target,
    /// The Rust path of the trait.
    pub(crate) path: String,
}

impl Derive {
    /// Derives the trait at `path` for the types of `target`.
    ///
    /// # Errors
    /// - `path` is not a valid Rust path
    pub fn new(target: Target, path: &str) -> Result<Self, InvalidOption> {
        syntax::check_path(path.trim())?;
        // A second derive of a trait would not compile, in whichever spelling.
        let path = syntax::standard_name(path.trim()).unwrap_or(path.trim());
        Ok(Self { target, path: path.to_owned() })
    }
}

impl FromStr for Derive {
    type Err = InvalidOption;

    fn from_str(text: &str) -> Result<Self, InvalidOption> {
        let (target, path) = Target::split(text)?;
        Self::new(target, path)
    }
}

impl fmt::Display for Derive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.target, self.path)
    }
}

/// An attribute to add: `@struct=#[non_exhaustive]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Attribute {
    pub(crate) target: Target,
    /// The attribute, with `#[` and `]`.
    pub(crate) attribute: String,
}

impl Attribute {
    /// Adds `attribute`, which includes `#[` and `]`, to the types of `target`.
    ///
    /// # Errors
    /// - `attribute` is not a valid Rust attribute
    pub fn new(target: Target, attribute: &str) -> Result<Self, InvalidOption> {
        syntax::check_attributes(attribute.trim())?;
        Ok(Self { target, attribute: attribute.trim().to_owned() })
    }
}

impl FromStr for Attribute {
    type Err = InvalidOption;

    fn from_str(text: &str) -> Result<Self, InvalidOption> {
        let (target, attribute) = Target::split(text)?;
        Self::new(target, attribute)
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.target, self.attribute)
    }
}

/// A user-written type that replaces a generated type: `Certificate.spec.template=crate::Template`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TypeOverride {
    pub(crate) place: KindPath,
    pub(crate) type_: String,
}

impl TypeOverride {
    /// Replaces the generated type at `place` with `type_`.
    ///
    /// # Errors
    /// - `type_` is not a valid Rust type
    pub fn new(place: KindPath, type_: &str) -> Result<Self, InvalidOption> {
        syntax::check_type(type_)?;
        Ok(Self { place, type_: type_.to_owned() })
    }
}

impl FromStr for TypeOverride {
    type Err = InvalidOption;

    fn from_str(text: &str) -> Result<Self, InvalidOption> {
        let (place, type_) = split_place(text)?;
        Self::new(place, type_)
    }
}

impl fmt::Display for TypeOverride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.place, self.type_)
    }
}

/// A name for the generated type at a path: `Certificate.spec.issuerRef=IssuerRef`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NameOverride {
    pub(crate) place: KindPath,
    pub(crate) name: String,
}

impl NameOverride {
    /// Gives the name `name` to the generated type at `place`.
    ///
    /// # Errors
    /// - `name` cannot be the name of a type
    pub fn new(place: KindPath, name: &str) -> Result<Self, InvalidOption> {
        syntax::check_name(name)?;
        Ok(Self { place, name: name.to_owned() })
    }
}

impl FromStr for NameOverride {
    type Err = InvalidOption;

    fn from_str(text: &str) -> Result<Self, InvalidOption> {
        let (place, name) = split_place(text)?;
        Self::new(place, name)
    }
}

impl fmt::Display for NameOverride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.place, self.name)
    }
}

/// A type that is not generated, because the user writes it: `CertificateIssuerRef`, or `Certificate.spec.issuerRef`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Elide {
    /// The type with this name.
    Named(String),
    /// The type at this path.
    At(KindPath),
}

impl FromStr for Elide {
    type Err = InvalidOption;

    fn from_str(text: &str) -> Result<Self, InvalidOption> {
        let text = text.trim();
        if text.contains(['.', '[', '{']) {
            return text.parse().map(Self::At);
        }
        syntax::check_name(text)?;
        Ok(Self::Named(text.to_owned()))
    }
}

impl fmt::Display for Elide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::At(place) => write!(f, "{place}"),
        }
    }
}

fn split_place(text: &str) -> Result<(KindPath, &str), InvalidOption> {
    // A `=` can be part of a quoted name and of the value.
    let mut quoted = false;
    let split = text.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == '=' && !quoted
    });
    let (at, _) = split.ok_or_else(|| InvalidOption::new("expected `KIND.path.to.field=VALUE`"))?;
    Ok((text[..at].trim().parse()?, text[at + 1..].trim()))
}

/// A path in objects of one kind, such as `Certificate.spec.rules[].labels{}`, or of all kinds, such as `*.metadata`.
///
/// `[]` stands for the items of a list, and `{}` for the values of a map. Names with other characters than letters, digits, `_`, `-` and
/// `$` are in quotation marks: `Task.spec."app.kubernetes.io/name"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindPath {
    kind: String,
    steps: Vec<KindPathStep>,
}

/// One element of a [`KindPath`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KindPathStep {
    Property(String),
    Items,
    Values,
}

impl KindPath {
    pub(crate) fn new(kind: &str, steps: Vec<KindPathStep>) -> Self {
        Self { kind: kind.to_owned(), steps }
    }

    /// Returns `true` if the path applies to objects of `kind`.
    pub(crate) fn is_about(&self, kind: &str) -> bool {
        self.kind == "*" || self.kind == kind
    }

    /// Returns the path's elements, from the root of the object.
    pub(crate) fn steps(&self) -> &[KindPathStep] {
        &self.steps
    }
}

impl FromStr for KindPath {
    type Err = InvalidOption;

    fn from_str(text: &str) -> Result<Self, InvalidOption> {
        let invalid = || {
            InvalidOption::new(format!(
                "`{}` is not a place such as `Certificate.spec.rules[].name`",
                syntax::shown(text)
            ))
        };
        let (kind, mut rest) = text.split_at(text.find(['.', '[', '{']).ok_or_else(invalid)?);
        if kind.is_empty() {
            return Err(invalid());
        }
        let mut steps = Vec::new();
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix("[]") {
                (steps, rest) = (pushed(steps, KindPathStep::Items), after);
            } else if let Some(after) = rest.strip_prefix("{}") {
                (steps, rest) = (pushed(steps, KindPathStep::Values), after);
            } else if let Some(quoted) = rest.strip_prefix(".\"") {
                let (name, after) = quoted.split_once('"').ok_or_else(invalid)?;
                (steps, rest) = (pushed(steps, KindPathStep::Property(name.to_owned())), after);
            } else {
                let name = rest.strip_prefix('.').ok_or_else(invalid)?;
                let (name, after) = name.split_at(name.find(['.', '[', '{']).unwrap_or(name.len()));
                if name.is_empty() {
                    return Err(invalid());
                }
                (steps, rest) = (pushed(steps, KindPathStep::Property(name.to_owned())), after);
            }
        }
        Ok(Self { kind: kind.to_owned(), steps })
    }
}

fn pushed(mut steps: Vec<KindPathStep>, step: KindPathStep) -> Vec<KindPathStep> {
    steps.push(step);
    steps
}

impl fmt::Display for KindPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        for step in &self.steps {
            let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$');
            match step {
                KindPathStep::Property(name) if !name.is_empty() && name.chars().all(is_plain) => {
                    write!(f, ".{name}")?;
                }
                KindPathStep::Property(name) => write!(f, ".\"{name}\"")?,
                KindPathStep::Items => f.write_str("[]")?,
                KindPathStep::Values => f.write_str("{}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_printed_as_they_are_read() {
        for text in ["Certificate.spec.rules[].labels{}", "*.metadata", "Task.spec.\"a.b/c\"[][]"] {
            assert_eq!(text.parse::<KindPath>().unwrap().to_string(), text);
        }
        for text in ["", "Certificate", ".spec", "A..b", "A.\"b", "A[0]"] {
            assert!(text.parse::<KindPath>().is_err(), "{text}");
        }
    }

    #[test]
    fn rules_are_printed_as_they_are_read() {
        for text in ["Eq", "@enum=strum::Display", "CertificateSpec=Hash", "@enum:simple=Ord", "@root=Eq"] {
            assert_eq!(text.parse::<Derive>().unwrap().to_string(), text);
        }
        for text in ["", "@x=Eq", "Eq)] struct X; #[derive(", "a b=Eq"] {
            assert!(text.parse::<Derive>().is_err(), "{text}");
        }
        for text in ["#[doc = \"x\"]", "@struct=#[non_exhaustive]"] {
            assert_eq!(text.parse::<Attribute>().unwrap().to_string(), text);
        }
        for text in ["non_exhaustive", "#[a] struct X;", "#![a]"] {
            assert!(text.parse::<Attribute>().is_err(), "{text}");
        }
        assert!("A.spec=crate::X<u8>".parse::<TypeOverride>().is_ok());
        assert!("A.spec=crate::X, y: u8".parse::<TypeOverride>().is_err());
        assert!("A.spec=struct".parse::<NameOverride>().is_err());
        for text in ["CertificateSpec", "Certificate.spec.rules[]"] {
            assert_eq!(text.parse::<Elide>().unwrap().to_string(), text);
        }
        for text in ["", "struct", "a b", "Certificate."] {
            assert!(text.parse::<Elide>().is_err(), "{text}");
        }
    }
}
