//! The v3.1 ablation harness: what makes runs invalid, how long prompts are, what stays the same.

mod base;
mod calibration;
mod gates;
mod justification;
mod lab;
mod length;
mod pad;
mod pipeline;
mod replay;
mod variants;
