//! Collects errors, so that one run of the compiler shows all mistakes.

/// The errors found so far.
#[derive(Default)]
#[must_use = "errors that are not finished are lost"]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Adds the name of a version to each error, in a module with versions.
    pub(crate) fn name_version(&mut self, version: Option<String>) {
        let Some(version) = version else { return };
        for error in std::mem::take(&mut self.0).into_iter().flatten() {
            let message = format!(
                "{error}\nnote: in the version `{version}`; write attributes for one version on the type: \
                 `#[version({version}(validation = \"...\"))]`"
            );
            self.push(syn::Error::new(error.span(), message));
        }
    }

    /// Returns the value of a result. If the result is an error, records the error and returns `None`.
    pub(crate) fn handle<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Returns the value, or all errors if there are any.
    pub(crate) fn finish_with<T>(self, value: T) -> syn::Result<T> {
        match self.0 {
            Some(errors) => Err(errors),
            None => Ok(value),
        }
    }

    pub(crate) fn finish(self) -> syn::Result<()> {
        self.finish_with(())
    }
}
