//! Reads definitions from files, folders and standard input.
