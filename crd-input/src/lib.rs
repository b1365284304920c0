//! Reads Kubernetes objects from files, directories, standard input and clusters, as kubectl does, and finds the positions of their fields
//! in the text.
//!
//! ```
//! use crd_input::{Limits, Source, documents};
//!
//! let source = Source::from_string("example.yaml", "a: 0o17\n---\nkind: List\nitems: [{b: yes}, {c: 1.0}]\n");
//! let (documents, errors) = documents(&source, &Limits::default());
//! assert!(errors.is_empty());
//! let values: Vec<String> = documents.iter().map(|document| document.value.to_string()).collect();
//! assert_eq!(values, [r#"{"a":15}"#, r#"{"b":true}"#, r#"{"c":1}"#]);
//! ```

#![forbid(unsafe_code)]

mod body;
#[cfg(feature = "cluster")]
mod cluster;
mod commit;
mod compose;
mod definition;
mod duplicates;
mod encoding;
mod error;
mod files;
mod heads;
mod json;
mod limits;
mod lines;
#[cfg(feature = "output")]
pub mod output;
mod parallel;
mod pattern;
mod recording;
mod room;
mod scalar;
mod source_map;
mod surprise;
mod turns;
mod unpack;
mod yaml;

use std::collections::HashMap;

use crd_core::crd::{API_VERSION, KIND};
use crd_core::{CauseReason, CustomResourceDefinition, Diagnostic, FieldPath};
use serde_json::Value;

pub use body::{Body, RepeatedKey, body};
#[cfg(feature = "cluster")]
pub use cluster::Cluster;
pub use commit::{clean, search_commit, sources_or_commit, tracked_although_ignored};
use compose::Part;
pub use definition::{Definition, Origin, Problem, ProblemSeverity};
use duplicates::Keys;
pub use error::{Error, Fault, Position};
pub use files::{Found, Search, Source, read_bytes, read_to_string, search, sources};
pub use limits::Limits;
pub use lines::Lines;
pub use parallel::in_parallel;
#[cfg(feature = "large-stack")]
pub use parallel::on_large_stack;
pub use pattern::is_like;
use recording::Recorder;
use room::{REQUEST, Room};
pub use source_map::{Location, NotEdited, SourceMap, edited};
pub use surprise::{Surprise, Surprises};
pub use turns::{Turn, in_turn};

/// The warning about a repeated key in a map.
pub const DUPLICATE_FIELD: &str = "duplicate field: the last value is used";

/// The name of standard input in messages and headers.
const STDIN: &str = "<stdin>";

/// One object in an input.
#[derive(Clone, Debug)]
pub struct Document {
    /// The object.
    pub value: Value,
    /// The place where the object was read.
    pub origin: Origin,
}

/// The result of [`definitions`].
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// The CRDs, in order.
    pub definitions: Vec<Definition>,
    /// The errors for objects of the kind `CustomResourceDefinition` that cannot be decoded.
    pub findings: Vec<Problem>,
    /// The first 10,000 objects of other kinds.
    pub others: Vec<Other>,
    /// The number of further objects of other kinds.
    pub more_others: usize,
    /// The files that were found in directories and skipped, because they contain only a part of a CRD.
    pub parts: Vec<String>,
    /// The errors for texts that cannot be read.
    pub errors: Vec<Error>,
}

/// An object that is not a `CustomResourceDefinition`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// The place where the object was read.
    pub origin: Origin,
    /// The kind of the object, if it has one.
    pub kind: Option<String>,
}

/// Reads the CRDs from all sources, on all cores. `progress` is called after each source, from any thread.
///
/// ```
/// use crd_input::{Limits, Source, definitions};
///
/// let source = Source::from_string("a.yaml", "apiVersion: v1\nkind: ConfigMap\n---\nbroken: [\n");
/// let read = definitions(&[source], &Limits::default(), &|| ());
/// assert!(read.definitions.is_empty());
/// assert_eq!(read.others[0].kind.as_deref(), Some("ConfigMap"));
/// assert_eq!(read.errors[0].to_string(), "a.yaml:5:1: a value is missing here");
/// ```
#[must_use]
pub fn definitions(sources: &[Source], limits: &Limits, progress: &(dyn Fn() + Sync)) -> Definitions {
    let parts = in_parallel(sources, |source| {
        let mut part = Definitions::default();
        part.errors = each_document(source, limits, &mut |object| part.take(object, source));
        progress();
        part
    });
    let mut all = Definitions::default();
    for part in parts {
        all.definitions.extend(part.definitions);
        all.findings.extend(part.findings);
        all.add_others(part.others, part.more_others);
        all.parts.extend(part.parts);
        all.errors.extend(part.errors);
    }
    all
}

/// Reads the objects in a source: YAML documents, consecutive JSON objects, and `List`s, whose items count as documents. Empty documents
/// are skipped, but documents with errors are numbered like all others. After an error, the next document is read, so the result can
/// contain documents and errors.
#[must_use]
pub fn documents(source: &Source, limits: &Limits) -> (Vec<Document>, Vec<Error>) {
    let (objects, errors) = read(source, limits, (Keys::Once, Lists::Unpacked));
    (objects.into_iter().map(|object| object.document).collect(), errors)
}

/// An object that is read as the API server reads a request body.
#[derive(Clone, Debug)]
pub struct Object {
    /// The object, with its origin.
    pub document: Document,
    /// The duplicate fields in the object's text. The last value is used.
    pub duplicate_fields: Vec<FieldPath>,
    /// The scalars that kubectl reads differently from YAML 1.2.
    pub surprises: Surprises,
}

/// Reads the objects in a source as [`documents`] does, but accepts duplicate fields and lists without items.
#[must_use]
pub fn objects(source: &Source, limits: &Limits) -> (Vec<Object>, Vec<Error>) {
    read(source, limits, (Keys::Noted, Lists::EmptyKept))
}

/// The treatment of lists without items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lists {
    Unpacked,
    /// A list without items is returned as an object.
    EmptyKept,
}

fn read(source: &Source, limits: &Limits, how: (Keys, Lists)) -> (Vec<Object>, Vec<Error>) {
    let mut objects = Vec::new();
    let errors = each_object(source, limits, how, true, &mut |object| objects.push(object));
    (objects, errors)
}

/// Passes the objects in a source to a function one by one, without keeping them in memory. Duplicate fields are accepted, as in kubectl.
pub fn each_document(source: &Source, limits: &Limits, give: &mut dyn FnMut(Object)) -> Vec<Error> {
    each_object(source, limits, (Keys::Noted, Lists::Unpacked), false, give)
}

/// Calls a function for each object that [`objects`] would return, without keeping the objects in memory.
pub fn each_submitted(source: &Source, limits: &Limits, give: &mut dyn FnMut(Object)) -> Vec<Error> {
    each_object(source, limits, (Keys::Noted, Lists::EmptyKept), false, give)
}

fn each_object(
    source: &Source,
    limits: &Limits,
    (keys, lists): (Keys, Lists),
    keeps: bool,
    give: &mut dyn FnMut(Object),
) -> Vec<Error> {
    let text = match source.read(limits) {
        Ok(text) => text,
        Err(error) => return vec![error],
    };
    let mut errors = Vec::new();
    let (mut number, mut definitions) = (0, 0);
    let most = MOST_SMALL + text.len() / LEAST_OBJECT;
    let most_definitions = MOST_SMALL_DEFINITIONS + text.len() / LEAST_DEFINITION;
    let room = Room::for_source(text.len(), source.together(), limits, keeps);
    let mut recorder = source.recorder(&text, limits);
    each_part(&text, source, limits, keys, &room, recorder.as_mut(), &mut |part| {
        let mut found = |value: Value, (duplicate_fields, surprises)| {
            definitions += usize::from(is_definition(&value));
            if number < most && definitions <= most_definitions {
                let origin = Origin { file: source.relative().to_owned(), document: number };
                give(Object { document: Document { value, origin }, duplicate_fields, surprises });
            }
            number += 1;
        };
        match part {
            Part::Document(Value::Null, _) => {}
            Part::Document(value, duplicates)
                if lists == Lists::EmptyKept && value["items"].as_array().is_some_and(Vec::is_empty) =>
            {
                found(value, duplicates.below(""));
            }
            Part::Document(value, duplicates) => {
                unpack::unpack(value, "", &mut |value, place| found(value, duplicates.below(place)));
            }
            Part::Item(value, place, duplicates) => {
                unpack::unpack(value, &place, &mut |value, place| found(value, duplicates.below(place)));
            }
            Part::Fault(fault) => {
                errors.push(Error::new(source.name(), fault));
                number += 1;
            }
        }
    });
    source.keep(recorder);
    for (number, most, kind) in [(number, most, "documents"), (definitions, most_definitions, "definitions")]
    {
        if number > most {
            let fault = Fault::new(format!(
                "{number} {kind} are too many for a file of this size: only {most} are read"
            ));
            errors.push(Error::new(source.name(), fault.help("split the file")));
        }
    }
    errors
}

/// The size in bytes of a small object with a kind and a name. Even an empty document takes some time, so a small file with many smaller
/// documents would take a long time.
const LEAST_OBJECT: usize = 64;
/// The number of documents that a source may have regardless of its size.
const MOST_SMALL: usize = 10_000;
/// The size in bytes of a small CRD that the API server accepts, with a group, names, a scope, and a version with its schema. The errors
/// for a CRD without these parts would be larger than the CRD.
const LEAST_DEFINITION: usize = 256;
/// The number of CRDs that a source may have regardless of its size.
const MOST_SMALL_DEFINITIONS: usize = 1_000;

/// Sorts errors in the order of their sources.
#[must_use]
pub fn in_order_of(sources: &[Source], mut errors: Vec<Error>) -> Vec<Error> {
    let numbers: HashMap<&str, usize> =
        sources.iter().enumerate().map(|(number, source)| (source.name(), number)).collect();
    errors.sort_by_key(|error| numbers.get(error.file()));
    errors
}

/// Texts of at least this size are read twice, so that the items of lists are passed on one by one.
const LARGE: usize = 1 << 20;

fn each_part(
    text: &str,
    source: &Source,
    limits: &Limits,
    keys: Keys,
    room: &Room,
    recorder: Option<&mut Recorder<'_>>,
    give: &mut dyn FnMut(Part),
) {
    // kubectl tries JSON if a text begins like JSON, and YAML if that fails.
    if text.trim_ascii_start().starts_with('{') {
        let read = if text.len() < LARGE {
            json::documents(text, limits, keys, room.clone()).map(|documents| {
                documents.into_iter().for_each(|(value, duplicates)| give(Part::Document(value, duplicates)));
            })
        } else {
            large_json(text, limits, keys, room, give)
        };
        let Err(fault) = read else { return };
        let is_json = source.path().is_some_and(|path| path.extension().is_some_and(|end| end == "json"));
        if is_json {
            let mut has_faults = false;
            compose::each(text, limits, keys, &HashMap::new(), room.clone(), None, &mut |part| {
                has_faults |= matches!(part, Part::Fault(_));
            });
            if has_faults {
                return give(Part::Fault(fault));
            }
        }
    }
    if text.len() < LARGE {
        return compose::each(text, limits, keys, &HashMap::new(), room.clone(), recorder, give);
    }
    compose::each(text, limits, keys, &heads::scan_yaml(text, limits), room.clone(), None, give);
}

fn large_json(
    text: &str,
    limits: &Limits,
    keys: Keys,
    room: &Room,
    give: &mut dyn FnMut(Part),
) -> Result<(), Fault> {
    // No object is passed on before the whole text is known to be valid JSON; otherwise it is read as YAML.
    let heads = json::heads(text, limits, keys)?;
    json::each(text, limits, keys, &heads, room.clone(), give)
}

impl Document {
    /// Returns `true` if the kind is `CustomResourceDefinition`, with any `apiVersion`.
    #[must_use]
    pub fn is_definition(&self) -> bool {
        is_definition(&self.value)
    }

    /// Returns `true` if [`Document::has_part_only`] does, and the source was found in a directory.
    #[must_use]
    pub fn is_part_of_definition(&self, source: &Source) -> bool {
        source.is_found() && self.has_part_only()
    }

    /// Returns `true` for a CRD without group, scope, names and versions. In a directory, such a CRD is a patch or an assertion.
    #[must_use]
    pub fn has_part_only(&self) -> bool {
        let has = |field: &&str| self.value["spec"].get(field).is_some();
        self.is_definition() && !["group", "scope", "names", "versions"].iter().any(has)
    }
}

/// Returns `true` for a text with expressions in double braces, such as a Helm template.
#[must_use]
pub fn is_template(text: &str) -> bool {
    text.lines().any(|line| line.contains("{{") && line.contains("}}"))
}

fn is_definition(value: &Value) -> bool {
    value["kind"] == KIND
}

/// Maximum number of objects of other kinds that are kept. Further objects are only counted.
const MOST_OTHERS: usize = 10_000;

impl Definitions {
    fn add_others(&mut self, mut others: Vec<Other>, more: usize) {
        let room = MOST_OTHERS - self.others.len();
        self.more_others += more + others.len().saturating_sub(room);
        others.truncate(room);
        self.others.append(&mut others);
    }

    fn take(&mut self, Object { document, duplicate_fields, .. }: Object, source: &Source) {
        if document.is_part_of_definition(source) {
            self.parts.push(source.name().to_owned());
            return;
        }
        let is_definition = document.is_definition();
        let Document { value, origin } = document;
        if is_definition {
            let duplicates = duplicate_fields.into_iter().map(|field| {
                let diagnostic = Diagnostic::new(field, CauseReason::Duplicate, DUPLICATE_FIELD);
                Problem { origin: origin.clone(), diagnostic, severity: ProblemSeverity::Warning }
            });
            self.findings.extend(duplicates);
        }
        if !is_definition {
            let kind = value["kind"].as_str().map(str::to_owned);
            self.add_others(vec![Other { origin, kind }], 0);
        } else if value["apiVersion"] != API_VERSION {
            let message =
                format!("Unsupported value: {}: supported values: \"{API_VERSION}\"", value["apiVersion"]);
            let version = value["apiVersion"].as_str().and_then(|text| text.split_once('/'));
            let help = match version.map(|(group, _)| API_VERSION.starts_with(group)) {
                Some(true) => {
                    "convert it to `apiextensions.k8s.io/v1`: Kubernetes has served no other version since 1.22"
                }
                _ => "write `apiVersion: apiextensions.k8s.io/v1`",
            };
            let diagnostic =
                Diagnostic::new(FieldPath::new("apiVersion"), CauseReason::NotSupported, message)
                    .with_help(help);
            self.findings.push(Problem { origin, diagnostic, severity: ProblemSeverity::Error });
        } else {
            match CustomResourceDefinition::from_value(value) {
                Ok(crd) => self.definitions.push(Definition { crd, origin }),
                Err(error) => {
                    let diagnostic =
                        Diagnostic::new(error.path().clone(), CauseReason::TypeInvalid, error.to_string());
                    self.findings.push(Problem { origin, diagnostic, severity: ProblemSeverity::Error });
                }
            }
        }
    }
}
