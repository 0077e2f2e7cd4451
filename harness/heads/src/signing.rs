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
use crate::saved_tree::{find_signed_place, save_tree};
use crate::tree_place::TreePlace;

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
    place: TreePlace,
}

impl SignedHead {
    /// Saves the tree beside the ledger, so that the next head is made of the records that follow. That comes after the
    /// checkpoint was written: only a tree whose root the key has signed is gone on from.
    ///
    /// # Errors
    /// [`FileError::Io`]. The next head is then made of the whole ledger.
    pub fn save_tree(&self, ledger: &Path) -> Result<(), FileError> {
        save_tree(ledger, &self.place)
    }
}

/// Signs the head of the ledger that is read from `source`. It is verified first, in one pass, and synced, so that no
/// power failure takes back what was signed. Where the earlier checkpoint was signed of the records before the [saved
/// tree](SignedHead::save_tree), or of more, only the records after that are read.
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
    let resumed = match earlier {
        Some(earlier) => grow_saved_tree(source, ledger, earlier),
        None => None,
    };
    let place = match resumed {
        Some(place) => place,
        None => read_tree(source, ledger, earlier)?,
    };
    sync_ledger(ledger)?;
    let size = place.edge.size();
    Ok(SignedHead {
        checkpoint: Checkpoint::sign(size, place.edge.root()?, key)?,
        is_new: earlier.is_none_or(|earlier| earlier.size() < size),
        place,
    })
}

/// Reads the whole ledger, which must be good and extend the earlier checkpoint.
fn read_tree(
    source: &mut (impl Read + Seek),
    ledger: &Path,
    earlier: Option<&Checkpoint>,
) -> Result<TreePlace, HeadsError> {
    let questions = TreeQuestions {
        sizes: earlier.iter().map(|earlier| earlier.size()).collect(),
        ..TreeQuestions::default()
    };
    let tree = LedgerTree::read(source, ledger, &questions)?;
    if let Some(earlier) = earlier {
        tree.check_extends(ledger, earlier)?;
    }
    let place = TreePlace::after_line(source, tree.last_offset, tree.edge);
    Ok(place.map_err(FileError::from_io(ledger, "read the ledger"))?)
}

/// Grows the saved tree of the ledger to its end. `None` where the whole ledger must be read: there is no such tree, it has
/// another root than was signed, or the records after it are not good as far as that is seen.
fn grow_saved_tree(
    source: &mut (impl Read + Seek),
    ledger: &Path,
    earlier: &Checkpoint,
) -> Option<TreePlace> {
    let mut place = find_signed_place(source, ledger, earlier)?;
    let is_good = place.grow(source, None, &mut |_, _| {}).ok()?;
    is_good.then_some(place)
}

/// Checks that the key's name is the ledger's, or the one that is given to a ledger without a name.
pub(crate) fn check_origin(
    source: &mut (impl Read + Seek),
    request: &SigningRequest<'_>,
) -> Result<(), HeadsError> {
    let name = find_ledger_name(source, request.ledger)?;
    check_log_name(request.ledger, name.as_deref(), request.key, request.origin)
}

/// Checks that a key is that of a ledger: its name is the ledger's, `name`, or the one that is given to a ledger without a
/// name, `origin`. The ledger need not be there yet.
///
/// # Errors
/// [`HeadsError::NoName`], [`HeadsError::OtherName`].
pub fn check_log_name(
    ledger: &Path,
    name: Option<&str>,
    key: &LogKey,
    origin: Option<&str>,
) -> Result<(), HeadsError> {
    let key_name = key.verifier_key().name();
    for (whose, name) in [
        ("the ledger's name", name),
        ("the origin that was given", origin),
    ] {
        if let Some(name) = name
            && name != key_name
        {
            return Err(HeadsError::OtherName {
                ledger: ledger.to_owned(),
                whose,
                name: name.to_owned(),
                key_name: key_name.to_owned(),
            });
        }
    }
    match name.or(origin) {
        Some(_) => Ok(()),
        None => Err(HeadsError::NoName {
            ledger: ledger.to_owned(),
            key_name: key_name.to_owned(),
        }),
    }
}

/// Makes durable what a ledger's file holds. Does nothing on systems where a file that was opened for reading cannot be synced.
///
/// # Errors
/// [`FileError::Io`].
pub fn sync_ledger(ledger: &Path) -> Result<(), FileError> {
    if cfg!(unix) {
        File::open(ledger)
            .and_then(|file| file.sync_all())
            .map_err(FileError::from_io(ledger, "sync the ledger"))?;
    }
    Ok(())
}
