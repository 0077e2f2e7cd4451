//! The panic handler that a bare-metal staticlib must bring. Nothing reaches it.

/// Loops forever: there is no one to tell, and nothing to go on with.
#[panic_handler]
fn panic(_info: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
