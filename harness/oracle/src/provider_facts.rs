//! Which model answered, as its server says (Q6; B1).

use crate::exchange::ModelAnswer;

/// The most characters of a name that a server gives.
const MOST_NAME: usize = 200;

/// What a server says of who answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderFacts {
    /// The model, as the server names it.
    pub answered_by: Option<String>,
    /// The build or configuration, as the server names it.
    pub system_fingerprint: Option<String>,
}

impl ProviderFacts {
    /// The facts of an answer. Names are cut at 200 characters, and what is not printable ASCII becomes `?`, so
    /// that a record can hold them whatever the server sent.
    #[must_use]
    pub fn of(answer: &ModelAnswer) -> ProviderFacts {
        let printable = |c: char| match c {
            ' '..='~' => c,
            _ => '?',
        };
        let clean = |name: &Option<String>| {
            let name = name.as_ref()?;
            Some(name.chars().take(MOST_NAME).map(printable).collect())
        };
        ProviderFacts {
            answered_by: clean(&answer.model),
            system_fingerprint: clean(&answer.system_fingerprint),
        }
    }

    /// The model's name for a message.
    #[must_use]
    pub fn name_model(&self) -> String {
        match &self.answered_by {
            Some(name) => format!("{name:?}"),
            None => "a model without a name".to_owned(),
        }
    }
}
