//! SHA-256 piece by piece, for the deployed rigs whose gateway has it of its own.

use crate::ffi::pointer::bytes;
use sha2::compress256;
use sha2::digest::generic_array::GenericArray;

/// The state of a digest; a caller owns it, and it may be copied.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ax_compat_sha256_ctx_t {
    state: [u32; 8],
    /// Bytes so far.
    count: u64,
    buffer: [u8; 64],
}

/// FIPS 180-4, section 5.3.3.
const INITIAL: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

impl ax_compat_sha256_ctx_t {
    const EMPTY: ax_compat_sha256_ctx_t = ax_compat_sha256_ctx_t {
        state: INITIAL,
        count: 0,
        buffer: [0; 64],
    };

    fn put(&mut self, byte: u8) {
        let at = (self.count & 63) as usize;
        if let Some(to) = self.buffer.get_mut(at) {
            *to = byte;
        }
        self.count = self.count.wrapping_add(1);
        if at == 63 {
            let block = GenericArray::clone_from_slice(&self.buffer);
            compress256(&mut self.state, core::slice::from_ref(&block));
        }
    }

    fn finish(mut self) -> [u8; 32] {
        let bits = self.count.wrapping_mul(8);
        self.put(0x80);
        while self.count & 63 != 56 {
            self.put(0);
        }
        bits.to_be_bytes()
            .into_iter()
            .for_each(|byte| self.put(byte));
        let mut digest = [0; 32];
        for (to, word) in digest.chunks_exact_mut(4).zip(self.state) {
            to.copy_from_slice(&word.to_be_bytes());
        }
        digest
    }
}

/// Begins a digest. NULL is left alone.
///
/// # Safety
/// `ctx` is NULL or writable.
#[unsafe(export_name = "axilog_impl_ax_compat_sha256_init")]
pub unsafe extern "C" fn ax_compat_sha256_init(ctx: *mut ax_compat_sha256_ctx_t) {
    if !ctx.is_null() {
        // SAFETY: not NULL, writable by contract.
        unsafe { ctx.write(ax_compat_sha256_ctx_t::EMPTY) }
    }
}

/// Adds bytes. A NULL is left alone, and adds nothing.
///
/// # Safety
/// `ctx` is NULL or a digest that was begun; `data` is NULL or has `len` bytes.
#[unsafe(export_name = "axilog_impl_ax_compat_sha256_update")]
pub unsafe extern "C" fn ax_compat_sha256_update(
    ctx: *mut ax_compat_sha256_ctx_t,
    data: *const u8,
    len: usize,
) {
    // SAFETY: by contract.
    if let (Some(ctx), Some(data)) = unsafe { (ctx.as_mut(), bytes(data, len)) } {
        data.iter().for_each(|byte| ctx.put(*byte));
    }
}

/// Ends a digest; the context is then as one that was begun. A NULL is left alone.
///
/// # Safety
/// `ctx` is NULL or a digest that was begun; `out` is NULL or 32 bytes.
#[unsafe(export_name = "axilog_impl_ax_compat_sha256_final")]
pub unsafe extern "C" fn ax_compat_sha256_final(
    ctx: *mut ax_compat_sha256_ctx_t,
    out: *mut [u8; 32],
) {
    // SAFETY: by contract.
    if let (Some(ctx), Some(out)) = unsafe { (ctx.as_mut(), out.as_mut()) } {
        *out = ctx.finish();
        *ctx = ax_compat_sha256_ctx_t::EMPTY;
    }
}
