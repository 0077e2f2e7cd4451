//! Budgets of a ledger: calls and tokens, for all time and in each window of time. What is spent follows from the ledger
//! alone: from the facts of each call and the times between them. So neither a restart nor another key changes it.

use axilog_exchange::{FACTS_ORACLE, READER_MODEL};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axilog_ledger::encoding::unescape;
use axilog_ledger::error::LedgerError;
use axilog_ledger::reader::{LedgerReader, RecordFilter};
use axilog_ledger::record_contents::RecordContents;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The budgets of a ledger. A limit that is absent does not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetSettings {
    /// The most calls.
    pub calls: Option<u64>,
    /// The most tokens.
    pub tokens: Option<u64>,
    /// The length of a window, in the unit of the ledger's times, seconds.
    pub window: Option<u64>,
    /// The most calls in a window.
    pub window_calls: Option<u64>,
    /// The most tokens in a window.
    pub window_tokens: Option<u64>,
    /// The tokens that a call counts which is not answered yet, or whose answer does not say what it used.
    pub tokens_per_call: Option<u64>,
}

impl BudgetSettings {
    /// Why these budgets cannot be kept; `None` where they can.
    pub(crate) fn find_fault(&self) -> Option<&'static str> {
        let counts_tokens = self.tokens.is_some() || self.window_tokens.is_some();
        let has_window = self.window_calls.is_some() || self.window_tokens.is_some();
        if counts_tokens && self.tokens_per_call.is_none() {
            return Some(
                "limits tokens without tokens_per_call, which a call counts that does not say what it used",
            );
        }
        if has_window && self.window.is_none_or(|window| window == 0) {
            return Some("limits a window without its length; name window, in seconds");
        }
        None
    }
}

/// Calls and tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Spent {
    calls: u64,
    tokens: u64,
}

impl Spent {
    fn add(&mut self, other: Spent) {
        self.calls = self.calls.saturating_add(other.calls);
        self.tokens = self.tokens.saturating_add(other.tokens);
    }

    fn subtract(&mut self, other: Spent) {
        self.calls = self.calls.saturating_sub(other.calls);
        self.tokens = self.tokens.saturating_sub(other.tokens);
    }
}

/// The budgets of an open ledger, and what is spent of them.
pub(crate) struct Budget {
    settings: BudgetSettings,
    spent: Mutex<Spending>,
}

#[derive(Default)]
struct Spending {
    total: Spent,
    /// The number of the window that `in_window` is about.
    window: u64,
    in_window: Spent,
    /// What the calls may take that are not answered yet.
    reserved: Spent,
}

/// A limit, and what is spent of it.
pub(crate) struct Limit {
    pub(crate) name: &'static str,
    pub(crate) most: u64,
    pub(crate) spent: u64,
    /// Whether it is one of a window.
    pub(crate) is_of_window: bool,
}

/// A limit that leaves no room for a call.
#[derive(Debug)]
pub(crate) struct UsedUp {
    pub(crate) limit: &'static str,
    pub(crate) most: u64,
    /// The seconds until the window ends; `None` for a limit for all time.
    pub(crate) retry_after: Option<u64>,
}

/// Room for one call, until it is settled or dropped.
pub(crate) struct Reservation {
    budget: Arc<Budget>,
    reserved: Spent,
}

impl Budget {
    /// Reads what is spent in a ledger.
    ///
    /// # Errors
    /// [`LedgerError::Damaged`], [`FileError::Io`](axilog_ledger::error::FileError::Io).
    pub(crate) fn read(settings: BudgetSettings, path: &Path) -> Result<Budget, LedgerError> {
        let budget = Budget {
            settings,
            spent: Mutex::default(),
        };
        let mut reader = LedgerReader::open(path, RecordFilter::default())?;
        let read = |record: &axilog_ledger::reader::ReadRecord<'_>| {
            let RecordContents::Observation(view) = &record.contents else {
                return None;
            };
            let is_facts =
                unescape(view.oracle_id) == FACTS_ORACLE && unescape(view.model_id) == READER_MODEL;
            is_facts.then(|| (unescape(view.output), record.time))
        };
        while let Some(read) = reader.read_next(read)? {
            if let Some((facts, time)) = read {
                budget.count(&facts, time);
            }
        }
        Ok(budget)
    }

    /// Counts a call by its facts, at the ledger's time.
    fn count(&self, facts: &str, time: u64) {
        let spent = self.read_spent(facts);
        let mut spending = self.lock();
        if self.enter_window(&mut spending, time) {
            spending.in_window.add(spent);
        }
        spending.total.add(spent);
    }

    /// What a call has spent, by its facts.
    fn read_spent(&self, facts: &str) -> Spent {
        let facts: Value = serde_json::from_str(facts).unwrap_or_default();
        let fault = facts.get("fault").and_then(Value::as_str);
        if matches!(fault, Some("unreachable" | "budget")) {
            return Spent::default();
        }
        let status = facts.get("status").and_then(Value::as_u64);
        let is_refused = fault.is_none() && status.is_some_and(|status| status >= 400);
        let tokens = match read_usage(&facts) {
            Some(tokens) => tokens,
            // The provider has refused the call, so that no model has worked.
            None if is_refused => 0,
            None => self.settings.tokens_per_call.unwrap_or(0),
        };
        Spent { calls: 1, tokens }
    }

    /// Goes on to the window of `time`, and tells whether `in_window` is about that one. No call leads back to an earlier
    /// window: it may be counted after one that was recorded later.
    fn enter_window(&self, spending: &mut Spending, time: u64) -> bool {
        let number = self
            .settings
            .window
            .and_then(|window| time.checked_div(window))
            .unwrap_or(0);
        if number > spending.window {
            spending.window = number;
            spending.in_window = Spent::default();
        }
        number == spending.window
    }

    fn lock(&self) -> MutexGuard<'_, Spending> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The limits at the ledger's time, with what is spent of each. Calls that are not answered yet are left out.
    pub(crate) fn list_limits(&self, time: u64) -> Vec<Limit> {
        let mut spending = self.lock();
        self.enter_window(&mut spending, time);
        self.limits(spending.total, spending.in_window).collect()
    }

    /// The limits that there are, with what is spent of each.
    fn limits(&self, total: Spent, in_window: Spent) -> impl Iterator<Item = Limit> {
        let settings = &self.settings;
        let limits = [
            ("calls", settings.calls, total.calls, false),
            ("tokens", settings.tokens, total.tokens, false),
            ("window_calls", settings.window_calls, in_window.calls, true),
            (
                "window_tokens",
                settings.window_tokens,
                in_window.tokens,
                true,
            ),
        ];
        limits
            .into_iter()
            .filter_map(|(name, most, spent, is_of_window)| {
                Some(Limit {
                    name,
                    most: most?,
                    spent,
                    is_of_window,
                })
            })
    }

    /// Reserves room for a call at the ledger's time.
    pub(crate) fn reserve(self: &Arc<Self>, time: u64) -> Result<Reservation, UsedUp> {
        let reserved = Spent {
            calls: 1,
            tokens: self.settings.tokens_per_call.unwrap_or(0),
        };
        let mut spending = self.lock();
        self.enter_window(&mut spending, time);
        let (mut total, mut in_window) = (spending.total, spending.in_window);
        for spent in [&mut total, &mut in_window] {
            spent.add(spending.reserved);
            spent.add(reserved);
        }
        let mut limits = self.limits(total, in_window);
        if let Some(limit) = limits.find(|limit| limit.spent > limit.most) {
            let window = self.settings.window.filter(|_| limit.is_of_window);
            return Err(UsedUp {
                limit: limit.name,
                most: limit.most,
                retry_after: window
                    .and_then(|window| Some(window.saturating_sub(time.checked_rem(window)?))),
            });
        }
        spending.reserved.add(reserved);
        drop(spending);
        Ok(Reservation {
            budget: self.clone(),
            reserved,
        })
    }
}

impl Reservation {
    /// Counts the call by the facts that were recorded of it, at the ledger's time.
    pub(crate) fn settle(self, facts: &[u8], time: u64) {
        self.budget.count(&String::from_utf8_lossy(facts), time);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.budget.lock().reserved.subtract(self.reserved);
    }
}

/// The tokens that an answer says it used, in OpenAI's form or in Anthropic's.
fn read_usage(facts: &Value) -> Option<u64> {
    let usage = facts.get("usage")?;
    let read = |name: &str| usage.get(name).and_then(Value::as_u64);
    if let Some(total) = read("total_tokens") {
        return Some(total);
    }
    let parts = [
        "input_tokens",
        "output_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ];
    read("input_tokens")?;
    Some(
        parts
            .iter()
            .filter_map(|name| read(name))
            .fold(0, u64::saturating_add),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(settings: BudgetSettings) -> Arc<Budget> {
        Arc::new(Budget {
            settings,
            spent: Mutex::default(),
        })
    }

    fn used_up(budget: &Arc<Budget>, time: u64) -> (&'static str, Option<u64>) {
        let refused = budget.reserve(time).map(|_| ()).unwrap_err();
        (refused.limit, refused.retry_after)
    }

    #[test]
    fn a_call_that_is_not_answered_takes_room() {
        let budget = budget(BudgetSettings {
            tokens: Some(100),
            tokens_per_call: Some(40),
            ..BudgetSettings::default()
        });
        let (first, second) = (budget.reserve(0).unwrap(), budget.reserve(0).unwrap());
        assert_eq!(used_up(&budget, 0), ("tokens", None));
        // One that came to nothing gives its room back; one that was answered takes what it used.
        drop(first);
        second.settle(br#"{"status":200,"usage":{"total_tokens":60}}"#, 0);
        budget.reserve(0).unwrap().settle(br#"{"status":200}"#, 0);
        assert_eq!(
            budget.lock().total,
            Spent {
                calls: 2,
                tokens: 100
            }
        );
        assert_eq!(used_up(&budget, 0), ("tokens", None));
    }

    #[test]
    fn a_window_ends_with_the_ledgers_time() {
        let budget = budget(BudgetSettings {
            window: Some(60),
            window_calls: Some(2),
            ..BudgetSettings::default()
        });
        for _ in 0..2 {
            budget.reserve(130).unwrap().settle(b"{}", 130);
        }
        assert_eq!(used_up(&budget, 150), ("window_calls", Some(30)));
        budget.reserve(180).unwrap().settle(b"{}", 180);
        assert_eq!(budget.lock().total.calls, 3);
        // One that was recorded before is of the window before, and ends none.
        budget.count("{}", 170);
        assert_eq!(budget.lock().in_window.calls, 1);
        assert_eq!(budget.lock().total.calls, 4);
    }

    #[test]
    fn what_a_call_has_spent_follows_from_its_facts() {
        let budget = budget(BudgetSettings {
            tokens_per_call: Some(1000),
            ..BudgetSettings::default()
        });
        for (facts, calls, tokens) in [
            (r#"{"status":200,"usage":{"total_tokens":7}}"#, 1, 7),
            (
                r#"{"status":200,"usage":{"input_tokens":3,"output_tokens":4,"cache_read_input_tokens":5}}"#,
                1,
                12,
            ),
            (r#"{"status":200,"usage":null}"#, 1, 1000),
            (r#"{"status":200,"usage":{"total_tokens":-1}}"#, 1, 1000),
            (r#"{"status":429}"#, 1, 0),
            (r#"{"fault":"timeout"}"#, 1, 1000),
            (r#"{"fault":"broken","status":200}"#, 1, 1000),
            (r#"{"fault":"unreachable"}"#, 0, 0),
            (r#"{"fault":"budget"}"#, 0, 0),
        ] {
            assert_eq!(budget.read_spent(facts), Spent { calls, tokens }, "{facts}");
        }
    }

    #[test]
    fn budgets_that_cannot_be_kept_are_told() {
        let tokens = BudgetSettings {
            tokens: Some(1),
            ..BudgetSettings::default()
        };
        assert!(tokens.find_fault().unwrap().contains("tokens_per_call"));
        let window = BudgetSettings {
            window_calls: Some(1),
            window: Some(0),
            ..BudgetSettings::default()
        };
        assert!(window.find_fault().unwrap().contains("window"));
        assert_eq!(BudgetSettings::default().find_fault(), None);
    }
}
