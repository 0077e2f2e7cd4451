//! The exit codes: 1 the check failed, 2 wrong usage, 3 could not run.

#[cfg(feature = "ablation")]
use axilog_ablation::AblationError;
#[cfg(feature = "gateway")]
use axilog_gateway::GatewayError;
#[cfg(feature = "heads")]
use axilog_heads::HeadsError;
use axilog_ledger::error::{FileError, LedgerError};
#[cfg(feature = "memory")]
use axilog_memory::MemoryError;
#[cfg(feature = "ablation")]
use axilog_oracle::tokens::TokenError;
#[cfg(feature = "witness")]
use axilog_witness::WitnessError;
#[cfg(feature = "x0l")]
use axilog_x0l::{X0lError, live::LiveError};

use crate::error::CommandError;

impl CommandError {
    /// The exit code of the command that fails so.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            CommandError::Symbol(_)
            | CommandError::SourceOverwritten(_)
            | CommandError::OracleId(_)
            | CommandError::OneLedger(_)
            | CommandError::OverKept { .. }
            | CommandError::File(FileError::StandardInputTwice)
            | CommandError::InvalidManifest(_)
            | CommandError::RunningValuesUnreadable { .. }
            | CommandError::NoOracleInPolicies
            | CommandError::PredecessorNotSealed(_)
            | CommandError::InvalidSchema { .. }
            | CommandError::SchemaTwice { .. }
            | CommandError::ToTerminal(_) => 2,
            #[cfg(feature = "ablation")]
            CommandError::ControlsWithoutBaseline
            | CommandError::PrimaryOfBaseHarness
            | CommandError::DisagreementWithoutControls
            | CommandError::MarginOfOtherEndpoint
            | CommandError::ParallelScript(_)
            | CommandError::NobodyToAgree
            | CommandError::TooFewSeedsForVerdict { .. } => 2,
            #[cfg(feature = "ablation")]
            CommandError::CostNotAgreed => 3,
            #[cfg(any(feature = "memory", feature = "x0l"))]
            CommandError::NotText { .. } => 2,
            #[cfg(any(feature = "ablation", feature = "bundle"))]
            CommandError::ResponseFormat { .. } => 2,
            CommandError::TimeJump { .. } => 1,
            CommandError::NoPlaceForResult { .. }
            | CommandError::NoLedgerBelow(_)
            | CommandError::NotBuilt(_)
            | CommandError::Server { .. }
            | CommandError::File(_) => 3,
            CommandError::Ledger(error) => code_of_ledger(error),
            #[cfg(feature = "oracle")]
            CommandError::Oracle(_) => 3,
            #[cfg(feature = "ablation")]
            CommandError::Ablation(error) => code_of_ablation(error),
            #[cfg(feature = "bundle")]
            CommandError::Bundle(_) | CommandError::LedgerHasPolicies(_) => 2,
            #[cfg(feature = "bundle")]
            CommandError::NoVerdict(_) => 3,
            #[cfg(feature = "gateway")]
            CommandError::Gateway(error) => code_of_gateway(error),
            #[cfg(feature = "heads")]
            CommandError::ProofNeeds { .. } => 2,
            #[cfg(feature = "heads")]
            CommandError::Heads(error) => code_of_heads(error),
            #[cfg(feature = "witness")]
            CommandError::CheckpointInterval(..) => 2,
            #[cfg(feature = "witness")]
            CommandError::CheckpointReplaced(_) | CommandError::Checkpoints(_) => 3,
            #[cfg(feature = "witness")]
            CommandError::Witness(error) => code_of_witness(error),
            #[cfg(feature = "memory")]
            CommandError::Memory(error) => code_of_memory(error),
            #[cfg(feature = "x0l")]
            CommandError::X0l(error) => code_of_x0l(error),
        }
    }
}

fn code_of_ledger(error: &LedgerError) -> u8 {
    match error {
        LedgerError::Damaged { .. }
        | LedgerError::Sealed(_)
        | LedgerError::ModelMismatch { .. }
        | LedgerError::TimeRollback { .. } => 1,
        LedgerError::InvalidPolicies { .. }
        | LedgerError::InvalidInput { .. }
        | LedgerError::InvalidIdentity { .. }
        | LedgerError::QuestionViolatesSchema { .. }
        | LedgerError::UndeclaredOracle { .. }
        | LedgerError::UnjudgedOracle { .. }
        | LedgerError::UnknownSource { .. }
        | LedgerError::SourceNoAnswer { .. }
        | LedgerError::SourceRefused { .. }
        | LedgerError::ReservedOracleId { .. }
        | LedgerError::RunningValueId { .. }
        | LedgerError::RunningValueNotLimited { .. } => 2,
        LedgerError::File(_)
        | LedgerError::NotDurable { .. }
        | LedgerError::Locked { .. }
        | LedgerError::AlreadyExists(_)
        | LedgerError::NoObservations(_)
        | LedgerError::ConfigurationMissing { .. }
        | LedgerError::ConfigurationUnreadable { .. }
        | LedgerError::SchemasUnusable { .. }
        | LedgerError::Core { .. } => 3,
    }
}

#[cfg(feature = "ablation")]
fn code_of_ablation(error: &AblationError) -> u8 {
    match error {
        AblationError::Invalid(_)
        | AblationError::InvalidComparison(_)
        | AblationError::NotComparable { .. }
        | AblationError::ForeignLedger { .. }
        | AblationError::Prompts { .. }
        | AblationError::NothingToCompare(_) => 1,
        AblationError::Environment { .. }
        | AblationError::Padding(_)
        | AblationError::TooFewSeeds(_)
        | AblationError::DuplicateSeed(_)
        | AblationError::EmptyPlan
        | AblationError::EpisodeTooShort { .. }
        | AblationError::CalibrationMismatch { .. }
        | AblationError::MissingModel(_)
        | AblationError::MissingCalibration
        | AblationError::MarginOfNothing(_)
        | AblationError::ResumedOtherwise { .. }
        | AblationError::OracleBeginsAnew(_) => 2,
        AblationError::Tokens(TokenError::OtherFile { .. }) => 1,
        AblationError::Tokens(TokenError::Uncountable { .. }) => 3,
        AblationError::Tokens(_) => 2,
        AblationError::Document { .. }
        | AblationError::MissingRun(_)
        | AblationError::RunExists(_)
        | AblationError::ArmOfExperiment { .. }
        | AblationError::ComparisonExists(_)
        | AblationError::FileExists(_)
        | AblationError::Interrupted(_)
        | AblationError::NoAnswer(_)
        | AblationError::AskedAheadOtherwise { .. }
        | AblationError::File(_)
        | AblationError::Oracle(_) => 3,
        AblationError::Ledger(error) => code_of_ledger(error),
    }
}

#[cfg(feature = "gateway")]
fn code_of_gateway(error: &GatewayError) -> u8 {
    match error {
        GatewayError::Checkpoints { .. }
        | GatewayError::Configuration { .. }
        | GatewayError::Unfit { .. }
        | GatewayError::OtherPolicies { .. } => 2,
        GatewayError::Ledger(error) => code_of_ledger(error),
        GatewayError::Ending | GatewayError::Listen { .. } | GatewayError::Setup(_) => 3,
    }
}

#[cfg(feature = "heads")]
fn code_of_heads(error: &HeadsError) -> u8 {
    match error {
        HeadsError::OtherRecords { .. } | HeadsError::NoSuchRecord { .. } => 1,
        HeadsError::KeyName(_)
        | HeadsError::BrokenKey(_)
        | HeadsError::OtherKeyKind { .. }
        | HeadsError::VerifierKey(_)
        | HeadsError::NoName { .. }
        | HeadsError::OtherName { .. }
        | HeadsError::NoCheckpoint { .. }
        | HeadsError::NoPolicy { .. }
        | HeadsError::ForeignCheckpoint(_)
        | HeadsError::OtherLedgers { .. }
        | HeadsError::NotOlder { .. } => 2,
        HeadsError::KeyExists(_)
        | HeadsError::KeyExposed { .. }
        | HeadsError::Random(_)
        | HeadsError::MissingCheckpoint(_)
        | HeadsError::NotDurable { .. }
        | HeadsError::NameUnknown { .. }
        | HeadsError::Unsigned(_)
        | HeadsError::Tree(_)
        | HeadsError::File(_) => 3,
        HeadsError::Ledger(error) => code_of_ledger(error),
    }
}

#[cfg(feature = "witness")]
fn code_of_witness(error: &WitnessError) -> u8 {
    match error {
        WitnessError::NoLogKey { .. }
        | WitnessError::NoLogs(_)
        | WitnessError::NoState { .. }
        | WitnessError::OtherWitness { .. } => 2,
        WitnessError::StateExists(_)
        | WitnessError::StateMissing(_)
        | WitnessError::Database { .. }
        | WitnessError::Listen { .. }
        | WitnessError::Setup(_)
        | WitnessError::File(_) => 3,
    }
}

#[cfg(feature = "memory")]
fn code_of_memory(error: &MemoryError) -> u8 {
    match error {
        MemoryError::Damaged { .. }
        | MemoryError::Altered { .. }
        | MemoryError::NoFact { .. }
        | MemoryError::Refused { .. }
        | MemoryError::Pin { .. }
        | MemoryError::UnassertedPin { .. }
        | MemoryError::Guess { .. }
        | MemoryError::Leak { .. } => 1,
        MemoryError::Document { .. }
        | MemoryError::UnknownEntry { .. }
        | MemoryError::OwnCommand { .. }
        | MemoryError::Tokens(_)
        | MemoryError::Budget { .. } => 2,
        MemoryError::Sqlite { .. }
        | MemoryError::File(_)
        | MemoryError::Missing(_)
        | MemoryError::Unfinished(_)
        | MemoryError::Exists(_)
        | MemoryError::Foreign { .. }
        | MemoryError::Behind { .. }
        | MemoryError::ReadOnly(_)
        | MemoryError::Newer { .. }
        | MemoryError::OtherTokenizer { .. }
        | MemoryError::Older { .. } => 3,
    }
}

#[cfg(feature = "x0l")]
fn code_of_x0l(error: &X0lError) -> u8 {
    match error {
        X0lError::Log(_) | X0lError::Live(LiveError::NotReady(_)) => 1,
        X0lError::NothingToReview { .. }
        | X0lError::NoSuchCycle { .. }
        | X0lError::NotSealed(_)
        | X0lError::Live(LiveError::Input { .. } | LiveError::Settings(_)) => 2,
        X0lError::NotEmpty(_) | X0lError::NotARun(_) | X0lError::File(_) | X0lError::Oracle(_) => 3,
        X0lError::Ledger(error) => code_of_ledger(error),
    }
}
