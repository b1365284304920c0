//! The table of all kinds of changes, with the failures that each kind causes, an explanation and a remedy.
//!
//! Sources: how the API server reads, writes and updates objects, and `api_changes.md` of the Kubernetes project.

use crd_core::Keyword;

use crate::finding::{Class, Severity};

/// A kind of change to a CRD.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) id: &'static str,
    /// Classes that follow from the CRDs alone.
    pub(crate) sure: &'static [Class],
    /// Classes for which the search tries to find an affected object. If none is found, the class is undecided.
    pub(crate) expected: &'static [Class],
    /// `true` if the search ends as soon as an affected object is found for one of the expected classes.
    pub(crate) is_either: bool,
    /// Further classes, which are reported only if an affected object is found.
    pub(crate) also: &'static [Class],
    /// The description, with the placeholders `{old}` and `{new}` for the values.
    pub(crate) title: &'static str,
    pub(crate) why: &'static str,
    pub(crate) mend: &'static str,
    /// The maximum severity, whatever failures are found.
    pub(crate) most: Severity,
    /// The subject of the change. For some subjects, the search for affected objects is different.
    pub(crate) about: About,
    /// The keywords that objects may violate because of the change. If the list is empty, objects may violate any keyword.
    pub(crate) keywords: &'static [Keyword],
}

/// The subject of a kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    Default,
    Null,
    Version,
    /// Fields whose values the API server no longer keeps.
    Loss,
    Other,
}

impl Row {
    /// Returns `true` if a change of this kind may cause failures of this class.
    pub(crate) fn may_show(&self, class: Class) -> bool {
        let has = |class: Class| self.expected.contains(&class) || self.also.contains(&class);
        match class {
            Class::Edit | Class::Stuck => has(class) || has(Class::Write) || has(Class::Edit),
            Class::Read | Class::Rollback => has(Class::Read) || has(Class::Rollback),
            class => has(class) || self.sure.contains(&class),
        }
    }
}

macro_rules! rows {
    ($($name:ident $id:literal sure[$($sure:ident)*] $rule:ident[$($expected:ident)*] also[$($also:ident)*] $most:ident $about:ident [$($keyword:ident)*] $title:literal
        $why:literal; $mend:literal;)*) => {$(
        pub(crate) static $name: Row = Row {
            id: $id,
            sure: &[$(Class::$sure),*],
            expected: &[$(Class::$expected),*],
            is_either: is_either!($rule),
            also: &[$(Class::$also),*],
            title: $title,
            why: $why,
            mend: $mend,
            most: Severity::$most,
            about: About::$about,
            keywords: &[$(Keyword::$keyword),*],
        };
    )*};
}

macro_rules! is_either {
    (all) => {
        false
    };
    (any) => {
        true
    };
}

// Of the classes in `all[..]` each should be shown by an object, of those in `any[..]` at least one; those in `also[..]` are
// reported where an object shows them.
rows! {
    RENAMED "definition-renamed" sure[Server Data Write] all[] also[] Error Other [] "the resource changes from {old} to {new}"
        "the group and the plural name identify a CRD, so this is another CRD, which does not take over the objects of the old CRD";
        "keep the group and the plural name, or copy all objects to the new resource before the old one is removed";
    REMOVED "definition-removed" sure[Data Write] all[] also[] Error Other [] "the CRD is gone"
        "deleting a CRD deletes all of its objects";
        "keep the CRD until it has no objects";
    ADDED "definition-added" sure[] all[] also[] Note Other [] "the CRD is new"
        "no CRD had this name before";
        "no action is needed";
    SCOPE_CHANGED "scope-changed" sure[Server] all[] also[] Error Other [] "`scope` changes from {old} to {new}"
        "the API server does not change the scope of an established CRD";
        "define the kind under another plural name or group";
    KIND_CHANGED "kind-changed" sure[Server Rust] all[] also[] Error Other [] "`names.kind` changes from {old} to {new}"
        "the API server does not change the kind of an established CRD";
        "define the kind under another plural name or group";
    SCOPE_REPLACED "scope-changed" sure[Write] all[] also[] Error Other [] "`scope` changes from {old} to {new}"
        "the CRD was never established, so the API server changes its scope; requests at the addresses of the old scope receive 404";
        "tell the users of the CRD";
    KIND_REPLACED "kind-changed" sure[Write Rust] all[] also[] Error Other [] "`names.kind` changes from {old} to {new}"
        "the CRD was never established, so the API server changes its kind; objects of the old kind are rejected";
        "tell the users of the CRD";
    NOT_COMPARED "not-compared" sure[] all[Server Stuck Data Edit Write Read Rollback Apply Rust] also[] Error Other [] "the CRDs are too large to be compared"
        "both CRDs together may have at most 2.5 MiB without descriptions, and 32 MiB of paths";
        "compare smaller CRDs, for example one version at a time";
    LIST_KIND_CHANGED "list-kind-changed" sure[Read] all[] also[] Error Other [] "`names.listKind` changes from {old} to {new}"
        "clients that decode lists by kind do not know the new list kind";
        "keep the old name";
    SINGULAR_CHANGED "singular-name-changed" sure[Read] all[] also[] Error Other [] "`names.singular` changes from {old} to {new}"
        "commands and scripts that use the singular name stop working";
        "keep the old name";
    SHORT_NAME_REMOVED "short-name-removed" sure[Read] all[] also[] Error Other [] "the short name {old} is gone"
        "commands and scripts that use the short name stop working";
        "keep the short name";
    SHORT_NAME_ADDED "short-name-added" sure[] all[] also[] Note Other [] "{new} is a new short name"
        "another CRD may already have the short name; the condition `NamesAccepted` of this CRD is then false";
        "check that no other CRD in your clusters uses this short name";
    CATEGORY_REMOVED "category-removed" sure[Read] all[] also[] Error Other [] "the category {old} is gone"
        "`kubectl get` with the category no longer lists the objects";
        "keep the category";
    CATEGORY_ADDED "category-added" sure[] all[] also[] Note Other [] "{new} is a new category"
        "`kubectl get` with the category also lists the objects";
        "no action is needed";
    CONVERSION_OF_ONE "conversion-changed" sure[] all[] also[] Note Other [] "`conversion.strategy` changes from {old} to {new}"
        "there is only one version, so nothing is converted";
        "no action is needed";
    CONVERSION_CHANGED "conversion-changed" sure[] all[Stuck Data Write Read Rollback] also[] Warning Version [] "`conversion.strategy` changes from {old} to {new}"
        "with `Webhook`, each read of a version other than the storage version depends on the webhook; with `None`, only `apiVersion` is rewritten, and fields that one version lacks are lost";
        "install the webhook before the CRD, and remove it only when all versions have the same fields";
    WEBHOOK_CHANGED "webhook-changed" sure[] all[] also[] Note Other [] "`conversion.webhook` changes"
        "requests for versions other than the storage version go to another webhook";
        "make sure that the new webhook converts the same versions";
    REFUSED "definition-refused" sure[Server] all[] also[] Error Other [] "the API server rejects the new CRD"
        "the cluster keeps the old CRD";
        "correct the CRD; `crdkit check` shows the errors with their lines";
    REFUSED_BEFORE "definition-refused" sure[Server] all[] also[] Warning Other [] "the API server rejects both the old and the new CRD"
        "no cluster can have a CRD with this error";
        "correct the CRD; `crdkit check` shows the errors with their lines";
    STORED_VERSION_REMOVED "stored-version-removed" sure[Server] all[] also[] Error Other [] "version {old}, in which objects may be stored, is gone"
        "a version in `status.storedVersions` cannot be removed";
        "keep the version with `served: false`, migrate all objects, and remove the version from `status.storedVersions` first";
    VERSION_REMOVED "version-removed" sure[Write Apply Rust] all[] also[] Error Version [] "version {old} is gone"
        "clients of the version receive 404, and the API server rejects the update while `status.storedVersions` of the cluster names the version; server-side apply fails for objects whose `managedFields` name the version";
        "keep the version as `deprecated`; when no client uses the version, migrate the stored objects, and remove the version from `status.storedVersions`, then from the CRD";
    VERSION_DROPPED "version-removed" sure[Apply Rust] all[] also[] Warning Version [] "version {old}, which was not served, is gone"
        "no client used the version, but the API server rejects the update while `status.storedVersions` of the cluster names the version, and server-side apply fails for objects whose `managedFields` name the version";
        "first migrate the stored objects, and remove the version from `status.storedVersions` and from the `managedFields` of all objects";
    VERSION_ADDED "version-added" sure[Rollback Rust] all[] also[] Note Version [] "version {new} is new"
        "clients may prefer the new version to the versions that they know";
        "give the new version the same fields as the other versions, or convert objects with a webhook";
    UNSERVED "version-unserved" sure[Write Rust] all[] also[] Error Version [] "version {old} is no longer served"
        "clients of the version receive 404";
        "serve the version as `deprecated` until no client uses it";
    SERVED "version-served" sure[Rollback Rust] all[] also[] Note Version [] "version {new} is served again"
        "clients may use the version";
        "no action is needed";
    STORAGE_MOVED "storage-version-changed" sure[] all[] also[Data Edit Stuck Read Rollback] Warning Other [] "objects are stored in version {new} instead of {old}"
        "each object is stored in the new version at its next write; the old version stays in `status.storedVersions` until you remove it";
        "migrate the stored objects, then remove the old version from `status.storedVersions`";
    DEPRECATED "version-deprecated" sure[] all[] also[] Note Version [] "version {new} is deprecated"
        "responses for this version carry a warning";
        "say in `deprecationWarning` which version to use";
    LOST_LATER "field-lost-between-versions" sure[Data] all[] also[Read Rollback] Warning Loss [] "the field exists in version {old} only, not in {new}"
        "no stored object has the field yet, but the conversion `None` rewrites only `apiVersion`: the field is lost when an object passes through the other version";
        "give both versions the same fields, or convert objects with a webhook (`--webhook-conversion`, if another tool adds it to the CRD)";
    LOST_BETWEEN "field-lost-between-versions" sure[Data] all[] also[Read Rollback] Error Loss [] "the field exists in version {old} only, not in {new}"
        "the conversion `None` rewrites only `apiVersion`: the field is lost when an object passes through the other version";
        "give both versions the same fields, or convert objects with a webhook (`--webhook-conversion`, if another tool adds it to the CRD)";
    STATUS_ADDED "status-subresource-added" sure[Write Apply] all[] also[] Error Other [] "the status becomes a subresource"
        "requests to the object silently ignore `status` from now on, and requests to `/status` ignore everything else";
        "let controllers write the status through `/status` before the change";
    STATUS_NEW "status-subresource-added" sure[] all[] also[] Note Other [] "the status is a new subresource"
        "the old CRD drops `status` from all requests, so no client relies on it";
        "no action is needed";
    STATUS_REMOVED "status-subresource-removed" sure[Write] all[] also[] Error Other [] "the status is no longer a subresource"
        "requests to `/status` receive 404";
        "keep the subresource";
    SCALE_ADDED "scale-subresource-added" sure[] all[] also[Write Edit Stuck Read Rollback] Error Other [] "the scale is a new subresource"
        "`kubectl scale` and autoscalers can use the subresource";
        "no action is needed";
    SCALE_REMOVED "scale-subresource-removed" sure[Write] all[] also[Write Edit Stuck Read Rollback] Error Other [] "the scale is no longer a subresource"
        "autoscalers and `kubectl scale` receive 404";
        "keep the subresource";
    SCALE_CHANGED "scale-subresource-changed" sure[Write] all[] also[Write Edit Stuck Read Rollback] Error Other [] "the scale subresource changes from {old} to {new}"
        "autoscalers read and write other fields than before";
        "keep the paths, and let the controller serve both fields";
    SELECTOR_ADDED "scale-subresource-changed" sure[] all[] also[] Note Other [] "the scale subresource changes from {old} to {new}"
        "autoscalers find the pods by the selector, which did not exist before";
        "let the controller set the field of `labelSelectorPath`";
    COLUMN_REMOVED "printer-column-removed" sure[Read] all[] also[] Note Other [] "the column {old} of `kubectl get` is gone"
        "scripts that read the columns break";
        "let scripts use `-o json`";
    COLUMN_CHANGED "printer-column-changed" sure[Read] all[] also[] Note Other [] "a column of `kubectl get` changes from {old} to {new}"
        "scripts that read the columns break";
        "let scripts use `-o json`";
    COLUMN_ADDED "printer-column-added" sure[] all[] also[] Note Other [] "{new} is a new column of `kubectl get`"
        "scripts that count columns break";
        "let scripts use `-o json`";
    SELECTABLE_REMOVED "selectable-field-removed" sure[Read] all[] also[] Error Other [] "the field {old} can no longer be selected"
        "lists with this field selector receive 400";
        "keep the selectable field";
    SELECTABLE_ADDED "selectable-field-added" sure[] all[] also[] Note Other [] "the field {new} can be selected"
        "field selectors need Kubernetes 1.32, or a feature gate in earlier versions";
        "no action is needed";
    PROPERTY_ADDED "property-added" sure[Rust] all[Rollback] also[] Note Other [] "the field is new"
        "the field is lost on a rollback to the old CRD";
        "no action is needed";
    PROPERTY_DESCRIBED "property-described" sure[Rust] any[Write Data] also[Read Rollback] Error Other [] "the field has a schema now; before, any value was kept"
        "the old CRD accepted objects with other values of this field";
        "accept all values that clients use today";
    PROPERTY_REMOVED "property-removed" sure[Rust] all[Data] also[Write Read Rollback] Error Loss [] "the field is gone"
        "the server drops the field from every response, and from the stored object at the next write of any kind; server-side apply rejects manifests that contain it";
        "keep the field and say in its description that it is deprecated, or serve a new version without it";
    PROPERTY_OPENED "property-no-longer-described" sure[Rust] any[Read Rollback] also[] Error Other [] "the field no longer has a schema; any value is kept"
        "readers see values that were rejected before";
        "keep the schema of the field";
    REQUIRED_ADDED "required-added" sure[Rust] all[Write] also[] Error Other [Required] "the field becomes required"
        "requests that omit the field are rejected; so are updates that change the surrounding object but do not set the field";
        "add a default, or keep the field optional";
    REQUIRED_DEFAULTED "required-added-with-default" sure[] all[] also[] Note Other [] "the field becomes required, with a default"
        "requests that omit the field receive the default";
        "no action is needed";
    REQUIRED_REMOVED "required-removed" sure[] any[Read Rollback] also[] Error Other [Required] "the field is no longer required"
        "readers see objects without the field";
        "keep the field required, or let readers handle objects without the field first";
    DEFAULT_ADDED "default-added" sure[] all[Data] also[Write Read Rollback] Error Default [] "the default {new} is new"
        "every response shows the default in objects without the field, although their `generation` does not change; tools that compare manifests show a difference";
        "check that controllers treat the default like an absent field";
    DEFAULT_CHANGED "default-changed" sure[] all[Data] also[Write Read Rollback] Error Default [] "the default changes from {old} to {new}"
        "requests that omit the field receive another default; stored objects keep the old default";
        "serve a new version with the new default, or announce the change";
    DEFAULT_REMOVED "default-removed" sure[] any[Data Write] also[Read Rollback] Error Default [] "the default {old} is gone"
        "objects that clients write without the field no longer have the default";
        "keep the default, or first let readers handle objects without the field";
    TYPE_CHANGED "type-changed" sure[Rust] any[Write Read Rollback] also[Data] Error Other [] "the type changes from {old} to {new}"
        "values of the old type are rejected, and readers see values of the new type";
        "add another field of the new type, or serve a new version";
    TYPE_NARROWED "type-narrowed" sure[Rust] all[Write] also[] Error Other [Type Format Scale] "the type narrows from {old} to {new}"
        "values that were accepted are rejected";
        "keep the type, or add another field";
    TYPE_WIDENED "type-widened" sure[Rust] all[Read Rollback] also[] Error Other [Type Format Scale] "the type widens from {old} to {new}"
        "readers see values of a type that they do not know";
        "let readers handle both types first";
    NULLABLE_REMOVED "nullable-removed" sure[Rust] any[Data Write] also[Read Rollback] Error Null [] "the field is no longer `nullable`"
        "`null` is dropped from stored objects, or replaced by the default; if the field is required, `null` is rejected";
        "keep `nullable: true`";
    NULLABLE_ADDED "nullable-added" sure[Rust] any[Read Rollback] also[Data Write] Error Null [] "the field becomes `nullable`"
        "before, `null` was dropped or replaced by the default; now it is kept, and readers see it";
        "let readers handle `null` first";
    ENUM_ADDED "enum-added" sure[Rust] all[Write] also[] Error Other [Enum] "only {new} are allowed now"
        "other values are rejected";
        "list all values that clients use, or only warn about other values for one release";
    ENUM_REMOVED "enum-removed" sure[Rust] all[Read Rollback] also[] Error Other [Enum] "the values are no longer limited to {old}"
        "readers see values that they do not know";
        "first say in the description that other values are possible";
    ENUM_VALUE_REMOVED "enum-value-removed" sure[] all[Write] also[] Error Other [Enum] "the values {old} are no longer allowed"
        "requests with the value are rejected; stored objects keep it until they are edited";
        "keep the value, and say in the description that it is deprecated";
    ENUM_VALUE_ADDED "enum-value-added" sure[] all[Read Rollback] also[] Error Other [Enum] "the values {new} are allowed, too"
        "readers that handle only the old values do not know the new values";
        "first let readers handle unknown values, and say in the description that values may be added";
    MAXIMUM_TIGHTENED "maximum-tightened" sure[] all[Write] also[] Error Other [Maximum] "`maximum` is tightened from {old} to {new}"
        "values that were accepted are rejected; stored values stay until they are edited";
        "keep the old limit, or only warn about such values in the next release";
    MAXIMUM_LOOSENED "maximum-loosened" sure[] all[Read Rollback] also[] Error Other [Maximum] "`maximum` is loosened from {old} to {new}"
        "readers that rely on the limit see values beyond it, and objects with such values cannot be edited after a rollback to the old CRD";
        "let readers handle such values first";
    MINIMUM_TIGHTENED "minimum-tightened" sure[] all[Write] also[] Error Other [Minimum] "`minimum` is tightened from {old} to {new}"
        "values that were accepted are rejected; stored values stay until they are edited";
        "keep the old limit, or only warn about such values in the next release";
    MINIMUM_LOOSENED "minimum-loosened" sure[] all[Read Rollback] also[] Error Other [Minimum] "`minimum` is loosened from {old} to {new}"
        "readers that rely on the limit see values beyond it, and objects with such values cannot be edited after a rollback to the old CRD";
        "let readers handle such values first";
    MAX_LENGTH_TIGHTENED "max-length-tightened" sure[] all[Write] also[] Error Other [MaxLength] "`maxLength` is tightened from {old} to {new}"
        "values that were accepted are rejected; stored values stay until they are edited";
        "keep the old limit, or only warn about such values in the next release";
    MAX_LENGTH_LOOSENED "max-length-loosened" sure[] all[Read Rollback] also[] Error Other [MaxLength] "`maxLength` is loosened from {old} to {new}"
        "readers that rely on the limit see values beyond it, and objects with such values cannot be edited after a rollback to the old CRD";
        "let readers handle such values first";
    MIN_LENGTH_TIGHTENED "min-length-tightened" sure[] all[Write] also[] Error Other [MinLength] "`minLength` is tightened from {old} to {new}"
        "values that were accepted are rejected; stored values stay until they are edited";
        "keep the old limit, or only warn about such values in the next release";
    MIN_LENGTH_LOOSENED "min-length-loosened" sure[] all[Read Rollback] also[] Error Other [MinLength] "`minLength` is loosened from {old} to {new}"
        "readers that rely on the limit see values beyond it, and objects with such values cannot be edited after a rollback to the old CRD";
        "let readers handle such values first";
    MAX_ITEMS_TIGHTENED "max-items-tightened" sure[] all[Write] also[] Error Other [MaxItems] "`maxItems` is tightened from {old} to {new}"
        "values that were accepted are rejected; stored values stay until they are edited";
        "keep the old limit, or only warn about such values in the next release";
    MAX_ITEMS_LOOSENED "max-items-loosened" sure[] all[Read Rollback] also[] Error Other [MaxItems] "`maxItems` is loosened from {old} to {new}"
        "readers that rely on the limit see values beyond it, and objects with such values cannot be edited after a rollback to the old CRD";
        "let readers handle such values first";
    MIN_ITEMS_TIGHTENED "min-items-tightened" sure[] all[Write] also[] Error Other [MinItems] "`minItems` is tightened from {old} to {new}"
        "values that were accepted are rejected; stored values stay until they are edited";
        "keep the old limit, or only warn about such values in the next release";
    MIN_ITEMS_LOOSENED "min-items-loosened" sure[] all[Read Rollback] also[] Error Other [MinItems] "`minItems` is loosened from {old} to {new}"
        "readers that rely on the limit see values beyond it, and objects with such values cannot be edited after a rollback to the old CRD";
        "let readers handle such values first";
    MAX_PROPERTIES_TIGHTENED "max-properties-tightened" sure[] all[Write] also[] Error Other [MaxProperties] "`maxProperties` is tightened from {old} to {new}"
        "values that were accepted are rejected; stored values stay until they are edited";
        "keep the old limit, or only warn about such values in the next release";
    MAX_PROPERTIES_LOOSENED "max-properties-loosened" sure[] all[Read Rollback] also[] Error Other [MaxProperties] "`maxProperties` is loosened from {old} to {new}"
        "readers that rely on the limit see values beyond it, and objects with such values cannot be edited after a rollback to the old CRD";
        "let readers handle such values first";
    MIN_PROPERTIES_TIGHTENED "min-properties-tightened" sure[] all[Write] also[] Error Other [MinProperties] "`minProperties` is tightened from {old} to {new}"
        "values that were accepted are rejected; stored values stay until they are edited";
        "keep the old limit, or only warn about such values in the next release";
    MIN_PROPERTIES_LOOSENED "min-properties-loosened" sure[] all[Read Rollback] also[] Error Other [MinProperties] "`minProperties` is loosened from {old} to {new}"
        "readers that rely on the limit see values beyond it, and objects with such values cannot be edited after a rollback to the old CRD";
        "let readers handle such values first";
    MULTIPLE_OF_TIGHTENED "multiple-of-tightened" sure[] all[Write] also[] Error Other [MultipleOf] "`multipleOf` is tightened from {old} to {new}"
        "values that were accepted are rejected; stored values stay until they are edited";
        "keep the old limit, or only warn about such values in the next release";
    MULTIPLE_OF_LOOSENED "multiple-of-loosened" sure[] all[Read Rollback] also[] Error Other [MultipleOf] "`multipleOf` is loosened from {old} to {new}"
        "readers that rely on the limit see values beyond it, and objects with such values cannot be edited after a rollback to the old CRD";
        "let readers handle such values first";
    PATTERN_TIGHTENED "pattern-tightened" sure[] all[Write] also[] Error Other [Pattern] "`pattern` is tightened from {old} to {new}"
        "values that were accepted are rejected; stored values stay until they are edited";
        "keep the old limit, or only warn about such values in the next release";
    PATTERN_LOOSENED "pattern-loosened" sure[] all[Read Rollback] also[] Error Other [Pattern] "`pattern` is loosened from {old} to {new}"
        "readers that rely on the limit see values beyond it, and objects with such values cannot be edited after a rollback to the old CRD";
        "let readers handle such values first";
    FORMAT_TIGHTENED "format-tightened" sure[] all[Write] also[] Error Other [Format Type] "`format` is tightened from {old} to {new}"
        "values that were accepted are rejected; stored values stay until they are edited";
        "keep the old limit, or only warn about such values in the next release";
    FORMAT_LOOSENED "format-loosened" sure[] all[Read Rollback] also[] Error Other [Format Type] "`format` is loosened from {old} to {new}"
        "readers that rely on the limit see values beyond it, and objects with such values cannot be edited after a rollback to the old CRD";
        "let readers handle such values first";
    MULTIPLE_OF_CHANGED "multiple-of-changed" sure[] any[Write Read Rollback] also[] Error Other [MultipleOf] "`multipleOf` changes from {old} to {new}"
        "some values that were accepted are rejected, and some that were rejected are accepted";
        "accept all values that clients use today";
    PATTERN_CHANGED "pattern-changed" sure[] any[Write Read Rollback] also[] Error Other [Pattern] "`pattern` changes from {old} to {new}"
        "some values that were accepted are rejected, and some that were rejected are accepted";
        "accept all values that clients use today";
    INTEGER_FORMAT_CHANGED "integer-format-changed" sure[Rust] all[] also[] Note Other [] "`format` changes from {old} to {new}"
        "the API server does not check the format; generated code uses a different integer type, because the limits of the field fit the format";
        "convert the integers where code uses the field";
    FORMAT_CHANGED "format-changed" sure[] any[Write Read Rollback] also[] Error Other [Format Type] "`format` changes from {old} to {new}"
        "some values that were accepted are rejected, and some that were rejected are accepted";
        "accept all values that clients use today";
    PATTERN_REWRITTEN "pattern-rewritten" sure[] all[] also[] Note Other [] "`pattern` is written differently: {old} becomes {new}"
        "both patterns match the same strings";
        "no action is needed";
    ALL_OF_CHANGED "all-of-changed" sure[] any[Write Read Rollback] also[] Error Other [] "`allOf` changes"
        "values that were accepted may be rejected, and vice versa";
        "test the change with the objects of the cluster (`--objects`)";
    ANY_OF_CHANGED "any-of-changed" sure[] any[Write Read Rollback] also[] Error Other [] "`anyOf` changes"
        "values that were accepted may be rejected, and vice versa";
        "test the change with the objects of the cluster (`--objects`)";
    ONE_OF_CHANGED "one-of-changed" sure[] any[Write Read Rollback] also[] Error Other [] "`oneOf` changes"
        "values that were accepted may be rejected, and vice versa";
        "test the change with the objects of the cluster (`--objects`)";
    NOT_CHANGED "not-changed" sure[] any[Write Read Rollback] also[] Error Other [Not] "`not` changes"
        "values that were accepted may be rejected, and vice versa";
        "test the change with the objects of the cluster (`--objects`)";
    RULE_ADDED "rule-added" sure[] all[Write] also[] Error Other [] "the rule {new} is new"
        "objects that violate the rule are rejected; a stored object is rejected once an update changes a value that the rule reads";
        "start with a `ValidatingAdmissionPolicy` that warns, and add the rule when no object violates it";
    TRANSITION_ADDED "transition-rule-added" sure[] all[Edit] also[Write] Error Other [] "the transition rule {new} is new"
        "updates that violate the rule are rejected; ratcheting does not apply to transition rules";
        "make sure that no client makes a change that the rule forbids";
    RULE_REMOVED "rule-removed" sure[] any[Read Rollback] also[] Error Other [] "the rule {old} is gone"
        "readers see objects that the rule rejected";
        "keep the rule, or first let readers handle such objects";
    RULE_CHANGED "rule-changed" sure[] any[Write Edit Read Rollback] also[] Error Other [] "the rule {old} becomes {new}"
        "some objects that were accepted may be rejected, and vice versa";
        "test the new rule with the objects of the cluster (`--objects`)";
    RULE_TEXT_CHANGED "rule-text-changed" sure[] all[] also[] Note Other [] "the message or the reason of a rule changes from {old} to {new}"
        "clients that match messages or reasons do not recognize the response";
        "no action is needed";
    PRESERVE_REMOVED "preserve-unknown-fields-removed" sure[Rust] any[Data] also[] Error Loss [] "unknown fields are no longer preserved"
        "fields without a schema are dropped from every response, and from the stored object at the next write";
        "add all fields that clients use to the schema, or keep `x-kubernetes-preserve-unknown-fields`";
    PRUNING_STARTS "preserve-unknown-fields-removed" sure[Data] all[] also[] Error Loss [] "`spec.preserveUnknownFields` is no longer true"
        "the server drops all fields without a schema from every response, and from the stored object at the next write";
        "add all fields that clients use to the schema, or set `x-kubernetes-preserve-unknown-fields: true` where other fields must be kept";
    PRESERVE_ADDED "preserve-unknown-fields-added" sure[Rust] all[Rollback] also[] Warning Other [] "unknown fields are preserved"
        "unknown fields are lost on a rollback to the old CRD; misspelled fields are no longer pruned";
        "add the fields to the schema";
    PRESERVE_NARROWED "preserve-unknown-fields-removed" sure[] all[Data] also[] Error Loss [] "keys without a schema are still kept, but the fields of objects in their values are dropped"
        "fields without a schema are dropped from every response, and from the stored object at the next write";
        "add all fields that clients use to the schema, or keep `x-kubernetes-preserve-unknown-fields`";
    PRESERVE_WIDENED "preserve-unknown-fields-added" sure[] all[Rollback] also[] Warning Other [] "the fields of objects under keys without a schema are preserved"
        "they are lost on a rollback to the old CRD";
        "add the fields to the schema";
    VALUES_REMOVED "map-values-removed" sure[Rust] any[Data] also[] Error Loss [] "keys other than the properties are no longer kept"
        "the server drops these keys from every response, and from the stored object at the next write";
        "keep `additionalProperties`";
    VALUES_ADDED "map-values-added" sure[Rust] any[Rollback] also[] Note Other [] "keys other than the properties are kept"
        "they are lost on a rollback to the old CRD";
        "no action is needed";
    VALUES_DESCRIBED "map-values-described" sure[Rust] any[Write Data] also[Read Rollback] Error Other [] "the values of the map have a schema now; before, any value was kept"
        "values that do not match the schema are rejected or lose fields";
        "accept all values that clients use today";
    EMBEDDED_ADDED "embedded-resource-added" sure[Rust] any[Write Stuck] also[Data] Error Other [] "the value becomes an embedded resource"
        "the value must have `apiVersion`, `kind` and valid metadata; ratcheting does not apply to these errors, so not even a label of the object can be changed";
        "serve a new version with the embedded resource";
    EMBEDDED_REMOVED "embedded-resource-removed" sure[Rust] any[Read Rollback] also[] Error Other [] "the value is no longer an embedded resource"
        "readers see values that are not resources";
        "keep `x-kubernetes-embedded-resource`";
    LIST_TYPE_TIGHTENED "list-type-tightened" sure[] all[Write] also[] Error Other [ListType Required] "the list type changes from {old} to {new}"
        "duplicates are rejected, and each item has its own field managers under server-side apply";
        "make sure that no list has duplicates, and that each item has its keys";
    LIST_TYPE_LOOSENED "list-type-loosened" sure[] any[Read Rollback] also[] Error Other [ListType Required] "the list type changes from {old} to {new}"
        "each field manager of an item owns the whole list, so a second manager receives conflicts; readers see duplicates";
        "keep the list type";
    MAP_KEYS_CHANGED "list-map-keys-changed" sure[] any[Write Read Rollback] also[] Error Other [ListType Required] "the keys of the list change from {old} to {new}"
        "field managers lose items, or own them twice";
        "serve a new version with the new keys";
    MAP_TYPE_CHANGED "map-type-changed" sure[] all[] also[] Error Other [] "the map type changes from {old} to {new}"
        "from granular to atomic, each field manager of a key owns the whole map, so a second manager receives conflicts; from atomic to granular, field managers of the whole map still own it";
        "keep the map type";
    OBJECTS_DIFFER "objects-differ" sure[] all[] also[Data Write Edit Stuck Read Rollback] Error Other [] "requests with the same object receive different responses"
        "a random object shows the difference, but no single change explains it";
        "check the response of the API server";
    OBJECTS_AFFECTED "objects-affected" sure[] all[] also[Data Write Edit Stuck] Error Other [] "objects are affected"
        "requests with these objects have other results under the new CRD";
        "fix the objects before you apply the CRD, or change the CRD";
    OBJECTS_NOT_TRIED "objects-not-tried" sure[] all[Stuck Data Edit Write] also[] Error Other [] "objects were not tested"
        "the objects are larger than etcd allows, or testing them takes more work than one run allows";
        "test these objects in a separate run";
    EDITS_NOT_TRIED "edits-not-tried" sure[] all[Edit] also[] Warning Other [] "objects were not tested with all edits"
        "the objects would be rejected if they were created again, and trying their edits takes more work than one run allows";
        "test these objects in a separate run";
}
