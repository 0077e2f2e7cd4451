//! Opening the gateway, serving, and ending.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axilog_ledger::error::FileError;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::time::sleep;

use crate::configuration::Configuration;
use crate::error::GatewayError;
use crate::server::{Service, router};

/// How often the gateway looks whether it should end.
const LOOK: Duration = Duration::from_millis(50);

/// A gateway whose ledgers are open.
pub struct Gateway {
    listen: SocketAddr,
    service: Arc<Service>,
    runtime: Runtime,
}

/// A gateway that listens.
pub struct Listener {
    address: SocketAddr,
    listener: TcpListener,
    service: Arc<Service>,
    runtime: Runtime,
}

impl Gateway {
    /// Makes the folder of the ledgers and opens those that exist: from here on this process writes them.
    ///
    /// # Errors
    /// [`GatewayError::Ledger`] for a ledger that another process writes, is damaged or sealed;
    /// [`GatewayError::OtherPolicies`], [`GatewayError::Policies`], [`GatewayError::Setup`].
    pub fn open(configuration: Configuration) -> Result<Gateway, GatewayError> {
        let folder = &configuration.ledgers;
        std::fs::create_dir_all(folder).map_err(FileError::from_io(
            folder,
            "create the folder of the ledgers",
        ))?;
        let runtime = Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|error| GatewayError::Setup(error.to_string()))?;
        Ok(Gateway {
            listen: configuration.listen,
            service: Arc::new(Service::open(configuration)?),
            runtime,
        })
    }

    /// Takes the address for clients. Connections wait from here on until [`Listener::serve`] answers them.
    ///
    /// # Errors
    /// [`GatewayError::Listen`].
    pub fn listen(self) -> Result<Listener, GatewayError> {
        let address = self.listen;
        let failed = |source| GatewayError::Listen { address, source };
        let listener = self
            .runtime
            .block_on(TcpListener::bind(address))
            .map_err(failed)?;
        Ok(Listener {
            address: listener.local_addr().map_err(failed)?,
            listener,
            service: self.service,
            runtime: self.runtime,
        })
    }
}

impl Listener {
    /// The address for clients, with the port that the system chose for port 0.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers calls until `must_stop` says so, which is asked twenty times a second; then finishes the calls that were
    /// begun and closes the ledgers.
    ///
    /// # Errors
    /// [`GatewayError::Stopped`]; [`GatewayError::Ledger`] where a ledger could not be synced at the end.
    pub fn serve(self, must_stop: impl Fn() -> bool + Send + 'static) -> Result<(), GatewayError> {
        let service = self.service.clone();
        let served = self.runtime.block_on(async move {
            let router = router(service);
            axum::serve(self.listener, router)
                .with_graceful_shutdown(async move {
                    while !must_stop() {
                        sleep(LOOK).await;
                    }
                })
                .await
        });
        // Calls whose clients have gone go on until they are recorded.
        let calls = self.service.clone();
        self.runtime
            .block_on(async move { calls.wait_for_calls().await });
        self.service.ledgers.close()?;
        served.map_err(GatewayError::Stopped)
    }
}
