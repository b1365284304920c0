//! Generates expressions that create crdkit's `RuleMark`.

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
            let message = parts.message.as_ref().map(|text| quote!(.message(#text)));
            let expression = parts.message_expression.as_ref().map(|text| quote!(.message_expression(#text)));
            let reason = parts.reason.as_ref().map(|text| quote!(.reason(#text)));
            let field_path = parts.field_path.as_ref().map(|text| quote!(.field_path(#text)));
            let optional = parts.optional_old_self.map(|value| quote!(.optional_old_self(#value)));
            // expands to: RuleMark::new("self > 0").message("must be positive")
            quote!(#private::RuleMark::new(#rule) #message #expression #reason #field_path #optional)
        }
    }
}

/// Returns `true` if an expression consists only of strings. It then needs no names in scope.
fn is_text(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Tuple(pair) => pair.elems.iter().all(is_text),
        _ => false,
    }
}
