//! Runs the operator against the cluster of the current kubeconfig, or of the Pod that it runs in.

// ANCHOR: main
use example_operator::controller;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = kube::Client::try_default().await?;
    controller::check(client.clone()).await?;
    controller::run(client).await;
    Ok(())
}
// ANCHOR_END: main
