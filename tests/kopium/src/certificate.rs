//! A certificate, built with the builders that kopium's option `--builders` derives.

// ANCHOR: build
use crate::certificate_types::{
    Certificate, CertificateIssuerRef, CertificateIssuerRefKind, CertificatePrivateKey,
    CertificatePrivateKeyAlgorithm, CertificateSpec,
};

/// Returns a certificate for a web server, with an elliptic key.
pub fn web_certificate(host: &str) -> Certificate {
    let issuer = CertificateIssuerRef::builder()
        .name("example-ca".to_owned())
        .kind(CertificateIssuerRefKind::ClusterIssuer)
        .build();
    let key =
        CertificatePrivateKey::builder().algorithm(CertificatePrivateKeyAlgorithm::Ecdsa).size(256).build();
    let spec = CertificateSpec::builder()
        .secret_name(format!("{host}-tls"))
        .issuer_ref(issuer)
        .dns_names(vec![host.to_owned()])
        .private_key(key)
        .usages(vec!["digital signature".to_owned(), "server auth".to_owned()])
        .build();
    let mut certificate = Certificate::new(host, spec);
    certificate.metadata.namespace = Some("web".to_owned());
    certificate
}
// ANCHOR_END: build

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
