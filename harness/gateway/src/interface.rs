//! The interfaces that clients speak.

/// An interface of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Interface {
    /// OpenAI's chat completions.
    ChatCompletions,
    /// OpenAI's responses.
    Responses,
    /// OpenAI's completions of a text.
    Completions,
    /// OpenAI's embeddings, whose answers are numbers that nothing judges.
    Embeddings,
    /// Anthropic's messages.
    Messages,
}

/// The form in which an interface's errors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorForm {
    /// `{"error":{"message","type",…}}`
    OpenAi,
    /// `{"type":"error","error":{"type","message",…}}`
    Anthropic,
}

impl Interface {
    /// Every interface.
    pub(crate) const ALL: [Interface; 5] = [
        Interface::ChatCompletions,
        Interface::Responses,
        Interface::Completions,
        Interface::Embeddings,
        Interface::Messages,
    ];

    /// The path below the base URL, `/v1` for most providers. It names the interface in records too.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Interface::ChatCompletions => "chat/completions",
            Interface::Responses => "responses",
            Interface::Completions => "completions",
            Interface::Embeddings => "embeddings",
            Interface::Messages => "messages",
        }
    }

    /// The form of its errors.
    pub(crate) fn error_form(self) -> ErrorForm {
        match self {
            Interface::Messages => ErrorForm::Anthropic,
            _ => ErrorForm::OpenAi,
        }
    }
}
