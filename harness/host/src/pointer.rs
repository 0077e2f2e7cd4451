//! What every function does with pointers from C. Emits no header.

use std::ffi::{CStr, c_char, c_int};
use std::mem::{MaybeUninit, size_of};
use std::path::PathBuf;
use std::slice;

use crate::error::HostError;

/// A struct whose first member is its size in bytes, `size_t size`, and all of whose bytes may be zero.
///
/// # Safety
/// The type is `repr(C)`, begins with a `usize`, and is valid with all other bytes zero.
pub(crate) unsafe trait SizedStruct {}

/// The error about an argument, which `what` describes.
pub(crate) fn invalid(what: impl Into<String>) -> HostError {
    HostError::Argument(what.into())
}

fn missing(name: &str) -> HostError {
    invalid(format!("{name} is NULL, expected a pointer"))
}

/// Bytes from C. NULL is the empty string of length 0 and nothing else.
///
/// # Safety
/// A pointer that is not NULL points to `len` initialised bytes that nobody writes for `'a`.
pub(crate) unsafe fn bytes<'a>(
    name: &str,
    data: *const c_char,
    len: usize,
) -> Result<&'a [u8], HostError> {
    if len == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        return Err(missing(name));
    }
    if isize::try_from(len).is_err() {
        return Err(invalid(format!(
            "the length of {name} is {len}, more than memory holds"
        )));
    }
    // SAFETY: not NULL, `len` fits an isize, the rest is the caller's contract.
    Ok(unsafe { slice::from_raw_parts(data.cast(), len) })
}

/// An array from C of `len` elements; NULL is the empty one of length 0 and nothing else.
///
/// # Safety
/// A pointer that is not NULL points to `len` initialised elements that nobody writes for `'a`.
pub(crate) unsafe fn array<'a, T>(
    name: &str,
    data: *const T,
    len: usize,
) -> Result<&'a [T], HostError> {
    if len == 0 {
        return Ok(&[]);
    }
    if data.is_null() || !data.is_aligned() {
        return Err(missing(name));
    }
    let fits = len
        .checked_mul(size_of::<T>())
        .is_some_and(|bytes| isize::try_from(bytes).is_ok());
    if !fits {
        return Err(invalid(format!(
            "the length of {name} is {len}, more than memory holds"
        )));
    }
    // SAFETY: not NULL, aligned, of a size that fits an isize; the rest is the caller's contract.
    Ok(unsafe { slice::from_raw_parts(data, len) })
}

/// A NUL-terminated text from C; `None` for NULL.
///
/// # Safety
/// A pointer that is not NULL points to a NUL-terminated string that nobody writes for `'a`.
pub(crate) unsafe fn optional_text<'a>(
    name: &str,
    text: *const c_char,
) -> Result<Option<&'a str>, HostError> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: by contract.
    utf8(name, unsafe { CStr::from_ptr(text) }.to_bytes()).map(Some)
}

/// Bytes that must be UTF-8, as text.
pub(crate) fn utf8<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str, HostError> {
    std::str::from_utf8(bytes).map_err(|error| {
        invalid(format!(
            "{name} is not UTF-8 at byte {}",
            error.valid_up_to()
        ))
    })
}

/// A NUL-terminated text from C, which must be there.
///
/// # Safety
/// As for [`optional_text`].
pub(crate) unsafe fn text<'a>(name: &str, text: *const c_char) -> Result<&'a str, HostError> {
    // SAFETY: forwarded.
    unsafe { optional_text(name, text) }?.ok_or_else(|| missing(name))
}

/// Reads each text of an array from C.
///
/// # Safety
/// As for [`array`], and each element is as for [`text`].
pub(crate) unsafe fn parsed_texts<T>(
    name: &str,
    texts: *const *const c_char,
    count: usize,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, HostError> {
    let mut read = Vec::new();
    // SAFETY: by contract.
    for element in unsafe { array(name, texts, count) }? {
        // SAFETY: by contract.
        let text = unsafe { text(&format!("an element of {name}"), *element) }?;
        let value =
            parse(text).map_err(|reason| invalid(format!("{name}: found {text:?}, {reason}")))?;
        read.push(value);
    }
    Ok(read)
}

/// The path of a file: on Unix any bytes, elsewhere UTF-8.
///
/// # Safety
/// As for [`optional_text`].
pub(crate) unsafe fn path(name: &str, path: *const c_char) -> Result<PathBuf, HostError> {
    #[cfg(unix)]
    {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        if path.is_null() {
            return Err(missing(name));
        }
        // SAFETY: by contract.
        let bytes = unsafe { CStr::from_ptr(path) }.to_bytes();
        Ok(OsStr::from_bytes(bytes).into())
    }
    #[cfg(not(unix))]
    // SAFETY: forwarded.
    Ok(unsafe { text(name, path) }?.into())
}

/// The path of a file as [`path`] takes it; `None` for NULL.
///
/// # Safety
/// As for [`optional_text`].
pub(crate) unsafe fn optional_path(given: *const c_char) -> Result<Option<PathBuf>, HostError> {
    match given.is_null() {
        true => Ok(None),
        // SAFETY: forwarded.
        false => unsafe { path("the path", given) }.map(Some),
    }
}

/// A struct from C, borrowed; its size must be the one of this library.
///
/// # Safety
/// A pointer that is not NULL points to a struct that is as long as its first member says, and that nobody writes for
/// `'a`.
pub(crate) unsafe fn structure<'a, T: SizedStruct>(
    name: &str,
    given: *const T,
) -> Result<&'a T, HostError> {
    // SAFETY: forwarded.
    unsafe { check_size(name, given) }?;
    // SAFETY: not NULL, aligned, and of the size of `T`.
    Ok(unsafe { &*given })
}

/// A struct of C's that a function fills. What fails before it is filled leaves it zero after its size.
pub(crate) struct Output<T>(*mut T);

impl<T: SizedStruct> Output<T> {
    /// Takes the struct, whose size must be the one of this library, and clears it.
    ///
    /// # Safety
    /// A pointer that is not NULL points to a struct that is as long as its first member says, and that the library
    /// alone touches until the value is dropped.
    pub(crate) unsafe fn new(name: &str, out: *mut T) -> Result<Output<T>, HostError> {
        // SAFETY: forwarded.
        unsafe { check_size(name, out) }?;
        // SAFETY: not NULL, of the size of `T`, which begins with its size.
        unsafe {
            out.write_bytes(0, 1);
            out.cast::<usize>().write(size_of::<T>());
        }
        Ok(Output(out))
    }

    /// Takes the struct as [`Output::new`] does; `None` for NULL, of a caller who does not want it.
    ///
    /// # Safety
    /// As for [`Output::new`].
    pub(crate) unsafe fn optional(name: &str, out: *mut T) -> Result<Option<Output<T>>, HostError> {
        match out.is_null() {
            true => Ok(None),
            // SAFETY: forwarded.
            false => unsafe { Output::new(name, out) }.map(Some),
        }
    }

    /// Fills the struct.
    pub(crate) fn write(self, value: T) {
        // SAFETY: valid by `new`'s contract.
        unsafe { self.0.write(value) }
    }
}

/// # Safety
/// A pointer that is not NULL points to a `usize` at least.
unsafe fn check_size<T: SizedStruct>(name: &str, given: *const T) -> Result<(), HostError> {
    if given.is_null() {
        return Err(missing(name));
    }
    if !given.is_aligned() {
        return Err(invalid(format!("{name} is not aligned as its type is")));
    }
    // SAFETY: the first member is a `usize`.
    let found = unsafe { given.cast::<usize>().read() };
    let expected = size_of::<T>();
    match found == expected {
        true => Ok(()),
        false => Err(invalid(format!(
            "the member size of {name} is {found}, expected {expected}: set it to sizeof of the struct, and compile the program with the header of this library"
        ))),
    }
}

/// The integer in a C enum, which a C caller can store any integer in.
pub(crate) fn enum_number<E: Copy>(raw: MaybeUninit<E>) -> c_int {
    const { assert!(size_of::<E>() == size_of::<c_int>()) };
    let raw = &raw const raw;
    // SAFETY: an enum of this size that the caller initialised.
    unsafe { raw.cast::<c_int>().read() }
}
