//! Formats a rule's type, cost and errors as text.

use crd_core::cel::{CompiledRule, Issue, Issues, Limit, RULE_COST_LIMIT, RuleError, Rules};

use super::place::SchemaPlace;
use crd_input::Lines;
use crd_report::{Level, Message, Spot, visible};

/// Returns the rule with its type and cost.
pub(super) fn price(rule: &str, compiled: &CompiledRule, place: &SchemaPlace<'_>) -> String {
    let CompiledRule { result_type, cost, .. } = compiled;
    let (times, total) = total(compiled, place);
    let mut text = format!("{}\n  type: {result_type}\n  cost: {cost}", visible(rule));
    if times > 1 || !place.unlimited.is_empty() {
        text += &format!(", up to {times} times: {total}");
    }
    text + &format!(" of {RULE_COST_LIMIT}\n")
}

/// Returns the maximum number of evaluations of the rule, and their total cost.
fn total(compiled: &CompiledRule, place: &SchemaPlace<'_>) -> (u64, u64) {
    let times = if place.unlimited.is_empty() { place.cardinality } else { compiled.max_cardinality };
    (times, compiled.cost.saturating_mul(times))
}

/// Returns the error for a rule that costs too much. The help text suggests limits that make the rule cheap enough.
pub(super) fn excess(
    rules: &Rules<'_, '_>,
    rule: &str,
    compiled: &CompiledRule,
    place: &SchemaPlace<'_>,
) -> Vec<Message> {
    let (times, total) = total(compiled, place);
    if total <= RULE_COST_LIMIT {
        return Vec::new();
    }
    let factor = total as f64 / RULE_COST_LIMIT as f64;
    let factor = if factor < 100.0 { format!("{factor:.1}") } else { format!("{factor:.0}") };
    let mut message = Message::for_run(format!("the rule costs {factor} times the limit"));
    message.help = if place.unlimited.is_empty() || compiled.cost > RULE_COST_LIMIT {
        rules.limits(place.node, rule, false, RULE_COST_LIMIT / times.max(1)).map(|limits| {
            let additions: Vec<String> = limits.iter().map(|limit| addition(limit, "self")).collect();
            format!("add {}", additions.join(" and "))
        })
    } else {
        // A rule that is cheap by itself needs limits on the lists and maps around it.
        let room = RULE_COST_LIMIT / compiled.cost.max(1) / place.cardinality.max(1);
        let each = (room as f64).powf(1.0 / place.unlimited.len() as f64) as u64;
        let additions =
            place.unlimited.iter().map(|(at, keyword)| addition(&Limit::new(at, keyword, each), ""));
        let additions: Vec<String> = additions.collect();
        (each > 0).then(|| format!("add {}", additions.join(" and ")))
    };
    vec![message]
}

fn addition(limit: &Limit, node: &str) -> String {
    let Limit { place, keyword, value, .. } = limit;
    format!("`{keyword}: {value}` to `{node}{place}`")
}

/// Returns messages about the errors in a rule. Each message shows the position of the error in the rule.
pub(super) fn error(name: &str, rule: &str, error: &RuleError) -> Vec<Message> {
    match error {
        RuleError::Compilation(issues) => {
            issues.as_slice().iter().map(|issue| issue_message(name, rule, issues, issue)).collect()
        }
        error => {
            let mut message = Message::for_run(error.to_string());
            message.file = name.to_owned();
            vec![message]
        }
    }
}

fn issue_message(name: &str, rule: &str, issues: &Issues, issue: &Issue) -> Message {
    let spot = issue.position.zip(issues.line_and_column(issue)).map(|(position, (line, column))| {
        let meant = rule.get(position..).unwrap_or_default();
        let end = meant.chars().next().filter(|char| *char != '\n').map_or(0, char::len_utf8);
        Spot::new(rule, &Lines::new(rule), position..position + end, line, column)
    });
    Message {
        level: Level::Error,
        file: name.to_owned(),
        reason: "FieldValueInvalid",
        is_advice: false,
        text: issue.message.clone(),
        path_bytes: 0,
        help: issue.help.clone(),
        spot,
    }
}
