//! Memory as C gives it.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use axilog::ffi::types::ct_fault_flags_t;

pub const ANSWER: &str = "{\"value\":1} \"caf\u{E9}\"\n";

/// Exactly `len` bytes that nobody wrote.
pub struct Room(pub Box<[MaybeUninit<u8>]>);

impl Room {
    pub fn new(len: usize) -> Room {
        Room(Box::new_uninit_slice(len))
    }

    pub fn filled(len: usize) -> Room {
        Room(vec![MaybeUninit::new(0xA5); len].into())
    }

    pub fn at<T>(&mut self) -> *mut T {
        self.0.as_mut_ptr().cast()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The first `len` bytes, which must have been written.
    pub fn written(&self, len: usize) -> Vec<u8> {
        // SAFETY: that they are initialised is what Miri checks here.
        self.0[..len]
            .iter()
            .map(|b| unsafe { b.assume_init() })
            .collect()
    }
}

/// A copy on the heap of exactly its own length, and its address.
pub fn exact(bytes: &[u8]) -> (Box<[u8]>, *const c_char, usize) {
    let copy: Box<[u8]> = bytes.into();
    let (at, len) = (copy.as_ptr().cast(), copy.len());
    (copy, at, len)
}

pub fn flags() -> ct_fault_flags_t {
    ct_fault_flags_t::default()
}
