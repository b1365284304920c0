//! CRDs of the Kubernetes documentation.
