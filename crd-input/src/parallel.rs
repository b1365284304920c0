//! Parallel work on items, with results in the order of the items.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The stack of a thread in bytes. Values can be thousands of levels deep, and recursive functions read and check them. Only
/// the used part of a stack takes memory.
const STACK: usize = 64 << 20;

/// Calls `work` for every item on all cores, and returns the results in the order of the items. A panic in `work` is passed on.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(items.len());
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    thread::scope(|scope| {
        for _ in 0..threads {
            let run = || {
                while let Some((index, item)) = take(&next, items) {
                    let result = work(item);
                    done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, result));
                }
            };
            // If a thread cannot be created, the thread of the caller does the work.
            if thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).is_err() {
                run();
            }
        }
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

fn take<'i, T>(next: &AtomicUsize, items: &'i [T]) -> Option<(usize, &'i T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, items.get(index)?))
}
