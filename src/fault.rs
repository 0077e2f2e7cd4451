//! Faults and errors: what went wrong, as a small set of sticky flags and as one code per call.
//!
//! Determinism: D1. The sixteen flags and their order are `ct_fault_flags_t` (`types.h`); the codes
//! are the `AX_ERR_…` of the same header. Both are append-only.

#![forbid(unsafe_code)]

/// One fault flag. The discriminant is the flag's byte offset in `ct_fault_flags_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fault {
    /// A result above the representable range was saturated.
    Overflow = 0,
    /// A result below the representable range was saturated.
    Underflow = 1,
    /// Division by zero.
    DivZero = 2,
    /// A result was saturated, in either direction.
    Saturation = 3,
    /// A value lost bits in a conversion.
    Narrowing = 4,
    /// An argument outside the function's domain: a NULL, an unknown tag, an unknown enum value.
    Domain = 5,
    /// The ledger has failed and accepts nothing more.
    LedgerFail = 6,
    /// The sink refused a record.
    IoError = 7,
    /// A conversion was not exact.
    Precision = 8,
    /// Text that is not admissible: bad UTF-8, a forbidden control character, not NFC.
    Encoding = 9,
    /// A field that breaks the record's schema.
    Schema = 10,
    /// A sequence number that does not increase (SRS-004-SHALL-038).
    Ordering = 11,
    /// Something was too large and was cut, or could not be tracked.
    Size = 12,
    /// A call that the protocol does not allow at this point.
    Protocol = 13,
    /// A record could not be written into its buffer.
    Serialise = 14,
    /// A record could not be committed.
    Commit = 15,
}

impl Fault {
    /// All flags in the order of their bytes in `ct_fault_flags_t`.
    pub const ALL: [Fault; 16] = [
        Fault::Overflow,
        Fault::Underflow,
        Fault::DivZero,
        Fault::Saturation,
        Fault::Narrowing,
        Fault::Domain,
        Fault::LedgerFail,
        Fault::IoError,
        Fault::Precision,
        Fault::Encoding,
        Fault::Schema,
        Fault::Ordering,
        Fault::Size,
        Fault::Protocol,
        Fault::Serialise,
        Fault::Commit,
    ];

    const fn bit(self) -> u16 {
        1 << (self as u16)
    }
}

/// A set of fault flags. Flags are only ever added; clearing is the caller's decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults(u16);

impl Faults {
    /// No fault.
    pub const NONE: Faults = Faults(0);

    /// Adds one flag.
    pub fn set(&mut self, fault: Fault) {
        self.0 |= fault.bit();
    }

    /// Whether `fault` is set.
    #[must_use]
    pub fn has(self, fault: Fault) -> bool {
        self.0 & fault.bit() != 0
    }

    /// Whether any flag is set.
    #[must_use]
    pub fn any(self) -> bool {
        self.0 != 0
    }

    /// The flags that are set, in the order of their bytes.
    pub fn iter(self) -> impl Iterator<Item = Fault> {
        Fault::ALL.into_iter().filter(move |&f| self.has(f))
    }
}

/// Why a call failed: the library's one error type. Each maps to one `AX_ERR_…` code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Error {
    /// Text that is not admissible (`AX_ERR_ENCODING`).
    Encoding = -1,
    /// A field that breaks the schema (`AX_ERR_SCHEMA`).
    Schema = -2,
    /// A sequence number that does not increase (`AX_ERR_ORDERING`).
    Ordering = -3,
    /// Something larger than its limit (`AX_ERR_SIZE`).
    Size = -4,
    /// A hash that does not match (`AX_ERR_HASH`).
    Hash = -5,
    /// A caller's buffer that is too small (`AX_ERR_BUFFER`).
    Buffer = -6,
    /// A call that the protocol does not allow (`AX_ERR_PROTOCOL`).
    Protocol = -7,
    /// The ledger failed, is sealed or was never initialised (`AX_ERR_LEDGER`).
    Ledger = -8,
}

impl Error {
    /// The C return code.
    #[must_use]
    pub fn code(self) -> i32 {
        self as i32
    }

    /// One line for people, the text of `ax_strerror`.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Error::Encoding => "text is not admissible: not UTF-8, not NFC, or a control character",
            Error::Schema => "a field breaks the record's schema",
            Error::Ordering => "a sequence number does not increase",
            Error::Size => "larger than the limit",
            Error::Hash => "a hash does not match its record",
            Error::Buffer => "the buffer is too small",
            Error::Protocol => "the call is not allowed here",
            Error::Ledger => "the ledger has failed, is sealed, or was never initialised",
        }
    }
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.message())
    }
}

impl core::error::Error for Error {}
