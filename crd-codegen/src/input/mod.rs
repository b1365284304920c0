//! Reads definitions from files, folders and standard input, as kubectl reads them, and from clusters.
//!
//! ```
//! use crd_codegen::input::{Limits, Source, documents};
//!
//! let source = Source::from_text("example.yaml", "a: 0o17\n---\nkind: List\nitems: [{b: yes}, {c: 1.0}]\n");
//! let (documents, errors) = documents(&source, &Limits::default());
//! assert!(errors.is_empty());
//! let values: Vec<String> = documents.iter().map(|document| document.value.to_string()).collect();
//! assert_eq!(values, [r#"{"a":15}"#, r#"{"b":true}"#, r#"{"c":1}"#]);
//! ```

#[cfg(feature = "cluster")]
mod cluster;
mod compose;
mod duplicates;
mod error;
mod files;
mod json;
mod limits;
mod parallel;
pub(crate) mod scalar;
mod unpack;
pub(crate) mod yaml;

use crd_core::crd::{API_VERSION, KIND};
use crd_core::{CustomResourceDefinition, Diagnostic, FieldPath, Reason};
use serde_json::Value;

use crate::{Definition, Finding, Origin, Severity};

#[cfg(feature = "cluster")]
pub use cluster::Cluster;
use duplicates::{Duplicates, Keys};
pub use error::Error;
pub(crate) use error::{Fault, Place};
pub use files::{Source, sources};
#[cfg(feature = "cli")]
pub(crate) use files::{read_bytes, read_text};
pub use limits::Limits;
pub(crate) use parallel::in_parallel;

/// What the standard input is called in messages and headers.
const STDIN: &str = "<stdin>";

/// One object of an input.
#[derive(Clone, Debug)]
pub struct Document {
    /// The object.
    pub value: Value,
    /// Where it was read.
    pub origin: Origin,
}

/// What [`definitions`] read.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// The definitions, in order.
    pub definitions: Vec<Definition>,
    /// What says that it is a definition and cannot be read as one.
    pub findings: Vec<Finding>,
    /// The objects that are something else.
    pub others: Vec<Other>,
    /// What could not be read at all.
    pub errors: Vec<Error>,
}

/// An object that is no `CustomResourceDefinition`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// Where it was read.
    pub origin: Origin,
    /// Its kind, where it has one.
    pub kind: Option<String>,
}

/// Reads the definitions of some sources, on all cores. `progress` is called after each source, from any thread.
///
/// ```
/// use crd_codegen::input::{self, Limits, Source};
///
/// let source = Source::from_text("a.yaml", "apiVersion: v1\nkind: ConfigMap\n---\nbroken: [\n");
/// let read = input::definitions(&[source], &Limits::default(), &|| ());
/// assert!(read.definitions.is_empty());
/// assert_eq!(read.others[0].kind.as_deref(), Some("ConfigMap"));
/// assert_eq!(read.errors[0].to_string(), "a.yaml:5:1: a value is missing here");
/// ```
#[must_use]
pub fn definitions(sources: &[Source], limits: &Limits, progress: &(dyn Fn() + Sync)) -> Definitions {
    let parts = in_parallel(sources, |source| {
        let mut part = Definitions::default();
        let (documents, errors) = documents(source, limits);
        part.errors = errors;
        for document in documents {
            part.take(document);
        }
        progress();
        part
    });
    let mut all = Definitions::default();
    for part in parts {
        all.definitions.extend(part.definitions);
        all.findings.extend(part.findings);
        all.others.extend(part.others);
        all.errors.extend(part.errors);
    }
    all
}

/// Reads the objects of a source: several YAML documents, JSON objects one after the other, and `List`s, whose items
/// count as documents. Empty documents are left out; one with a fault has a number as the others. After a fault the next document is read, so there may be both
/// documents and errors.
#[must_use]
pub fn documents(source: &Source, limits: &Limits) -> (Vec<Document>, Vec<Error>) {
    let (objects, errors) = read(source, limits, Keys::Once);
    (objects.into_iter().map(|object| object.document).collect(), errors)
}

/// An object as a request would send it.
#[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "only the command line validates objects"))]
pub(crate) struct Object {
    pub(crate) document: Document,
    /// The fields that its text has twice; the last value stands.
    pub(crate) duplicate_fields: Vec<String>,
}

/// Reads the objects of a source as [`documents`] does, but takes objects that have fields twice, and lists without items.
#[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "only the command line validates objects"))]
pub(crate) fn objects(source: &Source, limits: &Limits) -> (Vec<Object>, Vec<Error>) {
    read(source, limits, Keys::Noted)
}

fn read(source: &Source, limits: &Limits, keys: Keys) -> (Vec<Object>, Vec<Error>) {
    let text = match source.read(limits) {
        Ok(text) => text,
        Err(error) => return (Vec::new(), vec![error]),
    };
    let (mut objects, mut errors) = (Vec::new(), Vec::new());
    let mut number = 0;
    for read in parse(&text, source, limits, keys) {
        let mut found = |value: Value, duplicate_fields| {
            let origin = Origin { file: source.relative().to_owned(), document: number };
            objects.push(Object { document: Document { value, origin }, duplicate_fields });
            number += 1;
        };
        match read {
            Ok((Value::Null, _)) => {}
            Ok((value, duplicates))
                if keys == Keys::Noted && value["items"].as_array().is_some_and(Vec::is_empty) =>
            {
                found(value, duplicates.below(""));
            }
            Ok((value, duplicates)) => {
                unpack::unpack(value, "", &mut |value, place| found(value, duplicates.below(place)));
            }
            Err(fault) => {
                errors.push(Error::new(source.name(), fault));
                number += 1;
            }
        }
    }
    (objects, errors)
}

fn parse(
    text: &str,
    source: &Source,
    limits: &Limits,
    keys: Keys,
) -> Vec<Result<(Value, Duplicates), Fault>> {
    // kubectl tries JSON where a text begins like it, and YAML if that fails.
    if !text.trim_ascii_start().starts_with('{') {
        return compose::documents(text, limits, keys);
    }
    match json::documents(text, limits, keys) {
        Ok(values) => values.into_iter().map(Ok).collect(),
        Err(fault) => {
            let documents = compose::documents(text, limits, keys);
            let is_json = source.path().is_some_and(|path| path.extension().is_some_and(|end| end == "json"));
            if is_json && documents.iter().any(Result::is_err) { vec![Err(fault)] } else { documents }
        }
    }
}

impl Document {
    /// Whether it says that it is a `CustomResourceDefinition`, of whichever version.
    #[must_use]
    pub fn is_definition(&self) -> bool {
        let group = API_VERSION.split('/').next();
        self.value["kind"] == KIND
            && self.value["apiVersion"].as_str().map(|v| v.split('/').next()) == Some(group)
    }
}

impl Definitions {
    fn take(&mut self, document: Document) {
        let is_definition = document.is_definition();
        let Document { value, origin } = document;
        if !is_definition {
            let kind = value["kind"].as_str().map(str::to_owned);
            self.others.push(Other { origin, kind });
        } else if value["apiVersion"] != API_VERSION {
            let message =
                format!("Unsupported value: {}: supported values: \"{API_VERSION}\"", value["apiVersion"]);
            let diagnostic = Diagnostic::new(FieldPath::new("apiVersion"), Reason::NotSupported, message)
                .with_help(
                    "convert it to `apiextensions.k8s.io/v1`: no other version has been served since 1.22",
                );
            self.findings.push(Finding { origin, diagnostic, severity: Severity::Error });
        } else {
            match CustomResourceDefinition::from_value(value) {
                Ok(crd) => self.definitions.push(Definition { crd, origin }),
                Err(error) => {
                    let diagnostic =
                        Diagnostic::new(error.path().clone(), Reason::TypeInvalid, error.to_string());
                    self.findings.push(Finding { origin, diagnostic, severity: Severity::Error });
                }
            }
        }
    }
}
