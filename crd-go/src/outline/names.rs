//! Checks of the group, `spec.names`, and the names and deprecation warnings of versions.

use crate::field::{Causes, Diagnostic, Edit, FieldPath, Remedy, Shown};
use crate::names::{dns_1035_label, dns_1123_subdomain};
use crate::strings::{is_print, to_lower};

/// Maximum size of a warning, in bytes.
const WARNING_BYTES: usize = 256;

/// `spec.names`. Empty strings count as absent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names<'a> {
    /// The plural name.
    pub plural: &'a str,
    /// The singular name.
    pub singular: &'a str,
    /// The kind.
    pub kind: &'a str,
    /// The kind for lists of objects.
    pub list_kind: &'a str,
    /// Short names.
    pub short_names: &'a [String],
    /// Categories.
    pub categories: &'a [String],
}

/// Checks the group.
pub fn group(group: &str, path: &FieldPath, out: &mut Causes) {
    let wrong = dns_1123_subdomain(group);
    if group.is_empty() {
        let help = "add a group, such as `stable.example.com`";
        out.push(Diagnostic::required(path.clone(), "").with_help(help));
    } else if !wrong.is_empty() {
        out.push(Diagnostic::invalid(path.clone(), group, &wrong.join(",")));
    } else if !group.contains('.') {
        let detail = "should be a domain with at least one dot";
        let remedy = Remedy::meant(&format!("{group}.example.com"), path.clone());
        out.push(Diagnostic::invalid(path.clone(), group, detail).with_help(remedy));
    }
}

/// Checks a resource's names after defaults are filled in: first the presence of the required names, then the syntax of all names.
pub fn names(names: &Names<'_>, path: &FieldPath, out: &mut Causes) {
    required(names, path, out);
    forms(names, path, out);
}

/// Checks that the required names are present.
fn required(names: &Names<'_>, path: &FieldPath, out: &mut Causes) {
    let names = [
        ("plural", names.plural),
        ("singular", names.singular),
        ("kind", names.kind),
        ("listKind", names.list_kind),
    ];
    for (field, _) in names.into_iter().filter(|(_, name)| name.is_empty()) {
        let help = match field {
            "plural" => "add the plural name in lower case, such as `crontabs`",
            _ => "add `kind`, such as `CronTab`: it also gives `singular` and `listKind` their defaults",
        };
        out.push(Diagnostic::required(path.child(field), "").with_help(help));
    }
}

/// Checks the syntax of the names that are present.
fn forms(names: &Names<'_>, path: &FieldPath, out: &mut Causes) {
    for (field, name) in [("plural", names.plural), ("singular", names.singular)] {
        if !name.is_empty() {
            label(name, &path.child(field), out);
        }
    }
    for (field, kind) in [("kind", names.kind), ("listKind", names.list_kind)] {
        let wrong = dns_1035_label(&to_lower(kind));
        if !kind.is_empty() && !wrong.is_empty() {
            let detail = format!("may have mixed case, but should otherwise match: {}", wrong.join(","));
            out.push(Diagnostic::invalid(path.child(field), kind, &detail));
        }
    }
    for (i, name) in names.short_names.iter().enumerate() {
        label(name, &path.child("shortNames").index(i), out);
    }
    if !names.kind.is_empty() && names.kind == names.list_kind {
        let detail = "kind and listKind may not be the same";
        let help = format!("remove `listKind`: the default is `{}List`", names.kind);
        let path = path.child("listKind");
        let remedy = Remedy::new(help).with(Edit::remove(path.clone()));
        out.push(Diagnostic::invalid(path, names.list_kind, detail).with_help(remedy));
    }
    for (i, name) in names.categories.iter().enumerate() {
        label(name, &path.child("categories").index(i), out);
    }
}

/// Checks that `name` is a label of RFC 1035.
pub fn label(name: &str, path: &FieldPath, out: &mut Causes) {
    let wrong = dns_1035_label(name);
    if !wrong.is_empty() {
        let mut diagnostic = Diagnostic::invalid(path.clone(), name, &wrong.join(","));
        let lower = to_lower(name);
        if lower != name && dns_1035_label(&lower).is_empty() {
            diagnostic = diagnostic.with_help(Remedy::meant(&lower, path.clone()));
        }
        out.push(diagnostic);
    }
}

/// Checks a version's deprecation warning.
pub fn deprecation_warning(warning: &str, is_deprecated: bool, path: &FieldPath, out: &mut Causes) {
    let kube_version = out.version();
    let mut invalid = |detail: &str| {
        let shown = Shown::pointer(Some(warning), kube_version);
        out.push(Diagnostic::invalid(path.clone(), shown, detail));
    };
    if !is_deprecated {
        invalid("can only be set for deprecated versions");
        return;
    }
    if warning.len() > WARNING_BYTES {
        invalid("must be <= 256 characters long");
    }
    if warning.is_empty() {
        invalid("must not be an empty string");
    }
    if let Some((at, _)) = warning.char_indices().find(|(_, c)| !is_print(*c)) {
        invalid(&format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {at}"
        ));
    }
}
