//! Generated clients of public definitions against a real API server: all requests that each definition allows, and the server's
//! answers to valid and invalid objects, compared with those of `crd_core::admit`.
//!
//! The definitions and their objects are not part of the project; they are read from the corpus next to it.
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
    let Some(server) = crd_tests::server::Server::start_with_all_features().await else { return };
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
