//! Pairs of settings that look alike: the first is a finding, and the second is right. A reader of findings on real CRDs met the second ones
//! as findings (`tests/corpus/reading.md`).

use super::cases::{Case, crd, spec};

#[rustfmt::skip]
pub(crate) const TWINS: &[Case] = &[
    // A rule that demands a field rejects objects without the field on purpose.
    spec("rule-fails-without-field", "properties: {cloth: {type: object, properties: {color: {type: string}}}}
x-kubernetes-validations: [{rule: '!has(self.cloth.color) || self.cloth.color != ''red''', message: red is not allowed}]", "properties: {cloth: {type: object, properties: {color: {type: string}}}}
x-kubernetes-validations: [{rule: has(self.cloth.color), message: color is required}]"),
    spec("rule-fails-without-field", "properties: {kind: {type: string}, size: {type: string}}
x-kubernetes-validations: [{rule: 'self.kind == ''Cut'' || self.size != ''XL''', message: XL must be cut}]", "properties: {kind: {type: string}, size: {type: string}}
required: [kind]
x-kubernetes-validations: [{rule: 'self.kind == ''Cut'' || self.size != ''''', message: size is required unless kind is Cut}]"),
    spec("rule-fails-without-field", "properties: {parts: {type: array, maxItems: 9, items: {type: object, properties: {sizes: {type: array, maxItems: 9, items: {type: integer}}}}}}
x-kubernetes-validations: [{rule: '!has(self.parts) || self.parts.all(part, part.sizes.all(size, size > 0))', message: sizes must be positive}]", "properties: {parts: {type: array, maxItems: 9, items: {type: object, properties: {sizes: {type: array, maxItems: 9, items: {type: integer}}}}}}
x-kubernetes-validations: [{rule: '!has(self.parts) || self.parts.all(part, part.sizes.size() > 0)', message: a part must have sizes}]"),
    spec("rule-fails-without-field", "properties: {cut: {type: string, enum: [Slim, Wide]}, size: {type: string}}
x-kubernetes-validations: [{rule: 'self.cut != ''Slim'' || !has(self.size)', message: a slim shirt has no size}]", "properties: {cut: {type: string, enum: [Slim, Wide]}, size: {type: string}}
x-kubernetes-validations: [{rule: '!has(self.size) || self.size != ''XL'' || self.cut == ''Wide''', message: XL must be wide}]"),
    // A required field is there whenever rules run.
    spec("rule-fails-without-field", "properties: {parts: {type: array, maxItems: 9, items: {type: object, properties: {size: {type: integer}}}}}
x-kubernetes-validations: [{rule: '!has(self.parts) || self.parts.all(part, part.size < 100)', message: sizes are below 100}]", "properties: {parts: {type: array, maxItems: 9, items: {type: object, required: [size], properties: {size: {type: integer}}}}}
x-kubernetes-validations: [{rule: '!has(self.parts) || self.parts.all(part, part.size < 100)', message: sizes are below 100}]"),
    // A field with a default is there whenever its object is.
    spec("rule-fails-without-field", "properties:
  cut: {type: object, properties: {mode: {type: string}}}
x-kubernetes-validations: [{rule: '!has(self.cut) || self.cut.mode != ''Wide''', message: mode must not be Wide}]", "properties:
  cut: {type: object, properties: {mode: {type: string, default: Slim}}}
x-kubernetes-validations: [{rule: '!has(self.cut) || self.cut.mode != ''Wide''', message: mode must not be Wide}]"),
    // What is removed cannot be added again.
    spec("immutable-field-can-be-removed", "properties:
  size: {type: integer, x-kubernetes-validations: [{rule: self == oldSelf, message: size is immutable}]}", "properties:
  size: {type: integer, x-kubernetes-validations: [{rule: self == oldSelf, message: size is immutable}]}
x-kubernetes-validations: [{rule: 'has(oldSelf.size) || !has(self.size)', message: size cannot be added}]"),
    // A documented object without fields is a choice; one that is named after content is not.
    spec("object-keeps-nothing", "properties: {annotations: {type: object, description: The annotations of the label.}}", "properties: {washable: {type: object, description: The shirt can be washed.}}"),
    spec("object-keeps-nothing", "properties: {supplied: {type: object}, color: {type: string}}", "properties: {from: {type: object, properties: {supplied: {type: object}, shop: {type: object, properties: {name: {type: string}}}, path: {type: string}}}}"),
    spec("object-keeps-nothing", "properties: {sizes: {type: object, additionalProperties: {type: object}}}", "properties: {sizes: {type: object, additionalProperties: {type: object, description: Nothing.}}}"),
    crd("object-keeps-nothing", "spec: {versions: [{schema: {openAPIV3Schema: {properties: {status: {type: object}}}}}]}", "spec: {versions: [{schema: {openAPIV3Schema: {properties: {status: {type: object, description: The observed state.}}}}}]}"),
    spec("object-keeps-nothing", "properties: {parts: {type: array, items: {type: object, description: A part.}}}", "properties: {parts: {type: array, items: {type: object, description: A part., properties: {a: {type: string}}}}}"),
    // The default warning names a newer version.
    crd("deprecation-without-warning", "spec:
  versions:
  - {deprecated: true}
  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}", "spec:
  versions:
  - {deprecated: true}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}"),
    // A value without letters has no case.
    spec("enum-not-in-pascal-case", "properties: {size: {type: string, enum: [Small, 'large*']}}", "properties: {size: {type: string, enum: [Small, '*']}}"),
    // The field is never absent.
    spec("enum-with-empty-string", "properties: {size: {type: string, enum: ['', Small]}}", "required: [size]
properties: {size: {type: string, enum: ['', Small]}, cut: {type: string, enum: ['', Slim], default: Slim}}"),
    // Status codes are numbers that readers know.
    spec("number-in-enum", "properties: {size: {type: integer, enum: [200, 1000]}}", "properties: {code: {type: integer, enum: [301, 302, 404]}}"),
    crd("odd-plural", "metadata: {name: patchs.example.com}
spec: {names: {plural: patchs, singular: patch, kind: Patches, listKind: PatchesList}}", "metadata: {name: patches.example.com}
spec: {names: {plural: patches, singular: patch, kind: Patch, listKind: PatchList}}"),
    // What is not an object does not refer to one.
    spec("name-word", "properties: {shopReference: {type: object, properties: {name: {type: string}}}}", "properties: {expandReferences: {type: boolean}, imageReferences: {type: array, items: {type: string}}}"),
    crd("item-without-required-field", "spec: {versions: [{schema: {openAPIV3Schema: {properties: {spec: {properties: {parts: {type: array, items: {type: object, properties: {a: {type: string}}}}}}}}}}]}",
        "spec: {versions: [{schema: {openAPIV3Schema: {properties: {status: {type: object, properties: {parts: {type: array, items: {type: object, properties: {a: {type: string}}}}}}}}}}]}"),
    // Nobody leaves out the name of a reference, whose default is the empty string.
    spec("defaults-in-atomic-list", "properties: {secrets: {type: array, items: {type: object, properties: {name: {type: string, default: main}}}}}", "properties: {secrets: {type: array, items: {type: object, properties: {name: {type: string, default: ''}}}}}"),
    spec("defaults-in-atomic-list", "properties: {ports: {type: array, items: {type: object, properties: {port: {type: integer}, protocol: {type: string, default: TCP}}}}}", "properties:
  ports:
    type: array
    items: {type: object, properties: {containerPort: {type: integer}, hostIP: {type: string}, hostPort: {type: integer}, protocol: {type: string, default: TCP}}}"),
    crd("defaults-in-atomic-list", "spec: {versions: [{schema: {openAPIV3Schema: {properties: {spec: {properties: {parts: {type: array, items: {type: object, properties: {a: {type: string, default: b}}}}}}}}}}]}",
        "spec: {versions: [{schema: {openAPIV3Schema: {properties: {status: {type: object, properties: {parts: {type: array, items: {type: object, properties: {a: {type: string, default: b}}}}}}}}}}]}"),
    spec("defaults-below-absent-parent", "properties: {secret: {type: object, properties: {name: {type: string, default: main}}}}", "properties: {secret: {type: object, properties: {name: {type: string, default: ''}}}}"),
    spec("name-without-format", "properties: {tlsSecretName: {type: string}}", "properties: {displayName: {type: string}, releaseName: {type: string}, jobName: {type: string}}"),
    spec("name-without-format", "properties: {namespace: {type: string, description: The namespace of the shirt.}}", "properties: {namespace: {type: string, description: The network namespace in which to listen.}}"),
    // Nobody scales an object with a fixed number of replicas.
    crd("scale-without-selector", "spec: {versions: [{subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}, schema: {openAPIV3Schema: {properties: {spec: {properties: {replicas: {type: integer}}}, status: {type: object, properties: {replicas: {type: integer}}}}}}}]}",
        "spec: {versions: [{subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}, schema: {openAPIV3Schema: {properties: {spec: {properties: {replicas: {type: integer, minimum: 1, maximum: 1}}}, status: {type: object, properties: {replicas: {type: integer}}}}}}}]}"),
    // `kubectl get all` shows the objects of a namespace.
    crd("category-all", "spec: {scope: Cluster, names: {categories: [all]}}", "spec: {names: {categories: [all]}}"),
    // A generator without a version keeps its text.
    crd("version-of-tool", "metadata: {annotations: {controller-gen.kubebuilder.io/version: v0.19.0}}", "metadata: {annotations: {controller-gen.kubebuilder.io/version: (devel)}}"),
    // Nobody writes only another part of a status with one field.
    crd("status-requires-field", "spec: {versions: [{subresources: {status: {}}, schema: {openAPIV3Schema: {properties: {status: {type: object, required: [a], properties: {a: {type: string}, b: {type: string}}}}}}}]}",
        "spec: {versions: [{subresources: {status: {}}, schema: {openAPIV3Schema: {properties: {status: {type: object, required: [a], properties: {a: {type: string}}}}}}}]}"),
    // A kind of which only the status is written, and a status that keeps nothing.
    crd("status-without-subresource", "spec: {versions: [{schema: {openAPIV3Schema: {properties: {status: {type: object, properties: {ready: {type: boolean}}}}}}}]}",
        "spec: {versions: [{schema: {openAPIV3Schema: {properties: {status: {type: object, description: Nothing.}}}}}]}"),
    // A path leads into the items of a list by their index.
    crd("column-without-field", "spec: {versions: [{schema: {openAPIV3Schema: {properties: {spec: {properties: {parts: {type: array, items: {type: object, properties: {a: {type: string}}}}}}}}}, additionalPrinterColumns: [{name: A, type: string, jsonPath: .spec.parts.a}]}]}",
        "spec: {versions: [{schema: {openAPIV3Schema: {properties: {spec: {properties: {parts: {type: array, items: {type: object, properties: {a: {type: string}}}}}}}}}, additionalPrinterColumns: [{name: A, type: string, jsonPath: '.spec.parts[0].a'}]}]}"),
];
