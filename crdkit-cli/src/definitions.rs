//! Reads the CRDs against which objects are validated.

use std::collections::HashMap;

use crd_core::CustomResourceDefinition;
use crd_core::admit::{FieldValidation, InvalidDefinition, ServerOptions, Validator};
use crd_docs::table::Columns;
use serde_json::Value;

use crd_input::{Limits, Source, in_parallel};
use crd_report::{Found, LeftOut, Message};

use crate::read::Read;

/// The kinds that CRDs define.
#[derive(Default)]
pub(crate) struct Kinds {
    by_kind: HashMap<(String, String), Validator>,
    /// The validator for a group's only kind; `None` if the group has several kinds.
    by_group: HashMap<String, Option<Validator>>,
    /// The printer columns by `apiVersion` and kind.
    columns: HashMap<(String, String), Columns>,
    /// The served versions by group and kind.
    served: HashMap<(String, String), Vec<String>>,
    /// The storage versions by group and kind, for kinds without a conversion webhook.
    stored_in: HashMap<(String, String), String>,
}

impl Kinds {
    /// Reads CRDs. Returns messages about CRDs that cannot be read or compiled.
    pub(crate) fn read(
        Found { sources, errors, left_out, .. }: Found,
        field_validation: FieldValidation,
        options: ServerOptions,
        limits: &Limits,
    ) -> (Self, Vec<Message>, LeftOut) {
        let Read { definitions, mut messages, left_out, .. } =
            Read::from_sources(&sources, errors, left_out, limits).expect_some().keep_first(&sources);
        let mut kinds = Self::default();
        let compiled =
            in_parallel(&definitions, |definition| Validator::with_options(&definition.crd, options));
        for (definition, validator) in definitions.iter().zip(compiled) {
            let spec = &definition.crd.spec;
            match validator {
                Ok(validator) => {
                    kinds.add(&definition.crd, validator.with_field_validation(field_validation));
                }
                Err(error) => messages.push(Message {
                    file: shown(&sources, &definition.origin.file),
                    ..Message::for_run(format!("the CRD of {} is invalid: {error}", spec.names.kind))
                }),
            }
        }
        (kinds, messages, left_out)
    }

    /// Returns the kind of a single CRD.
    pub(crate) fn from_crd(
        crd: &CustomResourceDefinition,
        options: ServerOptions,
    ) -> Result<Self, InvalidDefinition> {
        let mut kinds = Self::default();
        kinds.add(crd, Validator::with_options(crd, options)?);
        Ok(kinds)
    }

    /// Returns `true` if a line in a file may specify the group of a known kind.
    pub(crate) fn is_named_in(&self, line: &str) -> bool {
        line.contains("apiVersion") && self.by_group.keys().any(|group| line.contains(&format!("{group}/")))
    }

    fn add(&mut self, crd: &CustomResourceDefinition, validator: Validator) {
        let (group, kind) = (&crd.spec.group, &crd.spec.names.kind);
        for version in &crd.spec.versions {
            if let Some(columns) = Columns::for_version(crd, &version.name) {
                self.columns.insert((format!("{group}/{}", version.name), kind.clone()), columns);
            }
        }
        let served = crd.spec.versions.iter().filter(|version| version.served);
        let served = served.map(|version| version.name.clone()).collect();
        self.served.insert((group.clone(), kind.clone()), served);
        if let Some(version) = crd.storage_version().filter(|_| !crd.spec.has_conversion_webhook()) {
            self.stored_in.insert((group.clone(), kind.clone()), version.name.clone());
        }
        let only = self.by_kind.keys().all(|(other, _)| other != group);
        self.by_group.insert(group.clone(), only.then(|| validator.clone()));
        self.by_kind.insert((group.clone(), kind.clone()), validator);
    }

    /// Returns the validator for an object, or `None` if no CRD defines the object's kind.
    ///
    /// In a group with a single kind, objects of other kinds are checked against this kind. The result is then the API server's error about
    /// a wrong kind.
    pub(crate) fn validator(&self, object: &Value) -> Option<&Validator> {
        let group = object["apiVersion"].as_str()?.split_once('/')?.0;
        let kind = object["kind"].as_str().unwrap_or_default();
        self.by_kind.get(&(group.to_owned(), kind.to_owned())).or_else(|| self.by_group.get(group)?.as_ref())
    }

    /// Returns the served versions of an object's kind, if the object's version is not served.
    pub(crate) fn served_instead(&self, object: &Value) -> Option<&[String]> {
        let (group, version) = object["apiVersion"].as_str()?.split_once('/')?;
        let kind = object["kind"].as_str()?;
        let served = self.served.get(&(group.to_owned(), kind.to_owned()))?;
        served.iter().all(|name| name != version).then_some(served)
    }

    /// Returns the storage version of an object, if the object has a different version and no webhook converts it.
    pub(crate) fn other_stored_version(&self, object: &Value) -> Option<&str> {
        let (group, version) = object["apiVersion"].as_str()?.split_once('/')?;
        let kind = object["kind"].as_str()?;
        let stored = self.stored_in.get(&(group.to_owned(), kind.to_owned()))?;
        (stored != version).then_some(stored.as_str())
    }

    /// Returns the printer columns for an object.
    pub(crate) fn columns_of(&self, object: &Value) -> Option<&Columns> {
        let text = |key: &str| object[key].as_str().map(str::to_owned);
        self.columns.get(&(text("apiVersion")?, text("kind")?))
    }
}

fn shown(sources: &[Source], relative: &str) -> String {
    let source = sources.iter().find(|source| source.relative() == relative);
    source.map_or(relative, |source| source.name()).to_owned()
}
