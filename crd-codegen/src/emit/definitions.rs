//! Generates the module `definitions`, which has a function that returns each CRD. Only the form `derive` has this module.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::docs::Documentation;
use super::{literal, print};

/// The text under `# Errors` in the documentation of every function of this module.
const ERRORS: &str = "A type has a shape that no structural schema can express.";

/// The data from which a CRD's function is generated.
pub(crate) struct DefinitionFunction<'a> {
    /// The name of the function. No other function has this name.
    pub(crate) function: &'a str,
    /// The name of the CRD.
    pub(crate) name: &'a str,
    /// The name of the storage version.
    pub(crate) storage: &'a str,
    /// The module and the type of each version.
    pub(crate) types: Vec<[&'a str; 4]>,
}

/// Returns the text of the module.
///
/// # Errors
/// As for [`super::kind_file`].
pub(crate) fn file(functions: &[DefinitionFunction<'_>], header: &str) -> Result<String, String> {
    let calls = functions.iter().map(|function| {
        let function = format_ident!("{}", function.function);
        quote!(#function()?)
    });
    let needs_merge = functions.iter().any(|function| function.types.len() > 1);
    let merge = needs_merge.then(|| quote!(, merge_crds));
    let items = functions.iter().map(item);
    let docs = Documentation::from_markdown(&format!("All definitions.\n\n# Errors\n{ERRORS}"));
    let items = quote! {
        use crdkit::{CustomResource, CustomResourceDefinition, Error #merge};
        #docs
        pub fn all() -> Result<Vec<CustomResourceDefinition>, Error> {
            Ok(Vec::from([#(#calls),*]))
        }
        #(#items)*
    };
    print::checked(format!("{header}\n{}", print::items(items)?))
}

fn item(function: &DefinitionFunction<'_>) -> TokenStream {
    let name = format_ident!("{}", function.function);
    let docs = Documentation::from_markdown(&format!("`{}`.\n\n# Errors\n{ERRORS}", function.name));
    let versions: Vec<TokenStream> = function
        .types
        .iter()
        .map(|path| {
            let path = path.map(literal::ident);
            quote!(<super::#(#path)::* as CustomResource>::crd())
        })
        .collect();
    let body = match versions.as_slice() {
        [only] => quote!(#only),
        several => {
            let storage = literal::string(function.storage);
            quote!(merge_crds([#(#several?),*], #storage))
        }
    };
    quote! {
        #docs
        pub fn #name() -> Result<CustomResourceDefinition, Error> {
            #body
        }
    }
}
