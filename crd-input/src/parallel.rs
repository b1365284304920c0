//! Calls functions in parallel, with results in the order of the items, and on a large stack.

use std::cell::Cell;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A thread's stack size in bytes. Recursive functions parse and check values that can be thousands of levels deep. Only the used
/// part of a stack takes memory.
const STACK: usize = 64 << 20;

/// The time after which a thread with a large stack creates other threads for the remaining items.
const ALONE: Duration = Duration::from_millis(50);

thread_local! {
    /// `true` on a large stack.
    static HAS_LARGE_STACK: Cell<bool> = const { Cell::new(false) };
}

/// Calls `work` on a large stack. There, [`in_parallel`] creates no threads if one thread finishes all items in a short time.
///
/// ```
/// assert_eq!(crd_input::on_large_stack(|| crd_input::in_parallel(&[1], |number| number + 1)), [2]);
/// ```
#[cfg(feature = "large-stack")]
pub fn on_large_stack<R>(work: impl FnOnce() -> R) -> R {
    /// Restores the value of `HAS_LARGE_STACK`, even after a panic.
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
    // Most work is so short that threads would cost more time than they save.
    let mut first = Vec::new();
    let has_large_stack = HAS_LARGE_STACK.get();
    if has_large_stack {
        let start = Instant::now();
        let is_alone = || threads <= 1 || start.elapsed() < ALONE;
        first.extend(items.iter().take_while(|_| is_alone()).map(&work));
    }
    if first.len() == items.len() {
        return first;
    }
    let next = AtomicUsize::new(first.len());
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let run = || {
        while let Some((index, item)) = take(&next, items) {
            let result = work(item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    thread::scope(|scope| {
        // The caller's thread does its share if its stack is large enough: its memory grows in larger steps than memory of other threads.
        for _ in usize::from(has_large_stack)..threads {
            // If a thread cannot be created, the caller's thread does the work.
            if thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).is_err() {
                run();
            }
        }
        if has_large_stack {
            run();
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _)| *index);
    first.extend(done.into_iter().map(|(_, result)| result));
    first
}

fn take<'i, T>(next: &AtomicUsize, items: &'i [T]) -> Option<(usize, &'i T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, items.get(index)?))
}

#[cfg(all(test, feature = "large-stack"))]
mod tests {
    use super::*;

    #[test]
    fn a_large_stack_creates_threads_only_for_long_work() {
        let caller = thread::current().id();
        let items: Vec<u64> = (0..8).collect();
        let run = |pause: Duration| {
            let work = |item: &u64| {
                thread::sleep(pause);
                (*item, thread::current().id() == caller)
            };
            let done = on_large_stack(|| in_parallel(&items, work));
            assert!(done.iter().map(|(item, _)| item).eq(&items));
            done.into_iter().filter(|(_, is_of_caller)| *is_of_caller).count()
        };
        assert_ne!(run(Duration::ZERO), 0);
        let of_caller = run(ALONE);
        let has_threads = thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
        assert_eq!(of_caller < items.len(), has_threads, "{of_caller}");
        assert_ne!(of_caller, 0);
    }
}
