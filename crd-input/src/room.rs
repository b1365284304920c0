//! Limits the memory for the values in a source. The memory is estimated while the values are read.

use super::error::Fault;
use super::limits::Limits;

/// Maximum size in bytes of a request that the API server reads.
pub(crate) const REQUEST: usize = 3 << 20;
/// The bytes of memory for each byte of a source whose values are kept, or of a source up to the size of a request. The limit grows with
/// the source's size, so a larger source with the same density can be read, too. Real objects need 10 to 17 bytes for each byte, a list
/// of small numbers 36, and a list of maps with one entry about 50.
const FULL: usize = 8;
/// The bytes of memory for each byte of a larger source whose documents are dropped one by one. The API server reads no document that is
/// larger than a request, and a document's results also need memory.
const FORGOTTEN: usize = 4;
/// The bytes of memory for every source, independent of its size. Together with [`FULL`], this suffices for 36 bytes for each byte of the
/// largest object that etcd stores by default, 1.5 MiB.
const BASE: usize = 48 << 20;
/// Minimum number of bytes of memory for a source whose values are kept, so that its aliases can be expanded.
const LEAST: usize = 96 << 20;

/// Maximum number of sources for which the alias limit is not divided among the sources.
const FULL_SHARES: usize = 10;

/// The bytes of a value in a list or a map.
pub(super) const VALUE: usize = size_of::<serde_json::Value>();
/// The bytes of a map entry without its value: the key, the hash and the slot in the table, including the spare capacity of a growing map.
pub(super) const ENTRY: usize = 110;
/// The bytes of a string in addition to its text.
pub(super) const TEXT: usize = 24;
/// The bytes of a list or map that is not empty, in addition to its content.
pub(super) const CONTAINER: usize = 48;
/// The size in bytes of an event that is kept for aliases.
pub(super) const EVENT: usize = 64;

/// The remaining memory.
#[derive(Clone, Debug)]
pub(super) struct Room {
    most: usize,
    left: usize,
    /// The remaining number of values from expanded aliases in the source.
    aliases: usize,
    /// Maximum number of values from expanded aliases in all documents.
    most_aliases: usize,
    /// `true` if values are kept after they are passed on.
    keeps: bool,
}

impl Room {
    /// Returns the memory for a source of this many bytes. If values are kept, the memory is for all of them, and otherwise for the
    /// values of one document. Sources that are read together share the limit for aliases.
    pub(super) fn for_source(bytes: usize, together: usize, limits: &Limits, keeps: bool) -> Self {
        let most = BASE + bytes * if keeps || bytes <= REQUEST { FULL } else { FORGOTTEN };
        // Aliases can turn a small text into many values.
        let most = if keeps && bytes <= REQUEST { most.max(LEAST) } else { most };
        let share = limits.alias_nodes.saturating_mul(FULL_SHARES) / together.max(1) + bytes / 2;
        let most_aliases = limits.alias_nodes.min(share).saturating_add(bytes / 64);
        Self { most, left: most, aliases: most_aliases, most_aliases, keeps }
    }

    /// Reserves memory for this many bytes.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), Fault> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(too_many(self.most)),
        }
    }

    /// Reserves memory as `take` does, and returns `false` instead of an error if there is too little memory.
    pub(super) fn has_taken(&mut self, bytes: usize) -> bool {
        self.take(bytes).is_ok()
    }

    /// Releases the memory of values that were dropped.
    pub(super) fn empty(&mut self) {
        self.empty_but(0);
    }

    /// Releases all but this many bytes.
    pub(super) fn empty_but(&mut self, bytes: usize) {
        if !self.keeps {
            self.left = self.most.saturating_sub(bytes);
        }
    }

    /// Counts values from expanded aliases. Unlike the memory, this count is never reduced.
    pub(super) fn unfold(&mut self, values: usize) -> Result<(), Fault> {
        match self.aliases.checked_sub(values) {
            Some(left) => {
                self.aliases = left;
                Ok(())
            }
            None => Err(Fault::new(format!(
                "the aliases of this document and of the documents before it expand to more than {} values",
                self.most_aliases
            ))
            .help("write the values without aliases, or split the file")),
        }
    }

    /// Returns the error for a document whose values need too much memory for its size.
    pub(super) fn excess(&self) -> Fault {
        too_many(self.most)
    }
}

fn too_many(most: usize) -> Fault {
    Fault::new(format!(
        "the document holds too many values for the size of its file: they would take more than {} MiB of memory",
        most.div_ceil(1 << 20)
    ))
    .help("split the document, or the file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_source_has_more_room() {
        let grows = |sizes: std::ops::Range<usize>, keeps| {
            let room = |bytes| Room::for_source(bytes, 1, &Limits::default(), keeps).most;
            let sizes: Vec<usize> = sizes.map(|n| n << 17).collect();
            sizes.windows(2).all(|pair| room(pair[0]) <= room(pair[1]))
        };
        // A text of the size of a request has the memory of a larger source, because the API server answers such a request.
        let request = REQUEST >> 17;
        for keeps in [true, false] {
            assert!(grows(0..request + 1, keeps) && grows(request + 1..100, keeps));
        }
    }

    #[test]
    fn sources_share_what_aliases_may_unfold_to() {
        let limits = Limits::default();
        let values = |together| Room::for_source(2_000, together, &limits, false).aliases;
        assert_eq!(values(1), values(FULL_SHARES));
        assert!(values(3_000) < 3_000);
    }
}
