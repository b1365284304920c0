//! Creates a TLS certificate when the server begins to listen, for clients that do not support plain HTTP.

use std::io;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// The names of the API server in a cluster.
const NAMES: [&str; 6] =
    ["localhost", "127.0.0.1", "::1", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];

/// A certificate with its key, and the certificate of the authority that clients trust.
#[derive(Clone)]
pub(super) struct Tls {
    pub(super) acceptor: TlsAcceptor,
    /// The CA certificate in PEM format.
    pub(super) authority: Arc<str>,
}

impl Tls {
    /// Creates a certificate authority, and a certificate for these names and the names of the API server.
    pub(super) fn new(names: impl IntoIterator<Item = String>) -> io::Result<Self> {
        let mut authority = CertificateParams::default();
        authority.distinguished_name.push(DnType::CommonName, "crdkit");
        authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let mut names: Vec<String> = NAMES.into_iter().map(str::to_owned).chain(names).collect();
        names.sort_unstable();
        names.dedup();
        let mut server = CertificateParams::new(names).map_err(io::Error::other)?;
        server.distinguished_name.push(DnType::CommonName, "kube-apiserver");
        server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        // Python rejects certificates without it.
        server.use_authority_key_identifier_extension = true;
        let (authority_key, key) = (pair()?, pair()?);
        let certificate = authority.self_signed(&authority_key).map_err(io::Error::other)?;
        let issuer = Issuer::new(authority, authority_key);
        let signed = server.signed_by(&key, &issuer).map_err(io::Error::other)?;
        let key = PrivateKeyDer::try_from(key.serialize_der()).map_err(io::Error::other)?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_single_cert(vec![signed.der().clone()], key);
        let mut config = config.map_err(io::Error::other)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { acceptor: Arc::new(config).into(), authority: certificate.pem().into() })
    }
}

fn pair() -> io::Result<KeyPair> {
    KeyPair::generate().map_err(io::Error::other)
}
