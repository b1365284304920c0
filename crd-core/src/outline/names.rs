//! `spec.names` and the names of versions.

use crd_go::names::dns_1035_label;
use crd_go::strings::to_lower;

use crate::causes::Causes;
use crate::crd::Names;
use crate::{Diagnostic, Edit, FieldPath, Remedy};

/// Checks that the required names are present.
pub(super) fn required(names: &Names, path: &FieldPath, out: &mut Causes) {
    let names = [
        ("plural", &names.plural),
        ("singular", &names.singular),
        ("kind", &names.kind),
        ("listKind", &names.list_kind),
    ];
    for (field, _) in names.into_iter().filter(|(_, name)| name.is_empty()) {
        let help = match field {
            "plural" => "add the plural name in lower case, such as `crontabs`",
            _ => "add `kind`, such as `CronTab`: it also gives `singular` and `listKind` their defaults",
        };
        out.push(Diagnostic::required(path.child(field), "").with_help(help));
    }
}

/// Checks the form of the names that are present.
pub(super) fn names(names: &Names, path: &FieldPath, out: &mut Causes) {
    for (field, name) in [("plural", &names.plural), ("singular", &names.singular)] {
        if !name.is_empty() {
            label(name, || path.child(field), out);
        }
    }
    for (field, kind) in [("kind", &names.kind), ("listKind", &names.list_kind)] {
        let wrong = dns_1035_label(&to_lower(kind));
        if !kind.is_empty() && !wrong.is_empty() {
            let detail = format!("may have mixed case, but should otherwise match: {}", wrong.join(","));
            out.push(Diagnostic::invalid(path.child(field), kind.as_str(), &detail));
        }
    }
    for (i, name) in names.short_names.iter().flatten().enumerate() {
        label(name, || path.child("shortNames").index(i), out);
    }
    if !names.kind.is_empty() && names.kind == names.list_kind {
        let detail = "kind and listKind may not be the same";
        let help = format!("remove `listKind`: the default is `{}List`", names.kind);
        let path = path.child("listKind");
        let remedy = Remedy::new(help).with(Edit::remove(path.clone()));
        out.push(Diagnostic::invalid(path, names.list_kind.as_str(), detail).with_help(remedy));
    }
    for (i, name) in names.categories.iter().flatten().enumerate() {
        label(name, || path.child("categories").index(i), out);
    }
}

/// Checks that `name` is a label of RFC 1035.
pub(super) fn label(name: &str, path: impl Fn() -> FieldPath, out: &mut Causes) {
    let wrong = dns_1035_label(name);
    if !wrong.is_empty() {
        let mut diagnostic = Diagnostic::invalid(path(), name, &wrong.join(","));
        let lower = to_lower(name);
        if lower != name && dns_1035_label(&lower).is_empty() {
            diagnostic = diagnostic.with_help(Remedy::meant(&lower, path()));
        }
        out.push(diagnostic);
    }
}
