//! The directories of an installation, and the options that choose them.

use std::path::{Component, Path, PathBuf};

use clap::Args;

/// The directories of an installation.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct Locations {
    /// Directory in which the installation is used; an absolute path
    #[arg(long, value_name = "DIR", default_value = "/usr/local", value_parser = parse_prefix)]
    prefix: PathBuf,
    /// Directory in which the installation is staged: its files go to DIR/PREFIX/...
    #[arg(long, value_name = "DIR")]
    destdir: Option<PathBuf>,
    /// Directory of the libraries; below the prefix, or absolute
    #[arg(long, value_name = "DIR", default_value = "lib", value_parser = parse_directory)]
    libdir: PathBuf,
    /// Directory of the headers; below the prefix, or absolute
    #[arg(long, value_name = "DIR", default_value = "include", value_parser = parse_directory)]
    includedir: PathBuf,
}

fn parse_prefix(text: &str) -> Result<PathBuf, String> {
    let path = parse_directory(text)?;
    if path.is_absolute() {
        Ok(path)
    } else {
        Err("not an absolute path; begin it with /".into())
    }
}

fn parse_directory(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if text.is_empty() {
        Err("empty; name a directory".into())
    } else if path.components().any(|part| part == Component::ParentDir) {
        Err("a path with `..` in it; name the directory itself".into())
    } else {
        Ok(path)
    }
}

impl Locations {
    /// The path at which a file of the installation is written: below the staging directory, if there
    /// is one.
    #[must_use]
    pub fn staged(&self, path: &Path) -> PathBuf {
        match &self.destdir {
            Some(destdir) => destdir.join(path.strip_prefix("/").unwrap_or(path)),
            None => path.to_owned(),
        }
    }

    /// The directory of the libraries.
    #[must_use]
    pub fn libdir(&self) -> PathBuf {
        self.prefix.join(&self.libdir)
    }

    /// The directory of the headers.
    #[must_use]
    pub fn includedir(&self) -> PathBuf {
        self.prefix.join(&self.includedir)
    }

    /// A path below the prefix.
    #[must_use]
    pub fn below_prefix(&self, path: &str) -> PathBuf {
        self.prefix.join(path)
    }

    /// The file that lists what is installed.
    #[must_use]
    pub fn manifest(&self) -> PathBuf {
        self.below_prefix("share/axilog/manifest")
    }

    /// The path `to` relative to the directory `from`, so that the installed tree may be moved; `None`
    /// where one of the two is not below the prefix.
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
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct CommandLine {
        #[command(flatten)]
        locations: Locations,
    }

    fn parse(words: &[&str]) -> Result<Locations, String> {
        CommandLine::try_parse_from([&["install"], words].concat())
            .map(|line| line.locations)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn directories_follow_from_the_options() {
        let opt = parse(&["--prefix", "/opt/ax", "--libdir=lib/x86"]).unwrap();
        assert_eq!(opt.libdir(), Path::new("/opt/ax/lib/x86"));
        assert_eq!(opt.includedir(), Path::new("/opt/ax/include"));
        assert_eq!(opt.staged(&opt.libdir()), opt.libdir());
        let pkgconfig = opt.libdir().join("pkgconfig");
        let relative = opt.relative(&pkgconfig, &opt.includedir());
        assert_eq!(relative.as_deref(), Some("../../../include"));
        assert_eq!(opt.relative(&pkgconfig, Path::new("/usr/include")), None);
        let staged = parse(&["--destdir", "d"]).unwrap();
        let libdir = staged.staged(&staged.libdir());
        assert_eq!(libdir, Path::new("d/usr/local/lib"));
    }

    #[test]
    fn an_error_names_the_wrong_option() {
        for (words, expected) in [
            (&["--prefx", "/a"][..], "unexpected argument '--prefx'"),
            (&["--prefix"], "a value is required for '--prefix <DIR>'"),
            (&["--libdir="], "'--libdir <DIR>': empty; name a directory"),
            (&["--destdir="], "a value is required for '--destdir <DIR>'"),
            (&["--prefix", "a"], "'--prefix <DIR>': not an absolute path"),
            (&["--libdir", "../a"], "'../a' for '--libdir <DIR>'"),
        ] {
            let error = parse(words).unwrap_err();
            assert!(error.contains(expected), "{words:?}: {error}");
        }
    }
}
