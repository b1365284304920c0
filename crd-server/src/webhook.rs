//! Calls conversion webhooks over HTTPS.
//!
//! Source of the error messages: `pkg/util/webhook/client.go` of apiserver, `rest/request.go` of client-go, and Go's `net` and
//! `crypto/tls`.

use std::future::poll_fn;
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use crd_core::crd::WebhookClientConfig;
use crd_go::base64;
use crd_go::strings::quote;
use crd_go::time::Timestamp;
use http::{HeaderValue, Request, Uri, header};
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::client::{WebPkiServerVerifier, verify_server_name};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore, SignatureScheme,
};

use crate::body::Body;
use crate::json::json_type;
use crate::request::body::duplicates::NotJson;
use crate::request::body::syntax_error;

/// Time limit of a call: `defaultRequestTimeout`.
const LIMIT: Duration = Duration::from_secs(30);
/// Maximum number of bytes in a response. This limit equals the limit for requests to this server.
const MOST_BYTES: usize = 3 * 1024 * 1024;
/// Maximum length of a quoted string in an error, in bytes: `maxUnstructuredResponseTextBytes`.
const MOST_TEXT: usize = 2048;

/// A webhook's response.
struct Answer {
    code: u16,
    media_type: String,
    body: Vec<u8>,
}

/// A webhook's address.
struct Place {
    host: String,
    port: u16,
    /// The host and port in the URL.
    authority: String,
    path: String,
}

/// Sends a `ConversionReview` to a webhook on this machine or on one of the allowed hosts, and returns the review in the
/// response.
pub(crate) fn ask(config: &WebhookClientConfig, hosts: &[String], review: &Value) -> Result<Value, String> {
    let place = Place::new(config)?;
    let failed = |error: String| format!("Post {}: {error}", quote(&place.url()));
    if config.url.is_none() {
        let name = config.service.as_ref().map_or("", |service| service.name.as_str());
        return Err(failed(format!("service {} not found", quote(name))));
    }
    if !is_local(&place.host) && !hosts.contains(&place.host) {
        return Err(failed(format!("this server may not call webhooks on {}", quote(&place.host))));
    }
    let roots = roots(config.ca_bundle.as_deref().unwrap_or_default())?;
    let body = review.to_string().into_bytes();
    // The caller may be a thread of a runtime, in which no other runtime may wait.
    let answer = std::thread::scope(|scope| scope.spawn(|| wait(&place, roots, body)).join());
    let answer = answer.unwrap_or_else(|_| Err("the call ended".to_owned())).map_err(failed)?;
    answer.read()
}

fn is_local(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl Place {
    fn new(config: &WebhookClientConfig) -> Result<Self, String> {
        if let Some(service) = &config.service {
            let host = format!("{}.{}.svc", service.name, service.namespace);
            let port = service.port.and_then(|port| u16::try_from(port).ok()).unwrap_or(443);
            let path = service.path.clone().unwrap_or_default();
            return Ok(Self { authority: format!("{host}:{port}"), host, port, path: rooted(&path) });
        }
        let text = config.url.as_deref().unwrap_or_default();
        let url: Uri = text.parse().map_err(|error| format!("Unparsable URL: {error}"))?;
        let host = url.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let port = url.port_u16().unwrap_or(443);
        let authority = url.authority().map(ToString::to_string).unwrap_or_default();
        Ok(Self { host, port, authority, path: rooted(url.path()) })
    }

    fn url(&self) -> String {
        format!("https://{}{}", self.authority, self.target())
    }

    fn target(&self) -> String {
        format!("{}?timeout={}s", self.path, LIMIT.as_secs())
    }
}

fn rooted(path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("/{path}") }
}

/// Returns the certificates in a `caBundle`.
fn roots(bundle: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let pem = base64::decode_std(bundle)?;
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(&pem).filter_map(Result::ok).collect();
    if certificates.is_empty() && !pem.trim_ascii().is_empty() {
        return Err("unable to load root certificates: unable to parse bytes as PEM block".to_owned());
    }
    Ok(certificates)
}

/// Returns a TLS configuration that trusts server certificates signed by one of these roots.
fn trusting(roots: Vec<CertificateDer<'static>>) -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(roots.iter().cloned());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    if store.is_empty() {
        return Ok(config.with_root_certificates(store).with_no_client_auth());
    }
    let inner = WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider).build();
    let verifier = Verifier { inner: inner.map_err(|error| error.to_string())?, roots };
    let config = config.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    Ok(config.with_no_client_auth())
}

/// Checks a server's certificate. Like Go, also trusts a server certificate that is itself one of the roots, even a CA certificate.
#[derive(Debug)]
struct Verifier {
    inner: Arc<WebPkiServerVerifier>,
    roots: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        let verified =
            self.inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            Err(TlsError::InvalidCertificate(CertificateError::Other(_)))
                if self.roots.contains(end_entity) =>
            {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        self.inner.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        self.inner.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

fn wait(place: &Place, roots: Vec<CertificateDer<'static>>, body: Vec<u8>) -> Result<Answer, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let late = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
        tokio::time::timeout(LIMIT, call(place, roots, body)).await.unwrap_or_else(|_| Err(late.to_owned()))
    })
}

async fn call(place: &Place, roots: Vec<CertificateDer<'static>>, body: Vec<u8>) -> Result<Answer, String> {
    let text = |error: hyper::Error| error.to_string();
    let stream = TcpStream::connect((place.host.as_str(), place.port)).await;
    let stream = stream.map_err(|error| not_dialed(place, &error))?;
    let config = trusting(roots)?;
    let name = ServerName::try_from(place.host.clone()).map_err(|error| error.to_string())?;
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
    let stream = stream.map_err(|error| not_trusted(place, &error))?;
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await.map_err(text)?;
    tokio::spawn(connection);
    let request = Request::post(place.target())
        .header(header::HOST, &place.authority)
        .header(header::ACCEPT, "application/json, */*")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::whole(body.into()))
        .map_err(|error| error.to_string())?;
    let (head, body) = sender.send_request(request).await.map_err(text)?.into_parts();
    let content_type = head.headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    let media_type = String::from_utf8_lossy(content_type.unwrap_or_default()).into_owned();
    let (mut body, mut bytes) = (pin!(body), Vec::new());
    while let Some(frame) = poll_fn(|context| http_body::Body::poll_frame(body.as_mut(), context)).await {
        bytes.extend(frame.map_err(text)?.into_data().unwrap_or_default());
        if bytes.len() > MOST_BYTES {
            return Err(format!("the response has more than {MOST_BYTES} bytes"));
        }
    }
    Ok(Answer { code: head.status.as_u16(), media_type, body: bytes })
}

fn not_dialed(place: &Place, error: &io::Error) -> String {
    let address = &place.authority;
    match error.kind() {
        io::ErrorKind::ConnectionRefused => format!("dial tcp {address}: connect: connection refused"),
        _ => format!("dial tcp {address}: {error}"),
    }
}

/// Returns the error message for a failed TLS handshake.
fn not_trusted(place: &Place, error: &io::Error) -> String {
    let Some(error) = error.get_ref().and_then(|error| error.downcast_ref::<TlsError>()) else {
        return error.to_string();
    };
    let x509 = match error {
        // The answer begins as one in plain HTTP.
        TlsError::InvalidMessage(_) => return "http: server gave HTTP response to HTTPS client".to_owned(),
        TlsError::InvalidCertificate(error) => error,
        error => return format!("tls: {error}"),
    };
    let host = &place.host;
    let detail = match x509 {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "certificate signed by unknown authority".to_owned()
        }
        CertificateError::ExpiredContext { time, not_after } => out_of_time(*time, "after", *not_after),
        CertificateError::NotValidYetContext { time, not_before } => {
            out_of_time(*time, "before", *not_before)
        }
        CertificateError::Expired | CertificateError::NotValidYet => {
            "certificate has expired or is not yet valid".to_owned()
        }
        CertificateError::NotValidForNameContext { presented, .. } => not_for(host, presented),
        CertificateError::NotValidForName => format!("certificate is not valid for {host}"),
        error => error.to_string(),
    };
    format!("tls: failed to verify certificate: x509: {detail}")
}

fn out_of_time(now: UnixTime, relation: &str, limit: UnixTime) -> String {
    let [now, limit] = [now, limit].map(|time| {
        let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        Timestamp { seconds, nanos: 0, offset: 0 }.print()
    });
    format!("certificate has expired or is not yet valid: current time {now} is {relation} {limit}")
}

/// Returns the error for a certificate that is only valid for other names. `presented` contains these names in the notation `DnsName("a")`:
/// `HostnameError.Error` of Go's `crypto/x509`.
fn not_for(host: &str, presented: &[String]) -> String {
    let names = presented.iter().filter_map(|name| {
        let (kind, value) = name.split_once('(')?;
        let value = value.trim_end_matches(')').trim_matches('"');
        Some((kind == "IpAddress", value.to_owned()))
    });
    let is_address = host.parse::<IpAddr>().is_ok();
    let fitting: Vec<String> =
        names.filter(|(is_own_address, _)| *is_own_address == is_address).map(|(_, name)| name).collect();
    match fitting.as_slice() {
        [] if is_address => {
            format!("cannot validate certificate for {host} because it doesn't contain any IP SANs")
        }
        [] => format!("certificate is not valid for any names, but wanted to match {host}"),
        names => format!("certificate is valid for {}, not {host}", names.join(", ")),
    }
}

fn untyped(found: &str) -> String {
    format!(
        "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go value of type struct {{ APIVersion string \
         \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}"
    )
}

impl Answer {
    /// Returns the `ConversionReview` in a webhook's response, or the error message for any other response.
    fn read(self) -> Result<Value, String> {
        let parsed = serde_json::from_slice::<Value>(&self.body);
        if !(200..=206).contains(&self.code) {
            let status = parsed.ok().filter(|status| status["kind"] == "Status");
            let message = status.and_then(|status| status["message"].as_str().map(str::to_owned));
            return Err(message.unwrap_or_else(|| self.refusal()));
        }
        match parsed {
            _ if self.body.is_empty() => Err(format!(
                "0-length response with status code: {} and content type: {}",
                self.code, self.media_type
            )),
            Ok(review) if review.is_object() => Ok(review),
            Ok(other) => Err(untyped(json_type(&other))),
            // A text is read as YAML, of which it is a string.
            Err(_) if !self.body.trim_ascii_start().starts_with(b"{") => Err(untyped("string")),
            Err(error) => {
                let error = syntax_error(&self.body, &NotJson::Syntax(error));
                Err(format!("couldn't get version/kind; json parse error: {error}"))
            }
        }
    }

    /// Returns the error message for a status code.
    ///
    /// Source: `NewGenericServerResponse` in `pkg/api/errors/errors.go` of apimachinery.
    fn refusal(&self) -> String {
        let text = self.body.get(..MOST_TEXT).unwrap_or(&self.body);
        let text = String::from_utf8_lossy(text).trim().to_owned();
        let is_text = self.media_type.is_empty() || self.media_type.starts_with("text/");
        let text = if is_text { text } else { "unknown".to_owned() };
        match self.code {
            409 => "the server reported a conflict",
            404 => "the server could not find the requested resource",
            400 => "the server rejected our request for an unknown reason",
            401 => "the server has asked for the client to provide credentials",
            406 if text.is_empty() || text == "unknown" => {
                "the server was unable to respond with a content type that the client supports"
            }
            403 | 406 | 415 => return text,
            405 => "the server does not allow this method on the requested resource",
            422 => "the server rejected our request due to an error in our request",
            503 => "the server is currently unable to handle the request",
            504 => {
                "the server was unable to return a response in the time allotted, but may still be processing the request"
            }
            429 => "the server has received too many requests and has asked us to try again later",
            500.. => {
                return format!(
                    "an error on the server ({}) has prevented the request from succeeding",
                    quote(&text)
                );
            }
            code => {
                return format!(
                    "the server responded with the status code {code} but did not return more information"
                );
            }
        }
        .to_owned()
    }
}
