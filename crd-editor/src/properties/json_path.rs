//! Finds the names in a JSON path: the path of a column, of `scale`, of a selectable field or of a rule.

use std::ops::Range;

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathStep {
    /// The field with this name.
    Name(String),
    /// Every item, some items, or every field.
    Each,
}

/// A step with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathPart {
    pub(crate) step: PathStep,
    /// The byte range of the name, without quotes.
    pub(crate) bytes: Range<usize>,
}

/// Returns the steps of a path. Returns `None` for a path with filters, recursion and other unsupported parts.
pub(crate) fn parts(path: &str) -> Option<Vec<PathPart>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < path.len() {
        let rest = &path[at..];
        let (step, bytes, length) = match rest.chars().next()? {
            '.' if rest[1..].starts_with('[') => {
                at += 1;
                continue;
            }
            '.' => dotted(&rest[1..])?,
            '[' => bracketed(&rest[1..])?,
            _ => return None,
        };
        let start = at + 1;
        found.push(PathPart { step, bytes: start + bytes.start..start + bytes.end });
        at = start + length;
    }
    Some(found)
}

/// Parses a name after a dot. Returns the step, the name's byte range, and the step's length in bytes.
fn dotted(rest: &str) -> Option<(PathStep, Range<usize>, usize)> {
    let mut name = String::new();
    let mut end = rest.len();
    let mut chars = rest.char_indices();
    while let Some((at, next)) = chars.next() {
        match next {
            '\\' => name.extend(chars.next().map(|(_, escaped)| escaped)),
            '.' | '[' => {
                end = at;
                break;
            }
            '{' | '}' | '(' | ')' | ',' | '\'' | '"' | ' ' => return None,
            _ => name.push(next),
        }
    }
    let step = match name.as_str() {
        "" => return None,
        "*" => PathStep::Each,
        _ => PathStep::Name(name),
    };
    Some((step, 0..end, end))
}

/// Parses the part after a bracket.
fn bracketed(rest: &str) -> Option<(PathStep, Range<usize>, usize)> {
    let quote = rest.chars().next()?;
    if quote == '\'' || quote == '"' {
        let length = rest[1..].find(quote)?;
        let name = &rest[1..1 + length];
        let is_plain = !name.contains('\\') && rest[length + 2..].starts_with(']');
        return is_plain.then(|| (PathStep::Name(name.to_owned()), 1..1 + length, length + 3));
    }
    let length = rest.find(']')?;
    let is_index = rest[..length].chars().all(|next| next.is_ascii_digit() || "*:-".contains(next));
    is_index.then_some((PathStep::Each, 0..length, length + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_have_their_places() {
        let shown = |path: &str| {
            let parts = parts(path)?;
            let part = |part: &PathPart| match &part.step {
                PathStep::Name(name) => format!("{name}={}", &path[part.bytes.clone()]),
                PathStep::Each => "each".to_owned(),
            };
            Some(parts.iter().map(part).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(shown(".spec.size").as_deref(), Some("spec=spec size=size"));
        assert_eq!(shown(".spec['a.b'].x[0].y").as_deref(), Some("spec=spec a.b=a.b x=x each y=y"));
        assert_eq!(shown(".spec.a\\.b[*].*").as_deref(), Some("spec=spec a.b=a\\.b each each"));
        assert_eq!(shown("").as_deref(), Some(""));
        for other in ["spec", ".", "..x", ".a[?(@.b==1)].c", ".a['x", ".a[", ".a{", ".é[é]"] {
            assert_eq!(shown(other), None, "{other}");
        }
    }
}
