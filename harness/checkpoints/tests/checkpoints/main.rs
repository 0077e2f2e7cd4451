//! Heads that are signed while a session writes, and witnesses that are asked for them: real ones, ones that are away, slow or
//! lie, and come back.

mod bench;
mod signing;
mod submissions;
mod witnesses;
