//! The form of errors, which official clients read.

use axilog_exchange::Interface;

/// The form in which an interface's errors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorForm {
    /// `{"error":{"message","type",…}}`
    OpenAi,
    /// `{"type":"error","error":{"type","message",…}}`
    Anthropic,
}

impl ErrorForm {
    /// The form of an interface's errors.
    pub(crate) fn of(interface: Interface) -> ErrorForm {
        match interface {
            Interface::Messages => ErrorForm::Anthropic,
            _ => ErrorForm::OpenAi,
        }
    }
}
