//! The layout of every public type as Rust has it on the target, printed; `c-tests/layout.c` prints
//! what C has. `cargo xtask firmware` compiles both and compares.

#![no_std]

use core::ffi::c_int;
use core::fmt::Write;

#[path = "../../tests/c_suites/layout.rs"]
mod layout;

unsafe extern "C" {
    fn putchar(byte: c_int) -> c_int;
}

struct Output;

impl Write for Output {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        for byte in text.bytes() {
            // SAFETY: C's own.
            unsafe { putchar(c_int::from(byte)) };
        }
        Ok(())
    }
}

#[unsafe(no_mangle)]
extern "C" fn main() -> c_int {
    c_int::from(layout::write(&mut Output).is_err())
}
