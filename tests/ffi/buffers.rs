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

/// A copy on the heap of exactly its own length.
pub struct Exact(*mut [u8]);

impl Drop for Exact {
    fn drop(&mut self) {
        // SAFETY: from a box, and nobody else frees it.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// Copies bytes; the address is good while the first of the three lives. It is not a box, which may
/// not be moved while C refers to what is in it.
pub fn exact(bytes: &[u8]) -> (Exact, *const c_char, usize) {
    let copy = Box::into_raw(Box::<[u8]>::from(bytes));
    (Exact(copy), copy.cast::<c_char>(), bytes.len())
}

pub fn flags() -> ct_fault_flags_t {
    ct_fault_flags_t::default()
}
