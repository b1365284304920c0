//! Generates accepted objects that have a value at a given path.

use crd_core::Diagnostic;
use crd_core::admit::Rejection;
use serde_json::{Value, json};

use crate::change::{get, put, schema_at, steps_of};
use crate::maker::{Maker, Style};
use crate::sampler::Sampler;
use crate::search::Search;

/// Maximum number of starts of one search.
const MOST_STARTS: u64 = 4;

impl Sampler {
    /// Returns an accepted object that has a value at the path `at`. If `value` is given, the object has this value. The path consists of
    /// field names, map keys and list indices. At most `budget` objects are validated. Returns `None` if all of them are rejected.
    ///
    /// ```
    /// # fn example(sampler: &crd_sample::Sampler) {
    /// let at = ["spec", "size"].map(str::to_owned);
    /// let object = sampler.containing(&at, Some(&serde_json::json!(7)), 200);
    /// assert!(object.is_none_or(|object| object["spec"]["size"] == 7));
    /// # }
    /// ```
    #[must_use]
    pub fn containing(&self, at: &[String], value: Option<&Value>, budget: usize) -> Option<Value> {
        let maker = &mut Maker::new(self.seed, self.validator().patterns(), self.work());
        let mut left = budget;
        for number in 0..MOST_STARTS {
            if number > 0 {
                maker.restart(self.seed.wrapping_add(number));
                maker.is_varied = true;
            }
            match self.start_containing(maker, at, value, &mut left) {
                Ok(found) => return Some(found),
                Err(Ended::Elsewhere) if left > 0 && !maker.work.is_done() => {}
                Err(_) => return None,
            }
        }
        None
    }

    /// Returns an object like [`containing`](Self::containing), but with a given maker, and with only one start.
    pub(crate) fn containing_with(
        &self,
        maker: &mut Maker,
        at: &[String],
        value: Option<&Value>,
        mut budget: usize,
    ) -> Option<Value> {
        self.start_containing(maker, at, value, &mut budget).ok()
    }

    fn start_containing(
        &self,
        maker: &mut Maker,
        at: &[String],
        value: Option<&Value>,
        budget: &mut usize,
    ) -> Result<Value, Ended> {
        let mut object = self.object(maker, Style::Minimal);
        for end in 1..=at.len() {
            let above = &at[..end];
            let made = match (value, schema_at(&self.created, above)) {
                (Some(value), _) if end == at.len() => value.clone(),
                _ if get(&object, above).is_some_and(|there| !there.is_null()) => continue,
                (_, Some(schema)) => maker.value(schema, &at[end - 1], Style::Minimal),
                (_, None) => json!({}),
            };
            if !put(&mut object, above, made) {
                return Err(Ended::AtPlace);
            }
        }
        let mut search = Search {
            schema: &self.created,
            validator: self.validator(),
            maker,
            style: Style::Minimal,
            budget: *budget,
            pinned: Some(at),
            target: None,
            is_desperate: false,
            steps_of_judgement: self.steps_of_judgement,
        };
        let result = search.accepted(object.clone());
        *budget = search.budget;
        let found = result.map_err(|refusal| Ended::from_rejection(&refusal, &object, at))?;
        let there = get(&found, at);
        let is_there = there.is_some() && value.is_none_or(|value| there == Some(value));
        if is_there { Ok(found) } else { Err(Ended::AtPlace) }
    }
}

/// The reason why a search for an object with a value at a path failed.
enum Ended {
    /// Some causes of the rejection are about the value at the path, or about a parent of this value.
    AtPlace,
    /// All causes of the rejection are about other values, so another start may succeed.
    Elsewhere,
}

impl Ended {
    fn from_rejection(refusal: &Rejection, object: &Value, at: &[String]) -> Self {
        let is_elsewhere = |cause: &Diagnostic| {
            let steps = steps_of(&cause.place, object);
            steps.iter().zip(at).any(|(step, of_place)| step != of_place)
        };
        let mut causes = refusal.faults().peekable();
        if causes.peek().is_some() && causes.all(is_elsewhere) { Self::Elsewhere } else { Self::AtPlace }
    }
}

#[cfg(test)]
mod tests {
    use crd_core::CustomResourceDefinition;

    use super::*;

    #[test]
    fn another_start_leaves_out_what_no_plan_solves() {
        let crd = CustomResourceDefinition::from_value(json!({
            "metadata": {"name": "nodes.example.com"},
            "spec": {
                "group": "example.com", "scope": "Cluster", "names": {"plural": "nodes", "kind": "Node"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                    "type": "object", "required": ["spec"], "properties": {"spec": {
                        "type": "object", "required": ["image"], "properties": {
                            "size": {"type": "integer"},
                            "image": {
                                "type": "object",
                                "properties": {
                                    "alias": {
                                        "type": "string", "maxLength": 30,
                                        "x-kubernetes-validations": [
                                            {"rule": "self.matches('^[a-z0-9]+@.+$')"},
                                            {"rule": "self.split('@')[0] in ['one', 'two']"},
                                        ],
                                    },
                                    "name": {"type": "string"},
                                },
                                "x-kubernetes-validations": [{"rule": "has(self.alias) != has(self.name)"}],
                            },
                            "family": {"type": "string", "enum": ["custom"]},
                        },
                        "x-kubernetes-validations": [
                            {"rule": "has(self.image.alias) != has(self.family)"},
                        ],
                    }},
                }}}],
            },
        }));
        let sampler = Sampler::new(&crd.unwrap(), "v1").unwrap();
        let at = ["spec", "size"].map(str::to_owned);
        let object = sampler.containing(&at, Some(&json!(7)), 400).unwrap();
        assert_eq!(object["spec"]["size"], 7);
        assert!(object["spec"]["image"]["name"].is_string(), "{object}");
        // Another start does not help where the value itself is rejected.
        assert_eq!(sampler.containing(&at, Some(&json!("a")), 400), None);
    }
}
