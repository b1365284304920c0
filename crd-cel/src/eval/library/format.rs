//! Functions for named formats, such as `format.dns1123Label().validate('...')`.

use crate::eval::Error;
use crate::eval::implementation::{Implementation, Outcome};
use crate::eval::opaque::{NamedFormat, Opaque};
use crate::eval::value::Value;

/// Declares a function without arguments for each format.
macro_rules! constants {
    ($($constant:ident $name:literal $format:expr;)*) => {
        $(
            pub(crate) const $constant: Implementation =
                Implementation::plain(|_, _| Ok(Value::Opaque(Opaque::Format($format).into())));
        )*

        impl NamedFormat {
            /// Returns the format with that name.
            fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some($format),)*
                    _ => None,
                }
            }
        }
    };
}

use NamedFormat as F;
constants! {
    DNS1123_LABEL "dns1123Label" F::Dns1123Label { is_prefix: false };
    DNS1123_LABEL_PREFIX "dns1123LabelPrefix" F::Dns1123Label { is_prefix: true };
    DNS1123_SUBDOMAIN "dns1123Subdomain" F::Dns1123Subdomain { is_prefix: false };
    DNS1123_SUBDOMAIN_PREFIX "dns1123SubdomainPrefix" F::Dns1123Subdomain { is_prefix: true };
    DNS1035_LABEL "dns1035Label" F::Dns1035Label { is_prefix: false };
    DNS1035_LABEL_PREFIX "dns1035LabelPrefix" F::Dns1035Label { is_prefix: true };
    QUALIFIED_NAME "qualifiedName" F::QualifiedName;
    LABEL_VALUE "labelValue" F::LabelValue;
    URI "uri" F::Uri;
    UUID "uuid" F::Uuid;
    BYTE "byte" F::Byte;
    DATE "date" F::Date;
    DATE_TIME "datetime" F::DateTime;
}

pub(crate) const NAMED: Implementation = Implementation::plain(|_, args| match args {
    [Value::String(name)] => {
        let value = |format| Value::Opaque(Opaque::Format(format).into());
        Ok(NamedFormat::named(name).map_or(Value::Optional(None), |format| value(format).some()))
    }
    _ => Err(Error::no_such_overload()),
});
pub(crate) const VALIDATE: Implementation = Implementation::plain(validate).work(16);

fn validate<'v>(meter: &mut crate::eval::meter::Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Opaque(opaque), Value::String(text)] = args else { return Err(Error::no_such_overload()) };
    let Opaque::Format(format) = &**opaque else { return Err(Error::no_such_overload()) };
    let wrong = format.wrong(text, meter.server);
    if wrong.is_empty() {
        return Ok(Value::Optional(None));
    }
    let wrong: Vec<Value<'v>> = wrong.into_iter().map(Value::from).collect();
    Ok(Value::from(wrong).some())
}
