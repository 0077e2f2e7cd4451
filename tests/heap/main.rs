//! No function of the library touches the heap. The program's allocator counts for each thread by itself,
//! so tests that run at the same time are none of each other's business.

mod c_functions;
mod counting;
mod rust_functions;
