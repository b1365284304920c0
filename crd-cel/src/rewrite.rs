//! Rewrites rules that compare optional values or call `filter`, to lower their estimated cost. For example, using the result of `filter`
//! is expensive, because the estimate does not know the size of a filtered list.

use std::ops::Range;

use crd_go::KubeVersion;

use crate::lex::{Token, TokenKind, lex};

/// Maximum number of changes to a rule. If more changes are possible, the rest of the rule stays the same.
const MOST_CHANGES: usize = 16;

/// Returns an equivalent rule with a lower estimated cost, in which comparisons of optional values and calls to `filter` are replaced.
/// Returns `None` if there is nothing to replace.
///
/// ```
/// use crd_cel::rewritten;
///
/// let rule = rewritten("self.sizes.filter(s, s.isBig).size() == 0");
/// assert_eq!(rule.as_deref(), Some("!self.sizes.exists(s, s.isBig)"));
/// ```
#[must_use]
pub fn rewritten(rule: &str) -> Option<String> {
    let mut text = rule.to_owned();
    for _ in 0..MOST_CHANGES {
        let reader = TokenReader::new(&text);
        let mut starts = (0..reader.tokens.len()).filter(|at| reader.begins_chain(*at));
        let Some((range, replacement)) = starts.find_map(|at| reader.change(at)) else { break };
        text.replace_range(range, &replacement);
    }
    (text != rule).then_some(text)
}

/// A part of a chain such as `self.?a.filter(x, x.b)[0]`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ChainPart<'t> {
    Field {
        name: &'t str,
        is_optional: bool,
    },
    /// A call: the text between its parentheses.
    Call(&'t str),
    Index,
}

/// A name or another value, followed by selections such as `.field` and `[index]`.
struct Chain<'t> {
    range: Range<usize>,
    /// The value and the selections, each with its end position in the text.
    parts: Vec<(ChainPart<'t>, usize)>,
    /// The index of the token after the chain.
    next: usize,
}

struct TokenReader<'t> {
    text: &'t str,
    tokens: Vec<Token>,
}

impl<'t> TokenReader<'t> {
    fn new(text: &'t str) -> Self {
        let mut tokens = lex(text, KubeVersion::default()).tokens;
        // The end is no token of the text.
        tokens.pop();
        Self { text, tokens }
    }

    fn range(&self, at: usize) -> Range<usize> {
        self.tokens[at].start as usize..self.tokens[at].end as usize
    }

    fn sign(&self, at: usize) -> Option<&'t str> {
        (at < self.tokens.len()).then(|| &self.text[self.range(at)])
    }

    /// Returns the byte range, if the token is a name.
    fn name(&self, at: usize) -> Option<Range<usize>> {
        let is_name = self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Ident);
        is_name.then(|| self.range(at))
    }

    fn begins_chain(&self, at: usize) -> bool {
        let before = |steps: usize| at.checked_sub(steps).and_then(|at| self.sign(at));
        let is_field = match before(1) {
            Some(".") => true,
            Some("?") => before(2) == Some("."),
            _ => false,
        };
        self.name(at).is_some() && !is_field
    }

    fn chain(&self, start: usize) -> Option<Chain<'t>> {
        let first = self.name(start)?;
        let name = &self.text[first.clone()];
        let mut parts = vec![(ChainPart::Field { name, is_optional: false }, first.end)];
        let mut at = start + 1;
        loop {
            match self.sign(at) {
                Some(".") => {
                    let is_optional = self.sign(at + 1) == Some("?");
                    let name = self.name(at + 1 + usize::from(is_optional))?;
                    at += 2 + usize::from(is_optional);
                    let field = ChainPart::Field { name: &self.text[name.clone()], is_optional };
                    parts.push((field, name.end));
                }
                Some(open @ ("(" | "[")) => {
                    let close = self.closing(at)?;
                    let inner = self.range(at).end..self.range(close).start;
                    let part =
                        if open == "(" { ChainPart::Call(&self.text[inner]) } else { ChainPart::Index };
                    parts.push((part, self.range(close).end));
                    at = close + 1;
                }
                _ => break,
            }
        }
        let end = parts.last().map_or(first.end, |(_, end)| *end);
        Some(Chain { range: first.start..end, parts, next: at })
    }

    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in open..self.tokens.len() {
            match self.sign(at)? {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Returns `true` if the tokens from `start` to `end` are an operand of `&&`, `||` or `?:`, a whole argument, or the whole
    /// rule.
    fn is_apart(&self, start: usize, end: usize) -> bool {
        let before = start.checked_sub(1).and_then(|at| self.sign(at));
        let is_open = |sign: &str| matches!(sign, "(" | "[" | "," | "&&" | "||" | "?" | ":");
        let is_close = |sign: &str| matches!(sign, ")" | "]" | "," | "&&" | "||" | "?" | ":");
        before.is_none_or(is_open) && self.sign(end).is_none_or(is_close)
    }

    /// Returns a cheaper expression for the expression that begins at a token, and the byte range to replace.
    fn change(&self, start: usize) -> Option<(Range<usize>, String)> {
        let chain = self.chain(start)?;
        self.comparison(start, &chain).or_else(|| self.filter(start, &chain))
    }

    /// Rewrites a comparison `a.?b == c.?d`, which is true if both values are absent, or if both are present and equal.
    fn comparison(&self, start: usize, left: &Chain<'t>) -> Option<(Range<usize>, String)> {
        let operator = self.sign(left.next).filter(|sign| matches!(*sign, "==" | "!="))?;
        let right = self.chain(left.next + 1)?;
        if !self.is_apart(start, right.next) {
            return None;
        }
        let equal = match (OptionalValue::of(self.text, left)?, OptionalValue::of(self.text, &right)?) {
            (OptionalValue::Field(one), OptionalValue::Absent)
            | (OptionalValue::Absent, OptionalValue::Field(one)) => {
                format!("!({})", one.present)
            }
            (OptionalValue::Field(one), OptionalValue::Of(value))
            | (OptionalValue::Of(value), OptionalValue::Field(one)) => {
                format!("({} && {} == {value})", one.present, one.path)
            }
            (OptionalValue::Field(one), OptionalValue::Field(other)) => format!(
                "({} ? {} && {} == {} : !({}))",
                one.present, other.present, one.path, other.path, other.present
            ),
            _ => return None,
        };
        let replacement = if operator == "==" { equal } else { format!("!{equal}") };
        Some((left.range.start..right.range.end, replacement))
    }

    /// Rewrites `a.filter(x, p).all(x, q)` and similar calls, so that the macro visits the items of `a` directly.
    fn filter(&self, start: usize, chain: &Chain<'t>) -> Option<(Range<usize>, String)> {
        let parts = &chain.parts;
        let is_call = |at: usize, name: &str| {
            matches!(&parts.get(at)?.0, ChainPart::Field { name: found, is_optional: false } if *found == name)
                .then_some(())
        };
        let at = (1..parts.len()).find(|at| is_call(*at, "filter").is_some())?;
        let (ChainPart::Call(filter), (ChainPart::Field { name, .. }, _), (ChainPart::Call(then), end)) =
            (&parts.get(at + 1)?.0, parts.get(at + 2)?, parts.get(at + 3)?)
        else {
            return None;
        };
        let list = &self.text[chain.range.start..parts[at - 1].1];
        let (item, kept) = arguments(filter)?;
        if matches!(*name, "all" | "exists" | "exists_one" | "filter") {
            let (other, wanted) = arguments(then)?;
            if other != item {
                return None;
            }
            let inner = match *name {
                "all" => format!("!({kept}) || ({wanted})"),
                _ => format!("({kept}) && ({wanted})"),
            };
            return Some((chain.range.start..*end, format!("{list}.{name}({item}, {inner})")));
        }
        let (operator, number) = (self.sign(chain.next)?, self.sign(chain.next + 1)?);
        let is_whole = parts.len() == at + 4 && self.is_apart(start, chain.next + 2);
        if *name != "size" || !then.trim().is_empty() || !is_whole {
            return None;
        }
        let (any, one) =
            (format!("{list}.exists({item}, {kept})"), format!("{list}.exists_one({item}, {kept})"));
        let replacement = match (operator, number) {
            ("==" | "<=", "0") | ("<", "1") => format!("!{any}"),
            (">" | "!=", "0") | (">=", "1") => any,
            ("==", "1") => one,
            ("<=", "1") | ("<", "2") => format!("(!{any} || {one})"),
            (">", "1") | (">=", "2") => format!("({any} && !{one})"),
            _ => return None,
        };
        Some((chain.range.start..self.range(chain.next + 1).end, replacement))
    }
}

/// Splits the arguments of a macro with one variable.
fn arguments(text: &str) -> Option<(&str, &str)> {
    let (item, condition) = text.split_once(',')?;
    let item = item.trim();
    let is_name = !item.is_empty() && item.chars().all(|c| c.is_alphanumeric() || c == '_');
    // Another comma may belong to a macro with two variables.
    let reader = TokenReader::new(condition);
    let mut depth = 0_usize;
    let is_single = (0..reader.tokens.len()).all(|at| {
        match &condition[reader.range(at)] {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "," if depth == 0 => return false,
            _ => {}
        }
        true
    });
    (is_name && is_single).then(|| (item, condition.trim()))
}

/// An optional value on one side of a comparison.
enum OptionalValue {
    /// `optional.none()`
    Absent,
    /// `optional.of(value)`, with the value.
    Of(String),
    Field(OptionalField),
}

/// `a.?b.c`
struct OptionalField {
    /// `has(a.b) && has(a.b.c)`
    present: String,
    /// `a.b.c`
    path: String,
}

impl OptionalValue {
    /// Returns the optional value that a chain selects. Returns `None` if the chain is not optional, or if a part after the first `?` is
    /// not a field.
    fn of(text: &str, chain: &Chain<'_>) -> Option<Self> {
        let parts: Vec<&ChainPart<'_>> = chain.parts.iter().map(|(part, _)| part).collect();
        let is_field = |part: &ChainPart<'_>, wanted: &str| matches!(part, ChainPart::Field { name, .. } if *name == wanted);
        if let [first, second, ChainPart::Call(value)] = parts.as_slice()
            && is_field(first, "optional")
        {
            return match value.trim() {
                "" if is_field(second, "none") => Some(Self::Absent),
                value if is_field(second, "of") && !value.is_empty() => Some(Self::Of(format!("({value})"))),
                _ => None,
            };
        }
        let first =
            parts.iter().position(|part| matches!(part, ChainPart::Field { is_optional: true, .. }))?;
        let mut path = text[chain.range.start..chain.parts.get(first.checked_sub(1)?)?.1].to_owned();
        let mut present = Vec::new();
        for part in &parts[first..] {
            let ChainPart::Field { name, .. } = part else { return None };
            path = format!("{path}.{name}");
            present.push(format!("has({path})"));
        }
        Some(Self::Field(OptionalField { present: present.join(" && "), path }))
    }
}

#[cfg(all(test, feature = "parse"))]
mod tests {
    use super::*;

    #[test]
    fn optional_values_are_tested_before_they_are_compared() {
        for (rule, expected) in [
            (
                "!oldSelf.hasValue() || oldSelf.value().?mode == self.?mode",
                "!oldSelf.hasValue() || (has(oldSelf.value().mode) ? has(self.mode) && oldSelf.value().mode == self.mode : !(has(self.mode)))",
            ),
            ("self.?a != optional.none()", "!!(has(self.a))"),
            ("self.?a.b == optional.of('x')", "(has(self.a) && has(self.a.b) && self.a.b == ('x'))"),
            (
                "x ? self.?a == self.?b : true",
                "x ? (has(self.a) ? has(self.b) && self.a == self.b : !(has(self.b))) : true",
            ),
        ] {
            assert_eq!(rewritten(rule).as_deref(), Some(expected));
            assert!(crate::parse(expected).is_ok(), "{expected}");
        }
        for rule in [
            "self.?a.orValue('') == self.b",
            "!self.?a == self.?b",
            "'(self.?a == self.?b)' == self.c",
            "self.?a[0] == self.?b",
            "self.?a == self.?b + 1",
            "self.a ?self.b : self.c",
        ] {
            assert_eq!(rewritten(rule), None, "{rule}");
        }
    }

    #[test]
    fn filtered_lists_are_visited_themselves() {
        for (rule, expected) in [
            ("self.l.filter(x, x.a == 1).all(x, x.b)", "self.l.all(x, !(x.a == 1) || (x.b))"),
            ("self.l.filter(x, f(x, 1)).exists(x, x.b)", "self.l.exists(x, (f(x, 1)) && (x.b))"),
            ("self.l.filter(x, x.a).size() == 0", "!self.l.exists(x, x.a)"),
            (
                "self.l.filter(x, x.a).size() <= 1 && self.b",
                "(!self.l.exists(x, x.a) || self.l.exists_one(x, x.a)) && self.b",
            ),
            ("self.l.filter(x, x.a).filter(x, x.b).all(x, x.c)", "self.l.all(x, !((x.a) && (x.b)) || (x.c))"),
        ] {
            assert_eq!(rewritten(rule).as_deref(), Some(expected));
        }
        for rule in [
            "self.l.filter(x, x.a).all(y, y.b)",
            "self.l.filter(x, x.a).size() == 3",
            "self.l.filter(i, x, x.a).all(x, x.b)",
        ] {
            assert_eq!(rewritten(rule), None, "{rule}");
        }
    }
}
