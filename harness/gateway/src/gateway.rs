//! Opening the gateway, serving, and ending.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axilog_connections::Connections;
use axilog_ledger::error::FileError;
use axum::Router;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::time::sleep;

use crate::configuration::GatewayConfiguration;
use crate::configuration_file::{DEFAULT_CLIENT_TIME, DEFAULT_CONNECTIONS};
use crate::error::GatewayError;
use crate::host_name::require_host_name;
use crate::replay::{ReplayedLedger, replay_router};
use crate::server::router;
use crate::service::{ReportRenderer, Service};

/// How often the gateway looks whether it should end.
const LOOK: Duration = Duration::from_millis(50);

/// A gateway whose ledgers are open.
pub struct Gateway {
    listen: SocketAddr,
    router: Router,
    connections: Connections,
    /// What records; `None` where calls are answered from a ledger alone.
    service: Option<Arc<Service>>,
    runtime: Runtime,
}

/// A gateway that listens.
pub struct Listener {
    address: SocketAddr,
    listener: TcpListener,
    router: Router,
    connections: Connections,
    service: Option<Arc<Service>>,
    runtime: Runtime,
}

impl Gateway {
    /// Makes the folder of the ledgers and opens those that exist: from here on this process writes them.
    ///
    /// # Errors
    /// [`GatewayError::Ledger`] for a ledger that another process writes, is damaged or sealed;
    /// [`GatewayError::OtherPolicies`], [`GatewayError::Unfit`], [`GatewayError::Setup`].
    pub fn open(configuration: GatewayConfiguration) -> Result<Gateway, GatewayError> {
        Gateway::open_service(configuration, false)
    }

    /// Opens a gateway as [`Gateway::open`] does, which answers from each ledger what the ledger holds already, and asks the
    /// provider for the rest.
    ///
    /// # Errors
    /// As [`Gateway::open`].
    pub fn record_missing(configuration: GatewayConfiguration) -> Result<Gateway, GatewayError> {
        Gateway::open_service(configuration, true)
    }

    fn open_service(
        configuration: GatewayConfiguration,
        replays: bool,
    ) -> Result<Gateway, GatewayError> {
        let folder = &configuration.ledgers;
        std::fs::create_dir_all(folder).map_err(FileError::from_io(
            folder,
            "create the folder of the ledgers",
        ))?;
        let listen = configuration.listen;
        let hosts = configuration.hosts.clone();
        let service = Arc::new(Service::open(configuration, replays)?);
        Ok(Gateway {
            listen,
            router: require_host_name(router(service.clone()), listen, hosts),
            connections: service.connections.clone(),
            service: Some(service),
            runtime: build_runtime()?,
        })
    }

    /// Gives the gateway's page a report about each ledger, at `/axilog/ledgers/NAME/report`, where the configuration has
    /// `reports`. The browser that shows it runs its scripts as those of a site without an origin, so that they reach
    /// nothing of the gateway.
    #[must_use]
    pub fn with_reports(self, renderer: ReportRenderer) -> Gateway {
        if let Some(service) = self.service.as_ref().filter(|service| service.has_reports) {
            // Nobody else sets it.
            let _ = service.report.set(renderer);
        }
        self
    }

    /// Reads and verifies the ledger `path`, and answers from it alone at `listen`. Nothing is asked or recorded.
    ///
    /// # Errors
    /// [`GatewayError::Ledger`] for a ledger that cannot be read or is damaged, [`GatewayError::Setup`].
    pub fn replay(path: &Path, listen: SocketAddr) -> Result<Gateway, GatewayError> {
        let router = replay_router(Arc::new(ReplayedLedger::open(path)?));
        Ok(Gateway {
            listen,
            router: require_host_name(router, listen, Vec::new()),
            connections: Connections::new(DEFAULT_CONNECTIONS, DEFAULT_CLIENT_TIME),
            service: None,
            runtime: build_runtime()?,
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
            router: self.router,
            connections: self.connections,
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
    /// [`GatewayError::Ledger`] where a ledger could not be synced at the end.
    pub fn serve(self, must_stop: impl Fn() -> bool + Send + 'static) -> Result<(), GatewayError> {
        let service = self.service.clone();
        let stop = async move {
            while !must_stop() {
                sleep(LOOK).await;
            }
            if let Some(service) = service {
                service.live_calls.end();
            }
        };
        let served = self.connections.serve(self.listener, self.router, stop);
        self.runtime.block_on(served);
        if let Some(service) = self.service {
            // Calls whose clients have gone go on until they are recorded.
            self.runtime.block_on(service.wait_for_calls());
            service.ledgers.close()?;
        }
        Ok(())
    }
}

fn build_runtime() -> Result<Runtime, GatewayError> {
    let runtime = Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| GatewayError::Setup(error.to_string()))
}
