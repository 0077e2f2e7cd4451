//! The oracles of an exchange: whose observations its records are.

use axilog_ledger::error::LedgerError;
use axilog_ledger::session::Session;

use crate::interface::Interface;

/// The oracle of an answer whose model has no other.
pub const ANSWER_ORACLE: &str = "llm";

/// The oracle of embeddings, which are recorded by their digest.
pub const EMBEDDING_ORACLE: &str = "llm.embedding";

/// The oracle of what the provider says of itself.
pub const FACTS_ORACLE: &str = "llm.provider";

/// The model of [`FACTS_ORACLE`] and of each tool's oracle, whoever reads them out of a response: a ledger binds each
/// oracle to one model, and may be written by the gateway at one time and by a program at another.
pub const READER_MODEL: &str = "axilog-gateway";

/// Why policies cannot judge a ledger of exchanges: they judge [`FACTS_ORACLE`] too.
pub const JUDGES_FACTS: &str = "a selector names no oracle, or llm.provider, so that what is recorded of the provider would \
     be judged like an answer; name the oracle in each selector, as in llm#/speed";

/// The oracle of an answer to `interface`, of the one that its model has.
#[must_use]
pub fn oracle_of(interface: Interface, of_model: &str) -> &str {
    match interface {
        Interface::Embeddings => EMBEDDING_ORACLE,
        _ => of_model,
    }
}

/// Whether a ledger takes what the provider says of itself: one that declares its oracles, or requires a policy, may not.
///
/// # Errors
/// [`LedgerError`] where the ledger cannot take it for another reason, such as an oracle of this name with another model.
pub fn takes_facts(session: &mut Session) -> Result<bool, LedgerError> {
    match session.check_call(FACTS_ORACLE, READER_MODEL) {
        Ok(()) => Ok(true),
        Err(LedgerError::UndeclaredOracle { .. } | LedgerError::UnjudgedOracle { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
