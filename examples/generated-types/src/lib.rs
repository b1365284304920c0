//! Types that `crd-codegen` made of `crds/caches.yaml`.
