//! TLS, by rustls with a certificate from files.

use crate::options::Tls;
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use std::{path::PathBuf, sync::Arc};
use tokio_rustls::TlsAcceptor;

/// Makes connections secure.
#[derive(Clone)]
pub(crate) struct Acceptor(pub(super) TlsAcceptor);

/// A certificate or key that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("TLS: {path}: {why}", path = path.display())]
pub struct BadCertificate {
    path: PathBuf,
    why: String,
}

impl Acceptor {
    /// Reads a certificate and its key.
    pub(crate) fn new(tls: &Tls) -> Result<Acceptor, BadCertificate> {
        let bad = |path: &PathBuf, why: &dyn std::fmt::Display| BadCertificate {
            path: path.clone(),
            why: why.to_string(),
        };
        let chain = CertificateDer::pem_file_iter(&tls.certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| bad(&tls.certificate, &error))?;
        if chain.is_empty() {
            return Err(bad(
                &tls.certificate,
                &"there is no certificate in it; it has to be in PEM",
            ));
        }
        let key = PrivateKeyDer::from_pem_file(&tls.key).map_err(|error| bad(&tls.key, &error))?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key));
        let mut config = config.map_err(|error| bad(&tls.key, &error))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Acceptor(TlsAcceptor::from(Arc::new(config))))
    }
}

impl std::fmt::Debug for Acceptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Acceptor")
    }
}
