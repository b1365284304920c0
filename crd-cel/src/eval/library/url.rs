//! Functions for URLs, such as `url('...').getHost()`.

use std::collections::HashMap;

use crd_go::url::{Url, parse, parse_request_uri, unescape_query};

use crate::eval::Error;
use crate::eval::implementation::{Implementation, Outcome};
use crate::eval::map::Entries;
use crate::eval::meter::{Meter, work};
use crate::eval::opaque::Opaque;
use crate::eval::value::Value;

pub(crate) const IS_URL: Implementation = Implementation::plain(|_, args| match args {
    [Value::String(text)] => Ok(Value::Bool(parse_request_uri(text).is_ok())),
    _ => Err(Error::no_such_overload()),
})
.work(128);
pub(crate) const URL: Implementation = Implementation::plain(|meter, args| match args {
    [Value::String(text)] => {
        meter.allocate(3 * text.len())?;
        // `ParseRequestURI` decides if the string is valid; `Parse` then reads its parts, with authority and fragment.
        let url = parse_request_uri(text).and_then(|_| parse(text));
        url.map(|url| Value::Opaque(Opaque::Url(url).into()))
            .map_err(|error| Error::text(format!("URL parse error during conversion from string: {error}")))
    }
    _ => Err(Error::no_such_overload()),
})
.work(128);
pub(crate) const GET_SCHEME: Implementation =
    Implementation::plain(|meter, args| part(meter, args, |url| url.scheme.clone().into()));
pub(crate) const GET_HOST: Implementation =
    Implementation::plain(|meter, args| part(meter, args, |url| url.host.clone().into()));
pub(crate) const GET_HOSTNAME: Implementation =
    Implementation::plain(|meter, args| part(meter, args, |url| url.host_and_port().0.to_owned().into()));
pub(crate) const GET_PORT: Implementation =
    Implementation::plain(|meter, args| part(meter, args, |url| url.host_and_port().1.to_owned().into()));
pub(crate) const GET_ESCAPED_PATH: Implementation =
    Implementation::plain(|meter, args| part(meter, args, |url| url.escaped_path.clone().into()));
pub(crate) const GET_QUERY: Implementation = Implementation::plain(|meter, args| match args {
    [Value::Opaque(opaque)] => match &**opaque {
        Opaque::Url(url) => query(meter, &url.query),
        _ => Err(Error::no_such_overload()),
    },
    _ => Err(Error::no_such_overload()),
})
.work(128);

fn part<'v>(meter: &mut Meter, args: &[Value<'v>], part: impl Fn(&Url) -> Value<'v>) -> Outcome<'v> {
    match args {
        [Value::Opaque(opaque)] => match &**opaque {
            Opaque::Url(url) => {
                let part = part(url);
                if let Value::String(text) = &part {
                    meter.allocate(text.len())?;
                }
                Ok(part)
            }
            _ => Err(Error::no_such_overload()),
        },
        _ => Err(Error::no_such_overload()),
    }
}

/// Returns the values of each key. Parameters without a value are ignored.
fn query<'v>(meter: &mut Meter, text: &str) -> Outcome<'v> {
    meter.work_on_bytes(4 * text.len())?;
    if text.bytes().filter(|byte| *byte == b'&').count() >= MOST_PARAMETERS {
        return Ok(Value::Map(Entries::default().into()));
    }
    let mut values: Vec<(String, Vec<Value<'v>>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for part in text.split('&').filter(|part| !part.is_empty() && !part.contains(';')) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let (Ok(key), Ok(value)) = (unescape_query(key), unescape_query(value)) else { continue };
        meter.work(2 * work::HASH)?;
        meter.allocate_pushed()?;
        meter.allocate(value.len())?;
        match places.get(&key) {
            Some(place) => values[*place].1.push(value.into()),
            None => {
                meter.allocate(4 * key.len() + ENTRY)?;
                places.insert(key.clone(), values.len());
                values.push((key, vec![value.into()]));
            }
        }
    }
    let mut entries = Entries::default();
    for (key, values) in values {
        entries.insert(key.into(), values.into())?;
    }
    Ok(Value::Map(entries.into()))
}

/// Maximum number of parameters in a URL's query. Go rejects longer queries, and the server then treats the query as empty.
const MOST_PARAMETERS: usize = 10_000;

/// The memory for a key while a query is read, in addition to the key's text. This covers entries in two tables, and the list of values.
const ENTRY: usize = 320;
