/// The values of an enum of strings that keeps any other value as `Unknown`: `ALL`, `as_str`, `Display`, `FromStr` and
/// `From<&str>`.
macro_rules! open_string_enum {
    ($name:ident { $($variant:ident = $value:literal),+ }) => {
        impl $name {
            /// All values that the schema lists.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the value as written.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $value,)+
                    Self::Unknown(value) => value,
                }
            }
        }

        impl ::core::convert::From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($value => Self::$variant,)+
                    _ => Self::Unknown(text.to_owned()),
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
pub(crate) use open_string_enum;
