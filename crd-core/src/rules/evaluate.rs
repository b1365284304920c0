//! Tries out a rule: evaluates an expression for all values of a schema node in an object.

use crd_cel::eval::{Data, DataKind, DataType, Program, Value as CelValue};
use serde_json::Value;

use super::data::data_type;
use super::programs::Programs;
use crate::cel::{RuleError, Rules};
use crate::correlate::{Correlated, Known};
use crate::lazy_path::LazyPath;
use crate::{FieldPath, Structural};

/// The evaluation of an expression at one value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Evaluated {
    /// The path of the value.
    pub at: FieldPath,
    /// The result of the evaluation.
    pub outcome: Outcome,
    /// The cost of the evaluation. The limit is 1,000,000.
    pub cost: u64,
}

/// The result of an evaluation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// A value, converted to JSON.
    Value(Value),
    /// An error, with the API server's message.
    Failed(String),
    /// The expression uses `oldSelf`, but the value has no old value. Such rules do not run.
    NotRun,
}

impl Rules<'_, '_> {
    /// Evaluates an expression for each value of `node` in an object, in order. `old` is the object that is replaced.
    /// Defaults are not filled in.
    ///
    /// # Errors
    /// - The expression does not compile: [`RuleError`].
    ///
    /// ```
    /// use crd_core::Structural;
    /// use crd_core::rules::Outcome;
    /// use crd_core::cel::{Rules, SchemaTypes};
    /// use crd_core::crd::JsonSchemaProps;
    /// use serde_json::json;
    ///
    /// let schema = JsonSchemaProps::from_value(json!({
    ///     "type": "object",
    ///     "properties": {"sizes": {"type": "array", "items": {"type": "integer"}}},
    /// }))?;
    /// let schema = Structural::from_json_schema(&schema)?;
    /// let types = SchemaTypes::for_part(&schema);
    /// let rules = Rules::new(&types, Default::default());
    ///
    /// let item = schema.properties.get("sizes").unwrap().items.as_deref().unwrap();
    /// let answers = rules.evaluate(item, "12 / self", &json!({"sizes": [4, 0]}), None)?;
    /// assert_eq!((answers[0].at.to_string().as_str(), &answers[0].outcome), ("sizes[0]", &Outcome::Value(json!(3))));
    /// assert_eq!(answers[1].outcome, Outcome::Failed("division by zero".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn evaluate(
        &self,
        node: &Structural,
        expression: &str,
        object: &Value,
        old: Option<&Value>,
    ) -> Result<Vec<Evaluated>, RuleError> {
        let (program, uses_old_self) = Programs::new(self).expression(node, expression)?;
        let root = self.types().schema();
        let known = Known::default();
        let old = old.map(|old| Correlated::new(old, object, root, &known));
        let mut search =
            Search { node, program: &program, uses_old_self, work: Program::WORK_LIMIT, found: Vec::new() };
        let data = data_type(root, self.types().is_resource());
        search.value(root, &data, &LazyPath::new(&FieldPath::root()), object, old);
        Ok(search.found)
    }
}

struct Search<'a> {
    node: &'a Structural,
    program: &'a Program,
    uses_old_self: bool,
    /// The number of CPU steps left for all values.
    work: u64,
    found: Vec<Evaluated>,
}

impl Search<'_> {
    fn value(
        &mut self,
        schema: &Structural,
        data: &DataType,
        place: &LazyPath<'_>,
        value: &Value,
        old: Option<Correlated<'_, '_>>,
    ) {
        if std::ptr::eq(schema, self.node) {
            // Rules run only on values that exist.
            if !value.is_null() {
                self.run(data, place, value, old.map(|old| old.old).filter(|old| !old.is_null()));
            }
            return;
        }
        match (value, &data.kind) {
            (Value::Array(items), DataKind::List(data, _)) => {
                let Some(schema) = &schema.items else { return };
                for (index, item) in items.iter().enumerate() {
                    let old = old.and_then(|old| old.index(index));
                    self.value(schema, data, &place.index(index), item, old);
                }
            }
            (Value::Object(fields), DataKind::Map(data)) => {
                let Some(schema) = schema.map_values() else { return };
                for (key, value) in fields {
                    self.value(schema, data, &place.key(key), value, old.and_then(|old| old.key(key)));
                }
            }
            (Value::Object(fields), DataKind::Object(types)) => {
                for (name, value) in fields {
                    let data = types.iter().find(|(known, _)| **known == **name);
                    if let Some((schema, (_, data))) = schema.properties.get(name).zip(data) {
                        self.value(
                            schema,
                            data,
                            &place.child(name),
                            value,
                            old.and_then(|old| old.key(name)),
                        );
                    }
                }
            }
            _ => {}
        }
    }

    fn run(&mut self, data: &DataType, place: &LazyPath<'_>, value: &Value, old: Option<&Value>) {
        let (outcome, cost) = if self.uses_old_self && old.is_none() {
            (Outcome::NotRun, 0)
        } else {
            let typed = |value| CelValue::from_data(Data::new(value, data));
            let variables = [Some(typed(value)), old.map(typed)];
            let evaluation = self.program.run_within(variables, Program::CALL_LIMIT, self.work);
            self.work -= evaluation.work;
            let outcome = match evaluation.result.and_then(|value| value.to_json()) {
                Ok(value) => Outcome::Value(value),
                Err(error) => Outcome::Failed(error.to_string()),
            };
            (outcome, evaluation.cost)
        };
        self.found.push(Evaluated { at: place.path(), outcome, cost });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cel::{Environment, SchemaTypes};
    use crate::crd::JsonSchemaProps;

    #[test]
    fn every_value_of_the_place_is_asked() {
        let schema = json!({"type": "object", "properties": {"l": {
            "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
            "items": {"type": "object", "required": ["k"], "properties": {
                "k": {"type": "string"},
                "m": {"type": "object", "additionalProperties": {"type": "integer", "nullable": true}},
            }},
        }}});
        let schema = JsonSchemaProps::from_value(schema).expect("a schema");
        let schema = Structural::from_json_schema(&schema).expect("a structural schema");
        let types = SchemaTypes::for_resource(&schema);
        let rules = Rules::new(&types, Environment::default());
        let items =
            schema.properties.get("l").and_then(|list| list.items.as_deref()).expect("there are items");
        let map = items.properties.get("m").and_then(Structural::map_values);
        let values = map.expect("the map has a schema");
        let new = json!({"metadata": {"name": "x"}, "l": [{"k": "b", "m": {"x": 1, "y": null}}, {"k": "a", "m": {"x": 2}}]});
        let old = json!({"l": [{"k": "a", "m": {"x": 3}}]});
        let answers = rules.evaluate(values, "self - oldSelf", &new, Some(&old)).expect("it compiles");
        let shown: Vec<_> = answers.iter().map(|answer| (answer.at.to_string(), &answer.outcome)).collect();
        assert_eq!(
            shown,
            [
                ("l[0].m[x]".to_owned(), &Outcome::NotRun),
                ("l[1].m[x]".to_owned(), &Outcome::Value(json!(-1))),
            ]
        );
        let answers = rules.evaluate(&schema, "self.metadata.name", &new, None).expect("it compiles");
        assert_eq!(answers[0].outcome, Outcome::Value(json!("x")));
    }
}
