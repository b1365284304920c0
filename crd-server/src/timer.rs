//! Wakes watches at a set time. A single thread handles all alarms, so no async runtime is needed.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::task::Waker;
use std::time::Instant;

/// Above this number of alarms, the alarms of finished tasks are removed.
const FEW_TASKS: usize = 1_000;

/// The time at which a task is woken.
#[derive(Debug)]
pub(crate) struct Alarm {
    at: Instant,
    /// The task to wake, or `None` until a task waits for the alarm.
    task: Option<Arc<Mutex<Waker>>>,
}

/// An alarm that was set. The waiting task may have ended.
type SetAlarm = (Instant, Weak<Mutex<Waker>>);

impl Alarm {
    pub(crate) fn due_at(at: Instant) -> Self {
        Self { at, task: None }
    }

    /// Returns `true` if the alarm's time has come. Otherwise, the alarm later wakes the task at this time.
    pub(crate) fn is_over(&mut self, waker: &Waker) -> bool {
        if Instant::now() >= self.at {
            return true;
        }
        match &self.task {
            Some(task) => task.lock().unwrap_or_else(PoisonError::into_inner).clone_from(waker),
            None => {
                let task = Arc::new(Mutex::new(waker.clone()));
                // Without a thread the watch ends with its next event after the time.
                if let Some(timer) = timer() {
                    _ = timer.send((self.at, Arc::downgrade(&task)));
                }
                self.task = Some(task);
            }
        }
        false
    }
}

fn timer() -> Option<Sender<SetAlarm>> {
    static TIMER: OnceLock<Option<Sender<SetAlarm>>> = OnceLock::new();
    let start = || {
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new().name("crd-server timer".to_owned());
        thread.spawn(move || run(&receiver)).ok().map(|_| sender)
    };
    TIMER.get_or_init(start).clone()
}

/// Wakes each task when its alarm is due.
fn run(receiver: &Receiver<SetAlarm>) {
    let mut tasks = HashMap::<u64, Weak<Mutex<Waker>>>::new();
    let mut times = BinaryHeap::<Reverse<(Instant, u64)>>::new();
    let mut last = 0;
    let mut most_tasks = FEW_TASKS;
    loop {
        let next = times.peek().map(|Reverse((at, _))| at.saturating_duration_since(Instant::now()));
        let received = match next {
            Some(wait) => receiver.recv_timeout(wait),
            None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match received {
            Ok((at, task)) => {
                last += 1;
                tasks.insert(last, task);
                times.push(Reverse((at, last)));
                // Most watches end long before their time.
                if tasks.len() > most_tasks {
                    tasks.retain(|_, task| task.strong_count() > 0);
                    times.retain(|Reverse((_, id))| tasks.contains_key(id));
                    most_tasks = FEW_TASKS.max(2 * tasks.len());
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                let Some(Reverse((_, id))) = times.pop() else { continue };
                if let Some(task) = tasks.remove(&id).and_then(|task| task.upgrade()) {
                    task.lock().unwrap_or_else(PoisonError::into_inner).wake_by_ref();
                }
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
