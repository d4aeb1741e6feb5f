//! The loop that accepts connections, and what each goes through.

use super::{Acceptor, patient::Patient};
use crate::{App, around::Peer, options::Limits};
use axum::{Router, body::Body};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
    time::{sleep, timeout},
};
use tower_service::Service;

/// Serves until `end` is ready and the requests in progress are done, or have had their time.
pub(crate) async fn serve(
    listener: TcpListener,
    app: App,
    router: Router,
    tls: Option<Acceptor>,
    end: impl Future<Output = ()>,
) -> io::Result<()> {
    let limits = &app.options.limits;
    let places = Arc::new(Semaphore::new(limits.connections));
    let (stop, stopped) = watch::channel(false);
    let mut end = std::pin::pin!(end);
    loop {
        // Whoever is beyond the limit waits in the system's own queue.
        let place = tokio::select! {
            () = &mut end => break,
            place = Arc::clone(&places).acquire_owned() => place.map_err(io::Error::other)?,
        };
        let (stream, peer) = tokio::select! {
            () = &mut end => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Too many open files, for instance: others may end meanwhile.
                    tracing::warn!(error = %error, "a connection was not accepted");
                    sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let (app, router, tls, stopped) =
            (app.clone(), router.clone(), tls.clone(), stopped.clone());
        tokio::spawn(async move {
            let _connected = app.metrics.connected();
            secure(stream, peer, &app, router, tls, stopped).await;
            drop(place);
        });
    }
    // No connection is accepted any more; those there are end with their requests.
    drop(listener);
    app.drain();
    let _ = stop.send(true);
    let all = u32::try_from(app.options.limits.connections).unwrap_or(u32::MAX);
    let drained = timeout(app.options.drain, places.acquire_many(all)).await;
    if drained.is_err() {
        tracing::warn!("requests that were still in progress are cut off");
    }
    Ok(())
}

/// TLS first, if there is any.
async fn secure(
    stream: TcpStream,
    peer: SocketAddr,
    app: &App,
    router: Router,
    tls: Option<Acceptor>,
    stopped: watch::Receiver<bool>,
) {
    let limits = &app.options.limits;
    // Tokens are small, and each is to arrive at once.
    let _ = stream.set_nodelay(true);
    match tls {
        None => connection(stream, peer, limits, router, stopped).await,
        Some(Acceptor(acceptor)) => {
            if let Ok(Ok(stream)) = timeout(limits.header_time, acceptor.accept(stream)).await {
                connection(stream, peer, limits, router, stopped).await;
            }
        }
    }
}

async fn connection<S>(
    stream: S,
    peer: SocketAddr,
    limits: &Limits,
    router: Router,
    mut stopped: watch::Receiver<bool>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        // A router is always ready.
        router.clone().call(request.map(Body::new))
    });
    let stream = TokioIo::new(Patient::new(stream, limits.write_time));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_headers(limits.headers)
        .max_buf_size(limits.header_bytes.max(8192))
        .serve_connection(stream, service);
    let mut connection = std::pin::pin!(connection);
    let end = async { drop(stopped.wait_for(|stopped| *stopped).await) };
    let ended = tokio::select! {
        ended = connection.as_mut() => Some(ended),
        () = end => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(peer = %peer, error = %error, "a connection ended early");
    }
}
