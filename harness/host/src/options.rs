//! `host.h`: the handle of a ledger, and what a ledger is begun and opened with.

use std::collections::BTreeSet;
use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::num::NonZeroU64;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axilog_ledger::durability::Durability;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::LedgerError;
use axilog_ledger::manifest::{Manifest, Predecessor};
use axilog_ledger::rules::{RuleSet, load_builtin_policies};
use axilog_ledger::running_values::parse_running_values;
use axilog_ledger::schema::{DeclaredSchemas, Schema, SchemaSubject};
use axilog_ledger::verify::EarlierHead;
use axilog_policyc::PolicySet;

use crate::error::HostError;
use crate::pointer::{
    SizedStruct, array, bytes, enum_number, invalid, optional_text, structure, text,
};
use crate::policy_text::read_policies;

/// An open ledger file, which this process alone may write. The pointer is a handle: the library looks it up, and it
/// leads nowhere. Several threads may use it; each call waits for those before it.
pub struct axh_ledger_t {
    _private: [u8; 0],
}

/// When a ledger file is synced, and so when a call that records returns (docs/ledger.md, Durability).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum axh_durability_t {
    /// Sync after every step, or once after those of several threads: a call returns when its step is durable.
    AXH_DURABILITY_STEP = 0,
    /// Sync after every record of a step: a call returns when its step is durable.
    AXH_DURABILITY_RECORD = 1,
    /// Sync after several steps: a call returns when its step is written, which survives the end of the process, and not
    /// yet a crash of the machine.
    AXH_DURABILITY_INTERVAL = 2,
}

/// The JSON Schemas (2020-12) of what one oracle is asked and answers. The struct borrows what it points to.
#[repr(C)]
pub struct axh_schema_t {
    /// Identity of the oracle.
    pub oracle_id: *const c_char,
    /// Schema of its questions, as JSON text; NULL for none.
    pub input: *const c_char,
    /// Bytes of input.
    pub input_len: usize,
    /// Schema of its answers, as JSON text; NULL for none.
    pub output: *const c_char,
    /// Bytes of output.
    pub output_len: usize,
}

/// What a ledger is begun with, and what it must be bound to where it is opened. All zero but the size, each member has
/// its default. The struct borrows what it points to.
#[repr(C)]
pub struct axh_options_t {
    /// Bytes of this struct: sizeof (axh_options_t).
    pub size: usize,
    /// Policy file in its canonical form, as JSON text; NULL for the built-in policies, or those of a ledger that exists.
    pub policies: *const c_char,
    /// Bytes of policies.
    pub policies_len: usize,
    /// Name that the ledger is bound to, 1 to 256 visible ASCII characters without a plus sign; NULL for none.
    pub name: *const c_char,
    /// Text for people that the ledger is bound to, at most 4096 bytes; NULL for none.
    pub note: *const c_char,
    /// Identities of the oracles that may answer; NULL for any.
    pub oracles: *const *const c_char,
    /// Number of oracles.
    pub oracle_count: usize,
    /// Declared schemas, one element for each oracle; NULL for none.
    pub schemas: *const axh_schema_t,
    /// Number of schemas.
    pub schema_count: usize,
    /// Present time of a ledger that is begun, in the unit of later times; 0 for seconds since 1970 by the system's clock.
    pub time: u64,
    /// For AXH_DURABILITY_INTERVAL: sync once so many records are not durable, at least 1.
    pub interval_records: u64,
    /// For AXH_DURABILITY_INTERVAL: sync once a step has been waiting for so many milliseconds, at least 1.
    pub interval_milliseconds: u64,
    /// When the file is synced.
    pub durability: MaybeUninit<axh_durability_t>,
    /// 1: only an oracle that a policy judges may answer; else 0.
    pub require_policy: u8,
    /// 1: an answer that was cut off is judged as if it were whole; else 0.
    pub permit_truncated: u8,
    /// 1: an inadmissible answer stops the agent; 0: it alarms the agent.
    pub stop_on_invalid: u8,
    /// The sealed ledger that this one goes on from, as N:HEAD: its number of records, the seal counted, and its head;
    /// NULL for none.
    pub follows: *const c_char,
    /// What the ledger computes over the answers of oracles and records itself, as a JSON object that has an element such
    /// as "ax.sum.spend": {"oracle": "tool.pay", "path": "/amount", "window": 3600} for each (docs/policies.md, Limits over
    /// time); NULL for none. Each needs a policy of its own.
    pub running_values: *const c_char,
    /// Bytes of running_values.
    pub running_values_len: usize,
}

// SAFETY: `repr(C)`, begins with its size; zero is NULL, a number, or the first value of its enum.
unsafe impl SizedStruct for axh_options_t {}

/// The options of a caller, read and checked.
#[derive(Default)]
pub(crate) struct LedgerOptions {
    pub(crate) policies: Option<PolicySet>,
    permit_truncated: bool,
    stop_on_invalid: bool,
    manifest: Manifest,
    pub(crate) schemas: DeclaredSchemas,
    time: Option<u64>,
    pub(crate) durability: Durability,
}

impl LedgerOptions {
    /// Reads the options; NULL is the default of each.
    ///
    /// # Safety
    /// A pointer that is not NULL is to options that are as their type says and that nobody writes meanwhile.
    pub(crate) unsafe fn read(options: *const axh_options_t) -> Result<LedgerOptions, HostError> {
        if options.is_null() {
            return Ok(LedgerOptions::default());
        }
        // SAFETY: by contract.
        let given = unsafe { structure("options", options) }?;
        // SAFETY: by contract.
        let schemas = unsafe { read_schemas(given) }?;
        Ok(LedgerOptions {
            // SAFETY: by contract.
            policies: unsafe {
                read_policies("options.policies", given.policies, given.policies_len)
            }?,
            permit_truncated: given.permit_truncated != 0,
            stop_on_invalid: given.stop_on_invalid != 0,
            // SAFETY: by contract.
            manifest: unsafe { read_manifest(given) }?
                .with_schemas(schemas.to_named())
                .map_err(|error| invalid(format!("options: {error}")))?,
            schemas,
            time: (given.time != 0).then_some(given.time),
            durability: read_durability(given)?,
        })
    }

    /// The rules of a ledger that is begun, without its manifest.
    pub(crate) fn rules(&self) -> Result<RuleSet, LedgerError> {
        let policies = match &self.policies {
            Some(policies) => policies.clone(),
            None => load_builtin_policies()?,
        };
        Ok(RuleSet::new(
            policies,
            self.permit_truncated,
            self.stop_on_invalid,
        ))
    }

    /// The manifest that a ledger is bound to; `None` where the options name nothing of one.
    pub(crate) fn manifest(&self) -> Option<&Manifest> {
        (self.manifest != Manifest::default()).then_some(&self.manifest)
    }

    /// The present time of a ledger that is begun.
    pub(crate) fn time(&self) -> u64 {
        self.time.unwrap_or_else(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            since.map_or(0, |since| since.as_secs())
        })
    }

    /// What these options name and a ledger with the rules `found` is not bound to.
    pub(crate) fn find_other_binding(&self, found: &RuleSet) -> Option<&'static str> {
        let switches = found.switches();
        let named_switches = self.permit_truncated || self.stop_on_invalid;
        let other_switches = switches.permit_truncated != self.permit_truncated
            || switches.stop_on_invalid != self.stop_on_invalid;
        let manifest = self.manifest().map(Manifest::hash);
        if named_switches && other_switches {
            Some("switches permit_truncated and stop_on_invalid")
        } else if manifest.is_some() && manifest != found.manifest() {
            Some("name, note, oracles, schemas, require_policy, follows and running_values")
        } else {
            None
        }
    }
}

/// # Safety
/// The pointers of `given` are as its type says.
unsafe fn read_manifest(given: &axh_options_t) -> Result<Manifest, HostError> {
    // SAFETY: by contract.
    let (name, note, follows, named) = unsafe {
        (
            optional_text("options.name", given.name)?,
            optional_text("options.note", given.note)?,
            optional_text("options.follows", given.follows)?,
            array("options.oracles", given.oracles, given.oracle_count)?,
        )
    };
    let refused = |error| invalid(format!("options: {error}"));
    let mut manifest = Manifest::new(name, note)
        .map_err(refused)?
        .with_required_policy(given.require_policy != 0);
    if let Some(follows) = follows {
        manifest = manifest
            .with_predecessor(read_predecessor(follows)?)
            .map_err(refused)?;
    }
    if given.running_values_len > 0 {
        let name = "options.running_values";
        // SAFETY: by contract.
        let json = unsafe { bytes(name, given.running_values, given.running_values_len) }?;
        let values =
            parse_running_values(json).map_err(|reason| invalid(format!("{name}: {reason}")))?;
        manifest = manifest.with_running_values(values).map_err(refused)?;
    }
    if named.is_empty() {
        return Ok(manifest);
    }
    let mut oracles = BTreeSet::new();
    for oracle in named {
        // SAFETY: by contract.
        oracles.insert(unsafe { text("an element of options.oracles", *oracle) }?.to_owned());
    }
    manifest.with_oracles(oracles).map_err(refused)
}

fn read_predecessor(follows: &str) -> Result<Predecessor, HostError> {
    let before: EarlierHead = follows
        .parse()
        .map_err(|reason| invalid(format!("options.follows: found {follows:?}, {reason}")))?;
    Ok(Predecessor {
        entries: before.entries,
        head: hex(&before.head),
    })
}

/// # Safety
/// The pointers of `given` are as its type says.
unsafe fn read_schemas(given: &axh_options_t) -> Result<DeclaredSchemas, HostError> {
    // SAFETY: by contract.
    let schemas = unsafe { array("options.schemas", given.schemas, given.schema_count) }?;
    let mut declared = DeclaredSchemas::default();
    for schema in schemas {
        // SAFETY: by contract.
        let oracle_id = unsafe { text("oracle_id of options.schemas", schema.oracle_id) }?;
        if declared.declares(oracle_id) {
            return Err(invalid(format!(
                "options.schemas has the oracle {oracle_id:?} twice, expected one element for each oracle"
            )));
        }
        for (subject, name, document, len) in [
            (
                SchemaSubject::Input,
                "input",
                schema.input,
                schema.input_len,
            ),
            (
                SchemaSubject::Output,
                "output",
                schema.output,
                schema.output_len,
            ),
        ] {
            if document.is_null() && len == 0 {
                continue;
            }
            let name = format!("{name} of options.schemas, oracle {oracle_id:?}");
            // SAFETY: by contract.
            let document = unsafe { bytes(&name, document, len) }?;
            let schema = Schema::parse(document)
                .map_err(|error| invalid(format!("{name} is not a schema: {error}")))?;
            declared = declared.with(oracle_id, subject, schema);
        }
    }
    Ok(declared)
}

fn read_durability(given: &axh_options_t) -> Result<Durability, HostError> {
    match enum_number(given.durability) {
        0 => Ok(Durability::Step),
        1 => Ok(Durability::Record),
        2 => match (
            NonZeroU64::new(given.interval_records),
            given.interval_milliseconds,
        ) {
            (Some(records), milliseconds @ 1..) => Ok(Durability::Interval {
                records,
                within: Duration::from_millis(milliseconds),
            }),
            _ => Err(invalid(
                "options.interval_records or options.interval_milliseconds is 0, expected at least 1 for AXH_DURABILITY_INTERVAL",
            )),
        },
        number => Err(invalid(format!(
            "options.durability is {number}, expected an AXH_DURABILITY_ constant"
        ))),
    }
}
