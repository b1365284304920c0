//! The server with TLS: the kubeconfig contains the authority by which a client checks the certificate.
#![cfg(feature = "tls")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use crd_server::{Config, Server};
use serde_json::Value;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, Stream};

/// Returns the answer to a request for the version under a host name, or the error of TLS.
fn version(kubeconfig: &Value, port: u16, host: &str) -> Result<String, String> {
    let authority = kubeconfig["clusters"][0]["cluster"]["certificate-authority-data"].as_str().unwrap();
    let authority = CertificateDer::from_pem_slice(&crd_go::base64::decode_std(authority).unwrap()).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(authority).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).unwrap();
    let mut connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let mut stream = Stream::new(&mut connection, &mut socket);
    let request = format!("GET /version HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(|error| error.to_string())?;
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut buffer) {
        answer.extend_from_slice(&buffer[..read]);
    }
    Ok(String::from_utf8(answer).unwrap())
}

#[test]
fn clients_check_the_certificate_by_the_kubeconfig() {
    let mut config = Config::default();
    config.allow_host("kube.test");
    let listening = Server::with(&config).listen_tls("127.0.0.1:0").unwrap();
    let kubeconfig: Value = serde_yaml::from_str(&listening.kubeconfig()).unwrap();
    let port = listening.address().port();
    assert_eq!(kubeconfig["clusters"][0]["cluster"]["server"], format!("https://127.0.0.1:{port}"));
    assert_eq!(kubeconfig["clusters"][0]["cluster"].get("insecure-skip-tls-verify"), None);
    for host in ["127.0.0.1", "localhost", "kube.test"] {
        let answer = version(&kubeconfig, port, host).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{host}: {answer}");
    }
    let error = version(&kubeconfig, port, "other.test").unwrap_err();
    assert!(error.contains("certificate not valid for name"), "{error}");
}

#[test]
fn a_client_of_plain_http_does_not_stop_the_server() {
    let listening = Server::new().listen_tls("127.0.0.1:0").unwrap();
    let mut stream = TcpStream::connect(listening.address()).unwrap();
    stream.write_all(b"GET /version HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    let kubeconfig: Value = serde_yaml::from_str(&listening.kubeconfig()).unwrap();
    assert!(version(&kubeconfig, listening.address().port(), "localhost").is_ok());
}
