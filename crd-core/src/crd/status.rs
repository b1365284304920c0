//! The `status` of a `CustomResourceDefinition`.

use serde_json::Value;

use super::wire::{Decoder, Wire, wire};
use super::{Names, time};

wire! {
    /// `status` of a [`CustomResourceDefinition`](super::CustomResourceDefinition).
    pub struct Status as "CustomResourceDefinitionStatus" {
        /// Conditions, such as `NamesAccepted` and `Established`.
        conditions: Option<Vec<Condition>> = "conditions",
        /// The names under which the resource is served.
        accepted_names: Option<Names> = "acceptedNames",
        /// The versions in which objects were ever stored.
        stored_versions: Option<Vec<String>> = "storedVersions",
        /// The generation to which the status belongs.
        observed_generation: Option<i64> = "observedGeneration",
    }
}

wire! {
    /// A condition of a CRD: one of `status.conditions`.
    pub struct Condition as "CustomResourceDefinitionCondition" {
        /// The type of the condition, such as `Established` or `NamesAccepted`.
        type_: String = "type" as "v1.CustomResourceDefinitionConditionType",
        /// The status of the condition: `True`, `False` or `Unknown`.
        status: String = "status" as "v1.ConditionStatus",
        /// The time of the last change, in RFC 3339.
        last_transition_time: Option<String> = "lastTransitionTime" with time::decode,
        /// The reason for the status of the condition, in one word.
        reason: String = "reason",
        /// The reason for the status of the condition, in a sentence.
        message: String = "message",
        /// The generation to which the condition belongs.
        observed_generation: Option<i64> = "observedGeneration",
    }
}
