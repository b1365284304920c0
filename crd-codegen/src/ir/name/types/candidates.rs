//! Proposes names for a type. The names depend only on the type's path in an object.

use super::places::Segment;
use crate::ir::name::case::camel_of;

/// The maximum length of a type's name, without a number and without `Apply`. With a number and `Apply`, a name has fewer than 60
/// characters.
pub(super) const MAX_LENGTH: usize = 52;

/// If the last property in a path is longer than this, its last words are omitted, and the name can also contain the enclosing property.
const LONG_WORD: usize = 32;

/// Returns possible names, the best one first.
pub(super) fn candidates(prefix: &str, segments: &[Segment<'_>]) -> impl Iterator<Item = String> {
    let words: Vec<String> = segments.iter().map(Segment::word).collect();
    let first = fitting(prefix, below_spec(&words));
    // Nearly all types get the first one.
    let others = std::iter::once_with(move || {
        let as_they_are: Vec<String> = segments.iter().map(|segment| camel_of(segment.property)).collect();
        // Where much must be left out, the first property also says where the type is.
        let with_first = match below_spec(&words) {
            short @ [first, below @ ..] if !below.is_empty() && !fits(prefix, short) => {
                Some(fitting(&format!("{prefix}{first}"), below))
            }
            _ => None,
        };
        let others = [fitting(prefix, below_spec(&as_they_are)), fitting(prefix, &words)];
        with_first.into_iter().chain(others)
    });
    std::iter::once(first).chain(others.flatten())
}

/// Returns the words without `spec`, which contains nearly all properties.
fn below_spec(words: &[String]) -> &[String] {
    match words {
        [spec, below @ ..] if spec == "Spec" && !below.is_empty() => below,
        all => all,
    }
}

/// Returns `true` if the prefix and all words together do not exceed the maximum length.
fn fits(prefix: &str, words: &[String]) -> bool {
    prefix.len() + words.iter().map(String::len).sum::<usize>() <= MAX_LENGTH
}

/// Returns the prefix and as many of the last words as fit, at least one.
fn fitting(prefix: &str, words: &[String]) -> String {
    if fits(prefix, words) {
        return format!("{prefix}{}", words.concat());
    }
    match words {
        // What is reported often has the types of what is wanted, with other fields.
        [status, below @ ..] if status == "Status" && !below.is_empty() => {
            shortened(&format!("{prefix}{status}"), below)
        }
        words => shortened(prefix, words),
    }
}

/// Returns the prefix and as many of the last words as fit, for words that together are too long.
fn shortened(prefix: &str, words: &[String]) -> String {
    let (mut length, mut from) = (prefix.len(), words.len());
    for (at, word) in words.iter().enumerate().rev() {
        length += word.len();
        if length > MAX_LENGTH && from < words.len() {
            break;
        }
        from = at;
    }
    let mut tail = words[from..].concat();
    if let [.., above, last] = words
        && from + 1 == words.len()
        && last.len() > LONG_WORD
    {
        // `requiredDuringSchedulingIgnoredDuringExecution` alone does not say which affinity it is about.
        let room = MAX_LENGTH.saturating_sub(prefix.len() + above.len());
        let is_end = |at: &usize| last[*at..].starts_with(|c: char| c.is_ascii_uppercase());
        if let Some(end) = (1..=room.min(last.len() - 1)).rev().find(is_end) {
            tail = format!("{above}{}", &last[..end]);
        }
    }
    let prefix_length = prefix.len().min(MAX_LENGTH.saturating_sub(tail.len()).max(MAX_LENGTH / 2));
    let mut name = prefix[..prefix_length].to_owned() + &tail;
    name.truncate(MAX_LENGTH);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(step: &str) -> Segment<'_> {
        Segment { property: step.trim_end_matches("[]"), is_item: step.ends_with("[]") }
    }

    fn check(kind: &str, place: &str, expected: &[&str]) {
        let segments: Vec<Segment<'_>> = place.split('.').map(segment).collect();
        let mut names: Vec<String> = candidates(kind, &segments).collect();
        names.dedup();
        assert_eq!(names, expected, "{place}");
    }

    #[test]
    fn a_place_has_several_names() {
        check(
            "Cache",
            "status.conditions[]",
            &["CacheStatusCondition", "CacheStatusConditions", "CacheStatusCondition"],
        );
        check("Cache", "spec", &["CacheSpec"]);
        check("Cache", "spec.store", &["CacheStore", "CacheSpecStore"]);
    }

    #[test]
    fn long_names_keep_what_tells_places_apart() {
        check(
            "ManagedCluster",
            "status.networkProfile.loadBalancerProfile.outboundIPs",
            &["ManagedClusterStatusLoadBalancerProfileOutboundIps"],
        );
        check(
            "Backup",
            "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[]",
            &[
                "BackupPodAffinityRequiredDuringSchedulingIgnored",
                "BackupAffinityPodAffinityRequiredDuringScheduling",
                "BackupPodAffinityRequiredDuringSchedulingIgnored",
            ],
        );
        check(
            "BackupSchedule",
            "spec.pod.affinity.nodeAffinity",
            &["BackupSchedulePodAffinityNodeAffinity", "BackupScheduleSpecPodAffinityNodeAffinity"],
        );
    }
}
