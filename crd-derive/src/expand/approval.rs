//! Warns about a CRD whose group belongs to the Kubernetes project, but which lacks the project's approval.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use crate::check::lacks_approval;
use crate::model::Resource;

/// Returns code for which the compiler issues a warning. Macros have no other way to warn.
pub(super) fn warning(resource: &Resource<'_>) -> Option<TokenStream> {
    if !lacks_approval(resource) {
        return None;
    }
    let note = "this group belongs to the Kubernetes project: the API server rejects a CRD of the group \
                without `annotation(\"api-approved.kubernetes.io\", \"...\")`; the value is the URL of the \
                approval, or `unapproved` and the reason; even without the annotation, objects can be read and \
                written";
    Some(quote_spanned! {resource.attrs.group.span()=>
        const _: () = {
            #[deprecated(note = #note)]
            #[allow(non_upper_case_globals, reason = "it reads as a part of the warning")]
            const unapproved_group: () = ();
            unapproved_group
        };
    })
}
