//! Runs the operator against the cluster of the current kubeconfig, or of the Pod that it runs in.

// ANCHOR: main
use example_operator::controller;

#[tokio::main]
async fn main() -> Result<(), kube::Error> {
    controller::run(kube::Client::try_default().await?).await;
    Ok(())
}
// ANCHOR_END: main
