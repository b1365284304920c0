//! Limits the memory that the request bodies of all connections take.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::status::Failure;

/// Maximum number of counted bytes in memory for all request bodies together.
const MOST: usize = 24 << 20;
/// Number of uncounted bytes at the start of each body. Small bodies are therefore still handled when large bodies use all memory.
const FREE: usize = 16 << 10;

/// The memory that all request bodies of a server take.
#[derive(Clone, Default)]
pub(super) struct BodyMemory(Arc<AtomicUsize>);

/// The memory that one request body takes. Dropping this value releases the memory.
pub(super) struct BodyShare {
    all: BodyMemory,
    length: usize,
    counted: usize,
}

impl BodyMemory {
    /// Returns the share for a body of which nothing has been read yet.
    pub(super) fn share(&self) -> BodyShare {
        BodyShare { all: self.clone(), length: 0, counted: 0 }
    }
}

impl BodyShare {
    /// Reserves memory for more bytes of the body.
    ///
    /// # Errors
    /// Other request bodies take too much memory. The client can send the request again later.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), Failure> {
        let length = self.length + bytes;
        let wanted = length.saturating_sub(FREE) - self.counted;
        let counted = |used: usize| Some(used + wanted).filter(|used| *used <= MOST);
        match self.all.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, counted) {
            Ok(_) => {
                self.length = length;
                self.counted += wanted;
                Ok(())
            }
            Err(_) => {
                let message = "Too many requests, please try again later.";
                Err(Failure::new(429, "TooManyRequests", message).with_retry_after(1))
            }
        }
    }
}

impl Drop for BodyShare {
    fn drop(&mut self) {
        self.all.0.fetch_sub(self.counted, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_share_their_memory() {
        let memory = BodyMemory::default();
        let (mut first, mut second) = (memory.share(), memory.share());
        assert!(first.take(MOST).is_ok());
        assert!(second.take(FREE).is_ok());
        assert_eq!(second.take(MOST).unwrap_err().code, 429);
        drop(first);
        assert!(second.take(1).is_ok());
        drop(second);
        assert_eq!(memory.0.load(Ordering::SeqCst), 0);
    }
}
