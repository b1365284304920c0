//! Conversion webhooks on this machine, which the server calls over HTTPS.
//!
//! The messages are those of a real API server of 1.36, to the same responses.
#![cfg(feature = "webhooks")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crd_go::base64::encode_std;
use crd_server::{Config, Server};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use serde_json::{Value, json};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::{ServerConfig, ServerConnection, Stream};

/// The response of a webhook to a `ConversionReview`: a status code and a text.
type Respond = fn(&Value) -> (u16, String);

/// Returns a webhook at a port, and the authority of its certificate in PEM.
fn webhook(name: &str, respond: Respond) -> (u16, String) {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let mut authority = CertificateParams::default();
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    authority.distinguished_name.push(DnType::CommonName, format!("authority {number}"));
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let (authority_key, key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
    let pem = authority.self_signed(&authority_key).unwrap().pem();
    let issuer = Issuer::new(authority, authority_key);
    let certificate = CertificateParams::new([name.to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        );
    let config = Arc::new(config.unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let mut connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            // A client that does not trust the certificate ends the connection.
            let _ = serve(Stream::new(&mut connection, &mut socket), respond);
        }
    });
    (port, pem)
}

fn serve<S: std::io::Read + std::io::Write>(mut stream: S, respond: Respond) -> std::io::Result<()> {
    let mut reader = BufReader::new(&mut stream);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line)? > 0 && line != "\r\n" {
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let (code, text) = respond(&serde_json::from_slice(&body).unwrap());
    let media_type = if code == 200 { "application/json" } else { "text/plain" };
    write!(
        stream,
        "HTTP/1.1 {code} x\r\ncontent-type: {media_type}\r\ncontent-length: {}\r\n\r\n{text}",
        text.len()
    )?;
    stream.flush()
}

fn converted(review: &Value) -> (u16, String) {
    let mut objects = review["request"]["objects"].clone();
    for object in objects.as_array_mut().unwrap() {
        object["apiVersion"] = review["request"]["desiredAPIVersion"].clone();
        object["spec"]["version"] = "second".into();
    }
    let response = json!({
        "uid": review["request"]["uid"], "result": {"status": "Success"}, "convertedObjects": objects,
    });
    let review = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "response": response,
    });
    (200, review.to_string())
}

/// Returns the object in its second version, or the message about it, where a webhook has this configuration.
fn read(config: &Config, client: &Value) -> Result<Value, String> {
    let version = |name: &str, is_stored: bool| {
        let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        json!({"name": name, "served": true, "storage": is_stored, "schema": {"openAPIV3Schema": schema}})
    };
    let conversion = json!({
        "strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": client},
    });
    let server = Server::with(config);
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.example.com"},
        "spec": {
            "group": "example.com", "scope": "Cluster", "names": {"plural": "foos", "kind": "Foo"},
            "versions": [version("v1", true), version("v2", false)], "conversion": conversion,
        },
    });
    server.create(&crd).unwrap();
    server
        .create(
            &json!({"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a"}, "spec": {}}),
        )
        .unwrap();
    let request = http::Request::get("/apis/example.com/v2/foos/a").body(Vec::new()).unwrap();
    let (head, mut body) = server.handle(request).into_parts();
    let body: Value = serde_json::from_slice(&body.read_now()).unwrap();
    if head.status == 200 { Ok(body) } else { Err(body["message"].as_str().unwrap().to_owned()) }
}

fn calling() -> Config {
    let mut config = Config::default();
    config.call_webhooks(["webhook.test"]);
    config
}

/// Returns the configuration of a webhook at an address of this machine.
fn at(host: &str, port: u16, authority: &str) -> Value {
    json!({"url": format!("https://{host}:{port}/convert"), "caBundle": encode_std(authority.as_bytes())})
}

#[test]
fn a_webhook_with_a_trusted_certificate_converts_objects() {
    let (port, authority) = webhook("127.0.0.1", converted);
    let object = read(&calling(), &at("127.0.0.1", port, &authority)).unwrap();
    assert_eq!(object["apiVersion"], "example.com/v2");
    assert_eq!(object["spec"], json!({"version": "second"}));
}

/// A server in process calls nothing unless its test says so.
#[test]
fn webhooks_are_not_called_by_default() {
    let (port, authority) = webhook("127.0.0.1", converted);
    let error = read(&Config::default(), &at("127.0.0.1", port, &authority)).unwrap_err();
    assert!(error.ends_with("failed: no function converts `foos.example.com`"), "{error}");
}

#[test]
fn failures_have_the_words_of_the_api_server() {
    let (good, authority) = webhook("127.0.0.1", converted);
    let (_, other) = webhook("127.0.0.1", converted);
    let (named, named_authority) = webhook("other.test", converted);
    let plain = TcpListener::bind("127.0.0.1:0").unwrap();
    let plain_port = plain.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let mut socket = plain.accept().unwrap().0;
        let _ = socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let post =
        |port: u16, error: &str| format!("Post \"https://127.0.0.1:{port}/convert?timeout=30s\": {error}");
    let x509 = "tls: failed to verify certificate: x509:";
    for (client, expected) in [
        (
            at("127.0.0.1", good, &other),
            post(good, &format!("{x509} certificate signed by unknown authority")),
        ),
        (
            at("127.0.0.1", named, &named_authority),
            post(
                named,
                &format!(
                    "{x509} cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs"
                ),
            ),
        ),
        (
            at("127.0.0.1", plain_port, &authority),
            post(plain_port, "http: server gave HTTP response to HTTPS client"),
        ),
        (
            at("127.0.0.1", closed, &authority),
            post(closed, &format!("dial tcp 127.0.0.1:{closed}: connect: connection refused")),
        ),
        (
            at("elsewhere.test", good, &authority),
            format!(
                "Post \"https://elsewhere.test:{good}/convert?timeout=30s\": this server may not call webhooks on \"elsewhere.test\""
            ),
        ),
        (
            json!({"service": {"name": "a", "namespace": "b", "path": "/x"}}),
            "Post \"https://a.b.svc:443/x?timeout=30s\": service \"a\" not found".to_owned(),
        ),
    ] {
        let error = read(&calling(), &client).unwrap_err();
        assert_eq!(error, format!("conversion webhook for example.com/v1, Kind=Foo failed: {expected}"));
    }
}

#[test]
fn responses_that_are_no_reviews_have_the_words_of_the_api_server() {
    let respond: [(Respond, &str); 8] = [
        (|_| (404, "x".to_owned()), "the server could not find the requested resource"),
        (
            |_| (500, "some \"text\"\n".to_owned()),
            "an error on the server (\"some \\\"text\\\"\") has prevented the request from succeeding",
        ),
        (
            |_| (418, String::new()),
            "the server responded with the status code 418 but did not return more information",
        ),
        (
            |_| (200, "xyz".to_owned()),
            "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }",
        ),
        (
            |_| (200, String::new()),
            "0-length response with status code: 200 and content type: application/json",
        ),
        (
            |_| (200, "{\"kind\":".to_owned()),
            "couldn't get version/kind; json parse error: unexpected end of JSON input",
        ),
        (
            |_| (200, "{\"a\":1}".to_owned()),
            "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=",
        ),
        (|_| (500, "{\"kind\":\"Status\",\"message\":\"own words\"}".to_owned()), "own words"),
    ];
    for (respond, expected) in respond {
        let (port, authority) = webhook("127.0.0.1", respond);
        let error = read(&calling(), &at("127.0.0.1", port, &authority)).unwrap_err();
        assert_eq!(error, format!("conversion webhook for example.com/v1, Kind=Foo failed: {expected}"));
    }
}
