//! Generates apply configurations, in which fields are optional, and conversions from the full types.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::docs::Documentation;
use super::resource::{ApplyRoot, Resource};
use super::scope::Scope;
use super::types::{self, Boxes};
use super::unions::{by_member, variant_names};
use super::{literal, root, structs};
use crate::ir::apply::{ApplyTypes, apply_name, doc};
use crate::ir::name::{FieldName, FieldNames, UNKNOWN, fields_of, fields_of_root};
use crate::ir::{Discriminator, Field, Presence, Struct, Type, TypeId, Union};

/// Returns the apply configuration for a struct, and the conversion to it. If all fields of the struct are already optional, the apply
/// configuration is only a type alias.
pub(super) fn items(scope: &Scope<'_>, forms: &ApplyTypes, id: TypeId) -> TokenStream {
    let (full, form) = (types::type_(scope, id), forms.apply_type(id));
    let name = literal::ident(scope.names.apply_type_name(id));
    if form == id {
        return quote!(pub type #name = #full;);
    }
    let Type::Struct(form) = &scope.model.graph[form] else { return quote!() };
    let docs = docs(scope, types::name(scope, id));
    if forms.has_kubernetes(id) {
        let form = structs::declared(scope, forms.apply_type(id), form, None, &docs);
        let conversion = through_json(&full, &name);
        return quote!(#form #conversion);
    }
    let conversion = match &scope.model.graph[id] {
        Type::Struct(struct_) => {
            let names = fields_of(struct_);
            converted(scope, struct_, form, &names, Boxes::Allowed)
        }
        Type::Union(union) => {
            let mut conversion = Converted::default();
            let names = fields_of(form);
            let fields: Vec<(&Field, &FieldName)> = form.fields.iter().zip(&names.fields).collect();
            conversion.union(scope, id, union, &quote!(full), Presence::Required, &fields);
            conversion
        }
        _ => return quote!(),
    };
    let Converted { before, values } = conversion;
    let form = structs::declared(scope, forms.apply_type(id), form, None, &docs);
    quote! {
        #form

        impl From<#full> for #name {
            fn from(full: #full) -> Self {
                #(#before)*
                Self { #(#values),* }
            }
        }
    }
}

/// Returns the conversion for a type that is from k8s-openapi, or that contains such a type.
fn through_json(full: &TokenStream, form: &Ident) -> TokenStream {
    quote! {
        impl TryFrom<#full> for #form {
            type Error = serde_json::Error;

            fn try_from(full: #full) -> serde_json::Result<Self> {
                serde_json::from_value(serde_json::to_value(full)?)
            }
        }
    }
}

/// Returns the apply configuration for whole objects.
pub(super) fn root_items(scope: &Scope<'_>, resource: &Resource<'_>, form: &ApplyRoot) -> TokenStream {
    let ApplyRoot { root: form, traits } = form;
    let full = &scope.model.root;
    let (full_name, name_text) = (literal::ident(&scope.names.root), apply_name(&scope.names.root));
    let name = literal::ident(&name_text);
    let names = fields_of_root(full);
    let root::Root { declaration, implementations: wire } =
        root::whole(scope, form, &name_text, *traits, &docs(scope, &scope.names.root));
    let conversion = root_conversion(scope, form, &full_name, &name);
    let mut empty: Vec<Ident> = names.fields.iter().map(|name| literal::ident(&name.name)).collect();
    if full.keeps_rest {
        empty.push(literal::ident(&names.rest));
    }
    let setters = root::setters(scope, form, &names, resource.is_namespaced);
    let client = resource.abilities.as_ref().map(|_| {
        quote! {
            impl client::Apply<#full_name> for #name {
                fn metadata(&self) -> &ObjectMeta {
                    &self.metadata
                }
            }
        }
    });
    quote! {
        #declaration

        impl #name {
            const API_VERSION: &'static str = #full_name::API_VERSION;
            const KIND: &'static str = #full_name::KIND;

            #[doc = " An object with this name, and nothing more."]
            pub fn new(name: impl Into<String>) -> Self {
                let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
                Self { metadata, #(#empty: Default::default()),* }
            }

            #[doc = " The fields of the object that this manager has applied, or `None`."]
            pub fn extract(full: &#full_name, manager: &str) -> serde_json::Result<Option<Self>> {
                managed::extract(full, manager, "")
            }

            #[doc = " The fields of the object's status that this manager has applied, or `None`."]
            pub fn extract_status(full: &#full_name, manager: &str) -> serde_json::Result<Option<Self>> {
                managed::extract(full, manager, "status")
            }

            #(#setters)*
        }

        #conversion

        #client
        #wire
    }
}

/// Returns the conversion of a whole object into its apply configuration.
fn root_conversion(scope: &Scope<'_>, form: &Struct, full_name: &Ident, name: &Ident) -> TokenStream {
    let full = &scope.model.root;
    if scope.forms.is_some_and(|forms| forms.have_kubernetes(&full.fields)) {
        return through_json(&quote!(#full_name), name);
    }
    let Converted { values, .. } = converted(scope, full, form, &fields_of_root(full), Boxes::Never);
    quote! {
        impl From<#full_name> for #name {
            fn from(full: #full_name) -> Self {
                Self { metadata: full.metadata, #(#values),* }
            }
        }
    }
}

/// Returns the documentation of an apply configuration.
fn docs(scope: &Scope<'_>, full: &str) -> Documentation {
    let text = scope.settings.docs.then(|| doc(full));
    Documentation::from_description(text.as_deref())
}

/// The code that converts the fields of the full type to the fields of the apply configuration.
#[derive(Default)]
struct Converted {
    /// Statements that precede the expression for the apply configuration.
    before: Vec<TokenStream>,
    /// Fields of a struct expression, such as `name: value`.
    values: Vec<TokenStream>,
}

fn converted(scope: &Scope<'_>, full: &Struct, form: &Struct, names: &FieldNames, boxes: Boxes) -> Converted {
    let mut conversion = Converted::default();
    // Those of the whole object are named next to others, and it has no unions.
    let own_names = full.has_unions().then(|| fields_of(form));
    let form_names = own_names.as_ref().unwrap_or(names);
    let mut forms = form.fields.iter().zip(&form_names.fields);
    for (field, name) in full.fields.iter().zip(&names.fields) {
        let own = literal::ident(&name.name);
        if let Type::Union(union) = &scope.model.graph[field.type_]
            && field.is_flattened
        {
            let count = union.fields.len() + usize::from(union.discriminator.is_some());
            let members: Vec<_> = forms.by_ref().take(count).collect();
            conversion.union(scope, field.type_, union, &quote!(full.#own), field.presence, &members);
        } else if let Some((form, name)) = forms.next() {
            let name = literal::ident(&name.name);
            let value = convert_field(scope, field, form, &quote!(full.#own), boxes);
            conversion.values.push(quote!(#name: #value));
        }
    }
    if full.keeps_rest {
        let (own, rest) = (literal::ident(&names.rest), literal::ident(&form_names.rest));
        conversion.values.push(quote!(#rest: full.#own));
    }
    conversion
}

impl Converted {
    /// Generates the conversion of a union's members, with a `match` on the member that is set.
    fn union(
        &mut self,
        scope: &Scope<'_>,
        id: TypeId,
        union: &Union,
        value: &TokenStream,
        presence: Presence,
        fields: &[(&Field, &FieldName)],
    ) {
        let union_name = literal::ident(scope.names.type_name(id));
        if let Some(discriminator) = &union.discriminator {
            self.discriminated(scope, (&union_name, union, discriminator), value, fields);
            return;
        }
        let (mut variables, mut arms) = (Vec::new(), Vec::new());
        for ((member, variant), (form, name)) in union.fields.iter().zip(variant_names(union)).zip(fields) {
            let (name, variable) = (literal::ident(&name.name), format_ident!("member{}", self.values.len()));
            let conversion =
                Conversion { scope, boxes: Boxes::Allowed, full: member.type_, form: form.type_ };
            let inner = conversion.held(&quote!(value));
            let pattern = quote!(#union_name::#variant(value));
            let pattern = if presence == Presence::Required { pattern } else { quote!(Some(#pattern)) };
            arms.push(quote!(#pattern => #variable = Some(#inner)));
            self.values.push(quote!(#name: #variable));
            variables.push(variable);
        }
        if presence != Presence::Required {
            arms.push(quote!(None => {}));
        }
        self.before.push(quote! {
            #(let mut #variables = None;)*
            match #value { #(#arms,)* }
        });
    }

    /// Generates the conversion of a discriminator and the member that it selects.
    fn discriminated(
        &mut self,
        scope: &Scope<'_>,
        (union_name, union, discriminator): (&Ident, &Union, &Discriminator),
        value: &TokenStream,
        fields: &[(&Field, &FieldName)],
    ) {
        let mut variables: Vec<Ident> = Vec::new();
        for (_, name) in fields {
            let (name, variable) = (literal::ident(&name.name), format_ident!("member{}", self.values.len()));
            self.values.push(quote!(#name: #variable));
            variables.push(variable);
        }
        let Some((own, members)) = variables.split_first() else { return };
        let (mut arms, mut empty) = (Vec::new(), Vec::new());
        for (at, is_required, variants) in by_member(discriminator) {
            let Some(at) = at else {
                empty.extend(variants.iter().map(|variant| quote!(#union_name::#variant)));
                continue;
            };
            let (member, form, variable) = (&union.fields[at], fields[at + 1].0, &members[at]);
            let conversion =
                Conversion { scope, boxes: Boxes::Allowed, full: member.type_, form: form.type_ };
            let inner = if is_required {
                let inner = conversion.held(&quote!(value));
                quote!(Some(#inner))
            } else {
                conversion.mapped(&quote!(value))
            };
            arms.push(quote!(#(#union_name::#variants(value))|* => #variable = #inner));
        }
        if discriminator.is_open {
            let unknown = literal::ident(UNKNOWN);
            empty.push(quote!(#union_name::#unknown(_)));
        }
        if !empty.is_empty() {
            arms.push(quote!(#(#empty)|* => {}));
        }
        self.before.push(quote! {
            let #own = Some(#value.discriminator().to_owned());
            #(let mut #members = None;)*
            match #value { #(#arms,)* }
        });
    }
}

/// Returns the conversion of a field that is not a union.
fn convert_field(
    scope: &Scope<'_>,
    full: &Field,
    form: &Field,
    value: &TokenStream,
    boxes: Boxes,
) -> TokenStream {
    let conversion = Conversion { scope, boxes, full: full.type_, form: form.type_ };
    match (full.presence, form.presence) {
        (Presence::Required, Presence::Required) => conversion.held(value),
        (Presence::Required, _) => {
            let value = conversion.held(value);
            quote!(Some(#value))
        }
        _ => conversion.mapped(value),
    }
}

/// Converts a full type to its apply configuration.
struct Conversion<'a> {
    scope: &'a Scope<'a>,
    boxes: Boxes,
    full: TypeId,
    form: TypeId,
}

impl Conversion<'_> {
    fn is_boxed(&self, id: TypeId) -> bool {
        self.boxes == Boxes::Allowed && self.scope.known.is_boxed(&self.scope.model.graph, id)
    }

    /// Returns the code that converts a field's value, which may be in a `Box`.
    fn held(&self, value: &TokenStream) -> TokenStream {
        if self.full == self.form {
            return value.clone();
        }
        let inner = if self.is_boxed(self.full) { self.plain(&quote!((*#value))) } else { self.plain(value) };
        if self.is_boxed(self.form) { quote!(Box::new(#inner)) } else { inner }
    }

    /// Returns the code that converts a value in a list or a map. Such a value is never in a `Box`.
    fn plain(&self, value: &TokenStream) -> TokenStream {
        if self.full == self.form {
            return value.clone();
        }
        let graph = &self.scope.model.graph;
        let part = |full, form, boxes| Conversion { scope: self.scope, boxes, full, form };
        match (&graph[self.full], &graph[self.form]) {
            (Type::List(full), Type::List(form)) => {
                let items = part(*full, *form, Boxes::Never).mapped(&quote!(#value.into_iter()));
                quote!(#items.collect())
            }
            (Type::Map(full), Type::Map(form)) => {
                let values = part(*full, *form, Boxes::Never).plain(&quote!(value));
                quote!(#value.into_iter().map(|(key, value)| (key, #values)).collect())
            }
            (Type::Nullable(full), Type::Nullable(form)) => part(*full, *form, Boxes::Allowed).mapped(value),
            _ => quote!(#value.into()),
        }
    }

    /// Returns the code that converts the values in an option or an iterator.
    fn mapped(&self, values: &TokenStream) -> TokenStream {
        if self.full == self.form {
            return values.clone();
        }
        let is_struct = matches!(self.scope.model.graph[self.full], Type::Struct(_) | Type::Union(_));
        if is_struct && !self.is_boxed(self.full) && !self.is_boxed(self.form) {
            return quote!(#values.map(Into::into));
        }
        let value = self.held(&quote!(value));
        quote!(#values.map(|value| #value))
    }
}
