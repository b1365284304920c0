//! The fields in a CRD outside schemas.

use super::keyword::{Keyword, Owner, Values};

/// The API types in a CRD.
pub(super) const OWNERS: [Owner; 14] = [
    Owner {
        name: "CustomResourceDefinition",
        source: TYPES,
        keywords: &[
            Keyword {
                name: "apiVersion",
                effect: "The version of the API: apiextensions.k8s.io/v1.",
                values: Values::Words(&["apiextensions.k8s.io/v1"]),
                since: None,
            },
            Keyword {
                name: "kind",
                effect: "The kind of the object: CustomResourceDefinition.",
                values: Values::Words(&["CustomResourceDefinition"]),
                since: None,
            },
            Keyword {
                name: "metadata",
                effect: "Name, labels and annotations; the name is `PLURAL.GROUP`.",
                values: Values::Object("ObjectMeta"),
                since: None,
            },
            Keyword {
                name: "spec",
                effect: "The resource that the API server serves.",
                values: Values::Object("CustomResourceDefinitionSpec"),
                since: None,
            },
            Keyword {
                name: "status",
                effect: "The status, which the API server sets; a status that a client sends is dropped.",
                values: Values::Object("Status"),
                since: None,
            },
        ],
    },
    Owner {
        name: "CustomResourceDefinitionSpec",
        source: TYPES,
        keywords: &[
            Keyword {
                name: "group",
                effect: "The API group of the resource; the name of the CRD ends with it.",
                values: Values::Text,
                since: None,
            },
            Keyword {
                name: "names",
                effect: "The names under which the resource is served.",
                values: Values::Object("CustomResourceDefinitionNames"),
                since: None,
            },
            Keyword {
                name: "scope",
                effect: "Whether objects are in namespaces; it cannot be changed.",
                values: Values::Words(&["Namespaced", "Cluster"]),
                since: None,
            },
            Keyword {
                name: "versions",
                effect: "The versions; exactly one is the storage version.",
                values: Values::List("CustomResourceDefinitionVersion"),
                since: None,
            },
            Keyword {
                name: "conversion",
                effect: "How objects are converted between versions.",
                values: Values::Object("CustomResourceConversion"),
                since: None,
            },
            Keyword {
                name: "preserveUnknownFields",
                effect: "A leftover of v1beta1; it must be false.",
                values: Values::Bool,
                since: None,
            },
        ],
    },
    Owner {
        name: "CustomResourceDefinitionNames",
        source: TYPES,
        keywords: &[
            Keyword {
                name: "plural",
                effect: "The plural name in lower case, as used in URLs.",
                values: Values::Text,
                since: None,
            },
            Keyword {
                name: "singular",
                effect: "The singular name in lower case; the default is the kind in lower case.",
                values: Values::Text,
                since: None,
            },
            Keyword {
                name: "shortNames",
                effect: "Short names for kubectl.",
                values: Values::Texts,
                since: None,
            },
            Keyword {
                name: "kind",
                effect: "The kind of objects in CamelCase.",
                values: Values::Text,
                since: None,
            },
            Keyword {
                name: "listKind",
                effect: "The kind of a list; the default is the kind followed by `List`.",
                values: Values::Text,
                since: None,
            },
            Keyword {
                name: "categories",
                effect: "Groups of resources for kubectl, such as `all`.",
                values: Values::Texts,
                since: None,
            },
        ],
    },
    Owner {
        name: "CustomResourceDefinitionVersion",
        source: TYPES,
        keywords: &[
            Keyword {
                name: "name",
                effect: "The name of the version, such as v1 or v1beta1.",
                values: Values::Text,
                since: None,
            },
            Keyword {
                name: "served",
                effect: "Whether the API server serves this version.",
                values: Values::Bool,
                since: None,
            },
            Keyword {
                name: "storage",
                effect: "Whether objects are stored in this version; exactly one version is the storage version.",
                values: Values::Bool,
                since: None,
            },
            Keyword {
                name: "deprecated",
                effect: "Whether requests to this version return a warning.",
                values: Values::Bool,
                since: None,
            },
            Keyword {
                name: "deprecationWarning",
                effect: "The text of the warning that requests to this version return.",
                values: Values::Text,
                since: None,
            },
            Keyword {
                name: "schema",
                effect: "The schema of objects in this version.",
                values: Values::Object("CustomResourceValidation"),
                since: None,
            },
            Keyword {
                name: "subresources",
                effect: "The subresources status and scale.",
                values: Values::Object("CustomResourceSubresources"),
                since: None,
            },
            Keyword {
                name: "additionalPrinterColumns",
                effect: "Columns of kubectl get; without any, the age is shown.",
                values: Values::List("CustomResourceColumnDefinition"),
                since: None,
            },
            Keyword {
                name: "selectableFields",
                effect: "Up to eight fields that field selectors can name.",
                values: Values::List("SelectableField"),
                since: Some(30),
            },
        ],
    },
    Owner {
        name: "CustomResourceValidation",
        source: TYPES,
        keywords: &[Keyword {
            name: "openAPIV3Schema",
            effect: "The structural schema, for pruning, defaulting and validating objects.",
            values: Values::Object("JSONSchemaProps"),
            since: None,
        }],
    },
    Owner {
        name: "CustomResourceSubresources",
        source: TYPES,
        keywords: &[
            Keyword {
                name: "status",
                effect: "Serves /status: only requests to /status change the status.",
                values: Values::Object("CustomResourceSubresourceStatus"),
                since: None,
            },
            Keyword {
                name: "scale",
                effect: "Serves /scale, for kubectl scale and autoscalers.",
                values: Values::Object("CustomResourceSubresourceScale"),
                since: None,
            },
        ],
    },
    Owner { name: "CustomResourceSubresourceStatus", source: TYPES, keywords: &[] },
    Owner {
        name: "CustomResourceSubresourceScale",
        source: TYPES,
        keywords: &[
            Keyword {
                name: "specReplicasPath",
                effect: "The path of the desired number of replicas, below .spec.",
                values: Values::Path,
                since: None,
            },
            Keyword {
                name: "statusReplicasPath",
                effect: "The path of the current number of replicas, below .status.",
                values: Values::Path,
                since: None,
            },
            Keyword {
                name: "labelSelectorPath",
                effect: "The path of the label selector as a string; autoscalers need it.",
                values: Values::Path,
                since: None,
            },
        ],
    },
    Owner {
        name: "CustomResourceColumnDefinition",
        source: TYPES,
        keywords: &[
            Keyword { name: "name", effect: "The heading of the column.", values: Values::Text, since: None },
            Keyword {
                name: "type",
                effect: "The type of the value.",
                values: Values::Words(&["boolean", "date", "integer", "number", "string"]),
                since: None,
            },
            Keyword {
                name: "format",
                effect: "An OpenAPI format, such as name for the first column.",
                values: Values::Text,
                since: None,
            },
            Keyword {
                name: "description",
                effect: "The description of the column.",
                values: Values::Text,
                since: None,
            },
            Keyword {
                name: "priority",
                effect: "0 for the standard view; columns with larger numbers are shown with -o wide.",
                values: Values::Number,
                since: None,
            },
            Keyword {
                name: "jsonPath",
                effect: "The JSONPath of the value in an object.",
                values: Values::Path,
                since: None,
            },
        ],
    },
    Owner {
        name: "SelectableField",
        source: TYPES,
        keywords: &[Keyword {
            name: "jsonPath",
            effect: "The path of a string, an integer or a boolean that is not in a list.",
            values: Values::Path,
            since: Some(30),
        }],
    },
    Owner {
        name: "CustomResourceConversion",
        source: TYPES,
        keywords: &[
            Keyword {
                name: "strategy",
                effect: "None changes only apiVersion; Webhook calls a webhook.",
                values: Values::Words(&["None", "Webhook"]),
                since: None,
            },
            Keyword {
                name: "webhook",
                effect: "The webhook that converts objects.",
                values: Values::Object("WebhookConversion"),
                since: None,
            },
        ],
    },
    Owner {
        name: "WebhookConversion",
        source: TYPES,
        keywords: &[
            Keyword {
                name: "clientConfig",
                effect: "The address of the webhook.",
                values: Values::Object("WebhookClientConfig"),
                since: None,
            },
            Keyword {
                name: "conversionReviewVersions",
                effect: "Versions of ConversionReview that the webhook understands, the preferred one first.",
                values: Values::Texts,
                since: None,
            },
        ],
    },
    Owner {
        name: "WebhookClientConfig",
        source: TYPES,
        keywords: &[
            Keyword {
                name: "url",
                effect: "The URL of the webhook, as an alternative to service.",
                values: Values::Text,
                since: None,
            },
            Keyword {
                name: "service",
                effect: "The service of the webhook, as an alternative to url.",
                values: Values::Object("ServiceReference"),
                since: None,
            },
            Keyword {
                name: "caBundle",
                effect: "The certificate authorities of the webhook, PEM in base64.",
                values: Values::Text,
                since: None,
            },
        ],
    },
    Owner {
        name: "ServiceReference",
        source: TYPES,
        keywords: &[
            Keyword {
                name: "namespace",
                effect: "The namespace of the service.",
                values: Values::Text,
                since: None,
            },
            Keyword { name: "name", effect: "The name of the service.", values: Values::Text, since: None },
            Keyword { name: "path", effect: "The path of the URL.", values: Values::Text, since: None },
            Keyword {
                name: "port",
                effect: "The port of the service; the default is 443.",
                values: Values::Number,
                since: None,
            },
        ],
    },
];

const TYPES: &str = "staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go";
