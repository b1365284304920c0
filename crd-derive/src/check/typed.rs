//! Checks the types in a rule, as far as the macro knows them. This finds unknown functions and scalars of a wrong type.
//!
//! The type checker is the same as for whole CRDs. Unknown types are `dyn`, which fits everywhere. Therefore, the macro
//! never rejects a rule that the API server would accept.

use crd_cel::{
    DeclId, Declarations, Declared, Environment, Issue, Issues, KubeVersion, Scope, Shape, Type, Variable,
};

use super::cel::Known;

/// The type of `oldSelf`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Old {
    /// The same type as `self`.
    Same,
    /// An optional value of the type of `self`.
    Optional,
    /// One of these two, but the macro does not know which.
    Unknown,
}

/// The type that an expression must return.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The type of a rule.
    Bool,
    /// The type of a message expression.
    String,
}

/// Checks the types in a rule that was already parsed without errors.
///
/// # Errors
/// The API server's message, with a remedy if there is one.
pub(super) fn check(
    rule: &str,
    this: &Known,
    old: Old,
    (wanted, server): (Wanted, KubeVersion),
) -> Result<(), String> {
    let mut declarations = Declarations::default();
    let this = declare(this, &mut declarations);
    let old = match old {
        Old::Same => Variable::Declared(this),
        Old::Optional => Variable::Optional(this),
        Old::Unknown => Variable::Declared(declare(&Known::Nothing, &mut declarations)),
    };
    let variables = [("self", Variable::Declared(this)), ("oldSelf", old)];
    let scope = Scope::new(&declarations, this, &variables);
    let checked = Environment::for_server(server).compile(rule, &scope).map(|checked| {
        let result = checked.result();
        (result, checked.result_type(), checked.instantiate().err())
    });
    match checked {
        Err(issues) => certain(rule, &issues),
        Ok((result, name, failure)) => {
            let (right, message) = match wanted {
                Wanted::Bool => (Type::Bool, "cel expression must evaluate to a bool"),
                Wanted::String => (Type::String, "messageExpression must evaluate to a string"),
            };
            if result != right && !is_open(result) {
                return Err(format!("{message}\nhelp: it evaluates to `{name}`"));
            }
            match failure {
                Some(failure) => Err(format!("program instantiation failed: {failure}")),
                None => Ok(()),
            }
        }
    }
}

/// Returns `true` if the macro does not know the type of a result. The API server knows it, and may find an issue.
fn is_open(result: Type) -> bool {
    matches!(result, Type::Dyn | Type::Any | Type::Param(_))
}

/// Returns an error with the issues that do not depend on unknown types, if there are any.
fn certain(rule: &str, issues: &Issues) -> Result<(), String> {
    let is_certain = |issue: &&Issue| !issue.is_about_dyn;
    let certain: Vec<&Issue> = issues.as_slice().iter().filter(is_certain).collect();
    if certain.is_empty() {
        return Ok(());
    }
    let print = |issue: &&Issue| match issue.position {
        Some(position) => Issues::single(rule, position, issue.message.as_str()).to_string(),
        None => issue.message.clone(),
    };
    let mut lines: Vec<String> = certain.iter().map(print).collect();
    lines.extend(certain.iter().filter_map(|issue| Some(format!("help: {}", issue.help.as_ref()?))));
    Err(lines.join("\n"))
}

fn declare(known: &Known, declarations: &mut Declarations) -> DeclId {
    let shape = match known {
        Known::Scalar("bool") => Shape::Bool,
        Known::Scalar("int") => Shape::Int,
        Known::Scalar("double") => Shape::Double,
        Known::Scalar("string") => Shape::String,
        Known::Nothing | Known::Scalar(_) => Shape::Dyn,
        Known::List(items) => Shape::List(declare(items, declarations)),
        Known::Map(values) => Shape::Map(declare(values, declarations)),
        Known::Fields(fields) => Shape::Object(
            fields.iter().map(|(name, field)| (name.as_str().into(), declare(field, declarations))).collect(),
        ),
    };
    // Sizes make prices, which the whole definition has to tell.
    declarations.add(Declared { shape, max_elements: 0, min_serialized_size: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: &str, this: &Known, old: Old, wanted: Wanted) -> Result<(), String> {
        super::check(rule, this, old, (wanted, KubeVersion::DEFAULT))
    }

    #[test]
    fn rules_are_compiled_by_the_chosen_release() {
        let at = |minor| {
            let wanted = (Wanted::Bool, KubeVersion::new(minor));
            super::check("isSemver(self)", &Known::Scalar("string"), Old::Same, wanted)
        };
        assert!(at(33).unwrap_err().contains("servers accept it in new rules since 1.34"));
        assert_eq!(at(34), Ok(()));
    }

    fn fields() -> Known {
        let scalar = |name: &str, type_| (name.to_owned(), Known::Scalar(type_));
        let strings = || Box::new(Known::Scalar("string"));
        Known::Fields(vec![
            scalar("name", "string"),
            scalar("size", "int"),
            scalar("weight", "double"),
            scalar("on", "bool"),
            ("tags".to_owned(), Known::List(strings())),
            ("labels".to_owned(), Known::Map(strings())),
            ("other".to_owned(), Known::Nothing),
            ("others".to_owned(), Known::List(Box::new(Known::Nothing))),
        ])
    }

    #[test]
    fn types_that_are_not_known_fit_everywhere() {
        let right = [
            "self.size > 1 && self.weight < 1.5 && self.weight > 1",
            "self.other > 'a' || self.other == 1 || self.other.anything.at.all",
            "[self.other, 1, 'a'].size() > 0 || {'a': self.other, 'b': 1}.size() > 0",
            "self.others.all(x, x.y == 1 || x == 'a') && self.others == [1] && self.other in ['a']",
            "self.other",
            "self.on ? self.other : self.on",
            "(self.on ? self.other : 'a').size() > 0",
            "self.others.map(x, x.y).exists(y, y.startsWith('a'))",
            "self.?other.orValue('a') == self.name && self.?other.nope.hasValue()",
            "type(self.other) == int && dyn(self.size) == 'a'",
            "self.tags.all(tag, tag.matches('^a')) && self.labels.all(key, self.labels[key] != '')",
            "self.other + [1] == [2] && self.other.sum() > 1 && quantity(self.other).isGreaterThan(quantity('1'))",
            "self.name.find('a') == oldSelf.name && '%s'.format([self.other]) == 'a'",
        ];
        for rule in right {
            assert_eq!(check(rule, &fields(), Old::Same, Wanted::Bool), Ok(()), "{rule}");
        }
        assert_eq!(check("self.other", &fields(), Old::Same, Wanted::String), Ok(()));
        assert_eq!(check("oldSelf.hasValue()", &Known::Scalar("int"), Old::Optional, Wanted::Bool), Ok(()));
        assert_eq!(check("oldSelf.hasValue()", &Known::Scalar("int"), Old::Unknown, Wanted::Bool), Ok(()));
    }

    #[test]
    fn rules_with_wrong_types_are_refused() {
        let wrong = [
            (
                "self.size == 'a'",
                "ERROR: <input>:1:11: found no matching overload for '_==_' applied to '(int, string)'",
            ),
            ("self.name > 1", "found no matching overload for '_>_' applied to '(string, int)'"),
            ("self.name.size() > 'a'", "found no matching overload for '_>_' applied to '(int, string)'"),
            (
                "self.tags.all(tag, tag > 1)",
                "found no matching overload for '_>_' applied to '(string, int)'",
            ),
            ("self.labels['a'] == 1", "found no matching overload for '_==_' applied to '(string, int)'"),
            ("self.name.startWith('a')", "undeclared reference to 'startWith' (in container '')"),
            ("self.other.nope()", "undeclared reference to 'nope' (in container '')"),
            ("nope(self.other) == 1", "undeclared reference to 'nope' (in container '')"),
            ("self.name.startsWith()", "found no matching overload for 'startsWith' applied to 'string.()'"),
            ("thing > 1", "undeclared reference to 'thing' (in container '')"),
            ("self.size", "cel expression must evaluate to a bool\nhelp: it evaluates to `int`"),
            ("self.tags", "cel expression must evaluate to a bool"),
            ("!self.size", "found no matching overload for '!_' applied to '(int)'"),
            ("self.on && int('x') == 1", "program instantiation failed: "),
            ("duration('x') == duration('1s')", "invalid duration argument"),
            ("self.size.all(x, x > 1)", "expression of type 'int' cannot be range of a comprehension"),
            ("self.dynamic == 1", "undefined field 'dynamic'"),
            ("oldSelf.size > 'a'", "found no matching overload for '_>_' applied to '(int, string)'"),
        ];
        for (rule, error) in wrong {
            let found = check(rule, &fields(), Old::Same, Wanted::Bool).expect_err(rule);
            assert!(found.contains(error), "{rule}: {found}");
        }
        let help = check("self.name.startWith('a')", &fields(), Old::Same, Wanted::Bool);
        assert!(help.is_err_and(|error| error.ends_with("\nhelp: did you mean `startsWith`?")));
        assert!(check("self.size", &fields(), Old::Same, Wanted::String).is_err());
    }
}
