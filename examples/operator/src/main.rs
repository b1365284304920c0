//! Runs the operator against the cluster of the current kubeconfig, or of the Pod that it runs in.

// ANCHOR: main
use std::env;
use std::time::Duration;

use example_operator::leader::Candidate;
use example_operator::{Operator, controller};
use kube::{Api, Client};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::try_default().await?;
    controller::check(client.clone()).await?;
    let directory = "website-directory".to_owned();
    let candidate = Candidate {
        leases: Api::namespaced(client.clone(), &directory),
        // The name of the Pod.
        name: env::var("HOSTNAME").unwrap_or_else(|_| format!("process-{}", std::process::id())),
        term: Duration::from_secs(15),
    };
    let operator = Operator { client, directory, watched: env::var("WATCH_NAMESPACE").ok() };
    candidate.lead(controller::run(operator)).await?.ok_or("another replica is the leader")?;
    Ok(())
}
// ANCHOR_END: main
