//! Rules -> expressions of their form in JSON.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

use crate::attrs::rule::Rule;

pub(super) fn rule(rule: &Rule, private: &Path) -> TokenStream {
    match rule {
        Rule::Code(code) => {
            let code = &code.0;
            // expands to: identity({ use ...; rule("self > 0") }), since `json!` takes braces for an object.
            quote! { ::core::convert::identity({
                #[allow(unused_imports, reason = "the expression may need none of them")]
                use #private::{Message, Reason, Rule};
                #private::rule(#code)
            }) }
        }
        Rule::Parts(parts) => {
            let rule = &parts.rule;
            let optional = |name: &str, value: Option<TokenStream>| {
                value.map(|value| quote! { fields.insert(#name.to_owned(), #private::serde_json::Value::from(#value)); })
            };
            let text = |text: &Option<crate::attrs::text::Text>| text.as_ref().map(|text| quote!(#text));
            let fields = [
                optional("message", text(&parts.message)),
                optional("messageExpression", text(&parts.message_expression)),
                optional("reason", text(&parts.reason)),
                optional("fieldPath", text(&parts.field_path)),
                optional("optionalOldSelf", parts.optional_old_self.map(|value| quote!(#value))),
            ];
            quote! { ::core::convert::identity({
                #[allow(unused_mut, reason = "a rule may have nothing but its expression")]
                let mut fields = #private::serde_json::Map::new();
                fields.insert("rule".to_owned(), #private::serde_json::Value::from(#rule));
                #(#fields)*
                #private::serde_json::Value::Object(fields)
            }) }
        }
    }
}
