//! The text of a CRD.

/// Returns a CRD whose `spec` is an object with these further lines.
macro_rules! shirts {
    ($lines:literal) => {
        concat!(
            "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shirts.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: shirts, singular: shirt, kind: Shirt, listKind: ShirtList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
",
            $lines
        )
    };
}
