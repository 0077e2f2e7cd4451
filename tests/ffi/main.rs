//! The C functions, called with memory as a C program may have it.

mod agent_memory;
mod buffers;
mod memory;
mod policy_cycle;
