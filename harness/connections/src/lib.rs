//! The connections of clients: how many there are at a time, and how long a client may take to send and to read.
//!
//! The gateway and the witness serve with it.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing
    )
)]

use std::future::Future;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;
use tokio_io_timeout::TimeoutStream;

/// The most bytes of a request's head.
const MAX_HEAD: usize = 64 << 10;

/// How long a server waits after the system refused a connection, for want of descriptors most likely.
const PAUSE: Duration = Duration::from_secs(1);

/// The bounds of connections, and a permit for each connection at a time.
#[derive(Clone, Debug)]
pub struct Connections {
    most: usize,
    permits: Arc<Semaphore>,
    /// How long a client may take for the head of a request, and from one piece of a response to the next.
    client_time: Duration,
}

impl Connections {
    /// At most `most` connections at a time. A client may take `client_time` for the head of a request, and from one piece
    /// of a response to the next.
    #[must_use]
    pub fn new(most: usize, client_time: Duration) -> Connections {
        Connections {
            most,
            permits: Arc::new(Semaphore::new(most)),
            client_time,
        }
    }

    /// The number of connections that are served.
    #[must_use]
    pub fn count(&self) -> usize {
        self.most.saturating_sub(self.permits.available_permits())
    }

    /// Serves what comes to `listener` until `stop` ends; then the requests that were begun. A connection beyond the most
    /// waits until another one has ended, and those after it in the queue of the system.
    pub async fn serve(
        self,
        listener: TcpListener,
        router: Router,
        stop: impl Future<Output = ()>,
    ) {
        let open = GracefulShutdown::new();
        tokio::pin!(stop);
        loop {
            let (stream, permit) = tokio::select! {
                () = &mut stop => break,
                accepted = self.accept(&listener) => accepted,
            };
            let connection =
                serve_connection(stream, router.clone(), self.client_time, open.watcher());
            tokio::spawn(async move {
                connection.await;
                drop(permit);
            });
        }
        // New clients are refused while the last requests are answered.
        drop(listener);
        open.shutdown().await;
    }

    async fn accept(&self, listener: &TcpListener) -> (TcpStream, Option<OwnedSemaphorePermit>) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    // Nothing closes the semaphore, so that there is a permit.
                    let permit = self.permits.clone().acquire_owned().await.ok();
                    return (stream, permit);
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    // Where standard error fails, there is nobody to tell.
                    let _ = writeln!(
                        io::stderr(),
                        "axilog: clients cannot connect: {error}; trying again in a second (`ulimit -Hn` limits descriptors)"
                    );
                    sleep(PAUSE).await;
                }
            }
        }
    }
}

/// Serves one connection until it ends, breaks off or takes too long.
async fn serve_connection(
    stream: TcpStream,
    router: Router,
    client_time: Duration,
    watcher: Watcher,
) {
    // An answer is written as a whole: nothing is gained by waiting for more of it.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(client_time));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(client_time)
        .max_buf_size(MAX_HEAD)
        .serve_connection(
            TokioIo::new(Box::pin(stream)),
            TowerToHyperService::new(router),
        );
    // A connection that breaks off is its client's matter. What was asked is recorded in any case.
    let _ = watcher.watch(connection).await;
}

/// Whether a connection failed by itself, before it was taken.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset
    )
}
