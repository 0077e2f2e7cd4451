//! What every wrapper does with pointers from C. Emits no header.

use core::ffi::{c_char, c_int};
use core::mem::{MaybeUninit, size_of};

use super::types::ct_fault_flags_t;
use crate::fault::{Error, Fault, Faults};
use crate::sink::{Counter, Sink};

/// A caller's fault flags, of which a function may see no more than it has to.
///
/// Deployed callers pass structs shorter than sixteen bytes to the functions that touch only the
/// first flags, so this is a pointer and never a reference to the whole.
#[derive(Clone, Copy)]
pub(super) struct Flags(*mut u8);

impl Flags {
    /// `None` for NULL.
    ///
    /// # Safety
    /// A pointer that is not NULL points to as many flags as the calling function reads and sets.
    pub(super) unsafe fn new(faults: *mut ct_fault_flags_t) -> Option<Flags> {
        (!faults.is_null()).then_some(Flags(faults.cast()))
    }

    /// The flags that are set on entry; reads all sixteen.
    pub(super) fn load(self) -> Faults {
        let mut faults = Faults::NONE;
        for fault in Fault::ALL {
            // SAFETY: callers of this method take a whole `ct_fault_flags_t`, by `new`'s contract.
            if unsafe { self.0.add(fault as usize).read() } != 0 {
                faults.set(fault);
            }
        }
        faults
    }

    /// Whether one of the first seven flags is set; reads those.
    pub(super) fn any_of_substrate(self) -> bool {
        // SAFETY: by `new`'s contract.
        (0..7).any(|offset| unsafe { self.0.add(offset).read() } != 0)
    }

    /// Sets one flag.
    pub(super) fn set(self, fault: Fault) {
        // SAFETY: the flag is among those the function may set, by `new`'s contract.
        unsafe { self.0.add(fault as usize).write(1) }
    }

    /// Sets the flags of `faults`, each by itself.
    pub(super) fn raise(self, faults: Faults) {
        faults.iter().for_each(|fault| self.set(fault));
    }

    /// Sets the `domain` flag and gives the code for a pointer that may not be NULL.
    pub(super) fn null(self) -> c_int {
        self.set(Fault::Domain);
        Error::Protocol.code()
    }
}

/// Bytes from C. NULL is the empty string of length 0 and nothing else.
///
/// # Safety
/// A pointer that is not NULL points to `len` initialised bytes that nobody writes for `'a`.
pub(super) unsafe fn bytes<'a>(data: *const u8, len: usize) -> Option<&'a [u8]> {
    if len == 0 {
        return Some(&[]);
    }
    if data.is_null() || isize::try_from(len).is_err() {
        return None;
    }
    // SAFETY: not NULL, `len` fits an isize, the rest is the caller's contract.
    Some(unsafe { core::slice::from_raw_parts(data, len) })
}

/// A C string without its NUL, read no further than `max + 1` bytes: one that long is too long.
///
/// # Safety
/// A pointer that is not NULL points to a NUL-terminated string that nobody writes for `'a`.
pub(super) unsafe fn c_string<'a>(text: *const c_char, max: usize) -> Option<&'a [u8]> {
    if text.is_null() {
        return None;
    }
    let text = text.cast::<u8>();
    let mut len = 0usize;
    // SAFETY: every byte up to the NUL is readable, and the loop stops at it.
    while len <= max && unsafe { text.add(len).read() } != 0 {
        len = len.saturating_add(1);
    }
    // SAFETY: `len` bytes were just read.
    unsafe { bytes(text, len) }
}

/// A buffer to write into; `None` for NULL, whatever the length.
///
/// # Safety
/// A pointer that is not NULL points to `len` bytes that only the library touches for `'a`.
/// They need not be initialised.
pub(super) unsafe fn buffer<'a>(data: *mut u8, len: usize) -> Option<&'a mut [u8]> {
    if data.is_null() || isize::try_from(len).is_err() {
        return None;
    }
    // SAFETY: not NULL, exclusive, and of a length that fits an isize. The library only ever
    // writes a byte before it reads it.
    Some(unsafe { core::slice::from_raw_parts_mut(data, len) })
}

/// Whether the two ranges of memory have a byte in common.
pub(super) fn overlap(a: &[u8], b: *const u8, b_len: usize) -> bool {
    let (a_start, b_start) = (a.as_ptr().addr(), b.addr());
    let (a_end, b_end) = (
        a_start.saturating_add(a.len()),
        b_start.saturating_add(b_len),
    );
    !a.is_empty() && b_len > 0 && a_start < b_end && b_start < a_end
}

/// Lets `write` fill `dst` and ends it with a NUL. Nothing is touched if it does not fit.
///
/// Returns the bytes written without the NUL, or a negative code.
///
/// # Safety
/// As for [`buffer`].
pub(super) unsafe fn write_text(
    dst: *mut c_char,
    dst_size: usize,
    write: impl Fn(&mut dyn FnMut(&[u8])),
) -> c_int {
    let mut counter = Counter::default();
    write(&mut |bytes| counter.put(bytes));
    // SAFETY: forwarded.
    let Some(room) = (unsafe { buffer(dst.cast(), dst_size) }) else {
        return Error::Protocol.code();
    };
    let (Some((text, [nul, ..])), Ok(written)) = (
        room.split_at_mut_checked(counter.len),
        c_int::try_from(counter.len),
    ) else {
        return Error::Buffer.code();
    };
    let mut out = crate::sink::Buffer::new(text);
    write(&mut |bytes| out.put(bytes));
    *nul = 0;
    written
}

/// A sink over a closure, for [`write_text`].
pub(super) struct ClosureSink<'a>(pub(super) &'a mut dyn FnMut(&[u8]));

impl Sink for ClosureSink<'_> {
    fn put(&mut self, bytes: &[u8]) {
        (self.0)(bytes);
    }
}

/// The integer in a C enum, whatever size the target gives enums (decision D11). No enum of the library has
/// a value above 127, so a small one is read as signed: error codes are negative.
pub(super) fn enum_value<E: Copy>(raw: MaybeUninit<E>) -> i64 {
    let bytes = (&raw const raw).cast::<u8>();
    // SAFETY: `E` is a C enum of one, two or four bytes that the caller initialised.
    unsafe {
        match size_of::<E>() {
            1 => i64::from(bytes.cast::<i8>().read()),
            2 => i64::from(bytes.cast::<i16>().read()),
            _ => i64::from(bytes.cast::<i32>().read()),
        }
    }
}

/// The result as `AX_OK` or a negative code.
pub(super) fn code<T>(result: Result<T, Error>) -> c_int {
    result.map_or_else(Error::code, |_| 0)
}
