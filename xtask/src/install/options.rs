//! Where things go: the options of `cargo xtask install`, and the directories that follow from them.

use std::path::{Component, Path, PathBuf};

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    prefix: PathBuf,
    destdir: Option<PathBuf>,
    libdir: PathBuf,
    includedir: PathBuf,
    /// Leaves out the command, its manual and its completions.
    pub library_only: bool,
}

impl Options {
    /// Reads `--name VALUE` and `--name=VALUE`.
    ///
    /// # Errors
    /// An option that is none, one without its value, or a directory that cannot be one.
    pub fn parse(words: &[&str]) -> Result<Options, String> {
        let mut options = Options {
            prefix: "/usr/local".into(),
            destdir: None,
            libdir: "lib".into(),
            includedir: "include".into(),
            library_only: false,
        };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let (name, inline) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word, None),
            };
            if name == "--library-only" && inline.is_none() {
                options.library_only = true;
                continue;
            }
            if !["--prefix", "--destdir", "--libdir", "--includedir"].contains(&name) {
                return Err(format!("no such option: {word}"));
            }
            let value = inline.or_else(|| words.next().copied()).unwrap_or_default();
            if value.is_empty() {
                return Err(format!("{name} needs a directory"));
            }
            let path = PathBuf::from(value);
            match name {
                "--prefix" => options.prefix = path,
                "--destdir" => options.destdir = Some(path),
                "--libdir" => options.libdir = path,
                _ => options.includedir = path,
            }
        }
        if !options.prefix.is_absolute() {
            let prefix = options.prefix.display();
            return Err(format!("--prefix {prefix} is not an absolute path"));
        }
        options.libdir = options.prefix.join(&options.libdir);
        options.includedir = options.prefix.join(&options.includedir);
        for path in [&options.prefix, &options.libdir, &options.includedir] {
            if path.components().any(|part| part == Component::ParentDir) {
                return Err(format!("{} has a .. in it", path.display()));
            }
        }
        Ok(options)
    }

    /// Where a path is written to: below the staging directory, if there is one.
    #[must_use]
    pub fn staged(&self, path: &Path) -> PathBuf {
        match &self.destdir {
            Some(destdir) => destdir.join(path.strip_prefix("/").unwrap_or(path)),
            None => path.to_owned(),
        }
    }

    /// The libraries.
    #[must_use]
    pub fn libdir(&self) -> &Path {
        &self.libdir
    }

    /// The headers.
    #[must_use]
    pub fn includedir(&self) -> &Path {
        &self.includedir
    }

    /// A directory below the prefix.
    #[must_use]
    pub fn below(&self, path: &str) -> PathBuf {
        self.prefix.join(path)
    }

    /// The list of what is installed.
    #[must_use]
    pub fn manifest(&self) -> PathBuf {
        self.prefix.join("share/axilog/manifest")
    }

    /// `to` as seen from `from`: relative where both are below the prefix, so that the whole may be
    /// moved, else absolute. `None` for absolute.
    #[must_use]
    pub fn relative(&self, from: &Path, to: &Path) -> Option<String> {
        let from = from.strip_prefix(&self.prefix).ok()?;
        let to = to.strip_prefix(&self.prefix).ok()?;
        let mut parts = vec![".."; from.components().count()];
        let to = to.to_str()?;
        if !to.is_empty() {
            parts.push(to);
        }
        Some(parts.join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_follow_from_the_options() {
        let options = Options::parse(&["--prefix", "/opt/ax", "--libdir=lib/x86"]).unwrap();
        assert_eq!(options.libdir(), Path::new("/opt/ax/lib/x86"));
        assert_eq!(options.includedir(), Path::new("/opt/ax/include"));
        assert_eq!(options.staged(options.libdir()), options.libdir());
        let from = options.libdir().join("pkgconfig");
        let up = options.relative(&from, options.includedir());
        assert_eq!(up.as_deref(), Some("../../../include"));
        assert_eq!(options.relative(&from, Path::new("/usr/include")), None);
        let staged = Options::parse(&["--destdir", "d"]).unwrap();
        assert_eq!(staged.staged(staged.libdir()), Path::new("d/usr/local/lib"));
    }

    #[test]
    fn wrong_options_are_named() {
        for (words, error) in [
            (&["--prefx", "/a"][..], "no such option: --prefx"),
            (&["--prefix"], "--prefix needs a directory"),
            (&["--libdir="], "--libdir needs a directory"),
            (&["--prefix", "a"], "--prefix a is not an absolute path"),
            (&["--libdir", "../a"], "/usr/local/../a has a .. in it"),
            (&["--library-only=1"], "no such option: --library-only=1"),
        ] {
            assert_eq!(Options::parse(words).unwrap_err(), error);
        }
    }
}
