//! Estimates of the cost of functions, which the server makes before a rule runs.

/// The estimate of the maximal cost of a call. Sizes are the largest that the declarations allow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Estimate {
    /// Always 1.
    One,
    /// A fixed number.
    Fixed(u64),
    /// `&&` and `||`: the cost of both sides
    Both,
    /// `?:`: the cost of the condition and of the more expensive branch
    Conditional,
    /// `dyn`: 1; the result has the size of the argument
    Dyn,
    /// `list[index]`
    IndexList,
    /// `map[key]`
    IndexMap,
    /// Reading a string.
    Parse,
    /// Reading a value from a string, printing the value, and comparing the result with the string.
    ParseTwice,
    /// A string that is not longer than the first argument.
    Text,
    /// Visiting a string, or every element of a list and its text, once.
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
    /// A selector of fields or labels.
    Selector,
    /// Comparing a network with an address, which may be a string.
    ContainsIp { text: bool },
    /// Comparing two networks; the second may be a string.
    ContainsCidr { text: bool },
    /// A named format and a string.
    Validate,
    /// Comparing two sets: each element with all elements of the other set, times a factor.
    Sets(f64),
    /// `slice`
    Slice,
    /// `lists.range`
    Range,
    /// A list that is as long as the first argument.
    Copy,
    /// `flatten` with a depth.
    Flatten,
    /// Comparing each element with all elements.
    Distinct,
    /// Comparing each element with all others, times the cost of reading two elements.
    Sort(f64),
    /// Like [`Estimate::Sort`], by keys.
    SortByKeys(f64),
    /// `==`
    Equality,
    /// Comparing two values up to the length of the shorter value.
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
