//! Random sessions about objects of made definitions: each definition gets some sessions, one after the other.

use std::time::{Duration, Instant};

use crd_server::Config;
use crd_tests::server::Server;
use http::Method;
use serde_json::json;

use super::definition::Made;
use super::steps::{self, Request as Step, Target};
use super::{CRDS, ENOUGH, Random, ask_ours, ask_real, first_difference, number};

/// The sessions of one definition.
const SESSIONS: usize = 25;
/// The time after which the server answers at once: it lets requests with objects wait until a definition is two seconds old.
const SETTLED: Duration = Duration::from_millis(2_500);

/// Runs sessions until the time is over, prints differences at once, and returns the number of sessions, of requests, and of differences.
#[expect(clippy::print_stdout, reason = "a long run shows what it has found so far")]
pub(crate) async fn run(real: &Server, end: Instant) -> (usize, usize, usize) {
    let seed = number("CRD_SESSIONS_SEED", 1);
    let first = number("CRD_SESSIONS_FIRST", 0);
    let mut random = Random(seed);
    let mut found = (0, 0, 0);
    for at in 0.. {
        let made = Made::new(&mut random, &format!("s{}x{at}.example.com", std::process::id()), real.options);
        let sessions: Vec<Vec<Step>> = (0..SESSIONS).map(|_| steps::session(&mut random, &made)).collect();
        if at < first {
            continue;
        }
        if Instant::now() >= end || found.2 >= ENOUGH {
            break;
        }
        let both = Both::with(real, &made).await;
        for (session, steps) in sessions.into_iter().enumerate() {
            found.0 += 1;
            found.1 += steps.len();
            let Some(difference) = both.difference(&made, &steps, &format!("n{session}")).await else {
                continue;
            };
            let (steps, difference) = both.smallest(&made, steps, difference, session).await;
            found.2 += 1;
            let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
            println!(
                "seed {seed}, definition {at}, session {session}:\n{}\n{}\n{difference}",
                made.crd["spec"],
                steps.join("\n")
            );
        }
        both.remove(&made).await;
    }
    found
}

/// Both servers, with the same definition.
struct Both<'a> {
    real: &'a Server,
    ours: crd_server::Server,
}

impl<'a> Both<'a> {
    async fn with(real: &'a Server, made: &Made) -> Self {
        let mut config = Config::default();
        config.kube_version(real.options.kube_version);
        let ours = crd_server::Server::with(&config);
        ours.create(&made.crd).unwrap_or_else(|refused| panic!("{refused}\n{}", made.crd));
        let answer = real.post(CRDS, &made.crd).await;
        assert_eq!(answer["kind"], "CustomResourceDefinition", "{answer}\n{}", made.crd);
        for version in ["v1", "v2"] {
            Self::start_cache(real, made, version).await;
        }
        tokio::time::sleep(SETTLED).await;
        Self { real, ours }
    }

    /// Lists the objects of a version as soon as it is served. The first request to a version starts the cache for its watches, which
    /// refuses revisions from before.
    async fn start_cache(real: &Server, made: &Made, version: &str) {
        let group = made.crd["spec"]["group"].as_str().unwrap_or_default();
        let path = format!("/apis/{group}/{version}/shirts?resourceVersion=0");
        while real
            .send(Method::GET, &path, &json!({}))
            .await
            .is_none_or(|answer| answer.body["kind"] != "ShirtList")
        {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn remove(&self, made: &Made) {
        let path = format!("{CRDS}/{}", made.crd["metadata"]["name"].as_str().unwrap_or_default());
        self.real.send(Method::DELETE, &path, &json!({})).await;
    }

    /// Returns the place at which the answers to a session differ.
    async fn difference(&self, made: &Made, steps: &[Step], namespace: &str) -> Option<String> {
        let target = Target { made, namespace };
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for step in steps {
            let request = step.request(&target, &theirs);
            // Some inputs make the server panic.
            let Some(answer) = ask_real(self.real, request).await else { break };
            theirs.push(answer);
            let request = step.request(&target, &ours);
            ours.push(ask_ours(&self.ours, request));
        }
        first_difference(theirs, ours)
    }

    /// Leaves out steps while the session differs.
    async fn smallest(
        &self,
        made: &Made,
        mut steps: Vec<Step>,
        mut difference: String,
        session: usize,
    ) -> (Vec<Step>, String) {
        let mut namespaces = (0..).map(|number| format!("small{session}x{number}"));
        let mut at = 0;
        while at < steps.len() {
            let mut fewer = steps.clone();
            fewer.remove(at);
            let namespace = namespaces.next().unwrap_or_default();
            match self.difference(made, &fewer, &namespace).await {
                Some(found) => (steps, difference) = (fewer, found),
                None => at += 1,
            }
        }
        (steps, difference)
    }
}
