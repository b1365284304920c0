//! Checks Rust that users write in options.

use std::str::FromStr;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::Parser;

use crate::InvalidOption;

/// Whether it can be the name of a type.
pub(crate) fn is_identifier(text: &str) -> bool {
    syn::parse_str::<syn::Ident>(text).is_ok()
}

/// Checks the path of a derive.
pub(crate) fn check_path(text: &str) -> Result<(), InvalidOption> {
    let parser = syn::Path::parse_mod_style;
    parser.parse_str(text).map_err(|_| InvalidOption::new(format!("`{text}` is not the path of a trait")))?;
    Ok(())
}

/// Checks outer attributes.
pub(crate) fn check_attributes(text: &str) -> Result<(), InvalidOption> {
    let attributes = syn::Attribute::parse_outer.parse_str(text);
    // A line break within a literal would not survive being moved into a nested module.
    if attributes.is_ok_and(|attributes| !attributes.is_empty()) && !text.contains('\n') {
        return Ok(());
    }
    Err(InvalidOption::new(format!("`{text}` is no attribute such as `#[non_exhaustive]`, on one line")))
}

/// What stands within each of these checked attributes.
pub(crate) fn inner(checked: &str) -> impl Iterator<Item = String> {
    let attributes = syn::Attribute::parse_outer.parse_str(checked).unwrap_or_default();
    attributes.into_iter().map(|attribute| attribute.meta.to_token_stream().to_string())
}

/// Checks a type.
pub(crate) fn check_type(text: &str) -> Result<(), InvalidOption> {
    match syn::parse_str::<syn::Type>(text) {
        Ok(_) if !text.contains('\n') => Ok(()),
        _ => Err(InvalidOption::new(format!("`{text}` is not a type"))),
    }
}

/// What one of the checks above let pass, as tokens.
pub(crate) fn tokens(checked: &str) -> TokenStream {
    TokenStream::from_str(checked).unwrap_or_default()
}
