//! Generated clients of real definitions against a real API server: everything that each definition allows, and what the
//! server answers to right and wrong objects against what `crd_core::admit` says that it will.
//!
//! The definitions and their objects belong to others and lie beside the workspace.
#![cfg_attr(corpus, expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking"))]
#![deny(warnings)]

#[cfg(corpus)]
mod answers;
#[cfg(corpus)]
mod kinds;
#[cfg(corpus)]
mod steps;

#[cfg(corpus)]
#[tokio::test]
async fn clients_of_real_definitions() {
    let Some(server) = crd_tests::server::Server::start().await else { return };
    kinds::external_secrets(&server).await;
    kinds::volume_snapshots(&server).await;
    kinds::node_pools(&server).await;
    kinds::restate_deployments(&server).await;
    kinds::kafka_bridges(&server).await;
    kinds::servers_transports(&server).await;
}

#[cfg(not(corpus))]
#[test]
fn clients_of_real_definitions() {
    assert!(
        crd_tests::shared("corpus/crds").is_none(),
        "the corpus came after the build: touch tests/clients/build.rs"
    );
}
