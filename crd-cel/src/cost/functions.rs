//! What calls cost and how large their results are, function by function.

use super::path::Path;
use super::size::{Size, regex_cost, scale, string_cost};
use super::{Coster, ExprId};
use crate::ast::{Expr, Literal};
use crate::types::{LibraryType, Ty, Type};

/// An argument, or what a method is called on.
#[derive(Clone, Copy)]
pub(super) struct Argument {
    pub(super) id: ExprId,
    pub(super) cost: u64,
    pub(super) path: Path,
    pub(super) ty: Ty,
    pub(super) size: Option<Size>,
}

impl Argument {
    /// The size as cel-go's own estimates see it.
    fn known(self) -> Size {
        self.size.unwrap_or(Size::UNKNOWN)
    }
}

/// A call with one of the overloads that it may mean.
pub(super) struct Call {
    pub(super) id: ExprId,
    pub(super) target: Option<Argument>,
    pub(super) args: Vec<Argument>,
    /// What all arguments cost.
    pub(super) args_cost: u64,
    pub(super) function: &'static str,
    pub(super) overload: &'static str,
}

/// What a call costs, and the size of its result where it is known.
#[derive(Clone, Copy)]
pub(super) struct Estimate {
    pub(super) cost: u64,
    pub(super) result: Option<Size>,
}

impl Estimate {
    fn cost(cost: u64) -> Self {
        Self { cost, result: None }
    }

    fn sized(cost: u64, result: Size) -> Self {
        Self { cost, result: Some(result) }
    }
}

/// The fixed parts that functions of the lists library have: the call, and the list that they make.
const NEW_LIST: u64 = 1 + 10;

impl Coster<'_> {
    pub(super) fn function(&mut self, call: &Call) -> Estimate {
        if let Some(estimate) = self.logical(call) {
            return estimate;
        }
        let estimate = self
            .sets_and_lists(call)
            .or_else(|| self.traversals(call))
            .or_else(|| self.strings(call))
            .or_else(|| self.kubernetes(call))
            .or_else(|| self.standard(call))
            .unwrap_or(Estimate::cost(1));
        Estimate { cost: estimate.cost.saturating_add(call.args_cost), ..estimate }
    }

    /// `&&`, `||` and `?:`, which do not evaluate all arguments.
    fn logical(&mut self, call: &Call) -> Option<Estimate> {
        match (call.overload, &*call.args) {
            ("logical_and" | "logical_or", [left, right]) => {
                Some(Estimate::cost(left.cost.saturating_add(right.cost)))
            }
            ("conditional", [condition, yes, no]) => {
                let (a, b) = (self.elements(yes.id), self.elements(no.id));
                if let (Some(a), Some(b)) = (a, b) {
                    self.elements[call.id.index()] = Some(a.union(b));
                }
                let cost = condition.cost.saturating_add(yes.cost.max(no.cost));
                Some(Estimate::sized(cost, yes.known().union(Some(no.known()))))
            }
            _ => None,
        }
    }

    /// The libraries of cel-go that estimate by overload: `sets`, and `lists` in its third version.
    fn sets_and_lists(&self, call: &Call) -> Option<Estimate> {
        let new_list =
            |factor: f64, size: Size| Estimate::sized(scale(size.max, factor).saturating_add(NEW_LIST), size);
        let target = call.target.map(|target| self.size_of(target));
        Some(match (call.overload, target, &*call.args) {
            ("list_sets_contains_list" | "list_sets_intersects_list", None, [a, b]) => {
                let pairs = self.size_of(*a).multiply(self.size_of(*b)).max;
                // Through a float, as upstream has it: large products are rounded.
                Estimate::cost(scale(pairs, 1.0).saturating_add(1))
            }
            ("list_sets_equivalent_list", None, [a, b]) => {
                let pairs = self.size_of(*a).multiply(self.size_of(*b)).max;
                Estimate::cost(scale(pairs, 2.0).saturating_add(1))
            }
            ("list_slice", Some(list), [start, end]) => {
                let (start, end) = (self.int_literal(*start, 0), self.int_literal(*end, list.max));
                new_list(1.0, Size::exactly(end.wrapping_sub(start)))
            }
            ("lists_range", None, [count]) => {
                new_list(1.0, Size::exactly(self.int_literal(*count, u64::MAX)))
            }
            ("list_reverse" | "list_flatten", Some(list), []) => new_list(1.0, list),
            ("list_flatten_int", Some(list), [depth]) => {
                new_list(self.int_literal(*depth, u64::MAX) as f64, list)
            }
            ("list_distinct", Some(list), []) => new_list(2.0, list.multiply(list)),
            (sort, Some(list), []) if sort.starts_with("list_") && sort.ends_with("_sort") => {
                new_list(comparison_factor(sort), list.multiply(list))
            }
            (sort, Some(_), [keys]) if sort.ends_with("_sortByAssociatedKeys") => {
                let keys = self.size_of(*keys);
                new_list(comparison_factor(sort), keys.multiply(keys))
            }
            _ => return None,
        })
    }

    /// Functions of the API server that go through all of a list or a string.
    fn traversals(&self, call: &Call) -> Option<Estimate> {
        let target = call.target?;
        match call.function {
            "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {}
            "join" => return Some(self.join(target, call.args.first().copied())),
            _ => return None,
        }
        let Some(element) = self.element_type(target.ty) else {
            return Some(Estimate::cost(string_cost(self.size_of(target).max)));
        };
        let each = match self.checked.types.get(element) {
            Type::String | Type::Bytes => 1 + string_cost(self.item_size(target).max),
            _ => 1,
        };
        Some(Estimate::cost(self.size_of(target).max.saturating_mul(each)))
    }

    fn join(&self, list: Argument, separator: Option<Argument>) -> Estimate {
        let count = self.size_of(list);
        let mut size = match self.element_type(list.ty) {
            Some(_) => count.multiply(self.item_size(list)),
            None => Size::exactly(0),
        };
        if let Some(separator) = separator {
            let between = Size { min: count.min.saturating_sub(1), max: count.max.saturating_sub(1) };
            size = size.add(self.size_of(separator).multiply(between));
        }
        Estimate::sized(string_cost(size.max), size)
    }

    /// Functions of the API server on strings.
    fn strings(&self, call: &Call) -> Option<Estimate> {
        let target = call.target.map(|target| self.size_of(target));
        Some(match (call.function, target, &*call.args) {
            ("url", None, [text]) => {
                let size = self.size_of(*text);
                Estimate::sized(string_cost(size.max), size)
            }
            ("lowerAscii" | "upperAscii" | "substring" | "trim", Some(size), _) => {
                Estimate::sized(string_cost(size.max), size)
            }
            ("replace", Some(size), [from, to, ..]) => {
                let result = replaced(size, self.size_of(*from), self.size_of(*to));
                Estimate::sized(scale(size.max, 0.2), result)
            }
            ("split", Some(size), args) => {
                let limit = args.get(1).and_then(|limit| self.literal(*limit));
                Estimate::sized(
                    scale(size.max, 0.2),
                    Size { min: 0, max: limit.map_or(size.max, |n| n as u64) },
                )
            }
            ("find" | "findAll", Some(size), [pattern, ..]) => {
                let cost = regex_cost(size.max, self.size_of(*pattern).max);
                Estimate::sized(cost, Size { min: 0, max: size.max })
            }
            _ => return None,
        })
    }

    /// Functions of the API server on values of its own types.
    fn kubernetes(&self, call: &Call) -> Option<Estimate> {
        let first = call.args.first().map(|argument| self.size_of(*argument).max);
        Some(Estimate::cost(match (call.function, first) {
            ("check", _) => 350_000,
            ("fieldSelector" | "labelSelector", Some(size)) => {
                let requirements = scale(size, 0.5).saturating_mul(50);
                string_cost(size).saturating_add(requirements).saturating_add(10)
            }
            _ if call.overload == "cidr_ip" => 1,
            (
                "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver" | "isSemver",
                Some(size),
            ) => string_cost(size),
            ("ip.isCanonical", Some(size)) => scale(size, 0.2),
            // The addresses in a text are of at most 16 bytes, each twice as long in the text.
            ("containsIP", Some(size)) => {
                let text = if call.overload == "cidr_contains_ip_string" { string_cost(size) } else { 0 };
                string_cost(32).saturating_add(text)
            }
            ("containsCIDR", Some(size)) => {
                let text = if call.overload == "cidr_contains_cidr_string" { string_cost(size) } else { 0 };
                (string_cost(32) + string_cost(16) + 1).saturating_add(text)
            }
            ("validate", Some(size)) => scale(string_cost(size), 128.0 * 0.25),
            (function, _) if CONSTANT.contains(&function) => 1,
            ("_==_", _) => return self.equality(call),
            _ => return None,
        }))
    }

    /// `==` of values of the API server's own types.
    fn equality(&self, call: &Call) -> Option<Estimate> {
        let [left, right] = *call.args else { return None };
        if left.ty != right.ty {
            return None;
        }
        let Type::Library(library) = self.checked.types.get(left.ty) else { return None };
        Some(Estimate::cost(match library {
            LibraryType::Url => string_cost(right.size.map_or(1, |size| size.max)),
            LibraryType::NamedFormat => string_cost(64),
            _ => 1,
        }))
    }

    /// cel-go's own estimates, by overload.
    fn standard(&mut self, call: &Call) -> Option<Estimate> {
        let target = call.target.map(Argument::known);
        Some(match (call.overload, target, &*call.args) {
            ("string_format", Some(text), _) => Estimate::cost(string_cost(text.max)),
            ("string_to_bytes", _, [text]) => {
                let size = text.known();
                let result = Size { min: size.min, max: size.max.wrapping_mul(4) };
                Estimate::sized(string_cost(size.max), result)
            }
            ("bytes_to_string", _, [bytes]) => {
                let size = bytes.known();
                Estimate::sized(string_cost(size.max), Size { min: size.min / 4, max: size.max })
            }
            ("strings_quote", _, [text]) => {
                let size = text.known();
                let result =
                    Size { min: size.min.wrapping_add(2), max: size.max.wrapping_mul(2).wrapping_add(2) };
                Estimate::sized(string_cost(size.max), result)
            }
            ("starts_with_string" | "ends_with_string", _, [part]) => {
                Estimate::cost(string_cost(part.known().max))
            }
            ("in_list", _, [_, list]) => Estimate::cost(list.known().max),
            ("matches_string", Some(text), [pattern]) => {
                Estimate::cost(regex_cost(text.max, pattern.known().max))
            }
            ("contains_string", Some(text), [part]) => {
                Estimate::cost(string_cost(text.max).saturating_mul(string_cost(part.known().max)))
            }
            ("add_string" | "add_bytes", _, [left, right]) => {
                let size = left.known().add(right.known());
                self.join_elements(call.id, *left, *right);
                Estimate::sized(string_cost(size.max), size)
            }
            ("add_list", _, [left, right]) => {
                self.join_elements(call.id, *left, *right);
                Estimate::sized(1, left.known().add(right.known()))
            }
            (overload, _, [left, right]) if is_comparison(overload) => {
                Estimate::cost(string_cost(left.known().max.min(right.known().max)))
            }
            _ => return None,
        })
    }

    fn join_elements(&mut self, id: ExprId, left: Argument, right: Argument) {
        if let (Some(left), Some(right)) = (self.elements(left.id), self.elements(right.id)) {
            self.elements[id.index()] = Some(left.union(right));
        }
    }

    /// The size as the API server's estimates see it: they look the path up themselves.
    fn size_of(&self, argument: Argument) -> Size {
        argument.size.or_else(|| self.declared_size(argument.path)).unwrap_or(Size::UNKNOWN)
    }

    fn item_size(&self, list: Argument) -> Size {
        let scope = self.checked.scope;
        let max = self.paths.declared_item_size(list.path, scope.declarations, scope.root);
        max.map_or(Size::UNKNOWN, |max| Size { min: 0, max })
    }

    /// The first parameter of a type.
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

/// Functions that only look at a value which is already there.
const CONSTANT: [&str; 38] = [
    "serviceAccount",
    "path",
    "group",
    "resource",
    "subresource",
    "namespace",
    "name",
    "allowed",
    "reason",
    "error",
    "errored",
    "masked",
    "prefixLength",
    "family",
    "isUnspecified",
    "isLoopback",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isGlobalUnicast",
    "format.named",
    "sign",
    "asInteger",
    "isInteger",
    "asApproximateFloat",
    "isGreaterThan",
    "isLessThan",
    "compareTo",
    "add",
    "sub",
    "major",
    "minor",
    "patch",
    "getScheme",
    "getHostname",
    "getHost",
    "getPort",
    "getEscapedPath",
    "getQuery",
];

/// How often each pair is looked at when a list is sorted, and how dear a look is.
fn comparison_factor(overload: &str) -> f64 {
    if overload.starts_with("list_string_") || overload.starts_with("list_bytes_") { 2.1 } else { 2.0 }
}

fn is_comparison(overload: &str) -> bool {
    matches!(overload, "equals" | "not_equals")
        || (overload.starts_with("less_") || overload.starts_with("greater_"))
            && (overload.ends_with("_string") || overload.ends_with("_bytes"))
}

/// The size of a text in which all of `from` is replaced by `to`.
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
