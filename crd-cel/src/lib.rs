//! CEL as the Kubernetes API server runs it: parse, type-check, price.
