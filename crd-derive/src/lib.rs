//! The derive macros of crdkit.
