//! The table of rules.

use crd_core::CustomResourceDefinition;

use crate::finding::FoundBy;
use crate::node::Node;
use crate::rule::Group::{self, Broken, Convention, Gitops};
use crate::rule::{Evidence, LintLevel, Rule};
use crate::{choices, conventions, defaults, gitops, keywords, lists, parts, proofs, shapes, values, words};

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) rule: Rule,
    pub(crate) check: Check,
}

/// The way in which a rule finds problems.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    /// Examines a whole CRD.
    Crd(fn(&CustomResourceDefinition, &mut FoundBy<'_>)),
    /// Examines each schema in a CRD.
    Schema(fn(&Node<'_>, &mut FoundBy<'_>)),
    /// Reports advice from [`crd_core::check::advise`].
    Advice,
    /// Searches for an object that proves the finding.
    Proof,
    /// Examines several CRDs.
    Together,
}

impl Rule {
    /// Returns the input that the rule examines.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        match ROWS.iter().find(|row| row.rule.id == self.id).map(|row| row.check) {
            Some(Check::Advice) => Evidence::Advice,
            Some(Check::Proof) => Evidence::Objects,
            Some(Check::Together) => Evidence::SeveralCrds,
            Some(Check::Crd(_) | Check::Schema(_)) | None => Evidence::Crd,
        }
    }
}

/// Returns all rules. Those about broken CRDs come first.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    ROWS.iter().map(|row| &row.rule)
}

/// Returns the names that select rules: the ids of rules, and the names of groups. A group name selects all rules in the group.
pub fn rule_names() -> impl Iterator<Item = &'static str> {
    Group::ALL.map(Group::as_str).into_iter().chain(rules().map(|rule| rule.id))
}

/// Parses a rule's levels, one letter for each profile: `-` means off, `n` means a note, and `w` means a warning.
const fn levels(text: &str) -> [Option<LintLevel>; 5] {
    let (mut levels, bytes, mut i) = ([None; 5], text.as_bytes(), 0);
    while i < 5 {
        levels[i] = match bytes[i] {
            b'n' => Some(LintLevel::Note),
            b'w' => Some(LintLevel::Warning),
            _ => None,
        };
        i += 1;
    }
    levels
}

const fn row(
    id: &'static str,
    group: Group,
    level: &str,
    check: Check,
    why: &'static str,
    source: &'static str,
) -> Row {
    Row { rule: Rule { id, group, why, source, levels: levels(level) }, check }
}

const CONVENTIONS: &str = "sig-architecture/api-conventions.md";

/// All rules. The letters are the levels in the profiles `minimal`, `crd`, `kubernetes`, `gitops` and `ssa`.
#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    row(proofs::FAILS, Broken, "wwwww", Check::Proof, "A rule fails with an error if it reads an absent field. The API server then rejects every write of an object without the field, even a change of a label.", "https://kubernetes.io/docs/reference/using-api/cel/#language-overview"),
    row(proofs::EVADED, Broken, "wwwww", Check::Proof, "A transition rule runs only if there is an old and a new value. A client can therefore change an immutable field: it removes the field, and adds it again with another value.", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#transition-rules"),
    row("name-collides", Broken, "wwwww", Check::Together, "Within a group, two CRDs cannot have the same plural, singular or short name, or the same kind: the API server never establishes the second CRD.", "k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go"),
    row("object-keeps-nothing", Broken, "wwwww", Check::Schema(shapes::keeps_nothing), "The API server drops fields that no schema declares, so an object without properties stays empty.", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning"),
    row("required-field-is-dropped", Broken, "wwwww", Check::Schema(shapes::required_is_dropped), "The API server drops undeclared fields before it checks that required fields are present.", "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"),
    row("no-value-is-valid", Broken, "wwwww", Check::Schema(keywords::contradicting_bounds), "If two bounds contradict each other, no value satisfies both.", "https://json-schema.org/draft/2020-12/json-schema-validation"),
    row("enum-value-is-rejected", Broken, "wwwww", Check::Schema(keywords::enum_is_rejected), "If another keyword rejects a value of an enum, the value can never be used.", "https://json-schema.org/draft/2020-12/json-schema-validation"),
    row("keyword-without-effect", Broken, "wwwww", Check::Schema(keywords::without_effect), "The API server ignores a keyword that belongs to another type, and accepts the values that the keyword should reject.", "https://json-schema.org/draft/2020-12/json-schema-validation"),
    row("pattern-with-empty-alternative", Broken, "wwwww", Check::Schema(keywords::empty_alternative), "An empty alternative matches every string.", "https://github.com/google/re2/wiki/Syntax"),
    row("default-never-applies", Broken, "wwwww", Check::Schema(shapes::default_never_applies), "Defaults fill in fields that are absent, and an item of a list is never absent.", "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/algorithm.go"),
    row("nullable-hides-default", Broken, "wwwww", Check::Schema(shapes::nullable_default), "A default replaces `null` only if the field is not `nullable`.", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting-and-nullable"),
    row("scale-with-wrong-type", Broken, "wwwww", Check::Crd(parts::scale_type), "The scale subresource reads integers for replicas and a string for the selector.", "k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go"),
    row("scale-without-selector", Broken, "-wwww", Check::Crd(parts::scale_selector), "A HorizontalPodAutoscaler finds the Pods of an object with the selector in the scale subresource.", "k8s.io/kubernetes/pkg/controller/podautoscaler/horizontal.go"),
    row("column-with-wrong-type", Broken, "wwwww", Check::Crd(parts::column_type), "A cell stays empty, or is `<invalid>`, if the value has a different type than the column.", "k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor/tableconvertor.go"),
    row("column-twice", Broken, "wwwww", Check::Crd(parts::column_twice), "In the output of `kubectl get`, users cannot distinguish two columns with the same name.", "k8s.io/cli-runtime/pkg/printers/tableprinter.go"),
    row("set-of-objects", Broken, "wwwww", Check::Schema(lists::set_of_objects), "Items of a set must be scalars; from 1.37 on, the API server warns about other items.", "k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go"),
    row("map-keys-with-defaults", Broken, "wwwww", Check::Schema(lists::keys_with_defaults), "If two items of a list omit all its keys, the keys of both items are equal.", "https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy"),
    row("status-without-subresource", Broken, "-wwww", Check::Crd(parts::status_without_subresource), "Without the subresource, each request writes the spec and the status together, so clients and controllers overwrite each other's changes.", CONVENTIONS),
    row("storage-version-not-served", Broken, "-nnnn", Check::Crd(parts::storage_not_served), "If the storage version is not served, the API server must convert every object for clients.", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/"),
    row("webhook-without-authority", Broken, "--nnn", Check::Crd(parts::webhook_without_authority), "The API server calls a webhook only if it trusts the certificate of the webhook.", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#configure-customresourcedefinition-to-use-conversion-webhooks"),
    row("short-name-of-built-in-kind", Broken, "wwwww", Check::Crd(conventions::taken_short_name), "If a built-in kind has the same short name, kubectl uses the built-in kind.", "https://kubernetes.io/docs/reference/kubectl/#resource-types"),
    row("column-without-field", Broken, "wwwww", Check::Advice, "A column whose path is not in the schema stays empty.", "k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor/tableconvertor.go"),
    row("scale-without-field", Broken, "wwwww", Check::Advice, "If the schema lacks the field, the API server drops the value that `kubectl scale` writes.", "k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go"),
    row("field-lost-between-versions", Broken, "wwwww", Check::Advice, "Without conversion, a field that the storage version does not have is lost.", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/"),
    row("field-reset-through-version", Broken, "-nnnn", Check::Advice, "Without conversion, a client that reads an object does not see fields that its version lacks. When the client writes the object back, the API server stores it without these fields.", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/"),
    row("too-large-for-etcd", Broken, "wwwww", Check::Advice, "etcd stores no objects of more than 1.5 MiB.", "https://etcd.io/docs/latest/dev-guide/limit/"),
    row("rule-with-one-verdict", Broken, "wwwww", Check::Schema(choices::constant_rule), "If no object can violate a rule, the rule checks nothing. If all objects violate a rule, nobody can create an object.", "https://kubernetes.io/docs/reference/using-api/cel/#language-overview"),
    row("equal-branches", Broken, "wwwww", Check::Schema(choices::equal_branches), "`oneOf` accepts only values that match exactly one branch.", "https://json-schema.org/draft/2020-12/json-schema-validation"),
    row("unknown-field", Broken, "-wwww", Check::Advice, "The API server drops a key that it does not know.", "https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation"),

    row("pattern-without-anchors", Convention, "-nn--", Check::Schema(keywords::without_anchors), "Without anchors, a pattern accepts any string that contains a match.", "https://github.com/google/re2/wiki/Syntax"),
    row("repeated-value", Convention, "-nn--", Check::Schema(keywords::repeated), "A repeated value is usually a copy-and-paste mistake.", "https://json-schema.org/draft/2020-12/json-schema-validation"),
    row("default-beside-required", Convention, "--n--", Check::Schema(shapes::default_beside_required), "The API server fills in the default, so the field is never missing.", CONVENTIONS),
    row("conditions-unlike-metav1", Convention, "-nn-w", Check::Schema(conventions::conditions), "Tools read conditions as `metav1.Condition`, and merge them by their type.", CONVENTIONS),
    row("rule-without-message", Convention, "-nn--", Check::Schema(conventions::rule_without_message), "Without a message, users see the text of the rule.", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules"),
    row("deprecation-without-warning", Convention, "-nn--", Check::Crd(parts::deprecation_without_warning), "The warning should say what to use instead; by default, it only names a newer version.", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-deprecation"),
    row("category-all", Convention, "-nn--", Check::Crd(conventions::category_all), "`kubectl delete all --all` in a namespace also deletes objects in the category that have no namespace.", "sig-cli/kubectl-conventions.md"),
    row("kind-of-list", Convention, "-nn--", Check::Crd(conventions::kind_of_list), "The name of a list's kind ends in `List`.", CONVENTIONS),
    row("unsigned-integer", Convention, "-nn--", Check::Schema(values::unsigned), "Kubernetes has no unsigned integers, only `int32` and `int64`.", CONVENTIONS),
    row("name-not-in-camel-case", Convention, "--n--", Check::Schema(conventions::name_case), "Names of fields are in camel case, beginning with a lower-case letter.", CONVENTIONS),
    row("name-word", Convention, "--n--", Check::Schema(conventions::name_words), "Names of times end in `Time`, names of references in `Ref`, and names of booleans do not begin with `is`.", CONVENTIONS),
    row("phase", Convention, "--n--", Check::Schema(conventions::phase), "The API conventions recommend conditions instead of a phase.", CONVENTIONS),
    row("field-without-description", Convention, "--n--", Check::Schema(conventions::without_description), "`kubectl explain` shows descriptions.", CONVENTIONS),
    row("enum-not-in-pascal-case", Convention, "--n--", Check::Schema(conventions::enum_case), "Values of enums are in Pascal case.", CONVENTIONS),
    row("enum-with-empty-string", Convention, "--n--", Check::Schema(conventions::enum_with_empty), "The empty string is a second way to express an absent value.", CONVENTIONS),
    row("floating-point-number", Convention, "--n--", Check::Schema(values::float), "Some languages read another floating-point number than the one that was written.", CONVENTIONS),
    row("integer-without-format", Convention, "--n--", Check::Schema(values::integer_without_format), "Integers are `int32` or `int64`.", CONVENTIONS),
    row("integer-beyond-2-53", Convention, "--n--", Check::Schema(values::beyond_double), "JavaScript represents integers exactly only up to 2^53.", CONVENTIONS),
    row("boolean", Convention, "--n--", Check::Schema(values::boolean), "Many booleans need a third value later.", CONVENTIONS),
    row("map-of-objects", Convention, "--n--", Check::Schema(values::map_of_objects), "The API conventions prefer lists, with a name in each item, to maps.", CONVENTIONS),
    row("nullable", Convention, "--n--", Check::Schema(values::nullable), "Many clients do not distinguish `null` from an absent field.", CONVENTIONS),
    row("string-without-max-length", Convention, "--n--", Check::Schema(values::string_without_most), "The API server estimates the cost of rules for the longest possible string.", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#resource-use-by-validation-functions"),
    row("unbounded", Convention, "--n--", Check::Schema(values::unbounded), "The API server estimates the cost of rules for the largest possible list.", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#resource-use-by-validation-functions"),
    row("union-without-rule", Convention, "-nn--", Check::Schema(choices::union_without_rule), "In a union, only the member that the discriminator names may be set.", CONVENTIONS),
    row("defaults-below-absent-parent", Convention, "--n--", Check::Schema(defaults::below_absent_parent), "A default applies only if the object that contains the field is present.", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/defaulting"),
    row("message-says-should", Convention, "--n--", Check::Schema(words::message_words), "Validation messages say `must`.", CONVENTIONS),
    row("odd-plural", Convention, "--n--", Check::Crd(conventions::odd_plural), "Tools without discovery guess the plural from the kind.", "k8s.io/apimachinery/pkg/api/meta/restmapper.go"),
    row("group-not-approved", Convention, "--n--", Check::Crd(conventions::not_approved), "Only APIs that the Kubernetes project approved may be in groups below `k8s.io` and `kubernetes.io`.", "k8s.io/apiextensions-apiserver/pkg/controller/apiapproval/apiapproval_controller.go"),
    row("observed-generation-missing", Convention, "--n--", Check::Crd(parts::generation_missing), "`observedGeneration` says which generation of the spec a status describes.", CONVENTIONS),
    row("status-requires-field", Convention, "--n--", Check::Crd(parts::status_requires), "Several controllers can write a status, and each controller knows only some of its fields.", CONVENTIONS),
    row("old-conversion-reviews", Convention, "-nn--", Check::Crd(parts::old_reviews), "The stable version of `ConversionReview` is `v1`.", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-request-and-response"),
    row("redundant-keyword", Convention, "--n--", Check::Schema(choices::redundant), "A keyword that rejects nothing makes a schema longer and harder to change.", "https://json-schema.org/draft/2020-12/json-schema-validation"),
    row("number-in-enum", Convention, "--n--", Check::Schema(choices::numeric_enum), "Values of enums are strings.", CONVENTIONS),
    row("unit-missing", Convention, "--n--", Check::Schema(words::unit_missing), "Names of quantities include the unit.", CONVENTIONS),
    row("abbreviation", Convention, "--n--", Check::Schema(words::abbreviation), "Names contain only well-known abbreviations.", CONVENTIONS),
    row("description-without-name", Convention, "--n--", Check::Schema(words::description_start), "Descriptions begin with the name as written in YAML.", CONVENTIONS),
    row("shape-of-reference", Convention, "--n--", Check::Schema(words::reference_shape), "A field that ends in `Ref` is an object that contains the name of the referenced object, and a field that ends in `Name` is a string.", CONVENTIONS),
    row("name-without-format", Convention, "--n--", Check::Schema(words::name_without_format), "Without a format, the API server accepts names that no object can have.", CONVENTIONS),
    row("optional-string-can-be-empty", Convention, "--n--", Check::Schema(defaults::empty_string), "The empty string and an absent field mean the same to most programs.", CONVENTIONS),
    row("number-without-bounds", Convention, "--n--", Check::Schema(defaults::number_without_bounds), "You can widen bounds later, but not narrow them.", CONVENTIONS),
    row("duration", Convention, "--n--", Check::Schema(defaults::duration), "An integer with the unit in its name needs no parser.", CONVENTIONS),
    row("item-without-required-field", Convention, "--n--", Check::Schema(defaults::item_without_required), "If an item may be empty, mistakes in the indentation remain unnoticed.", "https://github.com/kubernetes-sigs/kube-api-linter/blob/main/docs/linters.md"),

    row("list-without-type", Convention, "-nnnw", Check::Schema(lists::without_type), "Server-side apply replaces a list without a type as a whole.", "https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy"),
    row("defaults-in-atomic-list", Gitops, "---nn", Check::Schema(lists::defaults_in_atomic_list), "If tools replace a list as a whole, the defaults in its items appear as differences.", "https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy"),
    row("too-large-for-apply", Gitops, "-nnnn", Check::Advice, "`kubectl apply` keeps the object in an annotation of at most 256 KiB.", "https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/"),
    row("dropped-value", Gitops, "---n-", Check::Advice, "The API server drops empty values, so that the stored object differs from the file.", "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go"),
    row("status-in-file", Gitops, "---n-", Check::Crd(gitops::status_in_file), "The API server sets the status.", "https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/"),
    row("last-applied-annotation", Gitops, "-nnn-", Check::Crd(gitops::last_applied), "The annotation belongs to `kubectl apply`.", "https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/"),
    row("quoted-number", Gitops, "-nnn-", Check::Schema(defaults::quoted_integer), "In an `IntOrString`, the string `\"80\"` is a name, not the number 80.", "k8s.io/apimachinery/pkg/util/intstr/intstr.go"),
    row("quantity-of-other-form", Gitops, "---n-", Check::Schema(defaults::quantity), "The API server stores a quantity as written, and controllers in Go write its canonical form.", "k8s.io/apimachinery/pkg/api/resource/quantity.go"),
    row("version-of-tool", Gitops, "---n-", Check::Crd(gitops::version_of_tool), "If a file contains the version of a tool, each new version of the tool causes a difference.", "sigs.k8s.io/controller-tools/pkg/crd/gen.go"),
    row("no-keep-policy", Gitops, "-nnn-", Check::Crd(gitops::no_keep_policy), "If somebody deletes a CRD, the API server also deletes all its objects.", "https://helm.sh/docs/howto/charts_tips_and_tricks/#tell-helm-not-to-uninstall-a-resource"),
    row("braces-of-helm", Gitops, "-nnn-", Check::Schema(gitops::helm_braces), "Helm reads double braces in templates.", "https://helm.sh/docs/chart_best_practices/custom_resource_definitions/"),
];
