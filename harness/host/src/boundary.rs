//! What stands around every function of the header: a panic ends in it, and its error is kept for the thread. Emits no
//! header.

use std::any::Any;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::HostError;
use crate::last_error::keep_error;
use crate::status::{AXH_END, AXH_NOT_OK, AXH_OK};

/// Runs the body of a function. Gives the status, and keeps the text of an error.
///
/// What a body was doing to a ledger when it panicked is unknown; the ledger's mutex is poisoned then, and takes no
/// further steps.
pub(crate) fn run(body: impl FnOnce() -> Result<(), HostError>) -> c_int {
    run_for_status(|| body().map(|()| AXH_OK))
}

/// Runs the body of a function as [`run`] does; the body says whether what it checked is good.
pub(crate) fn run_check(body: impl FnOnce() -> Result<bool, HostError>) -> c_int {
    run_for_status(|| body().map(|is_good| if is_good { AXH_OK } else { AXH_NOT_OK }))
}

/// Runs the body of a function as [`run`] does; the body says whether it found what it reads.
pub(crate) fn run_read(body: impl FnOnce() -> Result<bool, HostError>) -> c_int {
    run_for_status(|| body().map(|is_there| if is_there { AXH_OK } else { AXH_END }))
}

fn run_for_status(body: impl FnOnce() -> Result<c_int, HostError>) -> c_int {
    let ran = catch_unwind(AssertUnwindSafe(body));
    match ran.unwrap_or_else(|panic| Err(HostError::Defect(describe_panic(&*panic)))) {
        Ok(status) => status,
        Err(error) => {
            keep_error(&error.to_string(), error.reason(), error.os_error());
            error.status()
        }
    }
}

fn describe_panic(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("it panicked: {}", text.unwrap_or("without a text"))
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;
    use std::path::Path;

    use axilog_ledger::error::{FileError, LedgerError};

    use super::*;
    use crate::last_error::{last_error, last_os_error, last_reason};
    use crate::reason::{AXH_REASON_NONE, AXH_REASON_SEALED};
    use crate::status::{AXH_ERR_ARGUMENT, AXH_ERR_DEFECT, AXH_ERR_IO, AXH_ERR_REFUSED};

    fn last_text() -> String {
        // SAFETY: the text is valid until the next error of this thread.
        let text = unsafe { CStr::from_ptr(last_error()) };
        text.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_panic_is_a_status_and_a_text() {
        assert_eq!(run(|| panic!("lost {}", "count")), AXH_ERR_DEFECT);
        assert!(last_text().contains("it panicked: lost count"));
        assert_eq!(run(|| Ok(())), AXH_OK);
        assert!(last_text().contains("lost count"), "success clears nothing");
    }

    #[test]
    fn the_number_of_the_system_is_that_of_the_last_error() {
        let refused = std::fs::read("/nowhere/at/all").unwrap_err();
        let number = refused.raw_os_error().unwrap();
        let error = FileError::from_io(Path::new("l"), "read it")(refused);
        let status = run(|| Err(HostError::Ledger(LedgerError::File(error))));
        assert_eq!((status, last_os_error()), (AXH_ERR_IO, number));
        assert_eq!(run(|| Ok(())), AXH_OK);
        assert_eq!(last_os_error(), number, "success clears nothing");
        run(|| Err(HostError::Argument("one".to_owned())));
        assert_eq!(last_os_error(), 0);
    }

    #[test]
    fn the_reason_is_that_of_the_last_error() {
        let status = run(|| Err(HostError::Ledger(LedgerError::Sealed("l".into()))));
        assert_eq!(
            (status, last_reason()),
            (AXH_ERR_REFUSED, AXH_REASON_SEALED)
        );
        assert_eq!(run(|| Ok(())), AXH_OK);
        assert_eq!(last_reason(), AXH_REASON_SEALED, "success clears nothing");
        run(|| Err(HostError::Argument("one".to_owned())));
        assert_eq!(last_reason(), AXH_REASON_NONE);
    }

    #[test]
    fn each_thread_has_the_text_of_its_own_last_error() {
        let fail = |text: &str| run(|| Err(HostError::Argument(text.to_owned())));
        assert_eq!(fail("here\0\n\u{202e}"), AXH_ERR_ARGUMENT);
        std::thread::spawn(move || {
            assert_eq!(last_text(), "");
            fail("there");
            assert_eq!(last_text(), "there; nothing was done");
        })
        .join()
        .unwrap();
        assert_eq!(last_text(), "here\\u{0}\\n\\u{202e}; nothing was done");
    }
}
