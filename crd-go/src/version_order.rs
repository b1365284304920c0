//! The order of version names.

use std::cmp::Ordering;

/// Compares version names: `v2` comes before `v1`, `v1beta1`, `v1alpha1`, and all others, which are sorted alphabetically.
///
/// Source: `CompareKubeAwareVersionStrings` in `k8s.io/apimachinery/pkg/version/helpers.go`.
///
/// ```
/// use crd_go::compare_versions;
///
/// assert!(compare_versions("v1", "v2beta1").is_gt());
/// ```
#[must_use]
pub fn compare_versions(a: &str, b: &str) -> Ordering {
    match (stability(a), stability(b)) {
        (None, None) => b.cmp(a),
        (a, b) => a.cmp(&b),
    }
}

/// Returns the stability, the number and the stage number of a version.
fn stability(name: &str) -> Option<(u8, u64, u64)> {
    let rest = name.strip_prefix('v')?;
    let split = |stage: &str| rest.split_once(stage);
    let (stage, major, minor) = match (split("alpha"), split("beta")) {
        (Some((major, minor)), _) => (0, major, minor),
        (None, Some((major, minor))) => (1, major, minor),
        (None, None) => (2, rest, "0"),
    };
    let number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().ok()).flatten()
    };
    Some((stage, number(major)?, number(minor)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_in_order() {
        let sorted =
            ["foo10", "foo1", "v1alpha1", "v2alpha2", "v1beta1", "v1beta2", "v10beta1", "v1", "v2", "v10"];
        for pair in sorted.windows(2) {
            assert_eq!(compare_versions(pair[0], pair[1]), Ordering::Less, "{pair:?}");
        }
    }
}
