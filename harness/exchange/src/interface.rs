//! The interfaces that providers have.

/// An interface of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interface {
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

impl Interface {
    /// Every interface.
    pub const ALL: [Interface; 5] = [
        Interface::ChatCompletions,
        Interface::Responses,
        Interface::Completions,
        Interface::Embeddings,
        Interface::Messages,
    ];

    /// The path below the base URL, `/v1` for most providers. It names the interface in records too.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Interface::ChatCompletions => "chat/completions",
            Interface::Responses => "responses",
            Interface::Completions => "completions",
            Interface::Embeddings => "embeddings",
            Interface::Messages => "messages",
        }
    }

    /// The interface at a path below the base URL; `None` where there is none.
    #[must_use]
    pub fn at(path: &str) -> Option<Interface> {
        Interface::ALL
            .into_iter()
            .find(|interface| interface.path() == path)
    }
}
