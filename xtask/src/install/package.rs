//! The libraries that are installed, as cargo, the loader and build systems know them.

use super::version::VERSION;

/// A library that is installed.
pub struct Package {
    /// The name for pkg-config and CMake, which is that of the crate.
    pub name: &'static str,
    /// The name of the library's files, between `lib` and their endings.
    pub library: &'static str,
    /// The header that a program includes.
    pub header: &'static str,
    /// The purpose in one line.
    pub about: &'static str,
    /// The profile that cargo builds it with.
    pub profile: &'static str,
}

/// The library for any processor.
pub const CORE: Package = Package {
    name: "axilog",
    library: "axilog",
    header: "axilog/axilog.h",
    about: "An oracle's answer as recorded, canonical, hash-chained evidence",
    profile: "release",
};

/// The library for hosts, with the ledger file.
pub const HOST: Package = Package {
    name: "axilog-host",
    library: "axilog_host",
    header: "axilog/host.h",
    about: "Ledger files of oracles' answers, recorded, judged and audited",
    profile: "host",
};

impl Package {
    /// The SONAME, which a program asks the loader for. Before 1.0 each minor version has an interface of
    /// its own.
    #[must_use]
    pub fn soname(&self) -> String {
        let interface = match VERSION.major {
            "0" => format!("0.{}", VERSION.minor),
            major => major.to_owned(),
        };
        format!("lib{}.so.{interface}", self.library)
    }

    /// The file name of the shared library.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("lib{}.so.{}", self.library, VERSION.full)
    }

    /// The name by which a linker finds the shared library.
    #[must_use]
    pub fn link_name(&self) -> String {
        format!("lib{}.so", self.library)
    }

    /// The file name of the static library.
    #[must_use]
    pub fn archive_name(&self) -> String {
        format!("lib{}.a", self.library)
    }
}
