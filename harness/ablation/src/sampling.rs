//! How a model is asked to choose the words of its answers.

use std::fmt;

use axilog::evidence::observation::Params;
use serde::{Deserialize, Serialize};

use super::decimal::Decimal;

/// The sampling parameters of a run's questions, as its ledger has them. The default is what v3.0 sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampling {
    /// The most tokens an answer may have.
    pub max_tokens: i32,
    /// The seed of the model's own draws; `None` where none is sent.
    pub seed: Option<i64>,
    /// The temperature times 65,536.
    pub temperature: i32,
    /// The part of the probable words to draw from, times 65,536; `None` where none is sent.
    pub top_p: Option<i32>,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling {
            max_tokens: 1024,
            seed: None,
            temperature: 0,
            top_p: None,
        }
    }
}

impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let q16 = |number: i32| Decimal::from_ratio(number.into(), 1 << 16);
        write!(
            f,
            "temperature {}, at most {} tokens",
            q16(self.temperature),
            self.max_tokens
        )?;
        if let Some(top_p) = self.top_p {
            write!(f, ", top_p {}", q16(top_p))?;
        }
        if let Some(seed) = self.seed {
            write!(f, ", seed {seed}")?;
        }
        Ok(())
    }
}

impl Sampling {
    /// Whether these are the parameters that a header does not name.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Sampling::default()
    }

    /// The parameters of a question.
    #[must_use]
    pub fn to_params(self) -> Params {
        Params {
            max_tokens: Some(self.max_tokens),
            seed: self.seed,
            temperature: Some(self.temperature),
            top_p: self.top_p,
        }
    }
}
