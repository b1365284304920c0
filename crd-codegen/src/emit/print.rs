//! Formatting of tokens, with a blank line between items, and a parse of the result.

use proc_macro2::TokenStream;

/// The text of items.
pub(super) fn items(tokens: TokenStream) -> Result<String, String> {
    let file: syn::File = syn::parse2(tokens).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let mut after_import = false;
    for item in file.items {
        let is_import = matches!(item, syn::Item::Use(_));
        if !(text.is_empty() || is_import && after_import) {
            text.push('\n');
        }
        after_import = is_import;
        text += &prettyplease::unparse(&syn::File {
            shebang: None,
            frontmatter: None,
            attrs: Vec::new(),
            items: vec![item],
        });
    }
    Ok(text)
}

/// The same text, if it is Rust.
pub(super) fn checked(text: String) -> Result<String, String> {
    match syn::parse_file(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(error.to_string()),
    }
}
