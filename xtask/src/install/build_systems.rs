//! The files by which pkg-config and CMake find the installed library.

use std::path::Path;

use super::locations::Locations;
use super::version::VERSION;

const ABOUT: &str = "An oracle's answer as recorded, canonical, hash-chained evidence";

/// `axilog.pc`. A static program links `native_libraries` besides the library.
#[must_use]
pub fn pkg_config(locations: &Locations, native_libraries: &[String]) -> String {
    let directory = locations.libdir().join("pkgconfig");
    let path_from_file = |path: &Path| match locations.relative(&directory, path) {
        Some(relative) => format!("${{pcfiledir}}/{relative}"),
        None => path.display().to_string(),
    };
    format!(
        "libdir={}\nincludedir={}\n\n\
         Name: axilog\nDescription: {ABOUT}\nVersion: {}\n\
         Cflags: -I${{includedir}}\nLibs: -L${{libdir}} -laxilog\nLibs.private: {}\n",
        path_from_file(&locations.libdir()),
        path_from_file(&locations.includedir()),
        VERSION.full,
        native_libraries.join(" ")
    )
}

/// `axilog-compat.pc`: the library with the headers for rigs written for deployed C gateways.
#[must_use]
pub fn pkg_config_compat(locations: &Locations) -> String {
    let directory = locations.libdir().join("pkgconfig");
    let include = match locations.relative(&directory, &locations.includedir()) {
        Some(relative) => format!("${{pcfiledir}}/{relative}"),
        None => locations.includedir().display().to_string(),
    };
    format!(
        "includedir={include}\n\n\
         Name: axilog-compat\nDescription: axilog for rigs written for deployed C gateways\nVersion: {}\n\
         Requires: axilog = {}\nCflags: -I${{includedir}}/axilog-compat\n",
        VERSION.full, VERSION.full
    )
}

/// `axilog-config.cmake`, which `find_package(axilog)` reads.
#[must_use]
pub fn cmake_config(locations: &Locations, native_libraries: &[String]) -> String {
    let directory = locations.libdir().join("cmake/axilog");
    let path_from_file = |path: &Path| match locations.relative(&directory, path) {
        Some(relative) => format!("${{CMAKE_CURRENT_LIST_DIR}}/{relative}"),
        None => path.display().to_string(),
    };
    let names: Vec<&str> = native_libraries
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
        set(axilog_NOT_FOUND_MESSAGE "${{_axilog_file}} is missing; install axilog again")
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
        libdir = path_from_file(&locations.libdir()),
        includedir = path_from_file(&locations.includedir()),
        file = VERSION.file_name(),
        soname = VERSION.soname(),
        names = names.join(";"),
    )
}

/// `axilog-config-version.cmake`. CMake accepts the installed version where it has the requested
/// interface and is no older than requested.
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
