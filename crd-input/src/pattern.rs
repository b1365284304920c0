//! Patterns for names; `*` matches any string.

/// Returns `true` if a string matches a pattern; `*` matches any string.
#[must_use]
pub fn is_like(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(start) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return left.ends_with(part);
        }
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_a_shell_does() {
        for (pattern, matching, other) in [
            ("a.b", "a.b", "a.bc"),
            ("*.istio.io", "networking.istio.io", "istio.io.example.com"),
            ("cert*", "certificates.cert-manager.io", "my-certificates.example.com"),
            ("*", "", "-"),
            ("a*b*c", "a1b2b3c", "a1c2b"),
            ("a*a", "aa", "a"),
        ] {
            assert!(is_like(pattern, matching), "{pattern} {matching}");
            assert!(!is_like(pattern, other) || other == "-", "{pattern} {other}");
        }
    }
}
