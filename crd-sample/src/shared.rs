//! Steps that all CRDs in a run share.

use crd_core::CustomResourceDefinition;
use crd_core::crd::JsonSchemaProps;
use crd_go::budget::SharedReserve;

use crate::work::{Allowance, STEPS};

/// The number of steps that every CRD has, in addition to about one step for each byte in its schemas.
const OWN: u64 = 2_000;

/// Limits the total number of steps for generating samples of several CRDs. Each CRD has its own steps, depending on the size of the CRD,
/// and all CRDs share additional steps.
///
/// CRDs take shared steps in their order in the input, so that the samples do not depend on the number of threads. The time for a whole run
/// is linear in the size of the input.
///
/// ```
/// # fn example(definitions: &[crd_core::CustomResourceDefinition]) -> Result<(), crd_sample::Unusable> {
/// use crd_sample::{Sampler, SharedSteps};
///
/// let steps = SharedSteps::new();
/// for crd in definitions {
///     let sampler = Sampler::for_stored(crd)?;
///     let sample = steps.make(crd, || (), |allowance| sampler.clone().with_allowance(allowance).minimal());
///     println!("{sample:?}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SharedSteps(SharedReserve);

impl Default for SharedSteps {
    fn default() -> Self {
        Self::new()
    }
}

impl SharedSteps {
    /// Creates the shared steps for a run. Their number is the maximum for one sample.
    #[must_use]
    pub fn new() -> Self {
        Self(SharedReserve::new(STEPS))
    }

    /// Generates samples of a CRD, by calling `make` with the CRD's own steps. If these are too few, `make` is called again, with the rest
    /// of the shared steps added. Before that, `wait` is called, and must return when it is the CRD's turn.
    pub fn make<T>(
        &self,
        crd: &CustomResourceDefinition,
        wait: impl FnOnce(),
        make: impl Fn(&Allowance) -> T,
    ) -> T {
        let own = own_steps(crd);
        let allowance = Allowance::new(own);
        let made = make(&allowance);
        if allowance.left() > 0 {
            return made;
        }
        wait();
        self.0.with_all(own, |all| {
            if all == own {
                return (made, 0);
            }
            let allowance = Allowance::new(all);
            let made = make(&allowance);
            (made, all - allowance.left())
        })
    }
}

/// Returns the number of a CRD's own steps.
fn own_steps(crd: &CustomResourceDefinition) -> u64 {
    let mut bytes = 0;
    for schema in crd.spec.versions.iter().filter_map(|version| version.open_api_v3_schema()) {
        schema.each(&mut |schema| bytes += bytes_of_node(schema));
    }
    OWN + bytes as u64
}

/// Returns the approximate size of a schema in bytes, without nested schemas.
fn bytes_of_node(schema: &JsonSchemaProps) -> usize {
    /// The approximate size of a property's name and type.
    const OF_NODE: usize = 20;
    let texts = schema.description.iter().chain(&schema.pattern).map(String::len);
    let rules = schema.x_validations.iter().flatten().map(|rule| rule.rule.len());
    OF_NODE + texts.chain(rules).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde_json::json;

    use super::*;
    use crate::Sampler;

    /// Returns a CRD with a string that must match many patterns.
    fn with_patterns(count: usize) -> CustomResourceDefinition {
        let patterns = (0..count).map(|at| json!({"pattern": format!("^(a|b)*b(a|b){{{at}}}$")}));
        let text = json!({"type": "string", "allOf": patterns.collect::<Vec<_>>()});
        CustomResourceDefinition::from_value(json!({
            "metadata": {"name": "foos.example.com"},
            "spec": {
                "group": "example.com", "scope": "Namespaced", "names": {"plural": "foos", "kind": "Foo"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "required": ["spec"],
                    "properties": {"spec": {"type": "object", "required": ["x"], "properties": {"x": text}}},
                }}}],
            },
        }))
        .unwrap()
    }

    #[test]
    fn the_searches_of_many_definitions_share_a_reserve() {
        let crd = with_patterns(8);
        let sampler = Sampler::for_stored(&crd).unwrap();
        let reserve = 1_000_000;
        let shared = SharedSteps(SharedReserve::new(reserve));
        let (steps, waits) = (Cell::new(0), Cell::new(0));
        let is_found = |_: usize| {
            let wait = || waits.set(waits.get() + 1);
            let sample = shared.make(&crd, wait, |allowance| {
                let all = allowance.left();
                let sample = sampler.clone().with_allowance(allowance).minimal();
                steps.set(steps.get() + all - allowance.left());
                sample
            });
            sample.is_ok()
        };
        let found: Vec<bool> = (0..40).map(is_found).collect();
        assert!(found[0] && !found[39], "{found:?}");
        assert!(found.is_sorted_by(|before, after| before >= after), "{found:?}");
        assert_eq!(waits.get(), 40);
        assert!(steps.get() <= reserve + 80 * own_steps(&crd), "{} steps", steps.get());
    }

    #[test]
    fn an_ordinary_sample_waits_for_no_turn() {
        let crd = with_patterns(0);
        let sampler = Sampler::for_stored(&crd).unwrap();
        let wait = || panic!("its own steps are enough");
        let make = |allowance: &Allowance| sampler.clone().with_allowance(allowance).minimal();
        assert_eq!(SharedSteps::new().make(&crd, wait, make).unwrap()["spec"], json!({"x": "example"}));
    }
}
