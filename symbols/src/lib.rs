//! The symbols of the C interface, and nothing else: each forwards to the library's function of the same
//! purpose, which is exported as `axilog_impl_NAME`.
//!
//! c-abi.md; docs/rigs.md. A rig may bring a `ledger.c`, an `agent.c` or a `sha256.c` of its own. A linker
//! takes a static library object by object, so each symbol has to be alone in one: the program's definition
//! then satisfies every reference, and the library's object stays out. Rust has no weak symbols. The profiles
//! of the workspace therefore compile this crate with more codegen units than it has modules, and each
//! symbol is in a module, as `compiler_builtins` does for the same purpose; fat LTO would join them, and is
//! not used.
//!
//! Determinism: D2, as what the symbols forward to. Enums of C are passed on as integers, as they came.

#![no_std]

use core::ffi::{c_int, c_void};

/// A pointer to anything; its type is the header's.
type Pointer = *mut c_void;

/// An enum of C, whose size each target chooses; a caller passes it as an int.
type Enum = c_int;

macro_rules! forward {
    ($($target:literal => fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        mod $name {
            #[allow(unused_imports)]
            use super::{Enum, Pointer, c_int};

            unsafe extern "C" {
                #[link_name = $target]
                fn target($($argument: $type),*) $(-> $result)?;
            }

            /// # Safety
            /// As the header says of the function.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? {
                // SAFETY: forwarded.
                unsafe { target($($argument),*) }
            }
        }
    )*};
}

include!("list.rs");

/// The chain value of the genesis, of which C programs take the address (formats.md §1).
mod golden_genesis {
    #[unsafe(no_mangle)]
    pub static AX_GOLDEN_GENESIS_HASH: [u8; 32] = [
        0x7B, 0xB0, 0xD7, 0x91, 0x69, 0x73, 0x06, 0xCE, 0x2F, 0x1C, 0xC5, 0xDF, 0x0B, 0xCD, 0xF6,
        0x6D, 0x81, 0x0D, 0x6A, 0xF9, 0x42, 0x5A, 0xA3, 0x80, 0xB3, 0x52, 0xA6, 0x24, 0x53, 0xA5,
        0xEC, 0x7B,
    ];
}
