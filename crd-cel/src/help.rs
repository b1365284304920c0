//! Advice for errors, in addition to the API server's messages.

use crd_go::nearest::nearest;

use crate::env::{Environment, Version};
use crate::operator::Operator;
use crate::types::Type;

/// Returns the help for an undefined function or variable.
pub(crate) fn undeclared(
    environment: Environment,
    name: &str,
    known: &mut dyn Iterator<Item = &str>,
) -> Option<String> {
    match environment.needs(name) {
        Some(version) => {
            let next = Version::new(version.minor() + 1);
            Some(format!(
                "`{name}` was added in Kubernetes {version}; servers accept it in new rules since {next}"
            ))
        }
        None => did_you_mean(name, known),
    }
}

/// Returns the help text for an unknown name. The text suggests a similar known name.
pub(crate) fn did_you_mean(name: &str, known: &mut dyn Iterator<Item = &str>) -> Option<String> {
    nearest(name, known).map(|nearest| format!("did you mean `{nearest}`?"))
}

/// Returns the help for arguments without a matching overload.
pub(crate) fn mismatch(function: &str, args: &[Type]) -> Option<String> {
    use Operator as O;
    let number = |ty: &Type| matches!(ty, Type::Int | Type::Uint | Type::Double);
    let help = match (Operator::named(function)?, args) {
        (O::Equal | O::NotEqual, [Type::Null, _] | [_, Type::Null]) => {
            "a value of this type is never null: use `has()` to test for its presence"
        }
        (O::Equal | O::NotEqual, [Type::Optional(_), _] | [_, Type::Optional(_)]) => {
            "take the value out of the optional with `orValue()` or `value()`"
        }
        (
            O::Equal | O::NotEqual | O::Add | O::Subtract | O::Multiply | O::Divide | O::Conditional,
            [.., a, b],
        ) if number(a) && number(b) => "convert one side: `int()`, `uint()` and `double()` convert numbers",
        (O::Add, [Type::String, b]) if number(b) => "convert the number with `string()`",
        (O::Add, [a, Type::String]) if number(a) => "convert the number with `string()`",
        _ => return None,
    };
    Some(help.to_owned())
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn the_nearest_name_is_meant() {
        let known = ["minReplicas", "maxReplicas", "name"];
        let nearest = |name| did_you_mean(name, &mut known.into_iter());
        assert_eq!(nearest("minReplcas").as_deref(), Some("did you mean `minReplicas`?"));
        assert_eq!(nearest("nam"), Some("did you mean `name`?".to_owned()));
        assert_eq!(nearest("image"), None);
    }
}
