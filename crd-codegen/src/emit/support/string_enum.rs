/// The values of an enum of strings: `ALL`, `as_str`, `Display`, `FromStr` and `TryFrom<&str>`.
macro_rules! string_enum {
    ($name:ident { $($variant:ident = $value:literal),+ }) => {
        impl $name {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the value as written.
            #[must_use]
            pub const fn as_str(&self) -> &'static str {
                match self {
                    $(Self::$variant => $value),+
                }
            }
        }

        impl ::core::str::FromStr for $name {
            type Err = ::serde::de::value::Error;

            fn from_str(text: &str) -> ::core::result::Result<Self, ::serde::de::value::Error> {
                match text {
                    $($value => ::core::result::Result::Ok(Self::$variant),)+
                    _ => ::core::result::Result::Err(::serde::de::Error::unknown_variant(text, &[$($value),+])),
                }
            }
        }

        impl ::core::convert::TryFrom<&str> for $name {
            type Error = ::serde::de::value::Error;

            fn try_from(text: &str) -> ::core::result::Result<Self, ::serde::de::value::Error> {
                text.parse()
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
pub(crate) use string_enum;
