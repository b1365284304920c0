//! Keywords of schemas that reject values.

use std::fmt;

macro_rules! keywords {
    ($($(#[$doc:meta])* $name:ident $text:literal,)*) => {
        /// The keyword of a schema that rejects a value, or that is itself wrong.
        ///
        /// ```
        /// use crd_go::field::Keyword;
        ///
        /// assert_eq!(Keyword::MaxLength.as_str(), "maxLength");
        /// assert_eq!(Keyword::from_name("x-kubernetes-validations"), Some(Keyword::Validations));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Keyword {
            $($(#[$doc])* #[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Keyword {
            /// Returns the name.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// Returns the keyword with this name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

keywords! {
    Type "type",
    Format "format",
    Nullable "nullable",
    Enum "enum",
    Default "default",
    Maximum "maximum",
    ExclusiveMaximum "exclusiveMaximum",
    Minimum "minimum",
    ExclusiveMinimum "exclusiveMinimum",
    MultipleOf "multipleOf",
    MaxLength "maxLength",
    MinLength "minLength",
    Pattern "pattern",
    MaxItems "maxItems",
    MinItems "minItems",
    UniqueItems "uniqueItems",
    MaxProperties "maxProperties",
    MinProperties "minProperties",
    Required "required",
    Properties "properties",
    AdditionalProperties "additionalProperties",
    PatternProperties "patternProperties",
    Items "items",
    AdditionalItems "additionalItems",
    AllOf "allOf",
    AnyOf "anyOf",
    OneOf "oneOf",
    Not "not",
    Ref "$ref",
    Definitions "definitions",
    Dependencies "dependencies",
    Id "id",
    Title "title",
    Description "description",
    Example "example",
    ExternalDocs "externalDocs",
    ListType "x-kubernetes-list-type",
    ListMapKeys "x-kubernetes-list-map-keys",
    MapType "x-kubernetes-map-type",
    EmbeddedResource "x-kubernetes-embedded-resource",
    IntOrString "x-kubernetes-int-or-string",
    PreserveUnknownFields "x-kubernetes-preserve-unknown-fields",
    Validations "x-kubernetes-validations",
    /// Not a keyword: the scale subresource, which restricts the values at its paths.
    Scale "scale",
    /// Not a keyword: rules did not run because of the other causes.
    UncheckedRules "unchecked-rules",
}

impl Keyword {
    /// Returns `true` for keywords that contain other schemas.
    #[must_use]
    pub fn holds_schemas(self) -> bool {
        matches!(
            self,
            Self::Properties
                | Self::AdditionalProperties
                | Self::PatternProperties
                | Self::Items
                | Self::AdditionalItems
                | Self::AllOf
                | Self::AnyOf
                | Self::OneOf
                | Self::Not
                | Self::Definitions
        )
    }
}

impl fmt::Display for Keyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
