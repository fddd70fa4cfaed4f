//! Listening, and stopping cleanly.

use super::unread::Explaining;
use super::{App, router};
use axum::Router;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;

/// How long requests may take to end once the service is asked to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Why the service cannot listen or serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address can be reached from other machines.
    #[error(
        "refusing to listen on {0}: it can be reached from other machines, and there are no keys yet; use 127.0.0.1:PORT or [::1]:PORT"
    )]
    NotLoopback(SocketAddr),
    /// The text is no address.
    #[error("{0:?} is not an address; use 127.0.0.1:PORT or [::1]:PORT")]
    NotAnAddress(String),
    /// The system refused.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// Serving failed.
    #[error("the server failed")]
    Serve(#[from] std::io::Error),
}

/// Reads an address and refuses one that other machines can reach.
///
/// # Errors
/// See [`ServeError`].
pub fn check_loopback(text: &str) -> Result<SocketAddr, ServeError> {
    let text = text.trim();
    let numeric = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    let address: SocketAddr =
        numeric.parse().map_err(|_| ServeError::NotAnAddress(text.to_owned()))?;
    if !address.ip().is_loopback() {
        return Err(ServeError::NotLoopback(address));
    }
    Ok(address)
}

/// Serves until `stop` is ready, then lets running requests end.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    listener: TcpListener,
    app: App,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let router: Router = router(app.clone());
    let (stopping, stopped) = tokio::sync::oneshot::channel::<()>();
    let shutdown = async move {
        stop.await;
        tracing::info!("stopping: no new requests are taken");
        app.stop_streams();
        // The receiver may be gone when serving failed first.
        let _ = stopping.send(());
    };
    let serving = axum::serve(Explaining(listener), router).with_graceful_shutdown(shutdown);
    let overtime = async {
        if stopped.await.is_ok() {
            tokio::time::sleep(GRACE).await;
        } else {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        result = serving => Ok(result?),
        () = overtime => {
            tracing::warn!("some requests did not end in {} s and are cut off", GRACE.as_secs());
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_addresses_are_listened_on() {
        for ours in ["127.0.0.1:0", "127.0.0.1:7437", "[::1]:7437", "localhost:80"] {
            assert!(check_loopback(ours).is_ok(), "{ours}");
        }
        for foreign in ["0.0.0.0:7437", "[::]:7437", "192.168.1.2:7437"] {
            assert!(
                matches!(check_loopback(foreign), Err(ServeError::NotLoopback(_))),
                "{foreign}"
            );
        }
        for nonsense in ["", "7437", "example.org:80", "127.0.0.1"] {
            assert!(matches!(check_loopback(nonsense), Err(ServeError::NotAnAddress(_))));
        }
    }
}
