//! With the feature `e2e`: definitions of real projects, which lie next to the workspace -> typed clients. Where they are
//! absent there is no `cfg(corpus)`, and the tests say that they are skipped.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(corpus)");
    #[cfg(feature = "e2e")]
    clients()?;
    Ok(())
}

#[cfg(feature = "e2e")]
fn clients() -> Result<(), Box<dyn std::error::Error>> {
    /// One of each maker; between them they have status, scale, selectable fields, rules, both scopes and several versions.
    const DEFINITIONS: [&str; 6] = [
        "external-secrets__external-secrets/externalsecrets.external-secrets.io.yaml",
        "kubernetes-csi__external-snapshotter/volumesnapshots.snapshot.storage.k8s.io.yaml",
        "kubernetes-sigs__karpenter/nodepools.karpenter.sh.yaml",
        "restatedev__restate-operator/restatedeployments.restate.dev.yaml",
        "strimzi__strimzi-kafka-operator/kafkabridges.kafka.strimzi.io.yaml",
        "traefik__traefik/serverstransports.traefik.io.yaml",
    ];
    let folder = std::path::Path::new("../../../shared/corpus/crds");
    if !folder.is_dir() {
        println!("cargo::rerun-if-changed={}", folder.display());
        return Ok(());
    }
    println!("cargo::rustc-cfg=corpus");
    let mut config = crd_codegen::Config::new();
    config.client(true).apply(true).docs(false);
    crd_codegen::build_script(&DEFINITIONS.map(|file| folder.join(file)), "corpus.rs", &config)?;
    Ok(())
}
