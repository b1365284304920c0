//! Rejects duplicate short names and categories, although the API server accepts them.

use super::wrong;
use crate::attrs::text::Text;
use crate::errors::Errors;
use crate::model::Resource;

pub(super) fn names(resource: &Resource<'_>, errors: &mut Errors) {
    let attrs = &resource.attrs;
    each("shortname", &attrs.short_names, errors);
    each("category", &attrs.categories, errors);
}

/// Rejects duplicates among the values of one attribute.
fn each(key: &str, names: &[Text], errors: &mut Errors) {
    let mut seen = Vec::new();
    for text in names {
        let Some(name) = text.literal() else { continue };
        if seen.contains(&name) {
            wrong(errors, text.span(), format!("{key} `{name}` is given twice: remove one"));
        }
        seen.push(name);
    }
}
