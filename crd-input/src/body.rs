//! Request bodies in YAML, of which the API server reads only the first document.

use std::collections::HashMap;

use serde_json::Value;

use super::compose::{self, Part};
use super::duplicates::Keys;
use super::error::{Error, Position};
use super::limits::Limits;
use super::room::Room;

/// The first document of a text, with its repeated keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// The document, which is `null` in an empty text. For a repeated key, the last value is used.
    pub value: Value,
    /// The first 100 repeated keys, in the order of the text.
    pub repeated: Vec<RepeatedKey>,
}

/// A repeated key: an earlier entry of the same map has the same key.
#[derive(Clone, Debug, PartialEq)]
pub struct RepeatedKey {
    /// The line of the key, from 1.
    pub line: usize,
    /// The key's value, which is not always a string: the key `yes` has the value `true`.
    pub key: Value,
}

/// Reads the first document of a text, as the API server reads a request body. Lists are not unpacked, and the rest of the text is ignored.
///
/// # Errors
/// - The document is not YAML, or exceeds a limit.
///
/// ```
/// use crd_input::{Limits, body};
///
/// let body = body("a: 1\nb: 2\na: 3\n", &Limits::default())?;
/// assert_eq!(body.value, serde_json::json!({"a": 3, "b": 2}));
/// assert_eq!((body.repeated[0].line, &body.repeated[0].key), (3, &"a".into()));
///
/// let error = crd_input::body("a: [\n", &Limits::default()).unwrap_err();
/// assert_eq!((error.line(), error.message()), (Some(2), "a value is missing here"));
/// # Ok::<(), crd_input::Error>(())
/// ```
pub fn body(text: &str, limits: &Limits) -> Result<Body, Error> {
    const NAME: &str = "body";
    let room = Room::for_source(text.len(), 1, limits, true);
    let mut first = None;
    compose::each(text, limits, Keys::Noted, &HashMap::new(), room, None, &mut |part| {
        first.get_or_insert(part);
    });
    match first {
        None => Ok(Body::default()),
        Some(Part::Fault(fault)) => Err(Error::new(NAME, fault)),
        Some(Part::Document(value, noted) | Part::Item(value, _, noted)) => {
            let line = |offset: usize| Position::from_span(text, offset..offset).line;
            let repeated =
                noted.repeated.into_iter().map(|(offset, key)| RepeatedKey { line: line(offset), key });
            Ok(Body { value, repeated: repeated.collect() })
        }
    }
}
