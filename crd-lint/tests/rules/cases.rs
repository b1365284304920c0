//! Examples of each rule.

/// The part of a CRD that an example shows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Crd,
    /// The schema of the field `spec`.
    Spec,
    /// The schema of the field `spec`, with a description of as many bytes as its first comment says.
    Size,
}

#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) rule: &'static str,
    pub(crate) part: Part,
    pub(crate) bad: &'static str,
    pub(crate) good: &'static str,
}

pub(crate) const fn spec(rule: &'static str, bad: &'static str, good: &'static str) -> Case {
    Case { rule, part: Part::Spec, bad, good }
}

pub(crate) const fn crd(rule: &'static str, bad: &'static str, good: &'static str) -> Case {
    Case { rule, part: Part::Crd, bad, good }
}

const STATUS: &str = "spec:
  versions:
  - subresources: {status: {}}
    schema:
      openAPIV3Schema:
        properties:
          status: {type: object, properties: {phase: {type: string}}}";

#[rustfmt::skip]
pub(crate) const CASES: &[Case] = &[
    spec("rule-fails-without-field", "properties: {size: {type: integer}}
x-kubernetes-validations: [{rule: self.size > 0, message: size must be positive}]", "properties: {size: {type: integer}}
x-kubernetes-validations: [{rule: '!has(self.size) || self.size > 0', message: size must be positive}]"),
    spec("immutable-field-can-be-removed", "properties:
  size: {type: integer, x-kubernetes-validations: [{rule: self == oldSelf, message: size is immutable}]}", "required: [size]
properties:
  size: {type: integer, x-kubernetes-validations: [{rule: self == oldSelf, message: size is immutable}]}"),
    crd("name-collides", "# another CRD of the group has the short name `sh`
spec: {names: {shortNames: [sh]}}", "spec: {names: {shortNames: [shi]}}"),
    spec("object-keeps-nothing", "properties: {labels: {type: object}}", "properties: {labels: {type: object, additionalProperties: {type: string}}}"),
    spec("required-field-is-dropped", "required: [size]
properties: {color: {type: string}}", "required: [size]
properties: {size: {type: string}}"),
    spec("no-value-is-valid", "properties: {size: {type: integer, minimum: 5, maximum: 4}}", "properties: {size: {type: integer, minimum: 4, maximum: 5}}"),
    spec("enum-value-is-rejected", "properties: {size: {type: string, enum: [S, XXL], maxLength: 2}}", "properties: {size: {type: string, enum: [S, XL], maxLength: 2}}"),
    spec("keyword-without-effect", "properties: {size: {type: integer, minLength: 1}}", "properties: {size: {type: integer, minimum: 1}}"),
    spec("pattern-with-empty-alternative", "properties: {size: {type: string, pattern: '^(S||XL)$'}}", "properties: {size: {type: string, pattern: '^(S|XL)$'}}"),
    spec("default-never-applies", "properties: {sizes: {type: array, items: {type: string, default: S}}}", "properties: {sizes: {type: array, items: {type: string}, default: [S]}}"),
    spec("nullable-hides-default", "properties: {size: {type: string, nullable: true, default: S}}", "properties: {size: {type: string, default: S}}"),
    crd("scale-with-wrong-type", "spec:
  versions:
  - subresources: {scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count, labelSelectorPath: .status.selector}}
    schema:
      openAPIV3Schema:
        properties:
          spec: {properties: {count: {type: string}}}
          status: {type: object, properties: {count: {type: integer}, selector: {type: string}}}", "spec:
  versions:
  - subresources: {scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count, labelSelectorPath: .status.selector}}
    schema:
      openAPIV3Schema:
        properties:
          spec: {properties: {count: {type: integer}}}
          status: {type: object, properties: {count: {type: integer}, selector: {type: string}}}"),
    crd("scale-without-selector", "spec:
  versions:
  - subresources: {scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count}}
    schema:
      openAPIV3Schema: {properties: {spec: {properties: {count: {type: integer}}}}}", "spec:
  versions:
  - subresources: {scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count, labelSelectorPath: .status.selector}}
    schema:
      openAPIV3Schema: {properties: {spec: {properties: {count: {type: integer}}}}}"),
    crd("column-with-wrong-type", "spec: {versions: [{additionalPrinterColumns: [{name: Color, type: integer, jsonPath: .spec.color}]}]}",
        "spec: {versions: [{additionalPrinterColumns: [{name: Color, type: string, jsonPath: .spec.color}]}]}"),
    crd("column-twice", "spec: {versions: [{additionalPrinterColumns: [{name: A, type: string, jsonPath: .spec.color}, {name: A, type: string, jsonPath: .metadata.name}]}]}",
        "spec: {versions: [{additionalPrinterColumns: [{name: A, type: string, jsonPath: .spec.color}, {name: B, type: string, jsonPath: .metadata.name}]}]}"),
    spec("set-of-objects", "properties: {sizes: {type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: string}}}}}",
        "properties: {sizes: {type: array, x-kubernetes-list-type: set, items: {type: string}}}"),
    spec("map-keys-with-defaults", "properties:
  ports:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [protocol]
    items: {type: object, properties: {protocol: {type: string, default: TCP}}}", "properties:
  ports:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [port, protocol]
    items: {type: object, required: [port], properties: {port: {type: integer}, protocol: {type: string, default: TCP}}}"),
    crd("status-without-subresource", "spec: {versions: [{schema: {openAPIV3Schema: {properties: {status: {type: object, properties: {ready: {type: boolean}}}}}}}]}",
        "spec: {versions: [{subresources: {status: {}}, schema: {openAPIV3Schema: {properties: {status: {type: object, properties: {ready: {type: boolean}}}}}}}]}"),
    crd("storage-version-not-served", "spec:
  versions:
  - {served: false, storage: true}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}", "spec:
  versions:
  - {served: true, storage: true}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}"),
    crd("webhook-without-authority", "spec:
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: a, name: b}}}", "metadata: {annotations: {cert-manager.io/inject-ca-from: a/b}}
spec:
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: a, name: b}}}"),
    crd("short-name-of-built-in-kind", "spec: {names: {shortNames: [svc]}}", "spec: {names: {shortNames: [shi]}}"),
    crd("column-without-field", "spec: {versions: [{additionalPrinterColumns: [{name: Color, type: string, jsonPath: .spec.colour}]}]}",
        "spec: {versions: [{additionalPrinterColumns: [{name: Color, type: string, jsonPath: .spec.color}]}]}"),
    crd("scale-without-field", "spec: {versions: [{subresources: {scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count}}}]}", "spec:
  versions:
  - subresources: {scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count}}
    schema:
      openAPIV3Schema:
        properties:
          spec: {properties: {count: {type: integer}}}
          status: {type: object, properties: {count: {type: integer}}}"),
    crd("field-lost-between-versions", "spec:
  versions:
  - {name: v1, served: true, storage: true}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string}, size: {type: string}}}}}}", "spec:
  versions:
  - {name: v1, served: true, storage: true}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string}}}}}}"),
    crd("field-reset-through-version", "spec:
  versions:
  - {name: v1, served: true, storage: true}
  - name: v1beta1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {}}}}}", "spec:
  versions:
  - {name: v1, served: true, storage: true}
  - name: v1beta1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string}}}}}}"),
    crd("unknown-field", "spec: {version: v1}", "spec: {}"),
    spec("pattern-without-anchors", "properties: {size: {type: string, pattern: '[a-z]+'}}", "properties: {size: {type: string, pattern: '^[a-z]+$'}}"),
    spec("repeated-value", "properties: {size: {type: string, enum: [S, M, S]}}", "properties: {size: {type: string, enum: [S, M]}}"),
    spec("default-beside-required", "required: [size]
properties: {size: {type: string, default: S}}", "properties: {size: {type: string, default: S}}"),
    crd("conditions-unlike-metav1", "spec:
  versions:
  - schema:
      openAPIV3Schema:
        properties:
          status: {type: object, properties: {conditions: {type: array, items: {type: object, properties: {type: {type: string}}}}}}", STATUS),
    spec("rule-without-message", "x-kubernetes-validations: [{rule: has(self.color)}]", "x-kubernetes-validations: [{rule: has(self.color), message: color is required}]"),
    crd("deprecation-without-warning", "spec: {versions: [{deprecated: true}]}", "spec: {versions: [{deprecated: true, deprecationWarning: example.com/v1 Shirt is deprecated; use v2}]}"),
    crd("category-all", "spec: {scope: Cluster, names: {categories: [all]}}", "spec: {scope: Cluster, names: {categories: [clothes]}}"),
    crd("kind-of-list", "spec: {names: {kind: ShirtList, listKind: ShirtListList}}", "spec: {names: {kind: Shirt, listKind: ShirtList}}"),
    spec("unsigned-integer", "properties: {size: {type: integer, format: uint32}}", "properties: {size: {type: integer, format: int32, minimum: 0}}"),
    spec("name-not-in-camel-case", "properties: {max-size: {type: integer}}", "properties: {maxSize: {type: integer}}"),
    spec("name-word", "properties: {startTimestamp: {type: string}}", "properties: {startTime: {type: string}}"),
    crd("phase", STATUS, "spec:
  versions:
  - schema: {openAPIV3Schema: {properties: {status: {type: object, properties: {ready: {type: boolean}}}}}}"),
    spec("field-without-description", "properties: {size: {type: integer}}", "properties: {size: {type: integer, description: The size in centimetres.}}"),
    spec("enum-not-in-pascal-case", "properties: {size: {type: string, enum: [small, large]}}", "properties: {size: {type: string, enum: [Small, Large]}}"),
    spec("enum-with-empty-string", "properties: {size: {type: string, enum: ['', Small]}}", "properties: {size: {type: string, enum: [Small]}}"),
    spec("floating-point-number", "properties: {size: {type: number}}", "properties: {size: {type: integer}}"),
    spec("integer-without-format", "properties: {size: {type: integer}}", "properties: {size: {type: integer, format: int32}}"),
    spec("integer-beyond-2-53", "properties: {size: {type: integer, maximum: 9223372036854775807}}", "properties: {size: {type: integer, maximum: 1000000}}"),
    spec("boolean", "properties: {large: {type: boolean}}", "properties: {size: {type: string, enum: [Small, Large]}}"),
    spec("map-of-objects", "properties: {sizes: {type: object, additionalProperties: {type: object, properties: {width: {type: integer}}}}}",
        "properties: {sizes: {type: object, additionalProperties: {type: string}}}"),
    spec("nullable", "properties: {size: {type: string, nullable: true}}", "properties: {size: {type: string}}"),
    spec("string-without-max-length", "properties: {size: {type: string}}", "properties: {size: {type: string, maxLength: 9}}"),
    spec("unbounded", "properties: {sizes: {type: array, items: {type: integer}}}", "properties: {sizes: {type: array, maxItems: 9, items: {type: integer}}}"),
    spec("list-without-type", "properties: {sizes: {type: array, items: {type: integer}}}", "properties: {sizes: {type: array, x-kubernetes-list-type: set, items: {type: integer}}}"),
    spec("defaults-in-atomic-list", "properties: {sizes: {type: array, items: {type: object, properties: {unit: {type: string, default: cm}}}}}",
        "properties: {sizes: {type: array, items: {type: object, properties: {unit: {type: string}}}}}"),
    Case { rule: "too-large-for-etcd", part: Part::Size, bad: "# 1600000 bytes
description: ...", good: "# 300000 bytes
description: ..." },
    Case { rule: "too-large-for-apply", part: Part::Size, bad: "# 300000 bytes
description: ...", good: "# 3000 bytes
description: ..." },
    crd("dropped-value", "spec: {preserveUnknownFields: false}", "spec: {}"),
    crd("status-in-file", "status: {acceptedNames: {plural: '', kind: ''}, conditions: [], storedVersions: []}", "spec: {scope: Namespaced}"),
    crd("last-applied-annotation", "metadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}}", "metadata: {annotations: {example.com/a: b}}"),
    spec("rule-with-one-verdict", "required: [color]
x-kubernetes-validations: [{rule: '!has(self.color)', message: color is not allowed}]", "x-kubernetes-validations: [{rule: '!has(self.color)', message: color is not allowed}]"),
    spec("equal-branches", "oneOf: [{required: [color]}, {required: [color]}]", "oneOf: [{required: [color]}, {required: [size]}]
properties: {size: {type: string}}"),
    spec("union-without-rule", "properties:
  type: {type: string, enum: [Cotton, HalfLinen]}
  cotton: {type: object, properties: {a: {type: string}}}
  halfLinen: {type: object, properties: {a: {type: string}}}", "properties:
  type: {type: string, enum: [Cotton, HalfLinen]}
  cotton: {type: object, properties: {a: {type: string}}}
  halfLinen: {type: object, properties: {a: {type: string}}}
required: [type]
x-kubernetes-validations:
- {rule: 'self.type == ''Cotton'' ? has(self.cotton) : !has(self.cotton)', message: cotton must be set if type is Cotton}
- {rule: 'self.type == ''HalfLinen'' ? has(self.halfLinen) : !has(self.halfLinen)', message: halfLinen must be set if type is HalfLinen}"),
    spec("defaults-below-absent-parent", "properties: {size: {type: object, properties: {width: {type: integer, default: 1}}}}",
        "properties: {size: {type: object, default: {}, properties: {width: {type: integer, default: 1}}}}"),
    spec("message-says-should", "x-kubernetes-validations: [{rule: has(self.color), message: color should be set}]", "x-kubernetes-validations: [{rule: has(self.color), message: color must be set}]"),
    crd("odd-plural", "metadata: {name: shirtses.example.com}
spec: {names: {plural: shirtses}}", "spec: {names: {plural: shirts}}"),
    crd("group-not-approved", "metadata: {name: shirts.example.k8s.io, annotations: {api-approved.kubernetes.io: 'unapproved, experimental'}}
spec: {group: example.k8s.io}", "metadata: {name: shirts.example.k8s.io, annotations: {api-approved.kubernetes.io: 'https://github.com/kubernetes/kubernetes/pull/78458'}}
spec: {group: example.k8s.io}"),
    crd("observed-generation-missing", STATUS, "spec:
  versions:
  - subresources: {status: {}}
    schema:
      openAPIV3Schema:
        properties:
          status: {type: object, properties: {observedGeneration: {type: integer, format: int64}}}"),
    crd("status-requires-field", "spec:
  versions:
  - schema: {openAPIV3Schema: {properties: {status: {type: object, required: [ready], properties: {ready: {type: boolean}, size: {type: integer}}}}}}", "spec:
  versions:
  - schema: {openAPIV3Schema: {properties: {status: {type: object, properties: {ready: {type: boolean}}}}}}"),
    crd("old-conversion-reviews", "spec:
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1beta1], clientConfig: {service: {namespace: a, name: b}}}", "spec:
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1, v1beta1], clientConfig: {service: {namespace: a, name: b}}}"),
    spec("redundant-keyword", "properties: {size: {type: string, enum: [S, M], maxLength: 2}}", "properties: {size: {type: string, enum: [S, M]}}"),
    spec("number-in-enum", "properties: {size: {type: integer, enum: [1, 2]}}", "properties: {size: {type: string, enum: [Small, Large]}}"),
    spec("unit-missing", "properties: {timeout: {type: integer}}", "properties: {timeoutSeconds: {type: integer}}"),
    spec("abbreviation", "properties: {numSleeves: {type: integer}}", "properties: {sleeveCount: {type: integer}}"),
    spec("description-without-name", "properties: {color: {description: The color.}}", "description: 'spec says what is wanted.'
properties: {color: {description: color of the cloth.}}"),
    spec("shape-of-reference", "properties: {shopRef: {type: string}}", "properties: {shopRef: {type: object, properties: {name: {type: string}}}}"),
    spec("name-without-format", "properties: {secretName: {type: string}}", "properties: {secretName: {type: string, pattern: '^[a-z]+$'}}"),
    spec("optional-string-can-be-empty", "properties: {size: {type: string}}", "properties: {color: {minLength: 1}}"),
    spec("number-without-bounds", "properties: {size: {type: integer, minimum: 1}}", "properties: {size: {type: integer, minimum: 1, maximum: 9}}"),
    spec("duration", "properties: {wait: {type: string, format: duration}}", "properties: {waitSeconds: {type: integer}}"),
    spec("item-without-required-field", "properties: {sizes: {type: array, items: {type: object, properties: {width: {type: integer}}}}}",
        "properties: {sizes: {type: array, items: {type: object, required: [width], properties: {width: {type: integer}}}}}"),
    spec("quoted-number", "properties: {port: {x-kubernetes-int-or-string: true, default: '80'}}", "properties: {port: {x-kubernetes-int-or-string: true, default: 80}}"),
    spec("quantity-of-other-form", "properties: {cpu: {x-kubernetes-int-or-string: true, pattern: '^[0-9]+m?$', default: 1000m}}",
        "properties: {cpu: {x-kubernetes-int-or-string: true, pattern: '^[0-9]+m?$', default: '1'}}"),
    crd("version-of-tool", "metadata: {annotations: {controller-gen.kubebuilder.io/version: v0.19.0}}", "metadata: {annotations: {example.com/a: b}}"),
    crd("no-keep-policy", "metadata: {labels: {app.kubernetes.io/managed-by: Helm}}", "metadata: {labels: {app.kubernetes.io/managed-by: Helm}, annotations: {helm.sh/resource-policy: keep}}"),
    spec("braces-of-helm", "properties: {size: {type: string, description: 'A template, such as {{ .size }}.'}}", "properties: {size: {type: string, description: A template.}}"),
];
