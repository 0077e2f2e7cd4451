//! The version of the libraries.

/// A version of the libraries.
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
