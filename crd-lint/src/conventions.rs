//! Finds names and descriptions that violate the Kubernetes API conventions.

use crd_core::CustomResourceDefinition;
use crd_core::FieldPath;
use crd_core::crd::JsonSchemaProps;

use crate::finding::FoundBy;
use crate::lists::items;
use crate::node::{Node, short};

/// Short names of kinds that exist in every cluster. kubectl prefers these kinds to the kinds of CRDs. Source: `kubectl api-resources`,
/// with the resources of kube-apiserver and the CRDs that kubectl knows.
const TAKEN: &[(&str, &str)] = &[
    ("cm", "ConfigMap"),
    ("cs", "ComponentStatus"),
    ("ep", "Endpoints"),
    ("ev", "Event"),
    ("limits", "LimitRange"),
    ("ns", "Namespace"),
    ("no", "Node"),
    ("pvc", "PersistentVolumeClaim"),
    ("pv", "PersistentVolume"),
    ("po", "Pod"),
    ("rc", "ReplicationController"),
    ("quota", "ResourceQuota"),
    ("sa", "ServiceAccount"),
    ("svc", "Service"),
    ("crd", "CustomResourceDefinition"),
    ("crds", "CustomResourceDefinition"),
    ("ds", "DaemonSet"),
    ("deploy", "Deployment"),
    ("rs", "ReplicaSet"),
    ("sts", "StatefulSet"),
    ("hpa", "HorizontalPodAutoscaler"),
    ("cj", "CronJob"),
    ("csr", "CertificateSigningRequest"),
    ("ing", "Ingress"),
    ("netpol", "NetworkPolicy"),
    ("pdb", "PodDisruptionBudget"),
    ("pc", "PriorityClass"),
    ("sc", "StorageClass"),
];

/// Finds short names that belong to a kind in every cluster.
pub(crate) fn taken_short_name(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    let place = FieldPath::new("spec").child("names").child("shortNames");
    for (i, name) in crd.spec.names.short_names.iter().flatten().enumerate() {
        if let Some((_, kind)) = TAKEN.iter().find(|(taken, _)| taken == name) {
            let message = format!(
                "`{name}` is the short name of {kind}: `kubectl get {name}` shows objects of that kind"
            );
            found.add(place.index(i), message, "choose another name");
        }
    }
}

/// Finds the category `all` of objects without a namespace.
/// Source: "Rules for extending special resource alias - all" in `sig-cli/kubectl-conventions.md`.
pub(crate) fn category_all(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    let place = FieldPath::new("spec").child("names").child("categories");
    for (i, name) in crd.spec.names.categories.iter().flatten().enumerate() {
        if name == "all" && crd.spec.scope == "Cluster" {
            let message = "the objects have no namespace: `kubectl get all` and `kubectl delete all` include them in every namespace";
            found.add(place.index(i), message, "use your own category");
        }
    }
}

/// Finds kinds that end in `List`, as only list kinds should.
pub(crate) fn kind_of_list(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    let kind = &crd.spec.names.kind;
    if kind.ends_with("List") {
        let message = format!("`{kind}` ends in `List`: clients treat such objects as lists");
        found.add(FieldPath::new("spec").child("names").child("kind"), message, "rename the kind");
    }
}

/// Finds plural names that differ from the plural that tools derive from the kind.
pub(crate) fn odd_plural(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    let names = &crd.spec.names;
    // Source: `UnsafeGuessKindToResource` in `k8s.io/apimachinery/pkg/api/meta/restmapper.go`.
    let single = names.kind.to_lowercase();
    let guess = match single.char_indices().next_back() {
        Some((_, 's')) => format!("{single}es"),
        Some((end, 'y')) => format!("{}ies", &single[..end]),
        _ => format!("{single}s"),
    };
    // `Gateway`, `DeviceAttributes` and `Switch` have these plurals in English, whatever tools guess.
    let is_english = names.plural == format!("{single}s")
        || single.ends_with('s') && names.plural == single
        || ["ch", "sh", "x", "z"].iter().any(|end| single.ends_with(end))
            && names.plural == format!("{single}es");
    if names.plural != guess && !is_english && !single.is_empty() {
        let message = format!(
            "the plural of `{}` is `{}`: fake clients and other tools that do not ask the API server guess `{}`",
            short(&names.kind),
            short(&names.plural),
            short(&guess)
        );
        found.add(
            FieldPath::new("spec").child("names").child("plural"),
            message,
            format!("use `{}`", short(&guess)),
        );
    }
}

/// Finds CRDs in groups of the Kubernetes project with an annotation for unapproved APIs.
pub(crate) fn not_approved(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    const NAME: &str = "api-approved.kubernetes.io";
    let mut annotations = crd.metadata.annotations.iter().flat_map(|all| all.iter());
    let group = &crd.spec.group;
    let is_reserved = group.ends_with(".k8s.io") || group.ends_with(".kubernetes.io");
    if is_reserved && annotations.any(|(name, value)| name == NAME && value.starts_with("unapproved")) {
        found.add(
            FieldPath::new("metadata").child("annotations").key(NAME),
            format!("`{group}` is a group of Kubernetes, and the CRD is not approved: its condition `KubernetesAPIApprovalPolicyConformant` is False"),
            "use your own group, or name the pull request that approved the API",
        );
    }
}

/// Finds names that are not in camel case.
pub(crate) fn name_case(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let Some(name) = node.name() else { return };
    let is_camel =
        name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(|c| c.is_ascii_alphanumeric());
    // Reserved by JSON readers of other formats, and meant to be special.
    if !is_camel && !name.starts_with(['$', '@']) {
        let better = camel(name);
        let siblings = node.parent.and_then(|parent| parent.schema.properties.as_ref());
        let help = match siblings.is_some_and(|siblings| siblings.get(&better).is_some()) {
            true => format!("rename it; the name `{}` is taken", short(&better)),
            false => format!("rename it to `{}`", short(&better)),
        };
        found.add(node.path(), format!("`{}` is not in camel case", node.field()), help);
    }
}

/// Converts a name to camel case. An acronym at the start becomes lower case: `CACerts` becomes `caCerts`.
fn camel(name: &str) -> String {
    let mut camel = String::new();
    let mut starts_word = false;
    let capitals = name.bytes().take_while(u8::is_ascii_uppercase).count();
    // The last capital letter begins the next word, unless the name or a separator follows.
    let acronym = match name.as_bytes().get(capitals) {
        Some(next) if next.is_ascii_lowercase() => capitals.saturating_sub(1),
        _ => capitals,
    };
    for (i, c) in name.chars().enumerate() {
        if !c.is_ascii_alphanumeric() {
            starts_word = !camel.is_empty();
        } else if camel.is_empty() || i < acronym {
            camel.push(c.to_ascii_lowercase());
        } else {
            camel.push(if starts_word { c.to_ascii_uppercase() } else { c });
            starts_word = false;
        }
    }
    camel
}

/// Words that the conventions replace at the end of a name, each with its replacement.
const ENDINGS: &[(&str, &str)] = &[("Timestamp", "Time"), ("Reference", "Ref"), ("References", "Refs")];

/// Finds names that end in a word that the conventions replace. Strings and numbers may have `Reference` in their names, because they are
/// not references to objects.
pub(crate) fn name_words(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let Some(name) = node.name() else { return };
    let is_reference = is_object(node.schema) || items(node.schema).is_some_and(is_object);
    for (end, better) in ENDINGS.iter().filter(|(end, _)| is_reference || !end.starts_with("Reference")) {
        if let Some(start) = name.strip_suffix(end).filter(|start| !start.is_empty()) {
            found.add(
                node.path(),
                format!("`{}` ends in `{end}`", node.field()),
                format!("the API conventions write `{}{better}`", short(start)),
            );
        }
    }
    let rest = name.strip_prefix("is").filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    if let Some(rest) = rest.filter(|_| node.is_type("boolean")) {
        let better = camel(rest);
        found.add(
            node.path(),
            format!("`{}` begins with `is`", node.field()),
            format!("the API conventions write `{}`", short(&better)),
        );
    }
}

fn is_object(schema: &JsonSchemaProps) -> bool {
    schema.type_.as_deref() == Some("object")
}

/// Finds `phase` fields, which hide details that conditions would show.
pub(crate) fn phase(node: &Node<'_>, found: &mut FoundBy<'_>) {
    if node.name() == Some("phase") && node.is_in_status() {
        found.add(
            node.path(),
            format!(
                "`{}` is a phase: clients that know its values break when a value is added",
                node.field()
            ),
            "describe the state in `status.conditions`",
        );
    }
}

/// Finds fields without a description.
pub(crate) fn without_description(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let is_standard = node.parent.is_some_and(|parent| parent.parent.is_none())
        && matches!(node.name(), Some("spec" | "status"));
    if node.name().is_some()
        && !is_standard
        && node.schema.description.as_ref().is_none_or(|text| text.trim().is_empty())
    {
        found.add(
            node.path(),
            format!("`{}` has no description: `kubectl explain` shows nothing", node.field()),
            "describe it",
        );
    }
}

/// Returns `true` for a value that begins with an upper-case letter or has no letters, such as `*`.
fn is_pascal(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase()) || !text.contains(char::is_alphabetic)
}

/// Finds enum values that are not in Pascal case.
pub(crate) fn enum_case(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let mut strings = node.schema.enum_.iter().flatten().filter_map(serde_json::Value::as_str);
    let odd = strings.find(|text| !is_pascal(text));
    if let Some(odd) = odd {
        found.add(
            node.path().child("enum"),
            format!(
                "`enum` of `{}` has `{}`: the API conventions write values in Pascal case",
                node.field(),
                short(odd)
            ),
            "begin values with an upper-case letter",
        );
    }
}

/// Finds enums that contain the empty string, although the field can also be absent. Fields with a default are ignored, because they are
/// never absent.
pub(crate) fn enum_with_empty(node: &Node<'_>, found: &mut FoundBy<'_>) {
    if !node.is_optional() {
        return;
    }
    if let Some(i) = node.schema.enum_.iter().flatten().position(|value| value == "") {
        found.add(
            node.path().child("enum").index(i),
            format!(
                "`enum` of `{}` has the empty string, a second way to express an absent value",
                node.field()
            ),
            "remove the empty string, and omit the field instead",
        );
    }
}

/// Finds lists of conditions whose items are not `metav1.Condition`.
pub(crate) fn conditions(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let is_conditions = node.name() == Some("conditions") && node.is_in_status() && node.is_type("array");
    if !is_conditions {
        return;
    }
    let Some(items) = items(node.schema) else { return };
    let has = |items: &JsonSchemaProps, name: &str| {
        items.properties.as_ref().is_some_and(|all| all.get(name).is_some())
    };
    let missing: Vec<_> = ["type", "status", "reason", "message", "lastTransitionTime"]
        .into_iter()
        .filter(|name| !has(items, name))
        .collect();
    if !missing.is_empty() {
        let message = format!(
            "conditions of `{}` lack `{}`: `kubectl wait` and dashboards read `metav1.Condition`",
            node.field(),
            missing.join("`, `")
        );
        found.add(node.path(), message, "use the fields of `metav1.Condition`");
    } else if node.schema.x_list_type.as_deref() != Some("map")
        || node.schema.x_list_map_keys.as_deref() != Some(&["type".to_owned()])
    {
        let message = format!(
            "`{}` is not a list map with the key `type`: two controllers overwrite each other's conditions",
            node.field()
        );
        found.add(
            node.path(),
            message,
            "add `x-kubernetes-list-type: map` and `x-kubernetes-list-map-keys: [type]`",
        );
    }
}

/// Finds rules without a message. Users see the rule's expression instead.
pub(crate) fn rule_without_message(node: &Node<'_>, found: &mut FoundBy<'_>) {
    for (i, rule) in node.schema.x_validations.iter().flatten().enumerate() {
        if found.is_full {
            return;
        }
        if rule.message.is_empty() && rule.message_expression.is_empty() {
            found.add(
                node.path().child("x-kubernetes-validations").index(i),
                format!(
                    "the rule on `{}` has no message: users see `failed rule: {}`",
                    node.field(),
                    short(rule.rule.trim())
                ),
                "add a `message` that says what the value must be",
            );
        }
    }
}
