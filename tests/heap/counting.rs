//! A global allocator that counts, for each thread by itself.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    COUNT.with(|n| n.set(n.get() + 1));
}

// SAFETY: everything is the system allocator's; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: forwarded.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count();
        // SAFETY: forwarded.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: forwarded.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `call` gives; it must not have touched the heap.
#[track_caller]
pub fn without_heap<T>(call: impl FnOnce() -> T) -> T {
    let before = COUNT.with(Cell::get);
    let result = call();
    let used = COUNT.with(Cell::get) - before;
    assert_eq!(used, 0, "the heap was used {used} times");
    result
}

/// How often `call` touched the heap.
pub fn uses_of_heap(call: impl FnOnce()) -> usize {
    let before = COUNT.with(Cell::get);
    call();
    COUNT.with(Cell::get) - before
}

#[test]
fn the_allocator_counts() {
    assert!(uses_of_heap(|| drop(std::hint::black_box(Box::new(1)))) >= 2);
    assert_eq!(uses_of_heap(|| ()), 0);
}
