//! Reads the items in an attribute into a struct, and reports all mistakes in them.

use proc_macro2::Span;

use super::item::AttributeItem;
use super::misspelt;
use super::value::FromMeta;
use crate::errors::Errors;

/// A struct whose fields are read from items. [`attributes!`] declares it.
pub(crate) trait Attributes: Sized {
    /// The names of the items.
    const NAMES: &'static [&'static str];

    /// Reads all fields. Returns `None` if `reader` has recorded an error.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;
}

/// Declares a struct that implements [`Attributes`]. A field is read from the item with the field's name, or with the name after `=`.
macro_rules! attributes {
    ($(#[$attr:meta])* $vis:vis struct $name:ident {
        $($(#[$of_field:meta])* $field_vis:vis $field:ident: $type:ty $(= $key:literal)?,)*
    }) => {
        $(#[$attr])*
        $vis struct $name {
            $($(#[$of_field])* $field_vis $field: $type,)*
        }

        impl $crate::attrs::read::Attributes for $name {
            const NAMES: &'static [&'static str] = &[$($crate::attrs::read::attributes!(@name $field $($key)?)),*];

            fn read(reader: &mut $crate::attrs::read::Reader<'_>) -> Option<Self> {
                $(let $field = $crate::attrs::read::FromItems::take(reader, $crate::attrs::read::attributes!(@name $field $($key)?));)*
                Some(Self { $($field: $field?),* })
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $key:literal) => { $key };
}
pub(crate) use attributes;

/// A type for fields of structs that implement [`Attributes`].
pub(crate) trait FromItems: Sized {
    /// Reads the items with this name. Returns `None` if `reader` has recorded an error.
    fn take(reader: &mut Reader<'_>, name: &'static str) -> Option<Self>;
}

impl<T: FromMeta> FromItems for T {
    fn take(reader: &mut Reader<'_>, name: &'static str) -> Option<Self> {
        match reader.single(name) {
            Some(item) => reader.value(item),
            None => Self::absent().or_else(|| reader.missing(name)),
        }
    }
}

impl<T: FromMeta> FromItems for Vec<T> {
    fn take(reader: &mut Reader<'_>, name: &'static str) -> Option<Self> {
        Some(reader.all(name).into_iter().filter_map(|item| reader.value(item)).collect())
    }
}

/// Reads items one by one, and records errors.
pub(crate) struct Reader<'a> {
    items: Vec<NamedItem<'a>>,
    /// The errors, each with the index of its item. Errors about missing items come last.
    errors: Vec<(usize, syn::Error)>,
    /// The suggestions that errors about misspelled names contain.
    suggested: Vec<&'static str>,
    /// The position of errors about missing items.
    span: Span,
}

/// An item with its name.
#[derive(Clone, Copy)]
struct NamedItem<'a> {
    index: usize,
    name: &'static str,
    item: &'a AttributeItem,
}

/// Reads items into a struct. Errors about missing items are reported at `span`.
pub(crate) fn read<T: Attributes>(items: &[AttributeItem], span: Span) -> syn::Result<T> {
    let mut reader = Reader::new(items, T::NAMES, span);
    let attributes = T::read(&mut reader);
    reader.errors()?;
    attributes.ok_or_else(|| syn::Error::new(span, "attributes are missing"))
}

impl<'a> Reader<'a> {
    fn new(items: &'a [AttributeItem], names: &[&'static str], span: Span) -> Self {
        let mut reader = Self { items: Vec::new(), errors: Vec::new(), suggested: Vec::new(), span };
        for (index, item) in items.iter().enumerate() {
            let path = match item {
                AttributeItem::Meta(meta) => meta.path(),
                AttributeItem::NoExpression(path, _) => path,
                AttributeItem::Literal(_) => {
                    reader.wrong(index, item, "unexpected meta-item format `literal`");
                    continue;
                }
            };
            let segments: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
            let name = segments.join("::");
            match names.iter().find(|known| **known == name) {
                Some(name) => reader.items.push(NamedItem { index, name, item }),
                None => reader.unknown(index, item, &name, names),
            }
        }
        reader
    }

    /// Returns all items with a name.
    fn all(&self, name: &str) -> Vec<NamedItem<'a>> {
        self.items.iter().copied().filter(|item| item.name == name).collect()
    }

    /// Returns the first item with a name. Each further item is an error.
    fn single(&mut self, name: &str) -> Option<NamedItem<'a>> {
        let mut items = self.all(name).into_iter();
        let first = items.next();
        for NamedItem { index, item, .. } in items {
            self.wrong(index, item, &format!("`{name}` is given twice: remove one"));
        }
        first
    }

    fn value<T: FromMeta>(&mut self, NamedItem { index, item, .. }: NamedItem<'_>) -> Option<T> {
        let value = match item {
            AttributeItem::Meta(meta) => T::from_meta(meta),
            AttributeItem::NoExpression(_, error) => Err(error.clone()),
            AttributeItem::Literal(_) => return None,
        };
        value.map_err(|error| self.error(index, error)).ok()
    }

    /// Records that an item is missing, unless it is present under a misspelled name.
    fn missing<T>(&mut self, name: &str) -> Option<T> {
        if !self.suggested.contains(&name) {
            let message = format!("missing attribute `{name}`: add `{name} = \"...\"`");
            self.error(usize::MAX, syn::Error::new(self.span, message));
        }
        None
    }

    fn unknown(&mut self, index: usize, item: &AttributeItem, name: &str, known: &[&'static str]) {
        let mut known = known.to_vec();
        known.sort_unstable();
        let remedy = if let Some(instead) = misspelt::instead_of_word(name) {
            format!(": write {instead}")
        } else if let Some(suggestion) = suggestion(name, &known) {
            self.suggested.push(suggestion);
            format!(": did you mean `{suggestion}`?")
        } else if (1..10).contains(&known.len()) {
            format!(": expected one of `{}`", known.join("`, `"))
        } else if let Some(instead) = misspelt::instead_of_keyword(name) {
            format!(": write `{instead}`")
        } else {
            String::new()
        };
        self.wrong(index, item, &format!("unknown attribute `{name}`{remedy}"));
    }

    fn wrong(&mut self, index: usize, item: &AttributeItem, message: &str) {
        self.error(index, syn::Error::new(item.span(), message));
    }

    /// Adds an error about the item with this index. Errors are kept in the order of their items.
    fn error(&mut self, index: usize, error: syn::Error) {
        let at = self.errors.partition_point(|(other, _)| *other <= index);
        self.errors.insert(at, (index, error));
    }

    /// Returns all errors, in the order of the items.
    fn errors(self) -> syn::Result<()> {
        let mut errors = Errors::default();
        self.errors.into_iter().for_each(|(_, error)| errors.push(error));
        errors.finish()
    }
}

/// Returns the known name that is most similar to a misspelled name. `crd_go::nearest` does not recognize swapped letters in short
/// names, as in `cuont`, or the beginning of a longer word, as in `maximum` for `max`.
fn suggestion(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let mut best = (0.8, None);
    for known in known {
        let similarity = strsim::jaro_winkler(name, known);
        if similarity > best.0 {
            best = (similarity, Some(*known));
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;
    use syn::parse_quote;

    use super::{Attributes as _, read};
    use crate::attrs::item::AttributeItem;
    use crate::attrs::value::Flag;

    attributes! {
        /// A struct with a field of each kind.
        struct Example {
            count: u32,
            flag: Flag,
            limit: Option<i64> = "max",
            words: Vec<bool> = "type",
        }
    }

    /// Returns the values, or all errors.
    fn read_all(items: &[AttributeItem]) -> Result<Example, Vec<String>> {
        let errors = |error: syn::Error| error.into_iter().map(|error| error.to_string()).collect();
        read(items, Span::call_site()).map_err(errors)
    }

    #[test]
    fn items_are_fields() {
        let items = [
            parse_quote!(type = true),
            parse_quote!(count = 3),
            parse_quote!(type),
            parse_quote!(max = -1),
            parse_quote!(flag),
        ];
        let example = read_all(&items).expect("all items are valid");
        assert_eq!((example.count, example.limit, example.words), (3, Some(-1), vec![true, true]));
        assert!(example.flag.is_present());
        let example = read_all(&[parse_quote!(count = "3")]).expect("the others may be missing");
        assert_eq!((example.count, example.limit, example.words), (3, None, Vec::new()));
        assert!(!example.flag.is_present());
        assert_eq!(Example::NAMES, ["count", "flag", "max", "type"]);
    }

    #[test]
    fn each_mistake_is_an_error_in_the_order_of_the_items() {
        let items = [
            parse_quote!(maximum),
            parse_quote!(cuont = 3),
            parse_quote!(max = 1),
            parse_quote!(max = 2),
            parse_quote!("a"),
            parse_quote!(type = 1),
            parse_quote!(flag = pub(crate)),
        ];
        assert_eq!(
            read_all(&items).err(),
            Some(vec![
                "unknown attribute `maximum`: did you mean `max`?".to_owned(),
                "unknown attribute `cuont`: did you mean `count`?".to_owned(),
                "`max` is given twice: remove one".to_owned(),
                "unexpected meta-item format `literal`".to_owned(),
                "unexpected type `int`".to_owned(),
                "expected an expression".to_owned(),
            ])
        );
        assert_eq!(
            read_all(&[]).err(),
            Some(vec!["missing attribute `count`: add `count = \"...\"`".to_owned()])
        );
    }
}
