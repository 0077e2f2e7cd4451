//! X-0L: a language model proposes, a frozen kernel decides.
//!
//! | module | what it holds |
//! |---|---|
//! | [`kernel`] | the constitution, and the function that decides under it |

pub mod kernel;
