//! The handles of this process. Emits no header.
//!
//! A handle is a number, never the address of anything, and none is given twice, whatever it is of. So a handle that is
//! closed is found to be, in whichever thread; and what is closed while another thread's call runs lives until that call
//! returns.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::error::{HandleOf, HostError};

/// The values of one kind that are open in this process, by their handles.
pub(crate) struct OpenValues<T> {
    by_number: RwLock<BTreeMap<usize, Arc<Opened<T>>>>,
    of: HandleOf,
}

/// A value that is open.
pub(crate) struct Opened<T> {
    pub(crate) value: T,
    pub(crate) path: Box<Path>,
    /// The process that opened it. A fork would write the same file, and read at the same place of it.
    process: u32,
}

/// The last handle that was given, of whichever kind.
static LAST_NUMBER: AtomicUsize = AtomicUsize::new(0);

impl<T> OpenValues<T> {
    pub(crate) const fn new(of: HandleOf) -> OpenValues<T> {
        OpenValues {
            by_number: RwLock::new(BTreeMap::new()),
            of,
        }
    }

    /// Keeps a value and gives its handle.
    pub(crate) fn keep(&self, path: &Path, value: T) -> usize {
        let opened = Arc::new(Opened {
            value,
            path: path.into(),
            process: std::process::id(),
        });
        let number = LAST_NUMBER
            .fetch_add(1, Ordering::Relaxed)
            .saturating_add(1);
        let mut open = self
            .by_number
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        open.insert(number, opened);
        number
    }

    /// The value of a handle.
    pub(crate) fn find(&self, handle: usize) -> Result<Arc<Opened<T>>, HostError> {
        if handle == 0 {
            return Err(HostError::Handle {
                of: self.of,
                found: "NULL",
            });
        }
        let open = self
            .by_number
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let opened = open.get(&handle).ok_or_else(|| self.closed())?;
        if opened.process != std::process::id() {
            return Err(HostError::Forked {
                path: opened.path.clone(),
                process: opened.process,
            });
        }
        Ok(opened.clone())
    }

    /// Closes a handle and gives its value, which calls that run may still use.
    pub(crate) fn remove(&self, handle: usize) -> Result<Arc<Opened<T>>, HostError> {
        self.find(handle)?;
        let removed = {
            let mut open = self
                .by_number
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            open.remove(&handle)
        };
        // Another thread may have closed it since.
        removed.ok_or_else(|| self.closed())
    }

    /// The error about a handle that is closed.
    pub(crate) fn closed(&self) -> HostError {
        HostError::Handle {
            of: self.of,
            found: "a handle that is closed, or was never given",
        }
    }
}
