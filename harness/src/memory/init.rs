//! `axilog memory init`: a new memory.

use std::path::PathBuf;

use axilog_memory::{Canonical, MaskMatrix, Opening, Store};
use serde_json::json;

use super::super::output::Report;
use super::super::{Failure, table};
use super::options::{Pin, contents, pairs};

/// Begin a memory: the story's pointers and the pins are its first entries.
///
/// Pinned are the canonical profile, the hash, every policy of this build and the mask matrix; --pin
/// adds those of models, adapters, prompt templates, image workflows and seed policies.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database, which must be new.
    db: PathBuf,
    /// The world.
    #[arg(long, value_name = "ID")]
    world: String,
    /// The campaign.
    #[arg(long, value_name = "ID")]
    campaign: String,
    /// The first session.
    #[arg(long, value_name = "ID", default_value = "session-1")]
    session: String,
    /// Which output class may hold which mask, as JSON; built in: PUBLIC and PLAYER in all of them.
    #[arg(long, value_name = "FILE")]
    mask_matrix: Option<PathBuf>,
    /// A pin; may be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    pin: Vec<Pin>,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let matrix = match &args.mask_matrix {
        None => MaskMatrix::players()?,
        Some(path) => {
            let what = path.display().to_string();
            MaskMatrix::read(Canonical::read(&what, &contents(path)?)?)?
        }
    };
    let mask_matrix = matrix.canonical().handle().to_string();
    let store = Store::init(
        &args.db,
        &Opening {
            world_id: args.world.clone(),
            campaign_id: args.campaign.clone(),
            session_id: args.session.clone(),
            matrix,
            pins: pairs(&args.pin),
        },
    )?;
    let head = store.lens().head()?;
    let pins = store.lens().pins()?.len();
    Ok(Report {
        passed: true,
        text: table::format_pairs(&[
            ("memory", args.db.display().to_string()),
            ("entries", head.seq.to_string()),
            ("pins", pins.to_string()),
            ("mask matrix", mask_matrix.clone()),
        ]),
        json: json!({
            "memory": args.db.to_string_lossy(),
            "ok": true,
            "entries": head.seq,
            "pins": pins,
            "mask_matrix_id": mask_matrix,
        }),
        notes: Vec::new(),
    })
}
