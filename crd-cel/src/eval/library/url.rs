//! Addresses of the web: `url('...').getHost()`.

use super::{Outcome, Plain};
use crate::eval::Error;
use crate::eval::map::Entries;
use crate::eval::opaque::Opaque;
use crate::eval::value::Value;
use crate::go::url::{Url, parse_request_uri, unescape_query};

pub(super) fn find(name: &str) -> Option<Plain> {
    Some(match name {
        "isURL" => |_, args| match args {
            [Value::String(text)] => Ok(Value::Bool(parse_request_uri(text).is_ok())),
            _ => Err(Error::no_such_overload()),
        },
        "url" => |_, args| match args {
            [Value::String(text)] => {
                parse_request_uri(text).map(|url| Value::Opaque(Opaque::Url(url).into())).map_err(|error| {
                    Error::text(format!("URL parse error during conversion from string: {error}"))
                })
            }
            _ => Err(Error::no_such_overload()),
        },
        "getScheme" => |_, args| part(args, |url| url.scheme.clone().into()),
        "getHost" => |_, args| part(args, |url| url.host.clone().into()),
        "getHostname" => |_, args| part(args, |url| url.host_and_port().0.to_owned().into()),
        "getPort" => |_, args| part(args, |url| url.host_and_port().1.to_owned().into()),
        "getEscapedPath" => |_, args| part(args, |url| url.escaped_path.clone().into()),
        "getQuery" => |meter, args| {
            // The parts of a query are never longer than the address.
            meter.allocate_values(args.first().and_then(Value::size).unwrap_or(0) as usize)?;
            match args {
                [Value::Opaque(opaque)] => match &**opaque {
                    Opaque::Url(url) => query(&url.query),
                    _ => Err(Error::no_such_overload()),
                },
                _ => Err(Error::no_such_overload()),
            }
        },
        _ => return None,
    })
}

fn part<'v>(args: &[Value<'v>], part: impl Fn(&Url) -> Value<'v>) -> Outcome<'v> {
    match args {
        [Value::Opaque(opaque)] => match &**opaque {
            Opaque::Url(url) => Ok(part(url)),
            _ => Err(Error::no_such_overload()),
        },
        _ => Err(Error::no_such_overload()),
    }
}

/// The values of each key; what is no key with a value is passed over.
fn query<'v>(text: &str) -> Outcome<'v> {
    let mut values: Vec<(String, Vec<Value<'v>>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for part in text.split('&').filter(|part| !part.is_empty() && !part.contains(';')) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let (Ok(key), Ok(value)) = (unescape_query(key), unescape_query(value)) else { continue };
        let next = values.len();
        let place = *places.entry(key.clone()).or_insert(next);
        if place == next {
            values.push((key, Vec::new()));
        }
        values[place].1.push(value.into());
    }
    let mut entries = Entries::default();
    for (key, values) in values {
        entries.insert(key.into(), values.into())?;
    }
    Ok(Value::Map(entries.into()))
}
