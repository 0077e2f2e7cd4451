//! Where the result of a command goes: to standard output, into a stream or pipe that is given, or to a regular file,
//! which is written whole or not at all. A device, a ledger, a blob and an input of the same call are left alone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use axilog_ledger::error::FileError;
use axilog_ledger::file::beginning::read_beginning;
use axilog_ledger::file::regular_file;
use axilog_ledger::input_file::is_pipe;
use axilog_ledger::standard_input::is_standard_input;

use crate::error::CommandError;
use crate::output::stream::stdout_name;

/// The most links that are followed from one path, as many as Linux follows.
const MAX_LINKS: usize = 40;

/// The place of a result.
pub(crate) enum OutputTarget<'a> {
    /// Standard output.
    StandardOutput,
    /// A stream that is open already, or a named pipe. The result is written into it piece by piece.
    Stream(File, &'a Path),
    /// A regular file, or a name that is free. The whole result takes its place; a link there is replaced and not
    /// followed.
    File(&'a Path),
}

impl<'a> OutputTarget<'a> {
    /// Finds out where `output` leads; absent and `-` are standard output. `inputs` are the files that the call
    /// reads. A named pipe is opened, for which its reader is waited for.
    ///
    /// # Errors
    /// [`CommandError::OverKept`], [`CommandError::NoPlaceForResult`], [`CommandError::File`].
    pub(crate) fn open(
        output: Option<&'a Path>,
        inputs: &[&Path],
    ) -> Result<OutputTarget<'a>, CommandError> {
        let Some(path) = output.filter(|path| !is_standard_input(path)) else {
            return Ok(OutputTarget::StandardOutput);
        };
        let descriptor = find_descriptor(path);
        match descriptor {
            Some(0) => return Err(no_place(path, "standard input")),
            Some(1) => return Ok(OutputTarget::StandardOutput),
            #[cfg(unix)]
            Some(2) => {
                use std::os::fd::AsFd;
                let stderr = io::stderr().as_fd().try_clone_to_owned();
                let stderr = stderr.map_err(FileError::from_io(path, "write"))?;
                return Ok(OutputTarget::Stream(stderr.into(), path));
            }
            _ => {}
        }
        let metadata = match fs::metadata(path) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == ErrorKind::NotFound && descriptor.is_none() => None,
            Err(error) => return Err(FileError::from_io(path, "write")(error).into()),
        };
        // The device or socket behind a stream is the caller's choice, who has opened it.
        if descriptor.is_none() || metadata.as_ref().is_some_and(fs::Metadata::is_file) {
            check_replaceable(path, inputs)?;
        }
        match metadata {
            Some(metadata) if is_pipe(&metadata) || descriptor.is_some() => {
                // What stands in a file that the shell has opened stays, as the shell's own `>>` leaves it.
                let stream = OpenOptions::new().append(true).open(path);
                let stream = stream.map_err(FileError::from_io(path, "write"))?;
                Ok(OutputTarget::Stream(stream, path))
            }
            _ => Ok(OutputTarget::File(path)),
        }
    }

    /// The place of a result that replaces the file it is made from.
    ///
    /// # Errors
    /// As [`OutputTarget::open`]; [`CommandError::NoPlaceForResult`] for whatever is no regular file.
    pub(crate) fn in_place(path: &'a Path) -> Result<OutputTarget<'a>, CommandError> {
        if is_standard_input(path) || find_descriptor(path).is_some() {
            return Err(no_place(path, "a stream"));
        }
        if let Ok(metadata) = fs::metadata(path)
            && !metadata.is_file()
        {
            let found = regular_file::name_irregular_kind(metadata.file_type());
            return Err(no_place(path, found));
        }
        check_replaceable(path, &[])?;
        Ok(OutputTarget::File(path))
    }

    /// The path of the result; `None` for standard output.
    pub(crate) fn path(&self) -> Option<&'a Path> {
        match self {
            OutputTarget::StandardOutput => None,
            OutputTarget::Stream(_, path) | OutputTarget::File(path) => Some(path),
        }
    }

    /// Tells whether a person reads the result on a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        match self {
            OutputTarget::StandardOutput => io::stdout().is_terminal(),
            OutputTarget::Stream(stream, _) => stream.is_terminal(),
            OutputTarget::File(_) => false,
        }
    }

    /// Lets `write` write the result, with the name of the place for messages.
    ///
    /// # Errors
    /// Those of `write`; [`CommandError::File`] where the file cannot be created or take its place.
    pub(crate) fn write<T>(
        self,
        write: impl FnOnce(Box<dyn Write + Send>, &Path) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        match self {
            OutputTarget::StandardOutput => write(Box::new(io::stdout()), stdout_name()),
            OutputTarget::Stream(stream, path) => write(Box::new(stream), path),
            OutputTarget::File(path) => replace_file(path, |file| write(Box::new(file), path)),
        }
    }
}

fn replace_file<T>(
    path: &Path,
    write: impl FnOnce(File) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    let (temporary, file) =
        regular_file::create_temporary(path).map_err(FileError::from_io(path, "create"))?;
    write(file)
        .and_then(|written| {
            // What has come to the name meanwhile may be no file.
            check_replaceable(path, &[])?;
            fs::rename(&temporary, path).map_err(FileError::from_io(path, "write"))?;
            Ok(written)
        })
        .inspect_err(|_| drop(fs::remove_file(&temporary)))
}

/// Checks that a result may be written to `path`: there is nothing, a pipe, or a regular file that nobody keeps.
fn check_replaceable(path: &Path, inputs: &[&Path]) -> Result<(), CommandError> {
    let kept = |found| {
        let path = path.to_owned();
        Err(CommandError::OverKept { path, found })
    };
    let real = fs::canonicalize(path).ok();
    let own = find_own_path(path);
    if real.iter().chain(&own).any(|path| is_among_blobs(path)) {
        return kept("among the blobs of a ledger");
    }
    let Some(real) = real else {
        return Ok(());
    };
    let metadata = fs::metadata(&real).map_err(FileError::from_io(path, "write"))?;
    if is_pipe(&metadata) {
        return Ok(());
    }
    if !metadata.is_file() {
        return Err(no_place(
            path,
            regular_file::name_irregular_kind(metadata.file_type()),
        ));
    }
    let is_ledger =
        regular_file::open_for_reading(&real).and_then(|mut file| read_beginning(&mut file));
    if is_ledger.map_err(FileError::from_io(path, "look for a ledger"))? {
        return kept("a ledger");
    }
    let is_input = |input: &&Path| find_real_input(input).is_ok_and(|input| input == real);
    if inputs.iter().any(is_input) {
        return kept("a file that this call reads");
    }
    Ok(())
}

fn no_place(path: &Path, found: &'static str) -> CommandError {
    let path = path.to_owned();
    CommandError::NoPlaceForResult { path, found }
}

/// Tells whether a path leads into the directory of a ledger's blobs.
fn is_among_blobs(path: &Path) -> bool {
    path.ancestors()
        .skip(1)
        .any(|folder| folder.extension().is_some_and(|end| end == "blobs"))
}

/// The path of a name itself, whatever has the name: links are followed up to its directory.
fn find_own_path(path: &Path) -> Option<PathBuf> {
    let directory = match path.parent()? {
        directory if directory.as_os_str().is_empty() => Path::new("."),
        directory => directory,
    };
    Some(fs::canonicalize(directory).ok()?.join(path.file_name()?))
}

/// The file that an input is read from.
fn find_real_input(input: &Path) -> io::Result<PathBuf> {
    match is_standard_input(input) {
        true => fs::canonicalize("/dev/stdin"),
        false => fs::canonicalize(input),
    }
}

/// The number of the descriptor that a path leads to: 1 for `/dev/stdout`, for `/dev/fd/1` and for a link to them.
fn find_descriptor(path: &Path) -> Option<u32> {
    let folders = ["/dev/fd", "/proc/self/fd"].map(|folder| fs::canonicalize(folder).ok());
    let mut own = find_own_path(path)?;
    for _ in 0..MAX_LINKS {
        let directory = own.parent()?;
        if folders.iter().flatten().any(|folder| folder == directory) {
            return own.file_name()?.to_str()?.parse().ok();
        }
        own = find_own_path(&directory.join(fs::read_link(&own).ok()?))?;
    }
    None
}
