//! The version of the library, and the names of files that follow from it.

/// A version of the library.
pub struct Version {
    /// The whole version, such as 0.2.0.
    pub full: &'static str,
    pub(super) major: &'static str,
    pub(super) minor: &'static str,
}

/// The version of the workspace.
pub const VERSION: Version = Version {
    full: env!("CARGO_PKG_VERSION"),
    major: env!("CARGO_PKG_VERSION_MAJOR"),
    minor: env!("CARGO_PKG_VERSION_MINOR"),
};

impl Version {
    /// The SONAME, which a program asks the loader for. Before 1.0 each minor version has an interface of
    /// its own.
    #[must_use]
    pub fn soname(&self) -> String {
        match self.major {
            "0" => format!("libaxilog.so.0.{}", self.minor),
            major => format!("libaxilog.so.{major}"),
        }
    }

    /// The file name of the shared library.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("libaxilog.so.{}", self.full)
    }
}
