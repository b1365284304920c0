/// The values of an enum of strings: `ALL`, `as_str`, `Display`, `FromStr` and `TryFrom<&str>`.
macro_rules! string_enum {
    ($name:ident { $($variant:ident = $value:literal),+ }) => {
        impl $name {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The value as it is written.
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
    // `$unknown` keeps any other value.
    ($name:ident or $unknown:ident { $($variant:ident = $value:literal),+ }) => {
        impl $name {
            /// All values that the schema names.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The value as it is written.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $value,)+
                    Self::$unknown(value) => value,
                }
            }
        }

        impl ::core::convert::From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($value => Self::$variant,)+
                    _ => Self::$unknown(text.to_owned()),
                }
            }
        }

        impl ::core::str::FromStr for $name {
            type Err = ::core::convert::Infallible;

            fn from_str(text: &str) -> ::core::result::Result<Self, ::core::convert::Infallible> {
                ::core::result::Result::Ok(Self::from(text))
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
#[allow(unused_imports)]
pub(crate) use string_enum;
