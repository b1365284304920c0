//! Parses and checks the options of write requests.
//!
//! Source: `k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go`.

use crd_core::admit::FieldValidation;
use crd_core::{Diagnostic, FieldPath, Shown};
use crd_go::strings::is_print;

use super::query::Query;
use crate::KUBE_VERSION;
use crate::status::Failure;

/// Maximum number of bytes in a field manager's name.
const MANAGER_BYTES: i64 = 128;

/// The options of a write request.
#[derive(Clone, Debug)]
pub(crate) struct WriteOptions {
    pub(crate) is_dry_run: bool,
    /// `true` for a patch or server-side apply. In such requests, the object's UID is not a precondition.
    pub(crate) is_patch: bool,
    /// The name of the field manager.
    pub(crate) manager: String,
    pub(crate) field_validation: FieldValidation,
    /// `true` if server-side apply takes over other managers' fields.
    pub(crate) force: bool,
    /// The problems for which strict field validation rejects a patch.
    pub(crate) patch_problems: Vec<String>,
    /// The messages about repeated keys in an applied object.
    pub(crate) repeated_keys: Vec<String>,
}

/// The kind of a write request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writing {
    Create,
    Update,
    Patch,
    Apply,
}

impl WriteOptions {
    /// Returns the options for writes by the server itself under this manager's name.
    pub(crate) fn for_manager(manager: &str) -> Self {
        Self {
            is_dry_run: false,
            is_patch: false,
            manager: manager.to_owned(),
            field_validation: FieldValidation::Ignore,
            force: false,
            patch_problems: Vec::new(),
            repeated_keys: Vec::new(),
        }
    }

    pub(crate) fn read(query: &Query, user_agent: &str, writing: Writing) -> Result<Self, Failure> {
        let mut causes = Vec::new();
        let manager = query.text("fieldManager");
        if writing == Writing::Apply && manager.is_empty() {
            causes.push(Diagnostic::required(path("fieldManager"), "is required for apply patch"));
        }
        let force = query.flag("force");
        if writing == Writing::Patch && force.is_some() {
            causes.push(Diagnostic::forbidden(path("force"), "may not be specified for non-apply patch"));
        }
        check_manager(manager, &mut causes);
        let is_dry_run = dry_run(&query.all("dryRun").map(str::to_owned).collect::<Vec<_>>(), &mut causes);
        let field_validation = match query.text("fieldValidation") {
            "" | "Warn" => FieldValidation::Warn,
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            other => {
                let supported = ["", "Ignore", "Strict", "Warn"];
                causes.push(Diagnostic::not_supported(path("fieldValidation"), other, &supported));
                FieldValidation::Warn
            }
        };
        let kind = match writing {
            Writing::Create => "CreateOptions",
            Writing::Update => "UpdateOptions",
            Writing::Patch | Writing::Apply => "PatchOptions",
        };
        reject(kind, &causes)?;
        let manager = if manager.is_empty() { manager_of(user_agent) } else { manager.to_owned() };
        Ok(Self {
            is_dry_run,
            is_patch: matches!(writing, Writing::Patch | Writing::Apply),
            manager,
            field_validation,
            force: force == Some(true),
            patch_problems: Vec::new(),
            repeated_keys: Vec::new(),
        })
    }
}

/// Rejects the options if there are causes.
pub(crate) fn reject(kind: &str, causes: &[Diagnostic]) -> Result<(), Failure> {
    if causes.is_empty() { Ok(()) } else { Err(Failure::invalid(kind, "meta.k8s.io", "", causes)) }
}

/// Returns `true` for a dry run, which stores nothing.
pub(crate) fn dry_run(values: &[String], causes: &mut Vec<Diagnostic>) -> bool {
    if values.iter().any(|value| value != "All") {
        causes.push(Diagnostic::not_supported(
            path("dryRun"),
            Shown::strings(Some(values), KUBE_VERSION),
            &["All"],
        ));
    }
    !values.is_empty()
}

fn check_manager(manager: &str, causes: &mut Vec<Diagnostic>) {
    if is_too_long(manager.len()) {
        causes.push(Diagnostic::too_long(path("fieldManager"), MANAGER_BYTES, KUBE_VERSION));
    }
    for (at, c) in manager.char_indices().filter(|(_, c)| !is_print(*c)) {
        let detail = format!("invalid character U+{:04X} (at position {at})", u32::from(c));
        causes.push(Diagnostic::invalid(path("fieldManager"), manager, &detail));
    }
}

fn is_too_long(bytes: usize) -> bool {
    i64::try_from(bytes).is_ok_and(|bytes| bytes > MANAGER_BYTES)
}

/// Returns the default field manager: the part of the user agent before the first slash.
fn manager_of(user_agent: &str) -> String {
    let mut manager = String::new();
    let name = user_agent.split('/').next().unwrap_or_default();
    for c in name.chars().filter(|c| is_print(*c)) {
        if is_too_long(manager.len() + c.len_utf8()) {
            break;
        }
        manager.push(c);
    }
    manager
}

pub(crate) fn path(field: &str) -> FieldPath {
    FieldPath::new(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn managers_come_from_the_user_agent() {
        assert_eq!(manager_of("kubectl/v1.36 (linux)"), "kubectl");
        assert_eq!(manager_of("a\u{7}b"), "ab");
        assert_eq!(manager_of(&"x".repeat(200)).len(), 128);
    }

    #[test]
    fn wrong_options_are_refused() {
        let read = |query: &str, writing| {
            let failure = WriteOptions::read(&Query::parse(query), "", writing).unwrap_err();
            failure.to_value()["message"].as_str().unwrap().to_owned()
        };
        assert_eq!(
            read("dryRun=Foo", Writing::Create),
            "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"Foo\"]: supported values: \"All\""
        );
        assert_eq!(
            read("", Writing::Apply),
            "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch"
        );
    }
}
