//! Expands macros. The nodes are the same as in the API server's compiler.

use std::borrow::Cow;

use crate::ast::{ACCUMULATOR, Ast, Comprehension, Expr, ExprId, Literal, MapEntry, OLD_ACCUMULATOR};
use crate::operator::Operator;
use crate::syntax::Syntax;

/// The reason why a macro cannot be expanded. `at` is the argument at which the error is reported.
pub(crate) struct MacroError {
    pub(crate) at: ExprId,
    pub(crate) message: Cow<'static, str>,
}

type Expansion = Result<ExprId, MacroError>;
/// Generates a macro's nodes from the receiver and the arguments.
type Expand = fn(&mut Maker<'_, '_>, ExprId, &[ExprId]) -> Expansion;

/// The variable of a loop that never runs.
const UNUSED: &str = "#unused";
/// The variable that holds the list to be sorted.
const SORT_INPUT: &str = "@__sortBy_input__";

/// A syntax extension that a later Kubernetes version introduced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Addition {
    Optionals,
    TwoVariables,
    SortBy,
}

impl Addition {
    /// Returns the minor Kubernetes version that introduced the extension.
    #[cfg(feature = "check")]
    pub(crate) const fn since(self) -> u32 {
        match self {
            Self::Optionals => 28,
            Self::TwoVariables => 32,
            Self::SortBy => 34,
        }
    }

    fn is_in(self, syntax: Syntax) -> bool {
        match self {
            Self::Optionals => syntax.optionals,
            Self::TwoVariables => syntax.two_variables,
            Self::SortBy => syntax.sort_by,
        }
    }
}

/// A macro that is called as a method, with its name and its number of arguments.
struct Macro {
    name: &'static str,
    args: usize,
    /// The extension that the macro belongs to, or `None` if every version has the macro.
    addition: Option<Addition>,
    expand: Expand,
}

/// The macros that are called as methods. Only the macro `has` is called as a function.
const METHODS: &[Macro] = &[
    always("all", 2, |maker, range, args| maker.all(range, &args[..1], args[1])),
    always("exists", 2, |maker, range, args| maker.exists(range, &args[..1], args[1])),
    always("exists_one", 2, |maker, range, args| maker.exists_one(range, &args[..1], args[1])),
    always("map", 2, |maker, range, args| maker.map(range, args[0], None, args[1])),
    always("map", 3, |maker, range, args| maker.map(range, args[0], Some(args[1]), args[2])),
    always("filter", 2, |maker, range, args| maker.filter(range, args[0], args[1])),
    with_two("all", 3, |maker, range, args| maker.all(range, &args[..2], args[2])),
    with_two("exists", 3, |maker, range, args| maker.exists(range, &args[..2], args[2])),
    with_two("existsOne", 3, |maker, range, args| maker.exists_one(range, &args[..2], args[2])),
    with_two("exists_one", 3, |maker, range, args| maker.exists_one(range, &args[..2], args[2])),
    with_two("transformList", 3, |maker, range, args| maker.transform(range, args, Into::List)),
    with_two("transformList", 4, |maker, range, args| maker.transform(range, args, Into::List)),
    with_two("transformMap", 3, |maker, range, args| maker.transform(range, args, Into::Map)),
    with_two("transformMap", 4, |maker, range, args| maker.transform(range, args, Into::Map)),
    with_two("transformMapEntry", 3, |maker, range, args| maker.transform(range, args, Into::MapEntry)),
    with_two("transformMapEntry", 4, |maker, range, args| maker.transform(range, args, Into::MapEntry)),
    since(Addition::Optionals, "optMap", 2, |maker, optional, args| {
        maker.optional_map(optional, args[0], args[1], false)
    }),
    since(Addition::Optionals, "optFlatMap", 2, |maker, optional, args| {
        maker.optional_map(optional, args[0], args[1], true)
    }),
    since(Addition::SortBy, "sortBy", 2, |maker, range, args| maker.sort_by(range, args[0], args[1])),
];

const fn always(name: &'static str, args: usize, expand: Expand) -> Macro {
    Macro { name, args, addition: None, expand }
}

/// Returns a macro with two variables.
const fn with_two(name: &'static str, args: usize, expand: Expand) -> Macro {
    since(Addition::TwoVariables, name, args, expand)
}

const fn since(addition: Addition, name: &'static str, args: usize, expand: Expand) -> Macro {
    Macro { name, args, addition: Some(addition), expand }
}

/// Returns the minor version that introduced a macro. Returns `None` if all versions have the macro.
#[cfg(feature = "check")]
pub(crate) fn first_version(name: &str) -> Option<u32> {
    let mut additions = METHODS.iter().filter(|known| known.name == name).map(|known| known.addition);
    additions.next()?.map(Addition::since)
}

/// Returns the macros that not all versions have, by name. Optional fields and entries have no name, so they are not included.
#[cfg(feature = "check")]
pub(crate) fn additions() -> impl Iterator<Item = (&'static str, Addition)> {
    METHODS.iter().filter_map(|known| Some((known.name, known.addition?)))
}

/// Expands a call whose parenthesis is at `position`. Returns `None` if the call is not a macro.
pub(crate) fn expand(
    ast: &mut Ast<'_>,
    syntax: Syntax,
    position: u32,
    function: &str,
    target: Option<ExprId>,
    args: &[ExprId],
) -> Option<Expansion> {
    let accumulator = if syntax.server.is_at_least(33) { ACCUMULATOR } else { OLD_ACCUMULATOR };
    let mut maker = Maker { ast, position, accumulator };
    let Some(target) = target else {
        let &[field] = args else { return None };
        return (function == "has").then(|| maker.has(field));
    };
    let found = METHODS.iter().find(|known| {
        known.args == args.len()
            && known.name == function
            && known.addition.is_none_or(|addition| addition.is_in(syntax))
    })?;
    Some((found.expand)(&mut maker, target, args))
}

/// The collection that a macro such as `transformList` or `transformMap` builds.
#[derive(Clone, Copy, PartialEq)]
enum Into {
    List,
    Map,
    MapEntry,
}

struct Maker<'a, 's> {
    ast: &'a mut Ast<'s>,
    position: u32,
    /// The name of the accumulator.
    accumulator: &'static str,
}

impl<'s> Maker<'_, 's> {
    fn has(&mut self, field: ExprId) -> Expansion {
        // `has(has(a.b))` is `has(a.b)`.
        let &Expr::Select { operand, field, .. } = self.ast.expr(field) else {
            return Err(error(field, "invalid argument to has() macro"));
        };
        Ok(self.make(Expr::Select { operand, field, test_only: true }))
    }

    fn all(&mut self, range: ExprId, vars: &[ExprId], predicate: ExprId) -> Expansion {
        let vars = self.vars(vars)?;
        let init = self.literal(Literal::Bool(true));
        let going = self.accumulator();
        let condition = self.call(Operator::NotStrictlyFalse.name(), &[going]);
        let so_far = self.accumulator();
        let step = self.call(Operator::And.name(), &[so_far, predicate]);
        let result = self.accumulator();
        Ok(self.fold(range, vars, init, condition, step, result))
    }

    fn exists(&mut self, range: ExprId, vars: &[ExprId], predicate: ExprId) -> Expansion {
        let vars = self.vars(vars)?;
        let init = self.literal(Literal::Bool(false));
        let found = self.accumulator();
        let not_found = self.call(Operator::Not.name(), &[found]);
        let condition = self.call(Operator::NotStrictlyFalse.name(), &[not_found]);
        let so_far = self.accumulator();
        let step = self.call(Operator::Or.name(), &[so_far, predicate]);
        let result = self.accumulator();
        Ok(self.fold(range, vars, init, condition, step, result))
    }

    fn exists_one(&mut self, range: ExprId, vars: &[ExprId], predicate: ExprId) -> Expansion {
        let vars = self.vars(vars)?;
        let init = self.literal(Literal::Int(0));
        let condition = self.literal(Literal::Bool(true));
        let (so_far, one) = (self.accumulator(), self.literal(Literal::Int(1)));
        let more = self.call(Operator::Add.name(), &[so_far, one]);
        let same = self.accumulator();
        let step = self.call(Operator::Conditional.name(), &[predicate, more, same]);
        let (count, one) = (self.accumulator(), self.literal(Literal::Int(1)));
        let result = self.call(Operator::Equal.name(), &[count, one]);
        Ok(self.fold(range, vars, init, condition, step, result))
    }

    fn map(&mut self, range: ExprId, var: ExprId, filter: Option<ExprId>, transform: ExprId) -> Expansion {
        let name = self.var(var, "argument is not an identifier")?;
        self.reject_accumulator(var, name)?;
        let step = self.append(transform);
        let step = self.filtered(filter, step);
        let init = self.list(&[]);
        Ok(self.gather((range, name, None), init, step))
    }

    fn filter(&mut self, range: ExprId, var: ExprId, predicate: ExprId) -> Expansion {
        let name = self.var(var, "argument is not an identifier")?;
        self.reject_accumulator(var, name)?;
        let step = self.append(var);
        let step = self.filtered(Some(predicate), step);
        let init = self.list(&[]);
        Ok(self.gather((range, name, None), init, step))
    }

    /// Expands `transformList`, `transformMap` and `transformMapEntry`, with or without a filter.
    fn transform(&mut self, range: ExprId, args: &[ExprId], into: Into) -> Expansion {
        let (name, name2) = self.vars(&args[..2])?;
        let (filter, transform) = match *args {
            [_, _, filter, transform] => (Some(filter), transform),
            _ => (None, args[2]),
        };
        let step = if into == Into::List {
            self.append(transform)
        } else {
            let so_far = self.accumulator();
            if into == Into::Map {
                let key = self.make(Expr::Ident(Cow::Borrowed(name)));
                self.call(Operator::MapInsert.name(), &[so_far, key, transform])
            } else {
                self.call(Operator::MapInsert.name(), &[so_far, transform])
            }
        };
        let step = self.filtered(filter, step);
        let init = match into {
            Into::List => self.list(&[]),
            Into::Map | Into::MapEntry => self.make(Expr::Map(Vec::new())),
        };
        Ok(self.gather((range, name, name2), init, step))
    }

    /// Expands `optMap` and `optFlatMap`. The receiver is in the expansion twice, so its cost counts twice.
    fn optional_map(&mut self, optional: ExprId, var: ExprId, value: ExprId, flat: bool) -> Expansion {
        let message = if flat {
            "optFlatMap() variable name must be a simple identifier"
        } else {
            "optMap() variable name must be a simple identifier"
        };
        let name = self.var(var, message)?;
        let has_value = self.method("hasValue", optional, &[]);
        let copy = self.copy(optional);
        let unwrapped = self.method("value", copy, &[]);
        let mut mapped = self.bind(name, unwrapped, value);
        if !flat {
            mapped = self.call("optional.of", &[mapped]);
        }
        let none = self.call("optional.none", &[]);
        Ok(self.call(Operator::Conditional.name(), &[has_value, mapped, none]))
    }

    fn sort_by(&mut self, range: ExprId, var: ExprId, key: ExprId) -> Expansion {
        if matches!(self.ast.expr(range), Expr::Literal(_) | Expr::Map(_) | Expr::Struct { .. }) {
            let message =
                "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
            return Err(error(range, message));
        }
        let input = self.make(Expr::Ident(Cow::Borrowed(SORT_INPUT)));
        let keys = self.map(input, var, None, key)?;
        let input = self.make(Expr::Ident(Cow::Borrowed(SORT_INPUT)));
        let sorted = self.method(Operator::SortByKeys.name(), input, &[keys]);
        Ok(self.bind(SORT_INPUT, range, sorted))
    }

    /// Expands `cel.bind`: Expresses `let name = value in result` as a loop over an empty list.
    fn bind(&mut self, name: &'s str, value: ExprId, result: ExprId) -> ExprId {
        let range = self.list(&[]);
        let condition = self.literal(Literal::Bool(false));
        let step = self.make(Expr::Ident(Cow::Borrowed(name)));
        self.make(Expr::Comprehension(Box::new(Comprehension {
            range,
            var: UNUSED,
            var2: None,
            accumulator: name,
            init: value,
            condition,
            step,
            result,
        })))
    }

    fn gather(
        &mut self,
        (range, var, var2): (ExprId, &'s str, Option<&'s str>),
        init: ExprId,
        step: ExprId,
    ) -> ExprId {
        let condition = self.literal(Literal::Bool(true));
        let result = self.accumulator();
        self.fold(range, (var, var2), init, condition, step, result)
    }

    fn fold(
        &mut self,
        range: ExprId,
        (var, var2): (&'s str, Option<&'s str>),
        init: ExprId,
        condition: ExprId,
        step: ExprId,
        result: ExprId,
    ) -> ExprId {
        self.make(Expr::Comprehension(Box::new(Comprehension {
            range,
            var,
            var2,
            accumulator: self.accumulator,
            init,
            condition,
            step,
            result,
        })))
    }

    /// Returns a quantifier's one or two variables.
    fn vars(&self, vars: &[ExprId]) -> Result<(&'s str, Option<&'s str>), MacroError> {
        const MESSAGE: &str = "argument must be a simple name";
        let name = self.var(vars[0], MESSAGE)?;
        let Some(&var2) = vars.get(1) else {
            self.reject_accumulator(vars[0], name)?;
            return Ok((name, None));
        };
        let name2 = self.var(var2, MESSAGE)?;
        if name == name2 {
            return Err(error(var2, format!("duplicate variable name: {name}")));
        }
        self.reject_accumulator(vars[0], name)?;
        self.reject_accumulator(var2, name2)?;
        Ok((name, Some(name2)))
    }

    fn var(&self, var: ExprId, message: &'static str) -> Result<&'s str, MacroError> {
        match self.ast.expr(var) {
            Expr::Ident(Cow::Borrowed(name)) => Ok(name),
            _ => Err(error(var, message)),
        }
    }

    fn reject_accumulator(&self, var: ExprId, name: &str) -> Result<(), MacroError> {
        // Since the accumulator has a name that rules cannot contain, its old name is rejected.
        if name == OLD_ACCUMULATOR && self.accumulator != OLD_ACCUMULATOR {
            return Err(error(var, "iteration variable overwrites accumulator variable"));
        }
        Ok(())
    }

    fn append(&mut self, element: ExprId) -> ExprId {
        let so_far = self.accumulator();
        let list = self.list(&[element]);
        self.call(Operator::Add.name(), &[so_far, list])
    }

    fn filtered(&mut self, filter: Option<ExprId>, step: ExprId) -> ExprId {
        let Some(filter) = filter else { return step };
        let same = self.accumulator();
        self.call(Operator::Conditional.name(), &[filter, step, same])
    }

    fn accumulator(&mut self) -> ExprId {
        self.make(Expr::Ident(Cow::Borrowed(self.accumulator)))
    }

    fn literal(&mut self, literal: Literal<'s>) -> ExprId {
        self.make(Expr::Literal(literal))
    }

    fn list(&mut self, elements: &[ExprId]) -> ExprId {
        let elements = self.ast.push_list(elements);
        self.make(Expr::List { elements, optional: Vec::new() })
    }

    fn call(&mut self, function: &'static str, args: &[ExprId]) -> ExprId {
        let args = self.ast.push_list(args);
        self.make(Expr::Call { function: Cow::Borrowed(function), target: None, args })
    }

    fn method(&mut self, function: &'static str, target: ExprId, args: &[ExprId]) -> ExprId {
        let args = self.ast.push_list(args);
        self.make(Expr::Call { function: Cow::Borrowed(function), target: Some(target), args })
    }

    fn make(&mut self, expr: Expr<'s>) -> ExprId {
        self.ast.push(self.position, expr)
    }

    /// Returns a copy of the tree below `root`, with the same positions.
    fn copy(&mut self, root: ExprId) -> ExprId {
        // Children have lower numbers than their parents, so copying in the order of numbers copies children first.
        let mut originals = vec![root];
        let mut next = 0;
        while let Some(&id) = originals.get(next) {
            originals.extend(self.ast.children(id));
            next += 1;
        }
        originals.sort_unstable();
        let mut copies: Vec<ExprId> = Vec::with_capacity(originals.len());
        for (i, &id) in originals.iter().enumerate() {
            let renumber = |id: ExprId| match originals[..i].binary_search(&id) {
                Ok(original) => copies[original],
                Err(_) => id,
            };
            let expr = renumbered(self.ast, id, renumber);
            copies.push(self.ast.push(self.ast.raw_position(id), expr));
        }
        copies.last().copied().unwrap_or(root)
    }
}

fn renumbered<'s>(ast: &mut Ast<'s>, id: ExprId, renumber: impl Fn(ExprId) -> ExprId) -> Expr<'s> {
    let mut expr = ast.expr(id).clone();
    match &mut expr {
        Expr::Literal(_) | Expr::Ident(_) | Expr::Error => {}
        Expr::Select { operand, .. } => *operand = renumber(*operand),
        Expr::Call { target, args: list, .. } => {
            *target = target.map(&renumber);
            let ids: Vec<ExprId> = ast.list(*list).iter().map(|&id| renumber(id)).collect();
            *list = ast.push_list(&ids);
        }
        Expr::List { elements: list, .. } => {
            let ids: Vec<ExprId> = ast.list(*list).iter().map(|&id| renumber(id)).collect();
            *list = ast.push_list(&ids);
        }
        Expr::Map(entries) => {
            for MapEntry { key, value, .. } in entries {
                (*key, *value) = (renumber(*key), renumber(*value));
            }
        }
        Expr::Struct { fields, .. } => {
            for field in fields {
                field.value = renumber(field.value);
            }
        }
        Expr::Comprehension(fold) => {
            for id in [&mut fold.range, &mut fold.init, &mut fold.condition, &mut fold.step, &mut fold.result]
            {
                *id = renumber(*id);
            }
        }
    }
    expr
}

fn error(at: ExprId, message: impl std::convert::Into<Cow<'static, str>>) -> MacroError {
    MacroError { at, message: message.into() }
}
