//! The configuration file: options for all jobs, and the jobs.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use crd_codegen::Config;
use crd_go::nearest::nearest;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

/// A configuration is a file that a person writes.
const LARGEST: u64 = 1 << 20;

/// The table of the jobs.
const JOBS: &str = "job";

/// The keys of other commands: waivers of `crdkit diff`, and the release of the API server that answers `crdkit check`.
const OTHERS: [&str; 3] = ["diff", "feature-gates", "kube-version"];

/// The configuration file of the current folder; the older name counts where only it is there.
pub(crate) fn default_path() -> PathBuf {
    let [current, older] = ["crdkit.toml", "crd-codegen.toml"].map(PathBuf::from);
    if older.exists() && !current.exists() { older } else { current }
}

/// Reads the text of a configuration file.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    crd_input::read_to_string(path, LARGEST).map_err(|error| format!("{}: {error}", path.display()))
}

/// A configuration file.
pub(crate) struct ConfigFile<'t> {
    path: &'t Path,
    text: &'t str,
    /// The choices of all jobs.
    choices: Keys<'t>,
    jobs: Option<Vec<(String, Keys<'t>)>>,
}

/// Keys with their values, some of which are choices.
#[derive(Clone)]
pub(crate) struct Keys<'t>(DeTable<'t>);

/// A fault of a configuration file, and its place.
pub(crate) struct Fault {
    message: String,
    place: Option<Range<usize>>,
}

impl<'t> ConfigFile<'t> {
    /// Parses the text of the file at a path.
    pub(crate) fn parse(path: &'t Path, text: &'t str) -> Result<Self, String> {
        let mut file = Self { path, text, choices: Keys(DeTable::new()), jobs: None };
        let mut keys = DeTable::parse(text).map_err(|error| file.error(&error.into()))?.into_inner();
        for other in OTHERS {
            keys.remove(other);
        }
        match keys.remove(JOBS).map(Spanned::into_inner) {
            None => {}
            Some(DeValue::Table(jobs)) => {
                let job = |(name, keys): (Spanned<Cow<'t, str>>, Spanned<DeValue<'t>>)| {
                    let name = name.into_inner().into_owned();
                    match keys.into_inner() {
                        DeValue::Table(keys) => Ok((name, Keys(keys))),
                        _ => Err(file.error(&Fault::new("expected a table").in_job(&name))),
                    }
                };
                file.jobs = Some(jobs.into_iter().map(job).collect::<Result<_, _>>()?);
            }
            Some(_) => return Err(file.error(&Fault::new("expected a table of jobs, as in `[job.name]`"))),
        }
        file.choices = Keys(keys);
        Ok(file)
    }

    /// The choices outside of jobs.
    pub(crate) fn choices(&self) -> Result<Config, String> {
        self.choices.clone().choices(&[JOBS]).map_err(|fault| self.error(&fault))
    }

    /// The jobs, by name.
    pub(crate) fn jobs(&self) -> Result<&[(String, Keys<'t>)], String> {
        self.jobs.as_deref().ok_or_else(|| self.error(&Fault::new("there is no job, as in `[job.name]`")))
    }

    /// The text of a fault of this file, behind its place.
    pub(crate) fn error(&self, fault: &Fault) -> String {
        let place = fault.place.clone().map(|span| crd_input::Position::from_span(self.text, span));
        let place = place.map(|place| format!(":{}:{}", place.line, place.column)).unwrap_or_default();
        format!("{}{place}: {}", self.path.display(), fault.message)
    }

    /// The folder at which the paths in the file begin.
    pub(crate) fn folder(&self) -> &'t Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The file in which the sums of inputs are kept.
    pub(crate) fn lock_path(&self) -> PathBuf {
        self.path.with_extension("lock")
    }
}

impl Keys<'_> {
    /// Takes the table of a key. A string stands for the table that has it as the value of `short`.
    pub(crate) fn take_table(
        &mut self,
        key: &str,
        short: &'static str,
        expected: &str,
    ) -> Result<Option<Self>, Fault> {
        let Some(value) = self.0.remove(key) else { return Ok(None) };
        let place = value.span();
        match value.into_inner() {
            DeValue::Table(keys) => Ok(Some(Self(keys))),
            string @ DeValue::String(_) => {
                let mut keys = DeTable::new();
                let key = Spanned::new(place.clone(), short.into());
                keys.insert(key, Spanned::new(place, string));
                Ok(Some(Self(keys)))
            }
            _ => Err(Fault { message: format!("expected {expected}"), place: Some(place) }),
        }
    }

    /// Takes the value of a key that is not a choice; `expected` shows the form of the value.
    pub(crate) fn take<T: DeserializeOwned>(
        &mut self,
        key: &str,
        expected: &str,
    ) -> Result<Option<T>, Fault> {
        let Some(value) = self.0.remove(key) else { return Ok(None) };
        let place = Some(value.span());
        T::deserialize(ValueDeserializer::from(value))
            .map(Some)
            .map_err(|_| Fault { message: format!("expected {expected}"), place })
    }

    /// Reads the choices; `others` are the keys that may stand beside them.
    pub(crate) fn choices(self, others: &[&str]) -> Result<Config, Fault> {
        let arguments = Config::augment_args(Command::new("choices"));
        let choices: Vec<&str> =
            arguments.get_arguments().filter_map(|argument| argument.get_long()).collect();
        if let Some(fault) = self.unknown(&choices, others) {
            return Err(fault);
        }
        let value = Spanned::new(0..0, DeValue::Table(self.0));
        Config::deserialize(ValueDeserializer::from(value)).map_err(Fault::from)
    }

    /// The fault of the first key that is not `known`. Keys that were taken before are `others`.
    pub(crate) fn unknown(&self, known: &[&str], others: &[&str]) -> Option<Fault> {
        let key = self.0.keys().find(|key| !known.contains(&&**key.get_ref()))?;
        let known: Vec<&str> = known.iter().chain(others).copied().collect();
        let help = match nearest(key.get_ref(), known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => {
                let known: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
                format!("the keys are {}", known.join(", "))
            }
        };
        let message = format!("unknown field `{}`; {help}", key.get_ref());
        Some(Fault { message, place: Some(key.span()) })
    }
}

impl Fault {
    /// A fault without a place.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None }
    }

    /// The same as a fault of a job.
    pub(crate) fn in_job(self, name: &str) -> Self {
        Self { message: format!("job `{name}`: {}", self.message), ..self }
    }
}

impl From<toml::de::Error> for Fault {
    fn from(error: toml::de::Error) -> Self {
        let place = error.span().filter(|span| *span != (0..0));
        Self { message: error.message().to_owned(), place }
    }
}
