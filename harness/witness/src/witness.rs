//! A witness: its state, its key and the logs that it knows, at an address.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use axilog::hash::sha256;
use axilog_connections::Connections;
use axilog_heads::{WitnessKey, WitnessPublicKey};
use axilog_ledger::encoding::hex;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::time::sleep;

use crate::error::WitnessError;
use crate::head_store::HeadStore;
use crate::known_logs::KnownLogs;
use crate::metrics::Metrics;
use crate::server::{Service, router};
use crate::signer::Signer;

/// The time between two looks at whether to stop.
const LOOK: Duration = Duration::from_millis(50);
/// How long a client may take to send a request, and to read a piece of the answer.
const CLIENT_TIME: Duration = Duration::from_secs(10);

/// Makes the state of a new witness, in a new file.
///
/// # Errors
/// [`WitnessError::StateExists`], [`WitnessError::File`], [`WitnessError::Database`].
pub fn create_state(state: &Path, key: &WitnessPublicKey) -> Result<(), WitnessError> {
    HeadStore::create(state, key)
}

/// A witness that has opened its state and taken its address.
pub struct Witness {
    address: SocketAddr,
    listener: TcpListener,
    service: Arc<Service>,
    signer: JoinHandle<()>,
    runtime: Runtime,
}

impl Witness {
    /// Opens the state of a witness, and takes the address for clients; port 0 is a free one. At most `max_connections`
    /// are served at a time, and further ones wait.
    ///
    /// # Errors
    /// [`WitnessError`].
    pub fn open(
        state: &Path,
        key: WitnessKey,
        logs: KnownLogs,
        listen: SocketAddr,
        max_connections: usize,
    ) -> Result<Witness, WitnessError> {
        let store = HeadStore::open(state, key.public_key())?;
        let reader = HeadStore::open(state, key.public_key())?;
        let (signer, thread) = Signer::begin(store, key)?;
        let runtime = Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(WitnessError::Setup)?;
        let failed = |source| WitnessError::Listen {
            address: listen,
            source,
        };
        let listener = runtime
            .block_on(TcpListener::bind(listen))
            .map_err(failed)?;
        Ok(Witness {
            address: listener.local_addr().map_err(failed)?,
            listener,
            service: Arc::new(Service {
                origins: logs
                    .origins()
                    .map(|origin| (hex(&sha256(origin.as_bytes())), origin.to_owned()))
                    .collect(),
                logs,
                signer,
                store: Mutex::new(reader),
                metrics: Metrics::default(),
                connections: Connections::new(max_connections, CLIENT_TIME),
                client_time: CLIENT_TIME,
            }),
            signer: thread,
            runtime,
        })
    }

    /// The address for clients.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `must_stop` says so, which is asked twenty times a second; then the requests that were begun.
    pub fn serve(self, must_stop: impl Fn() -> bool + Send + 'static) {
        let stop = async move {
            while !must_stop() {
                sleep(LOOK).await;
            }
        };
        let router = router(self.service.clone());
        let connections = self.service.connections.clone();
        let served = connections.serve(self.listener, router, stop);
        self.runtime.block_on(served);
        // With the last way to it the thread that signs ends.
        drop(self.service);
        drop(self.runtime);
        // A panic of the thread has said what it was.
        let _ = self.signer.join();
    }
}
