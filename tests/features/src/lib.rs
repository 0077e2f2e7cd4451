//! Features of dependencies for the tests; `Cargo.toml` says why.
