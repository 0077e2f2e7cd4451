//! How many tokens each part of a prompt may have (A2).

use serde::Serialize;

/// A token allocation. The default is that of A2.1, for a window of 32,768.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TokenBudget {
    ctx_max_tokens: u64,
    tier0_reserved: u64,
    tier1_cap: u64,
    history_cap: u64,
    telemetry_cap: u64,
    generation_reserve: u64,
}

impl Default for TokenBudget {
    fn default() -> TokenBudget {
        TokenBudget {
            ctx_max_tokens: 32_768,
            tier0_reserved: 1_200,
            tier1_cap: 3_000,
            history_cap: 6_000,
            telemetry_cap: 3_000,
            generation_reserve: 2_000,
        }
    }
}

/// For each field what it is, and the name of the method that gives the budget with another value.
macro_rules! fields {
    ($($(#[$doc:meta])* $field:ident, $with:ident;)*) => {
        impl TokenBudget {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $field(&self) -> u64 {
                    self.$field
                }

                #[doc = concat!("The same budget with another [`TokenBudget::", stringify!($field), "`].")]
                #[must_use]
                pub fn $with(mut self, tokens: u64) -> TokenBudget {
                    self.$field = tokens;
                    self
                }
            )*
        }
    };
}

fields! {
    /// The model's whole context window.
    ctx_max_tokens, with_ctx_max_tokens;
    /// What Tier 0 has for itself, also where it needs less. It may have more.
    tier0_reserved, with_tier0_reserved;
    /// The most that Tier 1 may have.
    tier1_cap, with_tier1_cap;
    /// The most that the history of Tier 2 may have.
    history_cap, with_history_cap;
    /// The most that the telemetry of Tier 2 may have.
    telemetry_cap, with_telemetry_cap;
    /// What the model's answer has for itself.
    generation_reserve, with_generation_reserve;
}

impl TokenBudget {
    /// What a prompt may have: the window without what the answer needs.
    #[must_use]
    pub fn prompt_limit(&self) -> u64 {
        self.ctx_max_tokens.saturating_sub(self.generation_reserve)
    }
}
