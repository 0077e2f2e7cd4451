//! `host.h`: what the caller of a check knows about a ledger from elsewhere.

use std::ffi::c_char;

use axilog_ledger::audit::{AuditBudget, AuditBudgets, AuditExpectations};
use axilog_ledger::rules::{ExpectedRules, RuleSwitches};
use axilog_ledger::verify::{EarlierHead, LedgerExpectations, parse_head, parse_oracle_model};
use axilog_policyc::PolicySet;

use crate::error::HostError;
use crate::pointer::{SizedStruct, invalid, optional_text, parsed_texts, structure};
use crate::policy_text::read_policies;

/// What the caller of a check knows about a ledger from elsewhere, and how deep the check goes. All zero but the size,
/// nothing is expected. The struct borrows what it points to.
#[repr(C)]
pub struct axh_expectations_t {
    /// Bytes of this struct: sizeof (axh_expectations_t).
    pub size: usize,
    /// Chain value of the last record, 64 hexadecimal digits, NUL-terminated; NULL for none.
    pub head: *const c_char,
    /// Heads that were noted earlier, each as N:HEAD, as axh_head and `axilog head` give it: the ledger must be that one,
    /// grown or as it was. NULL for none.
    pub extends: *const *const c_char,
    /// Number of extends.
    pub extends_count: usize,
    /// Models that oracles must have, each as ORACLE=MODEL; NULL for none.
    pub models: *const *const c_char,
    /// Number of models.
    pub model_count: usize,
    /// Policy file in its canonical form, as JSON text, which must be the ledger's; NULL for the ledger's own. With it
    /// both switches are compared too.
    pub policies: *const c_char,
    /// Bytes of policies.
    pub policies_len: usize,
    /// Number of records, genesis included, a seal not counted; 0 for any.
    pub entries: u64,
    /// For axh_audit: the most bytes of a blob that are read; 0 for 64 MiB.
    pub blob_bytes: u64,
    /// 1: the ledger must judge an answer that was cut off as if it were whole, and the other switch is compared too; else 0.
    pub permit_truncated: u8,
    /// 1: the ledger must stop the agent on an inadmissible answer, and the other switch is compared too; else 0.
    pub stop_on_invalid: u8,
    /// For axh_audit, 1: a policy must have judged every answer that was permitted; else 0.
    pub require_policy: u8,
    /// For axh_verify, 1: compare the blobs beside the ledger with the records too; else 0.
    pub blobs: u8,
}

// SAFETY: `repr(C)`, begins with its size; zero is NULL or a number.
unsafe impl SizedStruct for axh_expectations_t {}

/// The expectations of a caller, read and checked.
#[derive(Default)]
pub(crate) struct Expectations {
    pub(crate) ledger: LedgerExpectations,
    pub(crate) compare_blobs: bool,
    policies: Option<PolicySet>,
    switches: Option<RuleSwitches>,
    budgets: AuditBudgets,
    require_policy: bool,
}

impl Expectations {
    /// Reads the expectations; NULL is none.
    ///
    /// # Safety
    /// A pointer that is not NULL is to expectations that are as their type says and that nobody writes meanwhile.
    pub(crate) unsafe fn read(
        expectations: *const axh_expectations_t,
    ) -> Result<Expectations, HostError> {
        if expectations.is_null() {
            return Ok(Expectations::default());
        }
        // SAFETY: by contract.
        let given = unsafe { structure("expected", expectations) }?;
        // SAFETY: by contract.
        let policies =
            unsafe { read_policies("expected.policies", given.policies, given.policies_len) }?;
        let switches = RuleSwitches {
            permit_truncated: given.permit_truncated != 0,
            stop_on_invalid: given.stop_on_invalid != 0,
        };
        let names_switch = switches != RuleSwitches::default();
        let mut budgets = AuditBudgets::default();
        if given.blob_bytes != 0 {
            budgets.set(AuditBudget::BlobBytes(given.blob_bytes));
        }
        Ok(Expectations {
            switches: (names_switch || policies.is_some()).then_some(switches),
            // SAFETY: by contract.
            ledger: unsafe { read_ledger(given) }?,
            compare_blobs: given.blobs != 0,
            policies,
            budgets,
            require_policy: given.require_policy != 0,
        })
    }

    /// Whether anything is expected of the ledger's records.
    pub(crate) fn names_records(&self) -> bool {
        let LedgerExpectations {
            entries,
            head,
            models,
            earlier_heads,
        } = &self.ledger;
        entries.is_some() || head.is_some() || !models.is_empty() || !earlier_heads.is_empty()
    }

    pub(crate) fn rules(&self) -> ExpectedRules<'_> {
        ExpectedRules {
            policies: self.policies.as_ref(),
            switches: self.switches,
        }
    }

    pub(crate) fn audit(&self) -> AuditExpectations<'_> {
        AuditExpectations {
            ledger: self.ledger.clone(),
            rules: self.rules(),
            budgets: self.budgets,
            require_policy: self.require_policy,
        }
    }
}

/// # Safety
/// The pointers of `given` are as its type says.
unsafe fn read_ledger(given: &axh_expectations_t) -> Result<LedgerExpectations, HostError> {
    // SAFETY: by contract.
    let (head, extends, models) = unsafe {
        (
            optional_text("expected.head", given.head)?,
            parsed_texts::<EarlierHead>(
                "expected.extends",
                given.extends,
                given.extends_count,
                |t| t.parse(),
            )?,
            parsed_texts(
                "expected.models",
                given.models,
                given.model_count,
                parse_oracle_model,
            )?,
        )
    };
    let head = head
        .map(parse_head)
        .transpose()
        .map_err(|reason| invalid(format!("expected.head: {reason}")))?;
    Ok(LedgerExpectations {
        entries: (given.entries != 0).then_some(given.entries),
        head,
        models,
        earlier_heads: extends,
    })
}
