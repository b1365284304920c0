//! Advice for a rule that costs too much: the limits that make the rule cheap enough.

use crate::cel::{CompiledRule, Limit, RULE_COST_LIMIT, Rules, max_children, missing_limit};
use crate::crd::ValidationRule;
use crate::{Edit, FieldPath, Remedy, Segment, Structural};

/// Returns the help for a rule of `node` that costs too much: another expression, or limits for the values. `at` is the path of the rule,
/// and `above` contains the schemas from the root to the node. The suggested expression or limits make the rule cheap enough.
pub(super) fn help(
    rules: &Rules<'_, '_>,
    (rule, at): (&ValidationRule, &FieldPath),
    compiled: &CompiledRule,
    above: &Way<'_>,
) -> Option<Remedy> {
    let node = above.last()?;
    let (times, unlimited) = above.cardinality();
    let times_of_all = if unlimited.is_empty() { times } else { compiled.max_cardinality };
    let is_optional = rule.optional_old_self == Some(true);
    if let Some(text) = crd_cel::rewritten(&rule.rule)
        && let Ok(compiled) = rules.compile_rule(node, &text, is_optional)
        && compiled.cost.saturating_mul(times_of_all) <= RULE_COST_LIMIT
    {
        return Some(Remedy::new(format!("write `{text}`")).with(Edit::replace(at.clone(), text)));
    }
    let excess = compiled.cost.saturating_mul(times_of_all) / RULE_COST_LIMIT;
    let many = if excess > 1 { format!(": the rule costs {excess} times the limit") } else { String::new() };
    // If it costs too much because of how often it may be evaluated, the lists around it need limits.
    if !unlimited.is_empty() {
        let room = RULE_COST_LIMIT / compiled.cost.max(1) / times.max(1);
        let value = nth_root(room, unlimited.len());
        if value > 0 {
            let limits = unlimited
                .into_iter()
                .map(|(step, keyword)| (step.path.clone(), Limit::new(&*step.place, keyword, value)));
            return Some(add(limits.collect(), None, &many));
        }
    }
    let most = RULE_COST_LIMIT / times_of_all.max(1);
    let here = above.steps.last()?;
    let below = |limit: Limit| {
        let (place, path) = (format!("{}{}", here.place, limit.place), here.path.followed_by(&limit.path));
        (path, Limit { place, ..limit })
    };
    let within = || rules.lower_limit(node, &rule.rule, is_optional, most).map(below);
    let around = || above.lower_limit(compiled.cost).filter(|_| times_of_all == times);
    match rules.limits(node, &rule.rule, is_optional, most) {
        Some(limits) => {
            let lower = around().filter(|(_, limit)| limit.old.is_some_and(|old| limit.value * 2 >= old));
            Some(add(limits.into_iter().map(below).collect(), lower.as_ref(), &many))
        }
        None => {
            let share = |(_, limit): &(FieldPath, Limit)| {
                limit.value.saturating_mul(1 << 20) / limit.old.unwrap_or(1).max(1)
            };
            let (path, limit) = within().into_iter().chain(around()).max_by_key(share)?;
            let edit = Edit::replace(path.child(limit.keyword), limit.value);
            Some(Remedy::new(format!("{}{many}", lowering(&limit))).with(edit))
        }
    }
}

/// Returns the advice to lower a limit.
fn lowering(Limit { place, keyword, value, old, .. }: &Limit) -> String {
    let from = old.map(|old| format!(" from {old}")).unwrap_or_default();
    match place.trim_start_matches('.') {
        "" => format!("lower `{keyword}`{from} to {value}"),
        place => format!("lower `{keyword}` of `{place}`{from} to {value}"),
    }
}

/// Returns the remedy to add limits to the schemas at these paths. `or` is a limit that could be lowered instead.
fn add(limits: Vec<(FieldPath, Limit)>, or: Option<&(FieldPath, Limit)>, many: &str) -> Remedy {
    let addition = |(_, limit): &(FieldPath, Limit)| {
        let Limit { place, keyword, value, .. } = limit;
        match place.trim_start_matches('.') {
            "" => format!("`{keyword}: {value}`"),
            place => format!("`{keyword}: {value}` to `{place}`"),
        }
    };
    let additions: Vec<_> = limits.iter().map(addition).collect();
    let or = or.map(|(_, limit)| format!(", or {}", lowering(limit))).unwrap_or_default();
    let remedy = Remedy::new(format!("add {}{or}{many}", additions.join(" and ")));
    let edits = limits.into_iter().map(|(path, limit)| Edit::add(path.child(limit.keyword), limit.value));
    edits.fold(remedy, Remedy::with)
}

/// Returns the largest number whose `n`th power is not larger than `value`.
fn nth_root(value: u64, n: usize) -> u64 {
    let power = |root: u64| (0..n).try_fold(1u64, |product, _| product.checked_mul(root));
    let mut root = (value as f64).powf(1.0 / n as f64) as u64 + 1;
    while root > 0 && power(root).is_none_or(|power| power > value) {
        root -= 1;
    }
    root
}

/// The schemas from the root to a node, each with the path of its values in an object.
pub(super) struct Way<'s> {
    steps: Vec<WayStep<'s>>,
}

struct WayStep<'s> {
    schema: &'s Structural,
    /// The path of the values in an object, such as `.rules[*].name`.
    place: String,
    /// The path of the schema in the CRD.
    path: FieldPath,
}

impl<'s> Way<'s> {
    /// Finds the node at `path` below `root_path`, which is the path of the root.
    pub(super) fn find(root: &'s Structural, root_path: &FieldPath, path: &FieldPath) -> Option<Self> {
        let segments = path.segments();
        let mut segments = segments.iter().skip(root_path.segments().len());
        let mut steps = vec![WayStep { schema: root, place: String::new(), path: root_path.clone() }];
        while let Some(segment) = segments.next() {
            let WayStep { schema, place, path } = steps.last()?;
            let Segment::Child(keyword) = segment else { return None };
            let next = match (&**keyword, schema.map_values()) {
                ("properties", _) => {
                    let Segment::Key(name) = segments.next()? else { return None };
                    let path = path.child("properties").key(name.clone());
                    (schema.properties.get(name)?, format!("{place}.{name}"), path)
                }
                ("items", _) => (schema.items.as_deref()?, format!("{place}[*]"), path.child("items")),
                ("additionalProperties", Some(values)) => {
                    (values, format!("{place}[*]"), path.child("additionalProperties"))
                }
                _ => break,
            };
            let (schema, place, path) = next;
            steps.push(WayStep { schema, place, path });
        }
        Some(Self { steps })
    }

    fn last(&self) -> Option<&'s Structural> {
        self.steps.last().map(|step| step.schema)
    }

    /// Returns the limit of an enclosing list or map, lowered so that a rule of this cost is cheap enough. If there are several such
    /// limits, this is the innermost limit.
    fn lower_limit(&self, cost: u64) -> Option<(FieldPath, Limit)> {
        let (times, _) = self.cardinality();
        self.steps[..self.steps.len() - 1].iter().rev().find_map(|step| {
            let keyword = if step.schema.items.is_some() { "maxItems" } else { "maxProperties" };
            let old = max_children(step.schema).filter(|most| *most > 1)?;
            let value = RULE_COST_LIMIT / cost.max(1) / (times / old).max(1);
            let limit = Limit { old: Some(old), ..Limit::new(&*step.place, keyword, value) };
            (0 < limit.value && limit.value < old).then(|| (step.path.clone(), limit))
        })
    }

    /// Multiplies the limits of the enclosing lists and maps. Also returns the enclosing lists and maps without a limit, each with the
    /// keyword that would limit it.
    fn cardinality(&self) -> (u64, Vec<(&WayStep<'s>, &'static str)>) {
        let (mut times, mut unlimited) = (1u64, Vec::new());
        for step in &self.steps[..self.steps.len() - 1] {
            match max_children(step.schema) {
                Some(most) => times = times.saturating_mul(most),
                None => {
                    if let Some(keyword) = missing_limit(step.schema) {
                        unlimited.push((step, keyword));
                    }
                }
            }
        }
        (times, unlimited)
    }
}
