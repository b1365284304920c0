//! Reads suites. A suite is a document with CRDs and tests.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::ValueEnum;
use crd_core::admit::{FieldValidation, ServerOptions, Submitted};
use crd_core::check::CrdAdvice;
use crd_core::{CustomResourceDefinition, FieldPath, KubeVersion, Segment};
use crd_input::{Document, Error, Limits, Object, Origin, Problem, Source};
use crd_report::{Found, Level, Message, Messages, has_errors};

use super::expectation::Expectation;
use super::object::SuiteObject;
use super::place::{Faults, SuiteValue};
use crate::definitions::Kinds;
use crate::release::release;
use crate::server::Server;
use crate::validate::FieldMode;

/// A suite that is ready to run.
pub(super) struct Suite {
    pub(super) origin: Origin,
    pub(super) kinds: Kinds,
    pub(super) tests: Vec<TestCase>,
    /// Advice about the files to which the suite refers.
    pub(super) advice: Vec<Message>,
}

/// A request and the expected result.
pub(super) struct TestCase {
    pub(super) name: String,
    /// The path to the test's name.
    pub(super) place: FieldPath,
    pub(super) object: Rc<SuiteObject>,
    pub(super) old: Option<Rc<SuiteObject>>,
    pub(super) replaces_status: bool,
    pub(super) field_validation: FieldValidation,
    pub(super) expectation: Expectation,
}

/// Maximum number of pieces of advice about the files to which a suite refers.
const MOST_ADVICE: usize = 1_000;

/// The reasons why a suite cannot be run.
#[derive(Default)]
pub(super) struct Unreadable {
    /// The errors in the suite itself.
    pub(super) findings: Vec<Problem>,
    /// The number of further errors, which are not kept.
    pub(super) more: usize,
    /// The errors in reading files to which the suite refers.
    pub(super) errors: Vec<Error>,
    /// The errors in the CRDs.
    pub(super) messages: Vec<Message>,
}

impl TestCase {
    pub(super) fn submitted(&self) -> Submitted {
        let SuiteObject { value, duplicate_fields } = &*self.object;
        Submitted::from(value).with_duplicate_fields(duplicate_fields.iter().cloned())
    }
}

impl Suite {
    /// Reads a suite. Paths in the suite are relative to `folder`.
    pub(super) fn read(
        object: &Object,
        folder: &Path,
        (server, options): (Server, ServerOptions),
        limits: &Limits,
    ) -> Result<Self, Unreadable> {
        let Document { value, origin } = &object.document;
        let mut reader = Reader {
            folder,
            options,
            limits,
            faults: Faults::new(origin.clone()),
            duplicates: &object.duplicate_fields,
            files: HashMap::new(),
            errors: Vec::new(),
            messages: Vec::new(),
            advice: Vec::new(),
        };
        let root = SuiteValue::root(value);
        root.map(&["crd", "kubeVersion", "tests"], &mut reader.faults);
        let kube_version = root.get("kubeVersion").and_then(|place| reader.kube_version(&place));
        reader.options = options.with_kube_version(server.kube_version_for(kube_version));
        reader.duplicate_keys();
        let kinds = root.required("crd", &mut reader.faults).and_then(|place| reader.kinds(&place));
        let tests = root.required("tests", &mut reader.faults).map(|place| reader.tests(&place));
        let Reader { faults: Faults { findings, more, .. }, errors, messages, advice, .. } = reader;
        match (kinds, tests) {
            (Some(kinds), Some(tests))
                if findings.is_empty() && errors.is_empty() && !has_errors(&messages) =>
            {
                Ok(Self { origin: origin.clone(), kinds, tests, advice })
            }
            _ => Err(Unreadable { findings, more, errors, messages }),
        }
    }
}

struct Reader<'a> {
    folder: &'a Path,
    options: ServerOptions,
    limits: &'a Limits,
    faults: Faults,
    /// The duplicate fields in the suite, such as `tests[0].object.spec.color`.
    duplicates: &'a [FieldPath],
    /// The object in each file that was read, or `None` if the file has errors.
    files: HashMap<String, Option<Rc<SuiteObject>>>,
    errors: Vec<Error>,
    messages: Vec<Message>,
    advice: Vec<Message>,
}

impl Reader<'_> {
    /// Reports duplicate keys, except in objects: a test may check how the API server treats duplicate keys.
    fn duplicate_keys(&mut self) {
        for field in self.duplicates {
            let is_in_object = match &*field.segments() {
                [Segment::Child(tests), Segment::Index(_), Segment::Child(object), _, ..] => {
                    &**tests == "tests" && &**object == "object"
                }
                _ => false,
            };
            if !is_in_object {
                self.faults.add(field, "duplicate key", None);
            }
        }
    }

    /// Returns the Kubernetes version that the suite specifies.
    fn kube_version(&mut self, place: &SuiteValue<'_>) -> Option<KubeVersion> {
        let found = release(place.text(&mut self.faults)?);
        found.map_err(|error| self.faults.add(&place.path, &error, None)).ok()
    }

    fn kinds(&mut self, place: &SuiteValue<'_>) -> Option<Kinds> {
        if let Some(file) = place.value.as_str() {
            let (sources, errors) = crd_input::sources(&[self.file(file)], self.limits);
            let found = Found { sources, errors, ..Found::default() };
            let (kinds, messages, _) =
                Kinds::read(found, FieldValidation::default(), self.options, self.limits);
            let path = self.file(file).to_string_lossy().into_owned();
            self.messages.extend(messages.into_iter().map(|message| match message.file.is_empty() {
                true => Message { file: path.clone(), ..message },
                false => message,
            }));
            return Some(kinds);
        }
        if !place.value.is_object() {
            self.faults.add(&place.path, "must be a CRD, or the path of a file with one", None);
            return None;
        }
        let crd = match CustomResourceDefinition::from_value(place.value.clone()) {
            Ok(crd) => crd,
            Err(error) => {
                self.faults.add(&below(&place.path, error.path()), &error.to_string(), None);
                return None;
            }
        };
        let kinds = Kinds::from_crd(&crd, self.options);
        kinds.map_err(|error| self.faults.add(&place.path, &error.to_string(), None)).ok()
    }

    fn tests(&mut self, place: &SuiteValue<'_>) -> Vec<TestCase> {
        let items = place.items(&mut self.faults).unwrap_or_default();
        if place.value.as_array().is_some_and(Vec::is_empty) {
            self.faults.add(&place.path, "the list is empty", None);
        }
        items.iter().filter_map(|item| self.test(item)).collect()
    }

    /// Reads a test, and reports all errors in the test, not only the first.
    fn test(&mut self, place: &SuiteValue<'_>) -> Option<TestCase> {
        place
            .map(&["name", "object", "old", "subresource", "fieldValidation", "expect"], &mut self.faults)?;
        let name = place.required("name", &mut self.faults);
        let name = name.and_then(|name| name.text(&mut self.faults));
        let object = place.required("object", &mut self.faults);
        let object = object.and_then(|object| self.object(&object));
        let old_place = place.get("old");
        let old = old_place.as_ref().and_then(|old| self.object(old));
        let replaces_status = place.get("subresource").is_some_and(|subresource| {
            self.subresource(&subresource, old_place.is_some());
            true
        });
        let mode = place.get("fieldValidation").and_then(|mode| self.field_validation(&mode));
        let expectation = place.required("expect", &mut self.faults);
        let expectation = expectation.and_then(|place| {
            let object = place.get("object").and_then(|object| self.object(&object));
            Expectation::read(&place, object, &mut self.faults)
        });
        Some(TestCase {
            name: name?.to_owned(),
            place: place.path.child("name"),
            object: object?,
            old,
            replaces_status,
            field_validation: mode.unwrap_or_default(),
            expectation: expectation?,
        })
    }

    fn subresource(&mut self, place: &SuiteValue<'_>, has_old: bool) {
        if place.value != "status" {
            self.faults.add(&place.path, "must be `status`", None);
        } else if !has_old {
            let help = "add `old`, the stored object whose status is replaced".to_owned();
            self.faults.add(&place.path, "the stored object is missing", Some(help));
        }
    }

    fn field_validation(&mut self, place: &SuiteValue<'_>) -> Option<FieldValidation> {
        let mode = place.value.as_str().and_then(|mode| FieldMode::from_str(mode, true).ok());
        if mode.is_none() {
            self.faults.add(&place.path, "must be `Ignore`, `Warn` or `Strict`", None);
        }
        mode.map(FieldValidation::from)
    }

    /// Collects the advice about a file. If the suite refers to the file several times, the advice is collected only once.
    fn advise(&mut self, source: &Source, objects: &[Object]) {
        for object in objects {
            let advice: Vec<CrdAdvice> = object.surprises.advice().collect();
            let origin = &object.document.origin;
            let shown = Messages::new(std::slice::from_ref(source), self.limits)
                .advice(advice.iter().map(|advice| (Level::Note, origin, advice)));
            for message in shown {
                if self.advice.len() < MOST_ADVICE && !self.advice.contains(&message) {
                    self.advice.push(message);
                }
            }
        }
    }

    fn object(&mut self, place: &SuiteValue<'_>) -> Option<Rc<SuiteObject>> {
        if place.value.is_object() {
            let fields = self.duplicates.iter().filter_map(|field| field.below(&place.path));
            let duplicate_fields = fields.collect();
            return Some(Rc::new(SuiteObject { value: place.value.clone(), duplicate_fields }));
        }
        let Some(file) = place.value.as_str() else {
            self.faults.add(&place.path, "must be an object, or the path of a file with one", None);
            return None;
        };
        if let Some(known) = self.files.get(file) {
            return known.clone();
        }
        let object = self.object_in_file(place, file);
        self.files.insert(file.to_owned(), object.clone());
        object
    }

    fn object_in_file(&mut self, place: &SuiteValue<'_>, file: &str) -> Option<Rc<SuiteObject>> {
        let (sources, errors) = crd_input::sources(&[self.file(file)], self.limits);
        let mut failed = !errors.is_empty();
        self.errors.extend(errors);
        let mut objects = Vec::new();
        for source in &sources {
            let (found, errors) = crd_input::objects(source, self.limits);
            failed |= !errors.is_empty();
            self.advise(source, &found);
            objects.extend(found);
            self.errors.extend(errors);
        }
        if failed {
            return None;
        }
        let count = objects.len();
        match objects.pop() {
            Some(Object { document, duplicate_fields, .. }) if count == 1 => {
                Some(Rc::new(SuiteObject { value: document.value, duplicate_fields }))
            }
            _ => {
                let help = Some("give a file with a single object".to_owned());
                self.faults.add(&place.path, &format!("`{file}` contains {count} objects"), help);
                None
            }
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

fn below(outer: &FieldPath, inner: &FieldPath) -> FieldPath {
    inner.segments().into_iter().fold(outer.clone(), |path, segment| match segment {
        Segment::Child(name) => path.child(name.clone()),
        Segment::Index(index) => path.index(*index),
        Segment::Key(key) => path.key(key.clone()),
    })
}
