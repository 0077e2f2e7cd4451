//! `axilog memory init`: creates a memory.

use std::borrow::Cow;
use std::path::PathBuf;

use axilog_memory::{CanonicalJson, Handle, InitialState, MaskMatrix, MemoryStore};
use serde::Serialize;

use super::options::{Pin, pin_pairs, read_input};
use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// Create a memory, or complete one whose `init` was interrupted. The story's pointers (world, campaign, session) and the pins are its first entries.
///
/// A pin records what the memory was made under: the canonical profile, the hash, every policy of this
/// build and the mask matrix. --pin adds pins of models, adapters, prompt templates, image workflows and
/// seed policies.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database, a file that does not exist yet, or in which nothing is.
    pub(super) db: PathBuf,
    /// The world.
    #[arg(long, value_name = "ID")]
    world: String,
    /// The campaign.
    #[arg(long, value_name = "ID")]
    campaign: String,
    /// The first session.
    #[arg(long, value_name = "ID", default_value = "session-1")]
    session: String,
    /// A JSON file that says which output class may hold which masks; without it every class may hold
    /// PUBLIC and PLAYER.
    #[arg(long, value_name = "FILE")]
    mask_matrix: Option<PathBuf>,
    /// A pin; may be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    pin: Vec<Pin>,
}

/// A memory that was created.
#[derive(Serialize)]
struct InitResult<'a> {
    /// The database, as it was given.
    memory: Cow<'a, str>,
    ok: bool,
    /// How many entries its log has.
    entries: u64,
    /// How many pins it has.
    pins: usize,
    mask_matrix_id: Handle,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let matrix = match &args.mask_matrix {
        None => MaskMatrix::players()?,
        Some(path) => {
            let what = path.display().to_string();
            MaskMatrix::read(CanonicalJson::parse(&what, &read_input(path)?)?)?
        }
    };
    let mask_matrix = matrix.canonical().handle();
    let store = MemoryStore::init(
        &args.db,
        &InitialState {
            world_id: args.world.clone(),
            campaign_id: args.campaign.clone(),
            session_id: args.session.clone(),
            mask_matrix: matrix,
            pins: pin_pairs(&args.pin),
        },
    )?;
    let head = store.reader().head()?;
    let pins = store.reader().pins()?.len();
    let text = table::format_pairs(&[
        ("memory", args.db.display().to_string()),
        ("entries", head.seq.to_string()),
        ("pins", pins.to_string()),
        ("mask matrix", mask_matrix.to_string()),
    ]);
    let result = InitResult {
        memory: args.db.to_string_lossy(),
        ok: true,
        entries: head.seq,
        pins,
        mask_matrix_id: mask_matrix,
    };
    Ok(Report::new(true, text, &result))
}
