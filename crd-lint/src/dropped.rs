//! Lists rules that this linter does not have, from other linters or from plans, with the reasons.

/// Rules that are not in the table, each with the reason. The book lists these rules.
pub const DROPPED: &[(&str, &str)] = &[
    ("group-without-dot", "the API server rejects a group without a dot"),
    (
        "group-reserved",
        "the API server rejects CRDs in a group of Kubernetes without the approval annotation; `group-not-approved` finds an annotation that begins with `unapproved`",
    ),
    (
        "immutable-list-without-map",
        "the API server rejects transition rules whose values it cannot correlate",
    ),
    (
        "unsatisfiable pattern",
        "crdkit does not check whether any string matches two patterns; it checks bounds, enums, required fields and equal branches",
    ),
    (
        "rule implied by the schema",
        "`rule-with-one-verdict` reports only rules that are constant or check for a field that is always present; a failed search for a counterexample is no proof",
    ),
    (
        "null-dropped",
        "a CRD does not say what clients send; `nullable` and `nullable-hides-default` report the keyword `nullable`",
    ),
    (
        "default-changes-on-read",
        "`field-lost-between-versions` and `field-reset-through-version` report the field, with or without a default",
    ),
    (
        "unbounded-for-cel",
        "`crdkit cel` estimates the cost of each rule and names the missing bound that costs most; `unbounded` and `string-without-max-length` report all missing bounds",
    ),
    ("default-object-in-list-item", "`defaults-in-atomic-list` reports such defaults"),
    (
        "too-large-for-helm",
        "Helm compresses a whole release into a Secret: the size of one CRD does not determine the size of the release",
    ),
    ("argocd-server-side-apply", "`too-large-for-apply` reports the same size"),
    ("creation-timestamp-null", "the API server and tools that compare objects treat `null` as absent"),
    ("duplicate-keys", "YAML parsers report duplicate keys"),
    ("optionalorrequired", "a schema always says whether a field is required"),
    ("optionalfields, requiredfields, nonpointerstructs", "these rules are about types in Go"),
    (
        "conflictingmarkers, dependenttags, forbiddenmarkers, preferredmarkers, uniquemarkers",
        "these rules are about comments in Go; the derives check their own attributes",
    ),
    ("namingconventions", "the rule has no built-in names: each project configures its own"),
    (
        "dangerous serde attributes",
        "`deny_unknown_fields`, `skip_serializing_if` and `serde(default)` are not in a CRD",
    ),
    ("closed enum in the status", "a CRD does not say which programs read the status, and with which types"),
    ("hash-map", "a CRD does not say in which order a program writes a map"),
    ("redundant minLength", "with a `minLength` of 0, an author accepts the empty string on purpose"),
    (
        "ranges in messages",
        "crdkit does not check whether a message describes an inclusive range; `message-says-should` reports the word `should`",
    ),
    ("float-in-spec", "`floating-point-number` reports numbers in the spec and the status"),
    (
        "size without a unit",
        "the name does not say whether a size is a count; `unit-missing` reports durations and memory",
    ),
    (
        "default of another type than the examples",
        "few CRDs have examples; `quoted-number` reports a quoted number as the default",
    ),
    (
        "integer without bounds beyond 2^53",
        "without `maximum`, every integer can be beyond 2^53; `unsigned-integer` reports `uint64`, and `integer-beyond-2-53` reports a `maximum`",
    ),
    (
        "time without a format",
        "a CRD does not say which strings are times; `column-with-wrong-type` reports strings that a column shows as dates",
    ),
    (
        "minlength",
        "an empty list or map often has a meaning; `optional-string-can-be-empty` and `item-without-required-field` report strings and items",
    ),
];
