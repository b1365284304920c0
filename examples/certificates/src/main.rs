//! Builds a certificate with constructors and setters, and prints it for `kubectl apply -f -`.
//!
//! This command generated `src/api`:
//!
//! ```console
//! crdkit generate crds --out src/api --constructors --setters
//! ```

// Generated code has its own formatting.
#[rustfmt::skip]
mod api;

// ANCHOR: build
use api::certs_example_org::v1::Certificate;
use api::certs_example_org::v1::certificate::{
    CertificateIssuerRef, CertificateIssuerRefKind, CertificatePrivateKey, CertificatePrivateKeyAlgorithm,
    CertificateSpec, CertificateUsage,
};

/// Returns a certificate for a web server, with an elliptic key.
fn web_certificate(host: &str) -> Certificate {
    let issuer = CertificateIssuerRef::new("example-ca").with_kind(CertificateIssuerRefKind::ClusterIssuer);
    let key =
        CertificatePrivateKey::new().with_algorithm(CertificatePrivateKeyAlgorithm::Ecdsa).with_size(256);
    let spec = CertificateSpec::new(format!("{host}-tls"), issuer, [host])
        .with_private_key(key)
        .with_usages([CertificateUsage::DigitalSignature, CertificateUsage::ServerAuth]);
    Certificate::new(host, spec).with_namespace("web")
}
// ANCHOR_END: build

fn main() -> Result<(), serde_json::Error> {
    println!("{}", serde_json::to_string_pretty(&web_certificate("www.example.org"))?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_web_certificate_is_for_its_host() {
        let expected = json!({
            "apiVersion": "certs.example.org/v1",
            "kind": "Certificate",
            "metadata": {"name": "www.example.org", "namespace": "web"},
            "spec": {
                "secretName": "www.example.org-tls",
                "issuerRef": {"name": "example-ca", "kind": "ClusterIssuer"},
                "dnsNames": ["www.example.org"],
                "privateKey": {"algorithm": "ECDSA", "size": 256},
                "usages": ["digital signature", "server auth"],
            },
        });
        assert_eq!(serde_json::to_value(web_certificate("www.example.org")).unwrap(), expected);
    }
}
