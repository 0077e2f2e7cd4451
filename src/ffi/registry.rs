//! A C policy table behind the core's trait, and the built-in one. Emits no header.

use core::ffi::c_char;
use core::mem::MaybeUninit;

use super::pointer::{c_string, enum_value};
use super::policy::{ax_policy_cmp_t, ax_policy_ctx_t, ax_policy_registry_t, ax_policy_t};
use crate::fault::Error;
use crate::json::extract::MAX_POLICIES;
use crate::policy::{
    Comparison, DEFAULT_SELECTOR, MAX_ID_BYTES, MAX_SELECTOR_BYTES, Policy, Registry, check,
};

/// A policy table in C memory that was checked when it was wrapped.
pub(super) struct CRegistry<'a> {
    policies: &'a [ax_policy_t],
    selectors: Option<&'a [*const c_char]>,
}

impl<'a> CRegistry<'a> {
    /// Wraps and checks a table. A count of 0 needs no arrays.
    ///
    /// # Errors
    /// [`Error::Protocol`] for NULLs, and those of [`check`].
    ///
    /// # Safety
    /// `registry` is NULL or points to a table whose arrays have `count` elements of NUL-terminated
    /// strings, all unchanged during `'a`.
    pub(super) unsafe fn new(
        registry: *const ax_policy_registry_t,
    ) -> Result<CRegistry<'a>, Error> {
        // SAFETY: by contract.
        let table = unsafe { registry.as_ref() }.ok_or(Error::Protocol)?;
        let registry = if table.count == 0 {
            CRegistry {
                policies: &[],
                selectors: None,
            }
        } else if table.count > MAX_POLICIES {
            return Err(Error::Size);
        } else if table.policies.is_null() {
            return Err(Error::Protocol);
        } else {
            // SAFETY: by contract; the selectors may be absent.
            unsafe {
                CRegistry {
                    policies: core::slice::from_raw_parts(table.policies, table.count),
                    selectors: (!table.selectors.is_null())
                        .then(|| core::slice::from_raw_parts(table.selectors, table.count)),
                }
            }
        };
        check(&registry)?;
        Ok(registry)
    }
}

impl Registry for CRegistry<'_> {
    fn len(&self) -> usize {
        self.policies.len()
    }

    fn get(&self, index: usize) -> Option<Policy<'_>> {
        let selector = match self.selectors {
            // SAFETY: strings by `new`'s contract.
            Some(selectors) => unsafe { c_string(*selectors.get(index)?, MAX_SELECTOR_BYTES) },
            None => Some(DEFAULT_SELECTOR.as_bytes()),
        };
        // SAFETY: by `new`'s contract.
        unsafe { load_policy(self.policies.get(index)?, selector?) }
    }
}

impl ax_policy_ctx_t {
    /// # Safety
    /// The registry is NULL or valid while the result is used.
    pub(super) unsafe fn registry<'a>(&self) -> Result<CRegistry<'a>, Error> {
        // SAFETY: by contract.
        unsafe { CRegistry::new(self.registry) }
    }
}

/// A C policy as the core has it; `None` where its id or selector is not text.
///
/// # Safety
/// `policy.policy_id` is NULL or a NUL-terminated string that outlives `'a`.
pub(super) unsafe fn load_policy<'a>(
    policy: &ax_policy_t,
    selector: &'a [u8],
) -> Option<Policy<'a>> {
    // SAFETY: by contract.
    let id = unsafe { c_string(policy.policy_id, MAX_ID_BYTES) }?;
    Some(Policy {
        id: core::str::from_utf8(id).ok()?,
        threshold: policy.threshold,
        comparison: load_comparison(policy.comparison),
        enabled: policy.enabled != 0,
        selector: core::str::from_utf8(selector).ok()?,
    })
}

/// The operator, known or not.
pub(super) fn load_comparison(raw: MaybeUninit<ax_policy_cmp_t>) -> Comparison {
    match enum_value(raw) {
        0 => Comparison::Gt,
        1 => Comparison::Lt,
        2 => Comparison::Ge,
        3 => Comparison::Le,
        _ => Comparison::Unknown,
    }
}

/// A value with pointers in it that nobody ever writes.
#[repr(transparent)]
pub(super) struct Static<T>(pub(super) T);

// SAFETY: the values are constant and what they point to is static.
unsafe impl<T> Sync for Static<T> {}

include!(concat!(env!("OUT_DIR"), "/policies_ffi.rs"));

/// The table that `build.rs` compiled.
pub(super) static BUILTIN: Static<ax_policy_registry_t> = Static(ax_policy_registry_t {
    policies: (&raw const BUILTIN_POLICIES).cast(),
    count: BUILTIN_POLICIES.0.len(),
    selectors: (&raw const BUILTIN_SELECTORS).cast(),
});
