//! The server: bound to an address, then run until it is told to end.

use crate::{
    App, BadCertificate, Catalogue, ModelOptions, Options,
    app::router,
    net::{Acceptor, serve},
};
use axum::Router;
use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{net::TcpListener, time::interval};

/// A server that is bound to its address.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    app: App,
    router: Router,
    tls: Option<Acceptor>,
}

/// Why a server does not start, or ends early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address cannot be used.
    #[error("serve: cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// The certificate cannot be used.
    #[error(transparent)]
    Certificate(#[from] BadCertificate),
    /// A model that was to be loaded before the first request was not.
    #[error("serve: {0}")]
    Model(String),
    /// The system does not let it go on.
    #[error("serve: {0}")]
    Io(#[from] io::Error),
}

impl Server {
    /// Binds a server to its address. Connections wait until it is [run](Server::run).
    pub async fn bind(
        options: Options,
        catalogue: Arc<dyn Catalogue>,
        models: ModelOptions,
    ) -> Result<Server, Error> {
        let tls = options.tls.as_ref().map(Acceptor::new).transpose()?;
        let address = SocketAddr::new(options.host, options.port);
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|error| Error::Listen { address, error })?;
        let address = listener.local_addr()?;
        let app = App::new(options, catalogue, models);
        let router = router(app.clone());
        Ok(Server { listener, address, app, router, tls })
    }

    /// The address it is bound to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where its page is, for browsers of this machine.
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let address = self.address;
        if address.ip().is_unspecified() {
            return format!("{scheme}://localhost:{}", address.port());
        }
        format!("{scheme}://{address}")
    }

    /// Loads a model before anybody asks for it; the first if no name is given.
    pub async fn load(&self, name: Option<&str>) -> Result<(), Error> {
        let loaded = self.app.models.get(name).await;
        loaded.map(drop).map_err(|refusal| Error::Model(refusal.to_string()))
    }

    /// Answers requests until `end` is ready; then takes no more and waits for those in progress, up to
    /// [`Options::drain`].
    pub async fn run(self, end: impl Future<Output = ()>) -> Result<(), Error> {
        let Server { listener, app, router, tls, .. } = self;
        let sampled = app.clone();
        let sampler = tokio::spawn(async move {
            let mut seconds = interval(Duration::from_secs(1));
            loop {
                seconds.tick().await;
                sampled.metrics.sample(&sampled.models, true);
            }
        });
        let served = serve(listener, app, router, tls, end).await;
        sampler.abort();
        Ok(served?)
    }
}
