//! `status` of a `CustomResourceDefinition`.

use serde_json::{Map, Value};

use super::wire::{Decoder, Wire, wire};
use super::{Names, time};

wire! {
    /// `status` of a [`CustomResourceDefinition`](super::CustomResourceDefinition).
    pub struct Status as "CustomResourceDefinitionStatus" {
        /// Whether the names were accepted, whether it is served, and so on.
        conditions: Option<Vec<Condition>> = "conditions",
        /// The names under which it is served.
        accepted_names: Option<Names> = "acceptedNames",
        /// Versions in which objects were ever stored.
        stored_versions: Option<Vec<String>> = "storedVersions",
        /// The generation of which all this is said.
        observed_generation: Option<i64> = "observedGeneration",
    }
}

wire! {
    /// One of `status.conditions`.
    pub struct Condition as "CustomResourceDefinitionCondition" {
        /// `Established`, `NamesAccepted` and so on.
        type_: String = "type" as "v1.CustomResourceDefinitionConditionType",
        /// `True`, `False` or `Unknown`.
        status: String = "status" as "v1.ConditionStatus",
        /// When that changed, in RFC 3339.
        last_transition_time: Option<String> = "lastTransitionTime" with time::decode,
        /// Why, in one word.
        reason: String = "reason",
        /// Why, in a sentence.
        message: String = "message",
        /// The generation of which this is said.
        observed_generation: Option<i64> = "observedGeneration",
    }
}
