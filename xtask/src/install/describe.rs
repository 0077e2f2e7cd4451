//! What tells other build systems about the installed library: pkg-config and CMake.

use std::path::Path;

use super::options::Options;

/// The version of the library, and the names that follow from it.
pub struct Version {
    /// Such as 0.1.0.
    pub full: &'static str,
    major: &'static str,
    minor: &'static str,
}

/// The workspace's version.
pub const VERSION: Version = Version {
    full: env!("CARGO_PKG_VERSION"),
    major: env!("CARGO_PKG_VERSION_MAJOR"),
    minor: env!("CARGO_PKG_VERSION_MINOR"),
};

impl Version {
    /// What programs are bound to: before 1.0 each minor version is an interface of its own.
    #[must_use]
    pub fn soname(&self) -> String {
        match self.major {
            "0" => format!("libaxilog.so.0.{}", self.minor),
            major => format!("libaxilog.so.{major}"),
        }
    }

    /// The file of the shared library.
    #[must_use]
    pub fn file(&self) -> String {
        format!("libaxilog.so.{}", self.full)
    }
}

const ABOUT: &str = "An oracle's answer as recorded, canonical, hash-chained evidence";

/// `axilog.pc`. `libraries` is what a static program needs besides.
#[must_use]
pub fn pkg_config(options: &Options, libraries: &[String]) -> String {
    let here = options.libdir().join("pkgconfig");
    let place = |path: &Path| match options.relative(&here, path) {
        Some(relative) => format!("${{pcfiledir}}/{relative}"),
        None => path.display().to_string(),
    };
    format!(
        "libdir={}\nincludedir={}\n\n\
         Name: axilog\nDescription: {ABOUT}\nVersion: {}\n\
         Cflags: -I${{includedir}}\nLibs: -L${{libdir}} -laxilog\nLibs.private: {}\n",
        place(options.libdir()),
        place(options.includedir()),
        VERSION.full,
        libraries.join(" ")
    )
}

/// `axilog-compat.pc`: the same library, with the headers for rigs written for deployed C gateways.
#[must_use]
pub fn pkg_config_compat(options: &Options) -> String {
    let here = options.libdir().join("pkgconfig");
    let include = match options.relative(&here, options.includedir()) {
        Some(relative) => format!("${{pcfiledir}}/{relative}"),
        None => options.includedir().display().to_string(),
    };
    format!(
        "includedir={include}\n\n\
         Name: axilog-compat\nDescription: axilog for rigs written for deployed C gateways\nVersion: {}\n\
         Requires: axilog = {}\nCflags: -I${{includedir}}/axilog-compat\n",
        VERSION.full, VERSION.full
    )
}

/// `axilog-config.cmake`.
#[must_use]
pub fn cmake_config(options: &Options, libraries: &[String]) -> String {
    let here = options.libdir().join("cmake/axilog");
    let place = |path: &Path| match options.relative(&here, path) {
        Some(relative) => format!("${{CMAKE_CURRENT_LIST_DIR}}/{relative}"),
        None => path.display().to_string(),
    };
    let names: Vec<&str> = libraries
        .iter()
        .map(|library| library.trim_start_matches("-l"))
        .collect();
    format!(
        r#"# axilog::axilog is the shared library, axilog::axilog_static the static one.

get_filename_component(_axilog_libdir "{libdir}" ABSOLUTE)
get_filename_component(_axilog_includedir "{includedir}" ABSOLUTE)

foreach(_axilog_file "${{_axilog_libdir}}/{file}" "${{_axilog_libdir}}/libaxilog.a"
                     "${{_axilog_includedir}}/axilog/axilog.h")
    if(NOT EXISTS "${{_axilog_file}}")
        set(axilog_FOUND FALSE)
        set(axilog_NOT_FOUND_MESSAGE "${{_axilog_file}} is not there; install axilog again")
        return()
    endif()
endforeach()

if(NOT TARGET axilog::axilog)
    add_library(axilog::axilog SHARED IMPORTED)
    set_target_properties(axilog::axilog PROPERTIES
        IMPORTED_LOCATION "${{_axilog_libdir}}/{file}"
        IMPORTED_SONAME "{soname}"
        INTERFACE_INCLUDE_DIRECTORIES "${{_axilog_includedir}}")

    add_library(axilog::axilog_static STATIC IMPORTED)
    set_target_properties(axilog::axilog_static PROPERTIES
        IMPORTED_LOCATION "${{_axilog_libdir}}/libaxilog.a"
        INTERFACE_INCLUDE_DIRECTORIES "${{_axilog_includedir}}"
        INTERFACE_LINK_LIBRARIES "{names}")
endif()

unset(_axilog_file)
unset(_axilog_libdir)
unset(_axilog_includedir)
"#,
        libdir = place(options.libdir()),
        includedir = place(options.includedir()),
        file = VERSION.file(),
        soname = VERSION.soname(),
        names = names.join(";"),
    )
}

/// `axilog-config-version.cmake`: the same interface, and no older than what is asked for.
#[must_use]
pub fn cmake_version() -> String {
    let interface = match VERSION.major {
        "0" => format!("0.{}", VERSION.minor),
        major => major.to_owned(),
    };
    format!(
        r#"set(PACKAGE_VERSION "{full}")
set(PACKAGE_VERSION_COMPATIBLE FALSE)
set(PACKAGE_VERSION_EXACT FALSE)

# "0" and "0.1" ask for 0.1.*, as "1" would for 1.*.
if(NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION
   AND "{interface}." MATCHES "^${{PACKAGE_FIND_VERSION_MAJOR}}[.]"
   AND (PACKAGE_FIND_VERSION_COUNT LESS 2 OR NOT PACKAGE_FIND_VERSION_MAJOR EQUAL 0
        OR PACKAGE_FIND_VERSION_MINOR EQUAL {minor}))
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
    if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
        set(PACKAGE_VERSION_EXACT TRUE)
    endif()
endif()

if(CMAKE_SIZEOF_VOID_P AND NOT CMAKE_SIZEOF_VOID_P EQUAL {pointer})
    set(PACKAGE_VERSION_UNSUITABLE TRUE)
endif()
"#,
        full = VERSION.full,
        minor = VERSION.minor,
        pointer = size_of::<usize>(),
    )
}
