//! Reads TOML tables. Known keys are taken from a table one after another, and remaining keys are unknown.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use clap::{Args, Command};
use crd_codegen::Config;
use crd_go::nearest::nearest;
use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

/// The keys of a table that have not been taken, with their values.
pub(super) struct Keys<'t>(DeTable<'t>);

/// An error in a configuration, with its position in the text.
#[derive(Debug)]
pub(super) struct Fault {
    message: String,
    place: Option<Range<usize>>,
}

impl<'t> Keys<'t> {
    /// Parses a text.
    pub(super) fn parse(text: &'t str) -> Result<Self, Fault> {
        Ok(Self(DeTable::parse(text)?.into_inner()))
    }

    /// Returns the keys' names and their positions.
    pub(super) fn names(&self) -> Vec<(String, Range<usize>)> {
        self.0.keys().map(|key| (key.get_ref().clone().into_owned(), key.span())).collect()
    }

    /// Removes and returns a key's table. `expected` describes the table in error messages.
    pub(super) fn take_table(&mut self, key: &str, expected: &str) -> Result<Option<Self>, Fault> {
        let value = self.0.remove(key);
        value.map(|value| Self::from_value(value, expected).map(|(keys, _)| keys)).transpose()
    }

    /// Removes and returns a key's table. A string is an abbreviation for a table that contains the string under the key `short`.
    pub(super) fn take_table_or_string(
        &mut self,
        key: &str,
        short: &'static str,
        expected: &str,
    ) -> Result<Option<Self>, Fault> {
        match self.0.remove(key) {
            Some(value) if matches!(value.get_ref(), DeValue::String(_)) => {
                let mut keys = DeTable::new();
                keys.insert(Spanned::new(value.span(), Cow::Borrowed(short)), value);
                Ok(Some(Self(keys)))
            }
            value => value.map(|value| Self::from_value(value, expected).map(|(keys, _)| keys)).transpose(),
        }
    }

    /// Removes and returns a key's list of tables and their positions.
    pub(super) fn take_tables(
        &mut self,
        key: &str,
        expected: &str,
    ) -> Result<Vec<(Self, Range<usize>)>, Fault> {
        let Some(value) = self.0.remove(key) else { return Ok(Vec::new()) };
        let place = value.span();
        match value.into_inner() {
            DeValue::Array(list) => list.into_iter().map(|value| Self::from_value(value, expected)).collect(),
            _ => Err(Fault::new(format!("expected {expected}")).at(place)),
        }
    }

    fn from_value(value: Spanned<DeValue<'t>>, expected: &str) -> Result<(Self, Range<usize>), Fault> {
        let place = value.span();
        match value.into_inner() {
            DeValue::Table(keys) => Ok((Self(keys), place)),
            _ => Err(Fault::new(format!("expected {expected}")).at(place)),
        }
    }

    /// Removes and returns a key's value. `expected` describes the value in error messages.
    pub(super) fn take<T: DeserializeOwned>(
        &mut self,
        key: &str,
        expected: &str,
    ) -> Result<Option<T>, Fault> {
        let Some(value) = self.0.remove(key) else { return Ok(None) };
        let place = value.span();
        T::deserialize(ValueDeserializer::from(value))
            .map(Some)
            .map_err(|_| Fault::new(format!("expected {expected}")).at(place))
    }

    /// Removes and parses a key's string.
    pub(super) fn take_parsed<T>(
        &mut self,
        key: &str,
        expected: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Fault> {
        let place = self.0.get(key).map(Spanned::span);
        let Some(text) = self.take::<String>(key, expected)? else { return Ok(None) };
        let fault = |error| Fault { message: format!("{key}: {error}"), place };
        parse(&text).map(Some).map_err(fault)
    }

    /// Reads the options for generated code from the remaining keys. `others` contains the keys that were already taken.
    pub(super) fn options(self, others: &[&str]) -> Result<Config, Fault> {
        let arguments = Config::augment_args(Command::new("options"));
        let options: Vec<&str> = arguments.get_arguments().filter_map(|option| option.get_long()).collect();
        self.expect_only(&options, others)?;
        let value = Spanned::new(0..0, DeValue::Table(self.0));
        Config::deserialize(ValueDeserializer::from(value)).map_err(Fault::from)
    }

    /// Returns an error if a key remains. `known` contains the keys that were taken.
    pub(super) fn expect_none(&self, known: &[&str]) -> Result<(), Fault> {
        self.expect_only(&[], known)
    }

    fn expect_only(&self, left: &[&str], taken: &[&str]) -> Result<(), Fault> {
        let Some(key) = self.0.keys().find(|key| !left.contains(&&**key.get_ref())) else { return Ok(()) };
        let known: Vec<&str> = left.iter().chain(taken).copied().collect();
        let help = match nearest(key.get_ref(), known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => {
                let known: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
                format!("the keys are {}", known.join(", "))
            }
        };
        Err(Fault::new(format!("unknown field `{}`; {help}", key.get_ref())).at(key.span()))
    }
}

impl Fault {
    /// Returns an error without a position.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None }
    }

    /// Adds the position, unless the error already has a position.
    pub(super) fn at(self, place: Range<usize>) -> Self {
        Self { place: self.place.or(Some(place)), ..self }
    }

    /// Adds a job's name to the error.
    pub(super) fn in_job(self, name: &str) -> Self {
        Self { message: format!("job `{name}`: {}", self.message), ..self }
    }

    /// Returns the message and the position. By default, the position is the start of the text.
    pub(super) fn into_parts(self) -> (String, Range<usize>) {
        (self.message, self.place.unwrap_or(0..0))
    }

    /// Returns the message with the path of the file and the position.
    pub(super) fn shown(&self, path: &Path, text: &str) -> String {
        let place = self.place.clone().map(|span| crd_input::Position::from_span(text, span));
        let place = place.map(|place| format!(":{}:{}", place.line, place.column)).unwrap_or_default();
        format!("{}{place}: {}", path.display(), self.message)
    }
}

impl From<toml::de::Error> for Fault {
    fn from(error: toml::de::Error) -> Self {
        let place = error.span().filter(|span| *span != (0..0));
        Self { message: error.message().to_owned(), place }
    }
}
