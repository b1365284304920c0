//! The type graph of a definition.
