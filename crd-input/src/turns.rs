//! Calls a function in parallel, and delivers the results in the order of the items while other calls still run.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::in_parallel;

/// Maximum number of bytes of results that an item collects before it waits for its turn.
const MOST_HELD: usize = 256 << 10;
/// Maximum number of items that may end before their turn.
const MOST_DONE: usize = 64;

/// Calls `work` for every item on all cores, and `take` for every result. The results are passed in the order of the items, and the results
/// of one item in the order in which `work` gave them. Only the results of a few items are in memory at the same time.
pub fn in_turn<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T, &mut Turn<'_, R>) + Sync,
    take: &mut (dyn FnMut(R) + Send),
) {
    let turns = Turns {
        state: Mutex::new(TurnState { head: 0, done: BTreeMap::new(), take }),
        moved: Condvar::new(),
    };
    let next = AtomicUsize::new(0);
    in_parallel(items, |item| {
        // Items begin in their order, and this call can get any of them.
        let index = next.fetch_add(1, Ordering::Relaxed);
        let item = items.get(index).unwrap_or(item);
        let mut turn = Turn { turns: &turns, index, held: Vec::new(), weight: 0 };
        work(item, &mut turn);
    });
}

/// The turn of an item. It ends when this value is dropped.
pub struct Turn<'t, R> {
    turns: &'t Turns<'t, R>,
    index: usize,
    held: Vec<R>,
    weight: usize,
}

struct Turns<'t, R> {
    state: Mutex<TurnState<'t, R>>,
    moved: Condvar,
}

struct TurnState<'t, R> {
    /// The item that has its turn.
    head: usize,
    /// The results of items that ended before their turn.
    done: BTreeMap<usize, Vec<R>>,
    take: &'t mut (dyn FnMut(R) + Send),
}

impl<R> Turn<'_, R> {
    /// Passes on a result that takes about `weight` bytes of memory.
    pub fn give(&mut self, result: R, weight: usize) {
        self.held.push(result);
        self.weight += weight + size_of::<R>();
        let mut state = self.turns.lock();
        if self.weight > MOST_HELD {
            while state.head != self.index {
                state = self.turns.wait(state);
            }
        }
        if state.head == self.index {
            self.held.drain(..).for_each(&mut *state.take);
            self.weight = 0;
        }
    }
}

impl<R> Turn<'_, R> {
    /// Waits until the turns of all earlier items have ended. If every call of `work` waits in this way, the items are
    /// processed one after the other from there on.
    pub fn wait(&self) {
        let mut state = self.turns.lock();
        while state.head != self.index {
            state = self.turns.wait(state);
        }
    }
}

impl<R> Drop for Turn<'_, R> {
    fn drop(&mut self) {
        let mut state = self.turns.lock();
        while state.head != self.index && state.done.len() >= MOST_DONE {
            state = self.turns.wait(state);
        }
        state.done.insert(self.index, std::mem::take(&mut self.held));
        loop {
            let head = state.head;
            let Some(results) = state.done.remove(&head) else { break };
            results.into_iter().for_each(&mut *state.take);
            state.head += 1;
        }
        self.turns.moved.notify_all();
    }
}

impl<'t, R> Turns<'t, R> {
    fn lock(&self) -> MutexGuard<'_, TurnState<'t, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, state: MutexGuard<'g, TurnState<'t, R>>) -> MutexGuard<'g, TurnState<'t, R>> {
        self.moved.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..500).collect();
        let mut taken = Vec::new();
        in_turn(
            &items,
            |item, turn| {
                for part in 0..5 {
                    // Some items collect more than they can hold before their turn.
                    turn.give((*item, part), if item % 7 == 0 { MOST_HELD } else { 1 });
                }
            },
            &mut |result| taken.push(result),
        );
        let expected: Vec<_> = (0..500).flat_map(|item| (0..5).map(move |part| (item, part))).collect();
        assert_eq!(taken, expected);
    }
}
