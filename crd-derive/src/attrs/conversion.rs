//! The attribute `conversion`, which sets how objects are converted between versions.

use syn::Meta;

use super::read::attributes;
use super::text::{Text, Texts};
use super::value::{FromMeta, SpannedValue};

/// `conversion = "None"`, or a webhook.
#[derive(Clone)]
pub(crate) enum Conversion {
    /// Only `apiVersion` changes.
    None,
    /// `conversion(service(...), review_versions = ["v1"])`
    Webhook(Box<SpannedValue<Webhook>>),
}

attributes! {
    /// The settings of a webhook. Mistakes in them are reported together with mistakes in other attributes: see [`read`].
    #[derive(Clone)]
    pub(crate) struct Webhook {
        pub(crate) service: Option<Service>,
        pub(crate) url: Option<Text>,
        pub(crate) ca_bundle: Option<Text>,
        pub(crate) review_versions: Option<Texts>,
    }
}

attributes! {
    /// `service(namespace = "...", name = "...", path = "...", port = 443)`
    #[derive(Clone)]
    pub(crate) struct Service {
        pub(crate) namespace: Text,
        pub(crate) name: Text,
        pub(crate) path: Option<Text>,
        pub(crate) port: Option<i32>,
    }
}

impl FromMeta for Conversion {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        if let Meta::List(_) = item {
            return SpannedValue::from_meta(item).map(|webhook| Self::Webhook(Box::new(webhook)));
        }
        let text = Text::from_meta(item)?;
        match text.literal().as_deref() {
            Some("None") => Ok(Self::None),
            _ => {
                let help = "expected `conversion = \"None\"`, or a webhook: `conversion(service(namespace = \"...\", name = \"...\"))`";
                Err(syn::Error::new(text.span(), help))
            }
        }
    }
}
