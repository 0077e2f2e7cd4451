//! The three ways deployed systems write an `AX:OBS:v1`.
//!
//! formats.md §3, Profiles; decisions D1 and D3. Determinism: D1.

#![forbid(unsafe_code)]

/// How strings are escaped and how `obs_hash` is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Profile {
    /// RFC 8785 strings, plain SHA-256. What the library itself writes.
    #[default]
    Rfc8785 = 0,
    /// Every control character as `\u00xx`, plain SHA-256: first generation of C gateways.
    Oracle1_1 = 1,
    /// Every control character as `\u00xx`, tagged commitment: second generation of C gateways.
    Oracle1_2 = 2,
}

impl Profile {
    /// Every profile, in the order in which a reader tries them.
    pub const ALL: [Profile; 3] = [Profile::Rfc8785, Profile::Oracle1_1, Profile::Oracle1_2];

    /// Whether control characters with a two-character escape (`\n` and its like) use it.
    #[must_use]
    pub fn short_escapes(self) -> bool {
        self == Profile::Rfc8785
    }

    /// Whether `obs_hash` is `commit("AX:OBS:v1", …)` instead of the plain SHA-256.
    #[must_use]
    pub fn tagged_hash(self) -> bool {
        self == Profile::Oracle1_2
    }
}
