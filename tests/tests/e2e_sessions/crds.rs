//! Random sessions about CRDs themselves, each in a group of its own. After each step, the controllers of the real server settle.

use std::time::{Duration, Instant};

use crd_server::Config;
use crd_tests::server::Server;
use futures::StreamExt;
use serde_json::Value;

use super::crd_steps::{self, Step, Target};
use super::{ENOUGH, Random, ask_ours, ask_real, first_difference, number};

/// The sessions that run at the same time, because most of their time is waiting for controllers.
const AT_ONCE: usize = 12;
/// The time within which the controllers have done their work. A deletion looks every five seconds for objects that are left.
const SETTLED: Duration = Duration::from_secs(60);
/// The time between two looks at the state of the real server.
const A_MOMENT: Duration = Duration::from_millis(40);

/// Runs sessions until the time is over, prints differences at once, and returns their number, the number of requests, and the differences.
#[expect(clippy::print_stdout, reason = "a long run shows what it has found so far")]
pub(crate) async fn run(real: &Server, end: Instant) -> (usize, usize, Vec<String>) {
    let seed = number("CRD_SESSIONS_SEED", 1);
    let mut found = (0, 0, Vec::new());
    let seeds = (seed..).take_while(|_| Instant::now() < end);
    let mut sessions = futures::stream::iter(seeds).map(|seed| session(real, seed)).buffer_unordered(AT_ONCE);
    while let Some((requests, difference)) = sessions.next().await {
        found.0 += 1;
        found.1 += requests;
        if let Some(difference) = &difference {
            println!("{difference}");
        }
        found.2.extend(difference);
        if found.2.len() >= ENOUGH {
            break;
        }
    }
    found
}

/// Runs the session of a seed, and returns the number of its requests, and how the answers differ.
async fn session(real: &Server, seed: u64) -> (usize, Option<String>) {
    // Neighboring seeds would give sequences that are the same but for their beginning.
    let mut random = Random(Random(seed).next());
    let steps = crd_steps::session(&mut random);
    let group = format!("c{seed}x{}.example.com", std::process::id());
    let Some(difference) = difference(real, &steps, &group).await else { return (steps.len(), None) };
    let count = steps.len();
    let (steps, difference) = smallest(real, steps, difference, &group).await;
    let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
    (count, Some(format!("seed {seed}:\n{}\n{difference}", steps.join("\n"))))
}

/// Returns the first difference between the answers to a session.
async fn difference(real: &Server, steps: &[Step], group: &str) -> Option<String> {
    let mut config = Config::default();
    config.kube_version(real.options.kube_version);
    let ours = crd_server::Server::with(&config);
    let target = Target { group };
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    for step in steps {
        // Some inputs make the server panic.
        let Some(answer) = ask_real(real, step.request(&target, &expected)).await else { break };
        expected.push(answer);
        found.push(ask_ours(&ours, step.request(&target, &found)));
        if let Err(difference) = settle(real, &ours, group, &mut expected, &mut found).await {
            remove(real, group).await;
            return difference;
        }
    }
    remove(real, group).await;
    first_difference(expected, found)
}

/// Adds the state after a step to the answers, when that of the real server is ours.
///
/// # Errors
/// - The state does not become ours, or an answer was different.
/// - Without a difference: the real server has stopped, or has failed to delete objects and tries again ever more rarely.
async fn settle(
    real: &Server,
    ours: &crd_server::Server,
    group: &str,
    expected: &mut Vec<Value>,
    found: &mut Vec<Value>,
) -> Result<(), Option<String>> {
    let end = Instant::now() + SETTLED;
    let wanted: Vec<Value> =
        crd_steps::state(group).into_iter().map(|request| ask_ours(ours, request)).collect();
    loop {
        let mut state = Vec::new();
        for request in crd_steps::state(group) {
            state.push(ask_real(real, request).await.ok_or(None)?);
        }
        let difference = first_difference(state.clone(), wanted.clone());
        if difference.is_some() && Instant::now() < end {
            tokio::time::sleep(A_MOMENT).await;
            continue;
        }
        if difference.is_some() && state.iter().any(has_failed) {
            return Err(None);
        }
        // The difference of an answer explains that of the state.
        let earlier = first_difference(expected.clone(), found.clone());
        expected.extend(state);
        found.extend(wanted);
        return earlier.or(difference).map_or(Ok(()), |difference| Err(Some(difference)));
    }
}

/// Returns `true` if the real server has failed to delete the objects of a CRD: under load, it cannot list them at times.
fn has_failed(answer: &Value) -> bool {
    let conditions = answer.pointer("/body/status/conditions").and_then(Value::as_array);
    conditions.into_iter().flatten().any(|condition| condition["reason"] == "InstanceDeletionFailed")
}

async fn remove(real: &Server, group: &str) {
    for request in crd_steps::removal(group) {
        ask_real(real, request).await;
    }
}

/// Leaves out steps while the session differs.
async fn smallest(
    real: &Server,
    mut steps: Vec<Step>,
    mut found: String,
    group: &str,
) -> (Vec<Step>, String) {
    let mut at = 0;
    let mut number = 0;
    while at < steps.len() {
        let mut fewer = steps.clone();
        fewer.remove(at);
        number += 1;
        match difference(real, &fewer, &format!("s{number}{group}")).await {
            Some(smaller) => (steps, found) = (fewer, smaller),
            None => at += 1,
        }
    }
    (steps, found)
}
