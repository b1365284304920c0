//! Advice for a rule that costs too much: the limits that make it cheap enough.

use crate::cel::{CompiledRule, Limit, RULE_COST_LIMIT, Rules, max_children, missing_limit};
use crate::crd::ValidationRule;
use crate::{FieldPath, Segment, Structural};

/// The help for a rule of `node` that costs too much. `above` has the schemas from the root to the node.
pub(super) fn help(
    rules: &Rules<'_, '_>,
    rule: &ValidationRule,
    compiled: &CompiledRule,
    above: &Way<'_>,
) -> Option<String> {
    let node = above.last()?;
    let (times, unlimited) = above.cardinality();
    let here = above.place();
    let cost =
        compiled.cost.saturating_mul(if unlimited.is_empty() { times } else { compiled.max_cardinality });
    let excess = cost / RULE_COST_LIMIT;
    let many = if excess > 1 { format!(": the rule costs {excess} times the limit") } else { String::new() };
    // Where it is dear because of how often it may be evaluated, the lists around it are to be bounded.
    if !unlimited.is_empty() {
        let room = RULE_COST_LIMIT / compiled.cost.max(1) / times.max(1);
        let value = nth_root(room, unlimited.len());
        if value > 0 {
            let limits = unlimited.iter().map(|(place, keyword)| Limit::new(*place, keyword, value));
            let additions: Vec<_> = limits.map(|limit| addition(&limit, "")).collect();
            return Some(format!("add {}{many}", additions.join(" and ")));
        }
    }
    let most =
        RULE_COST_LIMIT / if unlimited.is_empty() { times.max(1) } else { compiled.max_cardinality.max(1) };
    let limits = rules.limits(node, &rule.rule, rule.optional_old_self == Some(true), most)?;
    let additions: Vec<_> = limits.iter().map(|limit| addition(limit, here)).collect();
    Some(format!("add {}{many}", additions.join(" and ")))
}

fn addition(limit: &Limit, node: &str) -> String {
    let Limit { place, keyword, value, .. } = limit;
    match format!("{node}{place}").trim_start_matches('.') {
        "" => format!("`{keyword}: {value}`"),
        place => format!("`{keyword}: {value}` to `{place}`"),
    }
}

/// The largest number whose `n`th power is not larger than `value`.
fn nth_root(value: u64, n: usize) -> u64 {
    let power = |root: u64| (0..n).try_fold(1u64, |product, _| product.checked_mul(root));
    let mut root = (value as f64).powf(1.0 / n as f64) as u64 + 1;
    while root > 0 && power(root).is_none_or(|power| power > value) {
        root -= 1;
    }
    root
}

/// The schemas from the root to a node, each with its place in an object.
pub(super) struct Way<'s> {
    steps: Vec<(&'s Structural, String)>,
}

impl<'s> Way<'s> {
    /// Finds the node at `path`. `root_path` is the path of the root.
    pub(super) fn find(root: &'s Structural, root_path: &FieldPath, path: &FieldPath) -> Option<Self> {
        let segments = path.segments();
        let mut segments = segments.iter().skip(root_path.segments().len());
        let mut steps = vec![(root, String::new())];
        while let Some(segment) = segments.next() {
            let (schema, place) = steps.last()?;
            let Segment::Child(keyword) = segment else { return None };
            let next = match (&**keyword, schema.map_values()) {
                ("properties", _) => {
                    let Segment::Key(name) = segments.next()? else { return None };
                    (schema.properties.get(name)?, format!("{place}.{name}"))
                }
                ("items", _) => (schema.items.as_deref()?, format!("{place}[*]")),
                ("additionalProperties", Some(values)) => (values, format!("{place}[*]")),
                _ => break,
            };
            steps.push(next);
        }
        Some(Self { steps })
    }

    fn last(&self) -> Option<&'s Structural> {
        self.steps.last().map(|(schema, _)| *schema)
    }

    fn place(&self) -> &str {
        self.steps.last().map_or("", |(_, place)| place)
    }

    /// The product of the limits around the node, and the places around it without one.
    fn cardinality(&self) -> (u64, Vec<(&str, &'static str)>) {
        let (mut times, mut unlimited) = (1u64, Vec::new());
        for (schema, place) in &self.steps[..self.steps.len() - 1] {
            match max_children(schema) {
                Some(most) => times = times.saturating_mul(most),
                None => {
                    if let Some(keyword) = missing_limit(schema) {
                        unlimited.push((&**place, keyword));
                    }
                }
            }
        }
        (times, unlimited)
    }
}
