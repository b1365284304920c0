//! The choices of a run, declared once for the builder, the command line and `crd-codegen.toml`.

mod choices;
mod chosen;
mod rules;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::KeptNames;
pub use choices::{
    BytesType, DateTimeType, Defaults, Form, K8sOpenapi, Layout, MapType, NumberType, Refused, Versions,
};
pub(crate) use rules::Step;
pub use rules::{Attribute, Derive, NameOverride, Place, Target, TypeOverride};

/// The choices of a run. What is not chosen is left open, so that choices from several sources can be laid over each
/// other; each getter of an open choice gives the documented default.
///
/// ```
/// use crd_codegen::{Config, DateTimeType};
///
/// let mut config = Config::new();
/// config.date_time(DateTimeType::Jiff).derive("@enum=Ord".parse()?).kube(true);
/// # Ok::<(), crd_codegen::InvalidOption>(())
/// ```
///
/// As part of `crd-codegen.toml`, the same choices are keys in kebab-case: `date-time = "jiff"`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[cfg_attr(feature = "cli", command(next_help_heading = "What is generated"))]
#[non_exhaustive]
pub struct Config {
    /// What the types are for: `types` to read and write objects, `derive` to own the definition. Default: `types`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "CHOICE"))]
    form: Option<Form>,
    /// Versions to generate: `served`, `all`, `storage`, or names with commas between them. Default: `served`; in the form `derive` it is `all`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "VERSIONS"))]
    versions: Option<Versions>,
    /// How the output is spread over files. Default: `tree`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "CHOICE"))]
    layout: Option<Layout>,
    /// Whether descriptions become documentation. Default: `true`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true"))]
    docs: Option<bool>,
    /// The type of maps. Default: `btree`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "CHOICE"))]
    map_type: Option<MapType>,
    /// The type of `format: date-time`. Default: `string`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "CHOICE"))]
    date_time: Option<DateTimeType>,
    /// The type of `format: byte`. Default: `string`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "CHOICE"))]
    bytes: Option<BytesType>,
    /// The type of `type: number`. Default: `f64`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "CHOICE"))]
    numbers: Option<NumberType>,
    /// What `Default` makes of a type. Default: `absent`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "CHOICE"))]
    defaults: Option<Defaults>,
    /// Whether each struct has a `new` that takes what the schema requires. Default: `false`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true"))]
    constructors: Option<bool>,
    /// Whether each struct has a setter for each field, as in `with_replicas(3)`. Default: `false`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true"))]
    setters: Option<bool>,
    /// Whether enums of strings take values that the schema does not name, as `Unknown(String)`. Default: `false`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true"))]
    open_enums: Option<bool>,
    /// Whether properties of which only one may be there become an enum. Default: `false`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true"))]
    unions: Option<bool>,
    /// Whether optional fields tell `null` from absent (`Option<Option<T>>`) wherever the schema allows both; without it only where a default makes them differ. Default: `false`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true"))]
    explicit_null: Option<bool>,
    /// Which types of Kubernetes, such as `LabelSelector`, are those of k8s-openapi; for the form `types` only. Default: `none`, and `equivalent` where the flag has no value
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "CHOICE", num_args = 0..=1, require_equals = true, default_missing_value = "equivalent"))]
    k8s_openapi: Option<K8sOpenapi>,
    /// Whether root types use kube's `ObjectMeta` and implement `kube::Resource`. Default: `false`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true"))]
    kube: Option<bool>,
    /// Whether each type gets a form for server-side apply, in which everything is optional; for the form `types` only. Default: `false`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true"))]
    apply: Option<bool>,
    /// Whether each group and version gets a typed client on kube; implies `kube`, and is for the form `types` only. Default: `false`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true"))]
    client: Option<bool>,
    /// Whether the types of whole objects have a `validate` with the API server's answer, by crdkit; for the form `types` only. Default: `false`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true"))]
    validate: Option<bool>,
    /// What becomes of a definition that the API server would refuse. Default: `warn`, in a build script `error`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "CHOICE"))]
    refused: Option<Refused>,
    /// A trait to derive: `TRAIT`, `@struct=TRAIT`, `@enum=TRAIT`, `@root=TRAIT` or `TYPE=TRAIT`; repeatable
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "RULE"))]
    derive: Vec<Derive>,
    /// A trait not to derive, written as for `derive`; repeatable
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "RULE"))]
    no_derive: Vec<Derive>,
    /// An attribute to add: `#[ATTRIBUTE]`, or with a target as for `derive`; repeatable
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "RULE"))]
    attribute: Vec<Attribute>,
    /// A type of yours for a place: `KIND.path.to.field=TYPE`; repeatable
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "PLACE=TYPE"))]
    type_override: Vec<TypeOverride>,
    /// A name for the type at a place: `KIND.path.to.field=NAME`; repeatable
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "PLACE=NAME"))]
    name_override: Vec<NameOverride>,
    /// Not a choice but a memory: no flag, and no key of a configuration.
    #[serde(skip)]
    #[cfg_attr(feature = "cli", arg(skip))]
    kept_names: KeptNames,
}

impl Config {
    /// The default choices.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What the types are for: `types` to read and write objects, `derive` to own the definition. Default: `types`.
    ///
    /// ```
    /// use crd_codegen::{Config, Form};
    ///
    /// Config::new().form(Form::Derive);
    /// ```
    pub fn form(&mut self, form: Form) -> &mut Self {
        self.form = Some(form);
        self
    }

    /// Versions to generate: `served`, `all`, `storage`, or names with commas between them. Default: `served`; in the
    /// form `derive` it is `all`.
    ///
    /// ```
    /// use crd_codegen::{Config, Versions};
    ///
    /// Config::new().versions(Versions::Storage);
    /// ```
    pub fn versions(&mut self, versions: Versions) -> &mut Self {
        self.versions = Some(versions);
        self
    }

    /// How the output is spread over files. Default: `tree`.
    ///
    /// ```
    /// use crd_codegen::{Config, Layout};
    ///
    /// Config::new().layout(Layout::SingleFile);
    /// ```
    pub fn layout(&mut self, layout: Layout) -> &mut Self {
        self.layout = Some(layout);
        self
    }

    /// Whether descriptions become documentation. Default: `true`.
    ///
    /// ```
    /// use crd_codegen::Config;
    ///
    /// Config::new().docs(false);
    /// ```
    pub fn docs(&mut self, docs: bool) -> &mut Self {
        self.docs = Some(docs);
        self
    }

    /// The type of maps. Default: `btree`.
    ///
    /// ```
    /// use crd_codegen::{Config, MapType};
    ///
    /// Config::new().map_type(MapType::Hash);
    /// ```
    pub fn map_type(&mut self, map_type: MapType) -> &mut Self {
        self.map_type = Some(map_type);
        self
    }

    /// The type of `format: date-time`. Default: `string`.
    ///
    /// ```
    /// use crd_codegen::{Config, DateTimeType};
    ///
    /// Config::new().date_time(DateTimeType::Chrono);
    /// ```
    pub fn date_time(&mut self, date_time: DateTimeType) -> &mut Self {
        self.date_time = Some(date_time);
        self
    }

    /// The type of `format: byte`. Default: `string`.
    ///
    /// ```
    /// use crd_codegen::{Config, BytesType};
    ///
    /// Config::new().bytes(BytesType::Bytes);
    /// ```
    pub fn bytes(&mut self, bytes: BytesType) -> &mut Self {
        self.bytes = Some(bytes);
        self
    }

    /// The type of `type: number`. Default: `f64`.
    ///
    /// ```
    /// use crd_codegen::{Config, NumberType};
    ///
    /// Config::new().numbers(NumberType::Exact);
    /// ```
    pub fn numbers(&mut self, numbers: NumberType) -> &mut Self {
        self.numbers = Some(numbers);
        self
    }

    /// What `Default` makes of a type. Default: `absent`.
    ///
    /// ```
    /// use crd_codegen::{Config, Defaults};
    ///
    /// Config::new().defaults(Defaults::Schema);
    /// ```
    pub fn defaults(&mut self, defaults: Defaults) -> &mut Self {
        self.defaults = Some(defaults);
        self
    }

    /// Whether each struct has a `new` that takes what the schema requires. Default: `false`.
    ///
    /// ```
    /// use crd_codegen::Config;
    ///
    /// Config::new().constructors(true);
    /// ```
    pub fn constructors(&mut self, constructors: bool) -> &mut Self {
        self.constructors = Some(constructors);
        self
    }

    /// Whether each struct has a setter for each field, as in `with_replicas(3)`. Default: `false`.
    ///
    /// ```
    /// use crd_codegen::Config;
    ///
    /// Config::new().setters(true);
    /// ```
    pub fn setters(&mut self, setters: bool) -> &mut Self {
        self.setters = Some(setters);
        self
    }

    /// Whether enums of strings take values that the schema does not name, as `Unknown(String)`. Default: `false`.
    ///
    /// ```
    /// use crd_codegen::Config;
    ///
    /// Config::new().open_enums(true);
    /// ```
    pub fn open_enums(&mut self, open_enums: bool) -> &mut Self {
        self.open_enums = Some(open_enums);
        self
    }

    /// Whether properties of which only one may be there become an enum. Default: `false`.
    ///
    /// ```
    /// use crd_codegen::Config;
    ///
    /// Config::new().unions(true);
    /// ```
    pub fn unions(&mut self, unions: bool) -> &mut Self {
        self.unions = Some(unions);
        self
    }

    /// Whether optional fields tell `null` from absent (`Option<Option<T>>`) wherever the schema allows both; without it only where a default makes them differ. Default: `false`.
    ///
    /// ```
    /// use crd_codegen::Config;
    ///
    /// Config::new().explicit_null(true);
    /// ```
    pub fn explicit_null(&mut self, explicit_null: bool) -> &mut Self {
        self.explicit_null = Some(explicit_null);
        self
    }

    /// Which types of Kubernetes, such as `LabelSelector`, are those of k8s-openapi; for the form `types` only. Default:
    /// `none`.
    ///
    /// ```
    /// use crd_codegen::{Config, K8sOpenapi};
    ///
    /// Config::new().k8s_openapi(K8sOpenapi::Equivalent);
    /// ```
    pub fn k8s_openapi(&mut self, k8s_openapi: K8sOpenapi) -> &mut Self {
        self.k8s_openapi = Some(k8s_openapi);
        self
    }

    /// Whether root types use kube's `ObjectMeta` and implement `kube::Resource`. Default: `false`.
    ///
    /// ```
    /// use crd_codegen::Config;
    ///
    /// Config::new().kube(true);
    /// ```
    pub fn kube(&mut self, kube: bool) -> &mut Self {
        self.kube = Some(kube);
        self
    }

    /// Whether each type gets a form for server-side apply, in which everything is optional; for the form `types` only. Default: `false`.
    ///
    /// ```
    /// use crd_codegen::Config;
    ///
    /// Config::new().apply(true);
    /// ```
    pub fn apply(&mut self, apply: bool) -> &mut Self {
        self.apply = Some(apply);
        self
    }

    /// Whether each group and version gets a typed client on kube; implies `kube`, and is for the form `types` only. Default: `false`.
    ///
    /// ```
    /// use crd_codegen::Config;
    ///
    /// Config::new().client(true);
    /// ```
    pub fn client(&mut self, client: bool) -> &mut Self {
        self.client = Some(client);
        self
    }

    /// Whether the types of whole objects have a `validate` with the API server's answer, by crdkit; for the form `types`
    /// only. Default: `false`.
    ///
    /// ```
    /// use crd_codegen::Config;
    ///
    /// Config::new().validate(true);
    /// ```
    pub fn validate(&mut self, validate: bool) -> &mut Self {
        self.validate = Some(validate);
        self
    }

    /// What becomes of a definition that the API server would refuse. Default: `warn`, in a build script `error`.
    ///
    /// ```
    /// use crd_codegen::{Config, Refused};
    ///
    /// Config::new().refused(Refused::Error);
    /// ```
    pub fn refused(&mut self, refused: Refused) -> &mut Self {
        self.refused = Some(refused);
        self
    }

    /// A trait to derive: `TRAIT`, `@struct=TRAIT`, `@enum=TRAIT`, `@root=TRAIT` or `TYPE=TRAIT`.
    ///
    /// ```
    /// crd_codegen::Config::new().derive("@enum=Ord".parse()?);
    /// # Ok::<(), crd_codegen::InvalidOption>(())
    /// ```
    pub fn derive(&mut self, rule: Derive) -> &mut Self {
        self.derive.push(rule);
        self
    }

    /// A trait not to derive, written as for `derive`.
    ///
    /// ```
    /// crd_codegen::Config::new().no_derive("PartialEq".parse()?);
    /// # Ok::<(), crd_codegen::InvalidOption>(())
    /// ```
    pub fn no_derive(&mut self, rule: Derive) -> &mut Self {
        self.no_derive.push(rule);
        self
    }

    /// An attribute to add: `#[ATTRIBUTE]`, or with a target as for `derive`.
    ///
    /// ```
    /// crd_codegen::Config::new().attribute("@struct=#[non_exhaustive]".parse()?);
    /// # Ok::<(), crd_codegen::InvalidOption>(())
    /// ```
    pub fn attribute(&mut self, rule: Attribute) -> &mut Self {
        self.attribute.push(rule);
        self
    }

    /// A type of yours for a place: `KIND.path.to.field=TYPE`.
    ///
    /// ```
    /// crd_codegen::Config::new().type_override("Certificate.spec.secretTemplate=crate::Template".parse()?);
    /// # Ok::<(), crd_codegen::InvalidOption>(())
    /// ```
    pub fn type_override(&mut self, rule: TypeOverride) -> &mut Self {
        self.type_override.push(rule);
        self
    }

    /// A name for the type at a place: `KIND.path.to.field=NAME`.
    ///
    /// ```
    /// crd_codegen::Config::new().name_override("Certificate.spec.issuerRef=IssuerRef".parse()?);
    /// # Ok::<(), crd_codegen::InvalidOption>(())
    /// ```
    pub fn name_override(&mut self, rule: NameOverride) -> &mut Self {
        self.name_override.push(rule);
        self
    }

    /// The names that types got in an earlier run, which they keep.
    ///
    /// ```
    /// use crd_codegen::{Config, KeptNames};
    ///
    /// let text = std::fs::read_to_string("src/generated/names.lock").unwrap_or_default();
    /// Config::new().kept_names(KeptNames::parse(&text));
    /// ```
    pub fn kept_names(&mut self, names: KeptNames) -> &mut Self {
        self.kept_names = names;
        self
    }

    /// Lays `over` over these choices: what it chooses counts, its rules come after.
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
        self.form = over.form.or(self.form.take());
        self.versions = over.versions.or(self.versions.take());
        self.layout = over.layout.or(self.layout.take());
        self.docs = over.docs.or(self.docs.take());
        self.map_type = over.map_type.or(self.map_type.take());
        self.date_time = over.date_time.or(self.date_time.take());
        self.bytes = over.bytes.or(self.bytes.take());
        self.numbers = over.numbers.or(self.numbers.take());
        self.defaults = over.defaults.or(self.defaults.take());
        self.constructors = over.constructors.or(self.constructors.take());
        self.setters = over.setters.or(self.setters.take());
        self.open_enums = over.open_enums.or(self.open_enums.take());
        self.unions = over.unions.or(self.unions.take());
        self.explicit_null = over.explicit_null.or(self.explicit_null.take());
        self.k8s_openapi = over.k8s_openapi.or(self.k8s_openapi.take());
        self.kube = over.kube.or(self.kube.take());
        self.apply = over.apply.or(self.apply.take());
        self.client = over.client.or(self.client.take());
        self.validate = over.validate.or(self.validate.take());
        self.refused = over.refused.or(self.refused.take());
        self.derive.extend(over.derive);
        self.no_derive.extend(over.no_derive);
        self.attribute.extend(over.attribute);
        self.type_override.extend(over.type_override);
        self.name_override.extend(over.name_override);
        if over.kept_names != KeptNames::default() {
            self.kept_names = over.kept_names;
        }
        self
    }
}

/// A choice that cannot be read, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidOption(String);

impl InvalidOption {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for InvalidOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidOption {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_in_kebab_case_and_no_others_are_taken() {
        let written = json!({
            "form": "derive", "versions": "v1,v2", "layout": "single-file", "docs": false, "map-type": "hash", "date-time": "jiff",
            "bytes": "bytes", "numbers": "exact", "defaults": "schema", "constructors": true, "setters": false, "open-enums": true, "unions": false, "explicit-null": true,
            "k8s-openapi": "exact",
            "kube": true, "validate": true, "refused": "error", "derive": ["@enum=Ord"], "no-derive": ["PartialEq"], "attribute": ["#[non_exhaustive]"],
            "type-override": ["A.spec=crate::B"], "name-override": ["A.spec=C"],
        });
        let config: Config = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(serde_json::to_value(&config).unwrap(), written);
        assert_eq!(serde_json::to_value(Config::new()).unwrap(), json!({}));
        let unknown = serde_json::from_value::<Config>(json!({"dateTime": "jiff"})).unwrap_err().to_string();
        assert!(
            unknown.starts_with("unknown field `dateTime`, expected one of `form`, `versions`"),
            "{unknown}"
        );
        let invalid = serde_json::from_value::<Config>(json!({"derive": ["a b"]})).unwrap_err().to_string();
        assert_eq!(invalid, "`a b` is not the path of a trait");
    }

    #[test]
    fn what_lies_above_counts() {
        let mut below = Config::new();
        below.kube(true).docs(false).derive("Eq".parse().unwrap());
        let mut above = Config::new();
        above.docs(true).derive("Hash".parse().unwrap());
        below.overlay(above);
        assert!(below.chosen_kube() && below.chosen_docs());
        assert_eq!(
            below.chosen_derives().iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["Eq", "Hash"]
        );
    }

    #[cfg(feature = "cli")]
    #[test]
    fn the_command_line_takes_the_same_choices() {
        use clap::{Args, Command, FromArgMatches};

        let command = Config::augment_args(Command::new("test"));
        let flags =
            ["test", "--versions=storage", "--kube", "--docs=false", "--map-type", "hash", "--derive", "Eq"];
        let matches = command.try_get_matches_from(flags).unwrap();
        let mut expected = Config::new();
        expected.versions(Versions::Storage).kube(true).docs(false).map_type(MapType::Hash);
        expected.derive("Eq".parse().unwrap());
        assert_eq!(Config::from_arg_matches(&matches).unwrap(), expected);
    }
}
