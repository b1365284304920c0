//! Cost estimates for functions, as the server makes them before a rule runs.

/// A formula for the maximal cost of a call. Sizes are the largest that the declarations allow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Estimate {
    /// Always 1.
    One,
    /// A fixed number.
    Fixed(u64),
    /// `&&` and `||`: the total cost of both sides
    Both,
    /// `?:`: the total cost of the condition and the more expensive branch
    Conditional,
    /// `dyn`, which costs 1. The result has the argument's size.
    Dyn,
    /// `list[index]`
    IndexList,
    /// `map[key]`
    IndexMap,
    /// Reading a string.
    Parse,
    /// Parsing a string, formatting the value again, and comparing the two strings.
    ParseTwice,
    /// A call whose result is a string that is not longer than the first argument.
    Text,
    /// Reading a string once, or every element in a list once, including the elements' text.
    Traversal,
    /// `includes`
    Includes,
    /// `join`
    JoinList,
    /// `replace`
    Replace,
    /// `split`
    Split,
    /// `find` and `findAll`
    Find,
    /// A selector for fields or labels.
    Selector,
    /// Comparing a network with an address. The address may be a string.
    ContainsIp { text: bool },
    /// Comparing two networks, of which the second may be a string.
    ContainsCidr { text: bool },
    /// Checking a string against a named format.
    Validate,
    /// Comparing two sets, each element with all elements of the other set, times a factor.
    Sets(f64),
    /// `slice`
    Slice,
    /// `lists.range`
    Range,
    /// A call whose result is a list with the first argument's length.
    Copy,
    /// `flatten` with a depth.
    Flatten,
    /// Comparing all elements with each other.
    Distinct,
    /// Comparing all elements with each other, times the cost of reading two elements.
    Sort(f64),
    /// Like [`Estimate::Sort`], by keys.
    SortByKeys(f64),
    /// `==`
    Equality,
    /// Comparing two values, over the length of the shorter value.
    Comparison,
    /// The concatenation of strings or bytes with `+`.
    Join,
    /// The concatenation of lists with `+`.
    JoinLists,
    /// `format`
    Template,
    /// The conversion of a string with `bytes`.
    ToBytes,
    /// The conversion of bytes with `string`.
    ToText,
    /// `strings.quote`
    Quote,
    /// `startsWith` and `endsWith`
    Affix,
    /// `in` of a list.
    Elements,
    /// `matches` as a method
    Matches,
    /// `matches` as a function
    MatchesFunction,
    /// `contains`
    Contains,
}
