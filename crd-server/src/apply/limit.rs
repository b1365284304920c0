//! Limits the number of `managedFields` entries that record updates: the oldest entries are merged if there are too many.
//!
//! Source: `internal/capmanagers.go` of `k8s.io/apimachinery/pkg/util/managedfields`.

use super::entry::Entry;

/// Maximum number of entries with the operation `Update`.
const MOST_UPDATERS: usize = 10;

/// The manager name in merged entries.
const ANCIENT: &str = "ancient-changes";

/// Merges the oldest `Update` entries if there are more than the maximum. Only entries with the same API version are merged with each
/// other.
pub(super) fn limited(mut entries: Vec<Entry>) -> Vec<Entry> {
    let mut updaters: Vec<Entry> = entries.iter().filter(|entry| !entry.is_apply).cloned().collect();
    let mut count = updaters.len();
    updaters.sort_by_key(|entry| (entry.time.clone(), entry.sort_key()));
    let mut oldest: Vec<Entry> = Vec::new();
    for entry in updaters {
        if count <= MOST_UPDATERS {
            break;
        }
        let Some(first) = oldest.iter().find(|first| first.api_version == entry.api_version) else {
            oldest.push(entry);
            continue;
        };
        let bucket = Entry { manager: ANCIENT.to_owned(), subresource: String::new(), ..first.clone() };
        let at = match entries.iter().position(|found| found.is_same_manager(&bucket)) {
            Some(at) => at,
            None => {
                entries.retain(|found| !found.is_same_manager(first));
                entries.push(bucket);
                entries.len() - 1
            }
        };
        entries[at].set = entry.set.union(&entries[at].set);
        entries[at].time = entry.time.clone();
        entries.retain(|found| !found.is_same_manager(&entry));
        count -= 1;
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::super::set::Set;
    use super::*;

    fn entry(manager: &str, time: u32, field: &str) -> Entry {
        Entry {
            manager: manager.to_owned(),
            is_apply: false,
            api_version: "e.io/v1".to_owned(),
            subresource: String::new(),
            time: Some(format!("2026-01-01T00:00:{time:02}Z")),
            set: Set::from_fields(&[field]),
        }
    }

    #[test]
    fn the_oldest_entries_are_merged() {
        let entries =
            |count: u32| (0..count).map(|i| entry(&format!("m{i:02}"), i, &format!("f{i:02}"))).collect();
        let names = |count| {
            let limited = limited(entries(count));
            limited
                .iter()
                .map(|entry| format!("{} {}", entry.manager, entry.set.paths().concat()))
                .collect::<Vec<_>>()
        };
        assert_eq!(names(10).len(), 10);
        assert_eq!(names(10)[0], "m00 .f00");
        assert_eq!(names(12).len(), 10);
        assert_eq!(names(12)[0], "m03 .f03");
        assert_eq!(names(12)[9], "ancient-changes .f00.f01.f02");
    }
}
