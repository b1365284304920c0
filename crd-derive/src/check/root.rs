//! Checks the attributes for the type of the whole object.

use syn::spanned::Spanned;
use syn::{Data, Fields};

use super::wrong;
use crate::errors::Errors;
use crate::model::Resource;

pub(super) fn root(resource: &Resource<'_>, errors: &mut Errors) {
    let attrs = &resource.attrs;
    for attr in &attrs.attrs {
        let path = attr.0.path();
        if path.is_ident("derive") {
            let help = "`attr` takes no `derive`: write `derive = \"...\"`";
            wrong(errors, attr.0.span(), help.to_owned());
        } else if path.is_ident("serde") || path.is_ident("schemars") {
            let help = "the derive implements `Serialize` and `Deserialize` for the object: put this attribute on the spec";
            wrong(errors, attr.0.span(), help.to_owned());
        }
    }
    if let Some(text) = &attrs.schema
        && let Some(mode) = text.literal()
    {
        match mode.as_str() {
            "derived" | "disabled" | "manual" => {}
            _ => {
                wrong(
                    errors,
                    text.span(),
                    format!("`{mode}` is not a schema mode: use `derived`, `manual` or `disabled`"),
                );
            }
        }
    }
    if attrs.cel.is_present() && resource.is_schemaless() {
        let help = "without a schema, there are no rules to run: remove `cel`, or `schema = \"disabled\"`";
        wrong(errors, attrs.cel.span(), help.to_owned());
    }
    if attrs.no_spec.is_present() {
        no_spec(resource, errors);
    }
}

/// Checks that a type with `no_spec` is a struct whose fields can be next to the fields of every object.
fn no_spec(resource: &Resource<'_>, errors: &mut Errors) {
    let Data::Struct(data) = &resource.original.data else {
        let help = "`no_spec` needs a struct: remove `no_spec`";
        wrong(errors, resource.original.ident.span(), help.to_owned());
        return;
    };
    let Fields::Named(_) = &data.fields else {
        let help = "`no_spec` needs a struct with named fields: remove `no_spec`";
        wrong(errors, resource.original.ident.span(), help.to_owned());
        return;
    };
    if let Some(status) =
        resource.attrs.spec_optional.is_present().then(|| resource.attrs.spec_optional.span())
    {
        wrong(
            errors,
            status,
            "with `no_spec`, there is no spec that objects can omit: remove `spec_optional` or `no_spec`"
                .to_owned(),
        );
    }
    let reserved = ["apiVersion", "kind", "metadata", "status"];
    let names = resource.field_names.as_deref().unwrap_or_default().iter().zip(&resource.field_spans);
    for (name, span) in names.filter(|(name, _)| reserved.contains(&name.as_str())) {
        let help = format!("every object has a field `{name}` already: rename the field, or drop `no_spec`");
        wrong(errors, *span, help);
    }
}
