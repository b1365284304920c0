//! The first words of the documentation of functions.

use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprLit, ImplItemFn, ItemFn, Lit, Meta, ReturnType, Signature, TraitItemFn};

/// Words with which the description of a thing begins, where a verb should say what the function does.
const ARTICLES: [&str; 3] = ["The", "A", "An"];

/// Returns the functions that return something and whose documentation describes a thing instead.
pub(crate) fn nouns(file: &syn::File) -> Vec<String> {
    let mut documented = Documented::default();
    documented.visit_file(file);
    documented.nouns
}

#[derive(Default)]
struct Documented {
    nouns: Vec<String>,
}

impl Documented {
    fn function(&mut self, attributes: &[Attribute], signature: &Signature) {
        let first = attributes.iter().find_map(doc);
        let begins = |text: &String| {
            let word = text.split_whitespace().next();
            word.is_some_and(|word| ARTICLES.contains(&word))
        };
        if !matches!(signature.output, ReturnType::Default)
            && let Some(text) = first.filter(begins)
        {
            self.nouns.push(format!("`{}`: {}", signature.ident, text.trim()));
        }
    }
}

/// Returns the text of a line of documentation.
fn doc(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Documented {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.function(&function.attrs, &function.sig);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.function(&function.attrs, &function.sig);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        self.function(&function.attrs, &function.sig);
        visit::visit_trait_item_fn(self, function);
    }
}

#[test]
fn descriptions_of_things_are_found() {
    let found = |code: &str| nouns(&syn::parse_file(code).unwrap()).len();
    assert_eq!(found("/// The name.\nfn name() -> u8 { 1 }"), 1);
    assert_eq!(found("impl A {\n/// A name.\nfn name(&self) -> u8 { 1 } }"), 1);
    assert_eq!(found("/// Returns the name.\nfn name() -> u8 { 1 }\n/// The test.\nfn nothing() {}"), 0);
}
