//! Rules -> expressions of their form in JSON.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Expr;

use crate::attrs::rule::Rule;

pub(super) fn rule(rule: &Rule, private: &impl ToTokens) -> TokenStream {
    match rule {
        // expands to: rule("self > 0")
        Rule::Code(code) if is_text(&code.0) => {
            let code = &code.0;
            quote!(#private::rule(#code))
        }
        Rule::Code(code) => {
            let code = &code.0;
            quote! { {
                #[allow(unused_imports, reason = "the expression may need none of them")]
                use #private::{Message, Reason, Rule};
                #private::rule(#code)
            } }
        }
        Rule::Parts(parts) => {
            let rule = &parts.rule;
            let texts = [
                ("message", &parts.message),
                ("messageExpression", &parts.message_expression),
                ("reason", &parts.reason),
                ("fieldPath", &parts.field_path),
            ];
            let texts = texts
                .into_iter()
                .filter_map(|(name, text)| text.as_ref().map(|text| quote!(.with(#name, #text))));
            let optional = parts.optional_old_self.map(|value| quote!(.with("optionalOldSelf", #value)));
            quote!(#private::Mark::new().with("rule", #rule) #(#texts)* #optional)
        }
    }
}

/// Whether an expression is texts alone, by which it needs no names in scope.
fn is_text(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Tuple(pair) => pair.elems.iter().all(is_text),
        _ => false,
    }
}
