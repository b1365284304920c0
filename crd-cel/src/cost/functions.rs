//! Estimates of calls: the maximal cost, and the size of the result.

use super::Coster;
use super::call::{Argument, Estimated, PricedCall};
use super::size::{Size, regex_cost, scale, string_cost};
use crate::ast::{Expr, ExprId, Literal};
use crate::functions::Estimate;
use crate::types::{LibraryType, Ty, Type};

/// The fixed cost of a function from the lists library: 1 for the call, and 10 for the resulting list.
const NEW_LIST: u64 = 1 + 10;

impl Coster<'_> {
    /// Estimates a call to an overload. `estimate` comes from the overload's row in the table of functions.
    pub(super) fn estimate(&mut self, estimate: Estimate, call: &PricedCall) -> Estimated {
        // Calls of these functions do not evaluate all arguments.
        match (estimate, &*call.args) {
            (Estimate::Both, [left, right]) => return Estimated::cost(left.cost.saturating_add(right.cost)),
            (Estimate::Conditional, [condition, yes, no]) => {
                return self.conditional(call.id, *condition, *yes, *no);
            }
            _ => {}
        }
        let target = call.target.or(call.args.first().copied());
        let estimated = target.map_or(Estimated::ONE, |first| self.estimate_function(estimate, call, first));
        Estimated { cost: estimated.cost.saturating_add(call.args_cost), ..estimated }
    }

    fn conditional(&mut self, id: ExprId, condition: Argument, yes: Argument, no: Argument) -> Estimated {
        let (a, b) = (self.elements(yes.id), self.elements(no.id));
        if let (Some(a), Some(b)) = (a, b) {
            self.elements[id.index()] = Some(a.union(b));
        }
        let cost = condition.cost.saturating_add(yes.cost.max(no.cost));
        Estimated::sized(cost, yes.known.union(Some(no.known)))
    }

    /// Estimates a call, without its arguments' cost. `first` is the target of a method, or the first argument.
    fn estimate_function(&mut self, estimate: Estimate, call: &PricedCall, first: Argument) -> Estimated {
        use Estimate as E;
        // What follows the first.
        let rest = if call.target.is_some() { &*call.args } else { call.args.get(1..).unwrap_or_default() };
        let size = self.size_of(first);
        let server = self.checked.environment.server();
        match estimate {
            // Before, only the method had an estimate.
            E::MatchesFunction if server.is_at_least(37) => standard(E::Matches, first, rest),
            // A single value is compared as if it were a list.
            E::Includes if self.element_type(first.ty).is_none() => Estimated::cost(size.max),
            E::One | E::Both | E::Conditional | E::Dyn | E::IndexList | E::IndexMap | E::MatchesFunction => {
                Estimated::ONE
            }
            E::Fixed(cost) => Estimated::cost(cost),
            E::Parse => Estimated::cost(string_cost(size.max)),
            E::ParseTwice => Estimated::cost(scale(size.max, 0.2)),
            // Up to 1.31, a URL had no size.
            E::Text if !server.is_at_least(32) && self.is_library_type(call.id) => {
                Estimated::cost(string_cost(size.max))
            }
            E::Text => Estimated::sized(string_cost(size.max), size),
            E::Traversal | E::Includes => self.traversal(first),
            E::JoinList => self.join(first, rest.first().copied()),
            E::Replace | E::Split | E::Find => self.estimate_string(estimate, size, rest),
            E::Selector | E::ContainsIp { .. } | E::ContainsCidr { .. } | E::Validate => {
                Estimated::cost(self.argument_cost(estimate, rest))
            }
            E::Sets(_)
            | E::Slice
            | E::Range
            | E::Copy
            | E::Flatten
            | E::Distinct
            | E::Sort(_)
            | E::SortByKeys(_) => self.estimate_list(estimate, size, first, rest),
            E::Equality => self.equality(first, rest),
            E::Join | E::JoinLists => self.sum(estimate, call.id, first, rest),
            E::Template
            | E::ToBytes
            | E::ToText
            | E::Quote
            | E::Affix
            | E::Elements
            | E::Matches
            | E::Contains
            | E::Comparison => standard(estimate, first, rest),
        }
    }

    /// Estimates functions from cel-go's library `sets`, and from version 3 of cel-go's library `lists`. These libraries have an estimate
    /// for each overload.
    fn estimate_list(&self, estimate: Estimate, size: Size, first: Argument, rest: &[Argument]) -> Estimated {
        let new_list = |factor: f64, size: Size| {
            Estimated::sized(scale(size.max, factor).saturating_add(NEW_LIST), size)
        };
        match (estimate, rest) {
            // Computed as a float like upstream: large products are rounded.
            (Estimate::Sets(factor), [other]) => {
                let pairs = size.multiply(self.size_of(*other)).max;
                Estimated::cost(scale(pairs, factor).saturating_add(1))
            }
            (Estimate::Slice, [start, end]) => {
                let (start, end) = (self.int_literal(*start, 0), self.int_literal(*end, size.max));
                new_list(1.0, Size::exactly(end.wrapping_sub(start)))
            }
            (Estimate::Range, []) => new_list(1.0, Size::exactly(self.int_literal(first, u64::MAX))),
            (Estimate::Copy, []) => new_list(1.0, size),
            (Estimate::Flatten, [depth]) => new_list(self.int_literal(*depth, u64::MAX) as f64, size),
            (Estimate::Distinct, []) => new_list(2.0, size.multiply(size)),
            (Estimate::Sort(factor), []) => new_list(factor, size.multiply(size)),
            (Estimate::SortByKeys(factor), [keys]) => {
                let keys = self.size_of(*keys);
                new_list(factor, keys.multiply(keys))
            }
            _ => Estimated::ONE,
        }
    }

    /// Estimates the cost of the API server's functions that traverse a list or a string.
    fn traversal(&self, target: Argument) -> Estimated {
        let Some(element) = self.element_type(target.ty) else {
            return Estimated::cost(string_cost(self.size_of(target).max));
        };
        let each = match self.checked.types.get(element) {
            Type::String | Type::Bytes => 1 + string_cost(self.item_size(target).max),
            _ => 1,
        };
        Estimated::cost(self.size_of(target).max.saturating_mul(each))
    }

    fn join(&self, list: Argument, separator: Option<Argument>) -> Estimated {
        let count = self.size_of(list);
        let mut size = match self.element_type(list.ty) {
            Some(_) => count.multiply(self.item_size(list)),
            None => Size::exactly(0),
        };
        if let Some(separator) = separator {
            let between = Size { min: count.min.saturating_sub(1), max: count.max.saturating_sub(1) };
            size = size.add(self.size_of(separator).multiply(between));
        }
        Estimated::sized(string_cost(size.max), size)
    }

    /// Estimates the API server's functions that take a string and further arguments.
    fn estimate_string(&self, estimate: Estimate, size: Size, rest: &[Argument]) -> Estimated {
        match (estimate, rest) {
            (Estimate::Replace, [from, to, ..]) => {
                let result = replaced(size, self.size_of(*from), self.size_of(*to));
                Estimated::sized(scale(size.max, 0.2), result)
            }
            (Estimate::Split, rest) => {
                let limit = rest.get(1).and_then(|limit| self.literal(*limit));
                Estimated::sized(
                    scale(size.max, 0.2),
                    Size { min: 0, max: limit.map_or(size.max, |n| n as u64) },
                )
            }
            (Estimate::Find, [pattern, ..]) => {
                let cost = regex_cost(size.max, self.size_of(*pattern).max);
                Estimated::sized(cost, Size { min: 0, max: size.max })
            }
            _ => Estimated::ONE,
        }
    }

    /// Returns the cost of a method on one of the API server's own types. This cost depends on the method's argument.
    fn argument_cost(&self, estimate: Estimate, rest: &[Argument]) -> u64 {
        let Some(size) = rest.first().map(|argument| self.size_of(*argument).max) else { return 1 };
        let parsed = |is_text: bool| if is_text { string_cost(size) } else { 0 };
        match estimate {
            Estimate::Selector => {
                let requirements = scale(size, 0.5).saturating_mul(50);
                string_cost(size).saturating_add(requirements).saturating_add(10)
            }
            // The addresses in a text are of at most 16 bytes, each twice as long in the text.
            Estimate::ContainsIp { text } => string_cost(32).saturating_add(parsed(text)),
            Estimate::ContainsCidr { text } => {
                (string_cost(32) + string_cost(16) + 1).saturating_add(parsed(text))
            }
            Estimate::Validate => scale(string_cost(size), 128.0 * 0.25),
            _ => 1,
        }
    }

    /// Estimates the cost of `==`. For values of the API server's own types, the costs differ from cel-go's costs.
    fn equality(&self, left: Argument, rest: &[Argument]) -> Estimated {
        let [right] = *rest else { return Estimated::ONE };
        match self.checked.types.get(left.ty) {
            // Up to 1.31, they were compared by size as all others.
            Type::Library(library)
                if left.ty == right.ty && self.checked.environment.server().is_at_least(32) =>
            {
                Estimated::cost(match library {
                    LibraryType::Url => string_cost(right.size.map_or(1, |size| size.max)),
                    LibraryType::NamedFormat => string_cost(64),
                    _ => 1,
                })
            }
            _ => standard(Estimate::Comparison, left, rest),
        }
    }

    fn is_library_type(&self, id: ExprId) -> bool {
        matches!(self.type_of(id), Type::Library(_))
    }

    fn sum(&mut self, estimate: Estimate, id: ExprId, left: Argument, rest: &[Argument]) -> Estimated {
        let [right] = *rest else { return Estimated::ONE };
        self.join_elements(id, left, right);
        let size = left.known.add(right.known);
        let cost = if let Estimate::Join = estimate { string_cost(size.max) } else { 1 };
        Estimated::sized(cost, size)
    }

    fn join_elements(&mut self, id: ExprId, left: Argument, right: Argument) {
        if let (Some(left), Some(right)) = (self.elements(left.id), self.elements(right.id)) {
            self.elements[id.index()] = Some(left.union(right));
        }
    }

    /// Returns the size for the API server's own estimates: a computed size if there is one, otherwise the size declared for the path.
    fn size_of(&self, argument: Argument) -> Size {
        argument.size.or_else(|| self.declared_size(argument.path)).unwrap_or(Size::UNKNOWN)
    }

    fn item_size(&self, list: Argument) -> Size {
        let scope = self.checked.scope;
        let max = self.paths.declared_item_size(list.path, scope.declarations, scope.root);
        max.map_or(Size::UNKNOWN, |max| Size { min: 0, max })
    }

    /// Returns the first parameter of a type, such as the element type of a list.
    fn element_type(&self, ty: Ty) -> Option<Ty> {
        match self.checked.types.get(ty) {
            Type::List(inner) | Type::Map(inner, _) | Type::Optional(inner) => Some(inner),
            Type::TypeOf(inner) => inner,
            _ => None,
        }
    }

    fn literal(&self, argument: Argument) -> Option<i64> {
        match self.checked.ast.expr(argument.id) {
            Expr::Literal(Literal::Int(value)) => Some(*value),
            _ => None,
        }
    }

    fn int_literal(&self, argument: Argument, otherwise: u64) -> u64 {
        self.literal(argument).map_or(otherwise, |value| u64::try_from(value).unwrap_or(0))
    }
}

/// Returns the estimate for a function that cel-go estimates itself.
fn standard(estimate: Estimate, first: Argument, rest: &[Argument]) -> Estimated {
    let size = first.known;
    let cost = match (estimate, rest) {
        (Estimate::Template, _) => string_cost(size.max),
        (Estimate::ToBytes, _) => {
            let result = Size { min: size.min, max: size.max.wrapping_mul(4) };
            return Estimated::sized(string_cost(size.max), result);
        }
        (Estimate::ToText, _) => {
            return Estimated::sized(string_cost(size.max), Size { min: size.min / 4, max: size.max });
        }
        (Estimate::Quote, _) => {
            let result =
                Size { min: size.min.wrapping_add(2), max: size.max.wrapping_mul(2).wrapping_add(2) };
            return Estimated::sized(string_cost(size.max), result);
        }
        (Estimate::Affix, [part]) => string_cost(part.known.max),
        (Estimate::Elements, [list]) => list.known.max,
        (Estimate::Matches, [pattern]) => regex_cost(size.max, pattern.known.max),
        (Estimate::Contains, [part]) => string_cost(size.max).saturating_mul(string_cost(part.known.max)),
        (Estimate::Comparison, [other]) => string_cost(size.max.min(other.known.max)),
        _ => 1,
    };
    Estimated::cost(cost)
}

/// Returns the size of a string after each `from` in it is replaced with `to`.
fn replaced(text: Size, from: Size, to: Size) -> Size {
    // Rounded up as floats, as upstream does.
    let times = |size: u64, part: u64| (size as f64 / part as f64).ceil() as u64;
    let (max_count, max_rest) = if from.min == 0 {
        (text.max.saturating_add(1), text.max)
    } else if to.max <= from.min {
        (0, text.max)
    } else {
        (times(text.max, from.min), 0)
    };
    let (min_count, min_rest) = if from.max == 0 {
        (text.min.saturating_add(1), text.min)
    } else if from.max <= to.min {
        (0, text.min)
    } else {
        (times(text.min, from.max), 0)
    };
    Size {
        min: min_count.saturating_mul(to.min).saturating_add(min_rest),
        max: max_count.saturating_mul(to.max).saturating_add(max_rest),
    }
}
