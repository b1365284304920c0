//! Parallel work on items, with results in the order of the items, and work on a large stack.

use std::cell::Cell;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The stack of a thread in bytes. Values can be thousands of levels deep, and recursive functions parse and check them.
/// Only the used part of a stack takes memory.
const STACK: usize = 64 << 20;

thread_local! {
    /// `true` on a large stack.
    static HAS_LARGE_STACK: Cell<bool> = const { Cell::new(false) };
}

/// Calls `work` on a large stack. On this stack, [`in_parallel`] creates no thread for work that one thread can do.
///
/// ```
/// assert_eq!(crd_input::on_large_stack(|| crd_input::in_parallel(&[1], |number| number + 1)), [2]);
/// ```
#[cfg(feature = "large-stack")]
pub fn on_large_stack<R>(work: impl FnOnce() -> R) -> R {
    /// Restores the value of `HAS_LARGE_STACK`, also after a panic.
    struct Outer(bool);
    impl Drop for Outer {
        fn drop(&mut self) {
            HAS_LARGE_STACK.set(self.0);
        }
    }
    stacker::grow(STACK, || {
        let _outer = Outer(HAS_LARGE_STACK.replace(true));
        work()
    })
}

/// Calls `work` for every item on all cores, and returns the results in the order of the items. A panic in `work` is passed on.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    // The number of cores is read from several files.
    let threads = match items.len() {
        few @ 0..=1 => few,
        many => thread::available_parallelism().map_or(1, NonZero::get).min(many),
    };
    if threads <= 1 && HAS_LARGE_STACK.get() {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    thread::scope(|scope| {
        for _ in 0..threads {
            let run = || {
                while let Some((index, item)) = take(&next, items) {
                    let result = work(item);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
                }
            };
            // If a thread cannot be created, the thread of the caller does the work.
            if thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).is_err() {
                run();
            }
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

fn take<'i, T>(next: &AtomicUsize, items: &'i [T]) -> Option<(usize, &'i T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, items.get(index)?))
}
