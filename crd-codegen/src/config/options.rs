//! Declares all options. Configuration keys, flags, setters and settings are generated from this declaration.

use serde::{Deserialize, Serialize};

use super::{
    Attribute, Builders, BytesType, DateTimeType, Defaults, Derive, Elide, Form, K8sOpenapi, Layout, MapType,
    NameOverride, NumberType, Rejected, Target, TypeOverride, Versions,
};
use crate::KeptNames;

/// Declares [`Config`] with its methods, and [`Settings`].
///
/// A choice is an option with one value. Its documentation is also the flag's help text. The default is followed by a placeholder for the
/// flag's value, and by an argument for the setter's example. The value after `or` applies if the flag is given without a value. A default
/// may depend on the choices above it. A rule is an option that can be given several times. Rules have no defaults.
macro_rules! options {
    (
        choices { $(
            #[doc = $doc:tt]
            $choice:ident: $type:ty = $default:expr, $value:tt $(or $bare:tt)?, $example:tt;
        )* }
        rules { $(
            #[doc = $rule_doc:tt]
            $rule:ident: $rule_type:ty, $rule_value:tt, $rule_example:tt;
        )* }
    ) => {
        /// Options of a run. Options from several sources can be combined with [`Config::overlay`]. The generator uses the default of each
        /// option that is not set.
        ///
        /// ```
        /// use crd_codegen::{Config, DateTimeType};
        ///
        /// let mut config = Config::new();
        /// config.date_time(DateTimeType::Jiff).derive("@enum=Ord".parse()?).kube(true);
        /// # Ok::<(), crd_codegen::InvalidOption>(())
        /// ```
        ///
        /// In a configuration file such as `crdkit.toml`, the same options are keys in kebab-case: `date-time = "jiff"`.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        #[cfg_attr(feature = "clap", derive(clap::Args))]
        #[cfg_attr(feature = "clap", command(next_help_heading = "Generated code"))]
        #[non_exhaustive]
        pub struct Config {
            $(
                #[doc = $doc]
                #[serde(skip_serializing_if = "Option::is_none")]
                #[cfg_attr(feature = "clap", arg(long, value_name = $value))]
                $(#[cfg_attr(feature = "clap", arg(num_args = 0..=1, require_equals = true, default_missing_value = $bare))])?
                $choice: Option<$type>,
            )*
            $(
                #[doc = $rule_doc]
                #[serde(skip_serializing_if = "Vec::is_empty")]
                #[cfg_attr(feature = "clap", arg(long, value_name = $rule_value))]
                $rule: Vec<$rule_type>,
            )*
            /// The names that types had in the last run. No flag or configuration key sets them.
            #[serde(skip)]
            #[cfg_attr(feature = "clap", arg(skip))]
            kept_names: KeptNames,
        }

        impl Config {
            $(
                #[doc = concat!($doc, ".\n\n```\ncrd_codegen::Config::new().", stringify!($choice), "(", $example, ");\n```")]
                pub fn $choice(&mut self, $choice: $type) -> &mut Self {
                    self.$choice = Some($choice);
                    self
                }
            )*
            $(
                #[doc = concat!(
                    $rule_doc, ".\n\n```\ncrd_codegen::Config::new().", stringify!($rule), "(\"", $rule_example,
                    "\".parse()?);\n# Ok::<(), crd_codegen::InvalidOption>(())\n```"
                )]
                pub fn $rule(&mut self, rule: $rule_type) -> &mut Self {
                    self.$rule.push(rule);
                    self
                }
            )*

            /// Overrides these options with the options that are set in `over`. Options that can be given several times are not replaced:
            /// the values from `over` are added.
            ///
            /// ```
            /// use crd_codegen::{Config, Layout};
            ///
            /// let mut from_file = Config::new();
            /// from_file.kube(true).layout(Layout::Tree);
            /// let mut from_flags = Config::new();
            /// from_flags.layout(Layout::SingleFile);
            ///
            /// let mut expected = Config::new();
            /// expected.kube(true).layout(Layout::SingleFile);
            /// assert_eq!(*from_file.overlay(from_flags), expected);
            /// ```
            pub fn overlay(&mut self, over: Self) -> &mut Self {
                $(self.$choice = over.$choice.or(self.$choice.take());)*
                $(self.$rule.extend(over.$rule);)*
                if over.kept_names != KeptNames::default() {
                    self.kept_names = over.kept_names;
                }
                self
            }

            /// Sets the names that types had in an earlier run. The types keep these names.
            ///
            /// ```
            /// use crd_codegen::{Config, KeptNames};
            ///
            /// let text = std::fs::read_to_string("src/generated/names.lock").unwrap_or_default();
            /// Config::new().kept_names(KeptNames::parse(&text)?);
            /// # Ok::<(), crd_codegen::InvalidNames>(())
            /// ```
            pub fn kept_names(&mut self, names: KeptNames) -> &mut Self {
                self.kept_names = names;
                self
            }

            /// Returns the generator's settings: each option's value, or the default if the option is not set.
            pub(crate) fn resolve(&self) -> Settings {
                $(let $choice: $type = self.$choice.clone().unwrap_or_else(|| $default);)*
                Settings {
                    $($choice,)*
                    $($rule: self.$rule.clone(),)*
                    kept_names: self.kept_names.clone(),
                    has_chosen_date_time: self.date_time.is_some(),
                }
                .with_implied()
            }
        }

        /// The settings of the generator. [`Config::resolve`] creates them.
        #[derive(Debug)]
        pub(crate) struct Settings {
            $(pub(crate) $choice: $type,)*
            $(pub(crate) $rule: Vec<$rule_type>,)*
            pub(crate) kept_names: KeptNames,
            /// `true` if `date_time` was set. The type that the option selects then takes precedence over k8s-openapi's type.
            pub(crate) has_chosen_date_time: bool,
        }
    };
}

options! {
    choices {
        /// Purpose of the types: `types` to read and write objects, `derive` to generate the CRD from them, `kube` for code that uses kube's derive. Default: `types`
        form: Form = Form::Types, "CHOICE", "crd_codegen::Form::Derive";
        /// Versions to generate: `served`, `all`, `storage`, or names with commas between them. Default: `served`, or `all` in the form `derive`
        versions: Versions = default_versions(form), "VERSIONS", "crd_codegen::Versions::Storage";
        /// File layout of the output. Default: `tree`
        layout: Layout = Layout::Tree, "CHOICE", "crd_codegen::Layout::SingleFile";
        /// Turn descriptions into documentation. Default: `true`
        docs: bool = true, "BOOL" or "true", "false";
        /// In the documentation of each kind, show an object that the API server accepts; for the form `types` only. Default: `false`
        samples: bool = false, "BOOL" or "true", "true";
        /// Type of maps. Default: `btree`
        map_type: MapType = MapType::Btree, "CHOICE", "crd_codegen::MapType::Hash";
        /// Type of `format: date-time`. Default: `string`
        date_time: DateTimeType = DateTimeType::String, "CHOICE", "crd_codegen::DateTimeType::Chrono";
        /// Type of `format: byte`. Default: `string`
        bytes: BytesType = BytesType::String, "CHOICE", "crd_codegen::BytesType::Bytes";
        /// Type of `type: number`. Default: `f64`
        numbers: NumberType = NumberType::F64, "CHOICE", "crd_codegen::NumberType::Exact";
        /// Values that `Default` sets. Default: `absent`
        defaults: Defaults = Defaults::Absent, "CHOICE", "crd_codegen::Defaults::Schema";
        /// Generate for each struct a function `new` that takes the required fields. Default: `false`
        constructors: bool = false, "BOOL" or "true", "true";
        /// Generate a setter for each field of a struct, such as `with_replicas(3)`. Default: `false`
        setters: bool = false, "BOOL" or "true", "true";
        /// Derive builders for structs, from the crate `typed-builder` or `bon`. Default: `none`, and `typed-builder` if the flag has no value
        builders: Builders = Builders::None, "CHOICE" or "typed-builder", "crd_codegen::Builders::Bon";
        /// Generate `ALL`, `as_str`, `Display`, `FromStr` and `TryFrom<&str>` for string enums. Default: `true`
        enum_methods: bool = true, "BOOL" or "true", "false";
        /// Add a variant `Unknown(String)` to string enums, for values that the schema does not list. Default: `false`
        open_enums: bool = false, "BOOL" or "true", "true";
        /// Generate enums for mutually exclusive properties. Default: `false`
        unions: bool = false, "BOOL" or "true", "true";
        /// Distinguish `null` from an absent field (`Option<Option<T>>`) in every field that may be both, not only in fields with a default. Default: `false`
        explicit_null: bool = false, "BOOL" or "true", "true";
        /// Use types of k8s-openapi, such as `LabelSelector`; for the form `types` only. Default: `none`, and `equivalent` if the flag has no value
        k8s_openapi: K8sOpenapi = K8sOpenapi::None, "CHOICE" or "equivalent", "crd_codegen::K8sOpenapi::Exact";
        /// Use kube's `ObjectMeta` in root types, and implement `kube::Resource` for them. Default: `false`
        kube: bool = false, "BOOL" or "true", "true";
        /// Generate an apply configuration for each type, with optional fields, for server-side apply; for the form `types` only. Default: `false`
        apply: bool = false, "BOOL" or "true", "true";
        /// Generate a typed client for each group and version, which uses kube; implies `kube`; for the form `types` only. Default: `false`
        client: bool = false, "BOOL" or "true", "true";
        /// Generate a method `validate` for the types of whole objects, which checks an object as the API server does; for the form `types` only. Default: `false`
        validate: bool = false, "BOOL" or "true", "true";
        /// Handling of a CRD that the API server would reject. Default: `warn`, in a build script `error`
        rejected: Rejected = Rejected::Warn, "CHOICE", "crd_codegen::Rejected::Error";
    }
    rules {
        /// Trait to derive: `TRAIT`, `@struct=TRAIT`, `@enum=TRAIT`, `@root=TRAIT` or `TYPE=TRAIT`; repeatable
        derive: Derive, "RULE", "@enum=Ord";
        /// Trait not to derive, written as for `derive`; repeatable
        no_derive: Derive, "RULE", "PartialEq";
        /// Attribute to add: `#[ATTRIBUTE]`, or a target and an attribute, such as `@enum=#[ATTRIBUTE]`; repeatable
        attribute: Attribute, "RULE", "@struct=#[non_exhaustive]";
        /// Your own type for a place in the CRD: `KIND.path.to.field=TYPE`; repeatable
        type_override: TypeOverride, "PLACE=TYPE", "Certificate.spec.secretTemplate=crate::Template";
        /// Name for the type at a place in the CRD: `KIND.path.to.field=NAME`; repeatable
        name_override: NameOverride, "PLACE=NAME", "Certificate.spec.issuerRef=IssuerRef";
        /// Type that you write yourself, next to the generated module: `TYPE` or `KIND.path.to.field`; repeatable
        elide: Elide, "TYPE|PLACE", "CertificateIssuerRef";
    }
}

impl Config {
    /// Returns a configuration in which no option is set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Settings {
    /// Returns `true` if all types of the form `kube` derive `JsonSchema`. kube's derive needs their schemas for the CRD.
    pub(crate) fn derives_schemas(&self) -> bool {
        let is_schema = |rule: &Derive| rule.target == Target::All && rule.path.ends_with("JsonSchema");
        self.form == Form::Kube && self.derive.iter().any(is_schema)
    }

    /// Enables the options that other options imply, even if they were disabled.
    fn with_implied(mut self) -> Self {
        self.kube |= self.client || self.form == Form::Kube;
        self
    }
}

/// Returns the default of `versions`. Types from which the CRD is generated need all versions, served or not.
fn default_versions(form: Form) -> Versions {
    match form {
        Form::Types | Form::Kube => Versions::Served,
        Form::Derive => Versions::All,
    }
}
