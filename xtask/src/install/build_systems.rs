//! The files by which pkg-config and CMake find the installed library.

use std::path::Path;

use super::locations::Locations;
use super::package::Package;
use super::version::VERSION;

/// `NAME.pc`. A static program links `native_libraries` besides the library.
#[must_use]
pub fn pkg_config(package: &Package, locations: &Locations, native_libraries: &[String]) -> String {
    let directory = locations.libdir().join("pkgconfig");
    let path_from_file = |path: &Path| match locations.relative(&directory, path) {
        Some(relative) => format!("${{pcfiledir}}/{relative}"),
        None => path.display().to_string(),
    };
    format!(
        "libdir={}\nincludedir={}\n\n\
         Name: {}\nDescription: {}\nVersion: {}\n\
         Cflags: -I${{includedir}}\nLibs: -L${{libdir}} -l{}\nLibs.private: {}\n",
        path_from_file(&locations.libdir()),
        path_from_file(&locations.includedir()),
        package.name,
        package.about,
        VERSION.full,
        package.library,
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

/// `NAME-config.cmake`, which `find_package(NAME)` reads.
#[must_use]
pub fn cmake_config(
    package: &Package,
    locations: &Locations,
    native_libraries: &[String],
) -> String {
    let directory = locations.libdir().join("cmake").join(package.name);
    let path_from_file = |path: &Path| match locations.relative(&directory, path) {
        Some(relative) => format!("${{CMAKE_CURRENT_LIST_DIR}}/{relative}"),
        None => path.display().to_string(),
    };
    let names: Vec<&str> = native_libraries
        .iter()
        .map(|library| library.trim_start_matches("-l"))
        .collect();
    format!(
        r#"# {name}::{name} is the shared library, {name}::{name}_static the static one.

get_filename_component(_axilog_libdir "{libdir}" ABSOLUTE)
get_filename_component(_axilog_includedir "{includedir}" ABSOLUTE)

foreach(_axilog_file "${{_axilog_libdir}}/{file}" "${{_axilog_libdir}}/{archive}"
                     "${{_axilog_includedir}}/{header}")
    if(NOT EXISTS "${{_axilog_file}}")
        set({name}_FOUND FALSE)
        set({name}_NOT_FOUND_MESSAGE "${{_axilog_file}} is missing; install axilog again")
        return()
    endif()
endforeach()

if(NOT TARGET {name}::{name})
    add_library({name}::{name} SHARED IMPORTED)
    set_target_properties({name}::{name} PROPERTIES
        IMPORTED_LOCATION "${{_axilog_libdir}}/{file}"
        IMPORTED_SONAME "{soname}"
        INTERFACE_INCLUDE_DIRECTORIES "${{_axilog_includedir}}")

    add_library({name}::{name}_static STATIC IMPORTED)
    set_target_properties({name}::{name}_static PROPERTIES
        IMPORTED_LOCATION "${{_axilog_libdir}}/{archive}"
        INTERFACE_INCLUDE_DIRECTORIES "${{_axilog_includedir}}"
        INTERFACE_LINK_LIBRARIES "{names}")
endif()

unset(_axilog_file)
unset(_axilog_libdir)
unset(_axilog_includedir)
"#,
        name = package.name,
        header = package.header,
        libdir = path_from_file(&locations.libdir()),
        includedir = path_from_file(&locations.includedir()),
        archive = package.archive_name(),
        file = package.file_name(),
        soname = package.soname(),
        names = names.join(";"),
    )
}

/// `NAME-config-version.cmake`. CMake accepts the installed version where it has the requested
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
