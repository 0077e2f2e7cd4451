/**
 * Saturating Q16.16 arithmetic (SRS-004-SHALL-030).
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_DVM_H
#define AXILOG_DVM_H

#include "axilog/types.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * a + b. Saturates: above the range sets overflow and saturation, below it underflow and saturation.
 *
 * Returns the raw Q16.16 result; 0 and nothing done where faults is NULL.
 *
 * Safety:
 * faults is NULL or points to at least the first seven flags.
 */
int32_t dvm_add_q16(int32_t a,
                    int32_t b,
                    ct_fault_flags_t *faults);

/**
 * a - b. Saturates: above the range sets overflow and saturation, below it underflow and saturation.
 *
 * Returns the raw Q16.16 result; 0 and nothing done where faults is NULL.
 *
 * Safety:
 * faults is NULL or points to at least the first seven flags.
 */
int32_t dvm_sub_q16(int32_t a,
                    int32_t b,
                    ct_fault_flags_t *faults);

/**
 * a * b, rounded half to even. Saturates: above the range sets overflow and saturation, below it underflow and saturation.
 *
 * Returns the raw Q16.16 result; 0 and nothing done where faults is NULL.
 *
 * Safety:
 * faults is NULL or points to at least the first seven flags.
 */
int32_t dvm_mul_q16(int32_t a,
                    int32_t b,
                    ct_fault_flags_t *faults);

/**
 * a / b, rounded half to even; by zero 0 and the flag div_zero. Saturates: above the range sets overflow and saturation, below it underflow and saturation.
 *
 * Returns the raw Q16.16 result; 0 and nothing done where faults is NULL.
 *
 * Safety:
 * faults is NULL or points to at least the first seven flags.
 */
int32_t dvm_div_q16(int32_t a,
                    int32_t b,
                    ct_fault_flags_t *faults);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_DVM_H */
