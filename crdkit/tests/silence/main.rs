//! Nothing is lost in silence: what the schema accepts the type reads, and what the type writes the schema accepts; elsewhere advice or
//! an error says so.
#![cfg(feature = "testing")]

#[macro_use]
mod spec;

mod advice;
mod keys;
mod parts;
mod remedies;
mod values;
