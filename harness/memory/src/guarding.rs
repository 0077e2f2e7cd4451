//! How widely the exact strings of a fact are looked for.

use crate::words::words;

words! {
    /// How widely the exact strings of a fact are looked for: the more spellings are found, the more plain text is taken
    /// for one.
    pub enum Guarding {
        /// As they are written, as words of their own.
        Exact = "exact",
        /// In every spelling that the page lists, also inside words and encoded.
        Spelled = "spelled",
        /// Also backwards, in leet, with accents, and with anything between letters and digits but these.
        Paranoid = "paranoid",
    }
}
