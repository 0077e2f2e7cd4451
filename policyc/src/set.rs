//! A set of policies, as read from a file or a configuration (formats.md
//! sections 4 and 5). Determinism class D1.

use crate::envelope::{self, Interval};
use crate::error::{Fault, PolicyFileError};
use crate::parse::{self, File};
use crate::policy::PolicyEntry;
use crate::scope::{self, Scope, Shadow};
use crate::{canonical, check, emit};

/// At most 64 policies with unique ids, sorted by the bytes of `policy_id`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicySet {
    policies: Vec<PolicyEntry>,
}

/// The rules that a ledger's reset observations name: the policies, the
/// treatment of answers that are not complete, and the manifest that the
/// ledger is bound to (formats.md section 5, "Configuration").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerConfiguration {
    /// SHA-256 of the host's manifest, where the ledger is bound to one.
    pub manifest: Option<[u8; 32]>,
    /// The policies, disabled ones included.
    pub policies: PolicySet,
    /// A TRUNCATED observation is not a breach by itself.
    pub permit_truncated: bool,
    /// An INVALID_OUTPUT stops the agent rather than alarm it.
    pub stop_on_invalid: bool,
}

impl PolicySet {
    /// Reads a policy file as the compiler accepts it: RFC 8785 canonical, one
    /// final LF allowed. The entries of an array may be in any order, since
    /// the canonical form orders only members; an object may leave a
    /// selector's array empty. `[]` and `{}` are the empty set.
    ///
    /// # Errors
    /// The first fault: text, JSON, shape and names in the order of the file,
    /// then limits (a selector whose enabled policies permit no value, a limit
    /// on `elapsed` above 32767 units), then canonical form.
    pub fn parse(bytes: &[u8]) -> Result<Self, PolicyFileError> {
        with_text(bytes, |text| {
            let file = parse::read_file(text)?;
            check::check_limits(file.entries())?;
            let remedy = " (`axilog policy fmt` writes it)";
            canonical::check_canonical(text, &canonical::write_source(&file), true, remedy)?;
            Ok(Self::of(file))
        })
    }

    /// Reads a policy file in any spelling: white space, escapes, any order of
    /// members and selectors. A threshold is an integer without fraction or
    /// exponent all the same.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), but for canonical form.
    pub fn parse_lenient(bytes: &[u8]) -> Result<Self, PolicyFileError> {
        with_text(bytes, |text| {
            let file = parse::read_file(text)?;
            check::check_limits(file.entries())?;
            Ok(Self::of(file))
        })
    }

    /// Reads the source form, for people to write: TOML, one table per
    /// quantity with `path`, `oracle`, and its limits `max`, `min`, `below`,
    /// `above` in decimal, each in a string; `enabled = false` switches a table
    /// off (docs/policies.md). A table with one limit names its policy; with
    /// several the ids end in -MAX, -MIN, -BELOW, -ABOVE.
    ///
    /// # Errors
    /// The first fault: text, TOML, shape and names in the order of the file,
    /// then limits, as [`parse`](Self::parse).
    #[cfg(feature = "source")]
    pub fn parse_source(bytes: &[u8]) -> Result<Self, PolicyFileError> {
        with_text(bytes, |text| {
            let file = crate::source::read_source(text)?;
            check::check_limits(file.entries())?;
            Ok(Self::of(file))
        })
    }

    /// Reads a Configuration, exactly as [`configuration`](Self::configuration)
    /// writes it; no final LF. Its limits are not judged: it says what rules
    /// were in force, and evidence made under rules that permit nothing must
    /// still replay.
    ///
    /// # Errors
    /// The first fault: text, JSON, shape and names in the order of the file,
    /// then canonical form. The operator `"UNKNOWN"` is refused, since no
    /// policy can hold it.
    pub fn parse_configuration(bytes: &[u8]) -> Result<LedgerConfiguration, PolicyFileError> {
        with_text(bytes, |text| {
            let settings = parse::read_settings(text)?;
            let configuration = LedgerConfiguration {
                manifest: settings.manifest,
                policies: Self::of(settings.file),
                permit_truncated: settings.permit_truncated,
                stop_on_invalid: settings.stop_on_invalid,
            };
            canonical::check_canonical(text, &configuration.to_canonical(), false, "")?;
            Ok(configuration)
        })
    }

    fn of(file: File) -> Self {
        let mut policies: Vec<PolicyEntry> = match file {
            File::Array(group) => vec![group],
            File::Object(groups) => groups,
        }
        .into_iter()
        .flat_map(|group| group.entries)
        .map(|entry| entry.policy)
        .collect();
        policies.sort_by(|a, b| a.policy_id.cmp(&b.policy_id));
        Self { policies }
    }

    /// The policies in the byte order of their ids.
    pub fn policies(&self) -> &[PolicyEntry] {
        &self.policies
    }

    /// The canonical policy file, without a final LF: the plain array where
    /// every selector is `value`, else the object from selector to array;
    /// entries in the order of their ids.
    pub fn to_canonical(&self) -> String {
        canonical::write_file(&self.policies)
    }

    /// The Configuration of formats.md section 5 without a manifest, whose
    /// SHA-256 is the `input_hash` of every RESET_REQUEST observation.
    pub fn configuration(&self, permit_truncated: bool, stop_on_invalid: bool) -> String {
        canonical::write_configuration(None, &self.policies, permit_truncated, stop_on_invalid)
    }

    /// The certified operational envelope: per selector with enabled policies
    /// the interval of values that none of them breaches, in selector order.
    pub fn envelope(&self) -> Vec<Interval> {
        envelope::envelope(&self.policies)
    }

    /// What is left to each value of each oracle's answers: per oracle and path
    /// the interval that all policies which judge it permit together. Where a
    /// path is judged for every oracle and for one, the one's row has both.
    pub fn scopes(&self) -> Vec<Scope> {
        scope::scopes(&self.policies)
    }

    /// The enabled policies that never decide, since another one that judges
    /// the same values permits no more than they do.
    pub fn shadows(&self) -> Vec<Shadow> {
        scope::shadows(&self.policies)
    }

    /// The oracles that enabled policies name, in the order of their ids.
    pub fn named_oracles(&self) -> Vec<&str> {
        scope::named_oracles(&self.policies)
    }

    /// Whether an enabled policy judges the answers of `oracle`.
    pub fn judges(&self, oracle: &str) -> bool {
        scope::judges_oracle(&self.policies, oracle)
    }

    /// The registry as Rust source: `pub static BUILTIN: [PolicyEntry<'static>; N]`,
    /// for inclusion where `PolicyEntry` and `ComparisonOperator` are in scope.
    pub fn emit_rust(&self) -> String {
        emit::emit_rust(&self.policies)
    }

    /// The registry in the layout of the C surface as Rust source: the statics
    /// `BUILTIN_POLICIES` and `BUILTIN_SELECTORS`, for inclusion where
    /// `ax_policy_t`, `ax_policy_cmp_t` and a tuple struct `Static<T>` that is
    /// `Sync` are in scope.
    pub fn emit_rust_ffi(&self) -> String {
        emit::emit_rust_ffi(&self.policies)
    }

    /// The registry as one C99 source file, which is C++17 too, defining
    /// `const ax_policy_registry_t symbol`. The empty registry has NULL arrays.
    ///
    /// # Errors
    /// `symbol` is not an identifier of both languages, or is one that the
    /// file uses itself.
    pub fn emit_c(&self, symbol: &str) -> Result<String, PolicyFileError> {
        emit::emit_c(&self.policies, symbol)
    }
}

impl LedgerConfiguration {
    /// The canonical text: as [`PolicySet::configuration`] writes it, and
    /// with the manifest before it where there is one.
    pub fn to_canonical(&self) -> String {
        canonical::write_configuration(
            self.manifest.as_ref(),
            self.policies.policies(),
            self.permit_truncated,
            self.stop_on_invalid,
        )
    }
}

/// Runs `read` on the text of `bytes` and turns its fault's offset into line
/// and column.
fn with_text<T>(
    bytes: &[u8],
    read: impl FnOnce(&str) -> Result<T, Fault>,
) -> Result<T, PolicyFileError> {
    let text = parse::decode(bytes).map_err(|(before, fault)| fault.locate(before))?;
    read(text).map_err(|fault| fault.locate(text))
}
