//! The memory that the values of a source may take, estimated while they are read.

use super::error::Fault;
use super::limits::Limits;

/// The largest request that the API server reads.
pub(crate) const REQUEST: usize = 3 << 20;
/// The bytes of memory for a byte of a source whose values are kept, or which is not larger than a request, so that one of
/// any size is read if a smaller one as dense is: real objects take 10 to 17, a list of small numbers takes 36, one of maps
/// with one entry each about 50.
const FULL: usize = 8;
/// The same for a larger source whose documents are forgotten one after another. The API server reads none that is larger
/// than a request, and the results of the document stand beside its values.
const FORGOTTEN: usize = 4;
/// The bytes of memory for a source, whatever its size. With the above it is room for 36 bytes for each byte of the
/// largest object that etcd stores by default, 1.5 MiB.
const BASE: usize = 48 << 20;
/// The bytes of memory for a source whose values are kept, however small it is: what its aliases may unfold to.
const LEAST: usize = 96 << 20;

/// The sources that may be read together before each may unfold less than it could alone.
const FULL_SHARES: usize = 10;

/// The size of a value in a list or a map.
pub(super) const VALUE: usize = size_of::<serde_json::Value>();
/// The size of an entry of a map without its value: key, hash, and place in the table, with the room that a growing map
/// has to spare.
pub(super) const ENTRY: usize = 110;
/// The size of a text beside its bytes.
pub(super) const TEXT: usize = 24;
/// The size of a list or map with something in it, beside its content.
pub(super) const CONTAINER: usize = 48;
/// The size of an event that is kept for an alias.
pub(super) const EVENT: usize = 64;

/// What is left of the memory.
#[derive(Clone, Debug)]
pub(super) struct Room {
    most: usize,
    left: usize,
    /// What the aliases of the source may still unfold to.
    aliases: usize,
    /// What the aliases of all documents may unfold to.
    most_aliases: usize,
    /// What was read stays.
    keeps: bool,
}

impl Room {
    /// The room for the values of a source of so many bytes: for all of them where they are kept, otherwise for those of
    /// a document. What aliases may unfold to is shared by the sources that are read together.
    pub(super) fn of(bytes: usize, together: usize, limits: &Limits, keeps: bool) -> Self {
        let most = BASE + bytes * if keeps || bytes <= REQUEST { FULL } else { FORGOTTEN };
        // Aliases may make much of little.
        let most = if keeps && bytes <= REQUEST { most.max(LEAST) } else { most };
        let share = limits.alias_nodes.saturating_mul(FULL_SHARES) / together.max(1) + bytes / 2;
        let most_aliases = limits.alias_nodes.min(share).saturating_add(bytes / 64);
        Self { most, left: most, aliases: most_aliases, most_aliases, keeps }
    }

    /// Takes so many bytes.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), Fault> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(too_many(self.most)),
        }
    }

    /// The same for readers with errors of their own.
    pub(super) fn has_taken(&mut self, bytes: usize) -> bool {
        self.take(bytes).is_ok()
    }

    /// What was read is gone again.
    pub(super) fn empty(&mut self) {
        self.empty_but(0);
    }

    /// The same but for so many bytes.
    pub(super) fn empty_but(&mut self, bytes: usize) {
        if !self.keeps {
            self.left = self.most.saturating_sub(bytes);
        }
    }

    /// Takes so many values that aliases unfold to. Other than memory, the time for them does not come back.
    pub(super) fn unfold(&mut self, values: usize) -> Result<(), Fault> {
        match self.aliases.checked_sub(values) {
            Some(left) => {
                self.aliases = left;
                Ok(())
            }
            None => Err(Fault::new(format!(
                "the aliases of the documents before it and of this one unfold to more than {} values",
                self.most_aliases
            ))
            .help("write the values out, or split the file")),
        }
    }

    /// The message of a document that is too dense.
    pub(super) fn excess(&self) -> String {
        too_many(self.most).message
    }
}

pub(super) const HELP: &str = "split the document, or the file";

fn too_many(most: usize) -> Fault {
    Fault::new(format!(
        "the document holds too many values for the size of its file: they would take more than {} MiB of memory",
        most.div_ceil(1 << 20)
    ))
    .help(HELP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_source_has_more_room() {
        let grows = |sizes: std::ops::Range<usize>, keeps| {
            let room = |bytes| Room::of(bytes, 1, &Limits::default(), keeps).most;
            let sizes: Vec<usize> = sizes.map(|n| n << 17).collect();
            sizes.windows(2).all(|pair| room(pair[0]) <= room(pair[1]))
        };
        // A request has the room of a larger source: the API server answers to it.
        let request = REQUEST >> 17;
        for keeps in [true, false] {
            assert!(grows(0..request + 1, keeps) && grows(request + 1..100, keeps));
        }
    }

    #[test]
    fn sources_share_what_aliases_may_unfold_to() {
        let limits = Limits::default();
        let values = |together| Room::of(2_000, together, &limits, false).aliases;
        assert_eq!(values(1), values(FULL_SHARES));
        assert!(values(3_000) < 3_000);
    }
}
