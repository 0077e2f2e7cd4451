//! The name under which a request limits the tokens of its answer.

use std::str::FromStr;

/// The member of a request that limits the tokens of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenLimitMember {
    /// `max_tokens`, which most servers take.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's reasoning models want.
    MaxCompletionTokens,
}

impl TokenLimitMember {
    /// The name of the member.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            TokenLimitMember::MaxTokens => "max_tokens",
            TokenLimitMember::MaxCompletionTokens => "max_completion_tokens",
        }
    }

    /// What to do where a server refuses a request with a message that names the other member.
    pub(crate) fn advise(self, code: u16, message: &str) -> Option<&'static str> {
        let is_refused = matches!(code, 400 | 422);
        match self {
            TokenLimitMember::MaxTokens
                if is_refused && message.contains("max_completion_tokens") =>
            {
                Some(" (add --token-limit-as max_completion_tokens)")
            }
            TokenLimitMember::MaxCompletionTokens
                if is_refused && message.contains("max_completion_tokens") =>
            {
                Some(" (leave --token-limit-as max_completion_tokens out)")
            }
            _ => None,
        }
    }
}

impl FromStr for TokenLimitMember {
    type Err = String;

    fn from_str(text: &str) -> Result<TokenLimitMember, String> {
        let members = [
            TokenLimitMember::MaxTokens,
            TokenLimitMember::MaxCompletionTokens,
        ];
        let mut members = members.into_iter();
        members
            .find(|member| member.as_str() == text)
            .ok_or_else(|| format!("{text:?}: expected max_tokens or max_completion_tokens"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_the_token_limit_have_names() {
        for member in [
            TokenLimitMember::MaxTokens,
            TokenLimitMember::MaxCompletionTokens,
        ] {
            assert_eq!(member.as_str().parse(), Ok(member));
        }
        let error = "tokens".parse::<TokenLimitMember>().unwrap_err();
        assert!(error.contains("max_completion_tokens"), "{error}");
    }
}
