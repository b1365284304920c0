//! `matches`, `find`, `findAll`: regular expressions with Go's syntax.

use super::strings::part;
use crate::eval::Error;
use crate::eval::implementation::{Implementation, Missing};
use crate::eval::value::Value;

pub(crate) const MATCHES: Implementation = Implementation::pattern(|meter, args, pattern| match args {
    [Value::String(text), _] => pattern.is_match(meter, text).map(Value::Bool),
    _ => Err(Error::no_such_overload()),
})
.work(8)
.missing(Missing::Name(|_| false));
pub(crate) const FIND: Implementation = Implementation::pattern(|meter, args, pattern| match args {
    [Value::String(text), _] => {
        let found = pattern.matches(meter, text)?.next(meter)?;
        part(meter, text, found.unwrap_or(0..0))
    }
    _ => Err(Error::no_such_overload()),
})
.work(8);
pub(crate) const FIND_ALL: Implementation = Implementation::pattern(|meter, args, pattern| {
    let (text, most) = match args {
        [Value::String(text), _] => (text, usize::MAX),
        // A negative limit means no limit.
        [Value::String(text), _, Value::Int(most)] => (text, usize::try_from(*most).unwrap_or(usize::MAX)),
        _ => return Err(Error::no_such_overload()),
    };
    let mut found: Vec<Value<'_>> = Vec::new();
    let mut matches = pattern.matches(meter, text)?;
    while found.len() < most {
        let Some(matched) = matches.next(meter)? else { break };
        meter.allocate_pushed()?;
        found.push(part(meter, text, matched)?);
    }
    Ok(found.into())
})
.work(8);

#[cfg(test)]
mod tests {
    use crate::eval::Program;
    use crate::eval::value::Value;

    #[test]
    fn patterns_match_as_in_go() {
        for rule in [
            "'a12b34'.find('[0-9]+') == '12'",
            "'abc'.find('[0-9]+') == ''",
            "'axb'.findAll('x*') == ['', 'x', '']",
            "'abaab'.findAll('(a)(b)?') == ['ab', 'a', 'ab']",
            "'abcd'.findAll('[a-z]', 2) == ['a', 'b'] && 'abcd'.findAll('[a-z]', -1).size() == 4",
            "'abc'.findAll('[a-z]', 0).size() == 0",
            "!'\u{e9}'.matches('^\\\\w$') && 'YES'.matches('(?i)^yes$')",
        ] {
            let ast = crate::parse(rule).unwrap();
            let program = Program::unchecked(&ast, &[]).unwrap();
            assert!(
                matches!(
                    program.run(Vec::<Option<Value<'_>>>::new(), 1_000_000).result,
                    Ok(Value::Bool(true))
                ),
                "{rule}"
            );
        }
    }

    /// With `a*b|a`, the matcher must read on to the end of the text before it knows that `a` alone matches. The bytes of all these
    /// look-aheads must be charged only once.
    #[test]
    fn bytes_that_are_read_for_all_matches_are_work_once() {
        let ast = crate::parse("x.findAll('a*b|a').size() > 0").unwrap();
        let program = Program::unchecked(&ast, &["x"]).unwrap();
        for (length, is_answered) in [(1_000, true), (20_000, true), (2_000_000, false)] {
            let text = Value::String("a".repeat(length).into());
            let result = program.run_within(vec![Some(text)], 100_000_000, 20_000_000).result;
            assert_eq!(result.is_ok(), is_answered, "{length}: {result:?}");
        }
    }
}
