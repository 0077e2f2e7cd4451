//! The signing of a ledger's head, which a log does only where the ledger is good and extends what it signed before.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use axilog_ledger::error::FileError;

use crate::checkpoint::Checkpoint;
use crate::error::HeadsError;
use crate::ledger_name::find_ledger_name;
use crate::ledger_tree::{LedgerTree, TreeQuestions};
use crate::log_key::LogKey;

/// What is to be signed.
#[derive(Clone, Copy, Debug)]
pub struct SigningRequest<'a> {
    /// The path of the ledger.
    pub ledger: &'a Path,
    /// The key, whose name becomes the checkpoint's origin.
    pub key: &'a LogKey,
    /// The origin of a ledger that was begun without a name; `None` for one that has its own.
    pub origin: Option<&'a str>,
    /// The checkpoint that was signed last, which the ledger must extend; `None` for the first one.
    pub earlier: Option<&'a Checkpoint>,
}

/// A signed head of a ledger.
#[derive(Debug)]
pub struct SignedHead {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// Whether the ledger has grown since the earlier checkpoint. Where it has not, that one says the same, and may
    /// have signatures of witnesses.
    pub is_new: bool,
}

/// Signs the head of the ledger that is read from `source`. It is verified first, in one pass, and synced, so that no
/// power failure takes back what was signed.
///
/// # Errors
/// Those of [`find_ledger_name`]; [`HeadsError::NoName`], [`HeadsError::OtherName`];
/// [`HeadsError::ForeignCheckpoint`] for an earlier checkpoint that this key did not sign; [`HeadsError::OtherRecords`]
/// where the ledger does not extend it;
/// [`LedgerError::Damaged`](axilog_ledger::error::LedgerError::Damaged) for a ledger that is not good.
pub fn sign_ledger(
    source: &mut (impl Read + Seek),
    request: &SigningRequest<'_>,
) -> Result<SignedHead, HeadsError> {
    let SigningRequest {
        ledger,
        key,
        earlier,
        ..
    } = *request;
    check_origin(source, request)?;
    if let Some(earlier) = earlier {
        let verified = earlier.verify(key.verifier_key());
        verified.map_err(HeadsError::ForeignCheckpoint)?;
    }
    let questions = TreeQuestions {
        sizes: earlier.iter().map(|earlier| earlier.size()).collect(),
        ..TreeQuestions::default()
    };
    let tree = LedgerTree::read(source, ledger, &questions)?;
    if let Some(earlier) = earlier {
        tree.check_extends(ledger, earlier)?;
    }
    sync(ledger)?;
    let size = tree.edge.size();
    Ok(SignedHead {
        checkpoint: Checkpoint::sign(size, tree.edge.root()?, key)?,
        is_new: earlier.is_none_or(|earlier| earlier.size() < size),
    })
}

/// Checks that the key's name is the ledger's, or the one that is given to a ledger without a name.
fn check_origin(
    source: &mut (impl Read + Seek),
    request: &SigningRequest<'_>,
) -> Result<(), HeadsError> {
    let key_name = request.key.verifier_key().name();
    let name = find_ledger_name(source, request.ledger)?;
    for (whose, name) in [
        ("the ledger's name", name.as_deref()),
        ("the origin that was given", request.origin),
    ] {
        if let Some(name) = name
            && name != key_name
        {
            return Err(HeadsError::OtherName {
                ledger: request.ledger.to_owned(),
                whose,
                name: name.to_owned(),
                key_name: key_name.to_owned(),
            });
        }
    }
    match name.as_deref().or(request.origin) {
        Some(_) => Ok(()),
        None => Err(HeadsError::NoName {
            ledger: request.ledger.to_owned(),
            key_name: key_name.to_owned(),
        }),
    }
}

/// Makes durable what was read. Does nothing on systems where a file that was opened for reading cannot be synced.
fn sync(ledger: &Path) -> Result<(), FileError> {
    if cfg!(unix) {
        File::open(ledger)
            .and_then(|file| file.sync_all())
            .map_err(FileError::from_io(ledger, "sync the ledger"))?;
    }
    Ok(())
}
