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
 * Adds two Q16.16 numbers and saturates.
 *
 * @param a First summand, raw Q16.16, any value.
 * @param b Second summand, raw Q16.16, any value.
 * @param faults Fault flags of the caller, of which at least the first seven exist; the call
 *     clears none. A result above the range sets overflow and saturation, one below it underflow
 *     and saturation. NULL: the call does nothing and returns 0.
 * @return a + b, raw Q16.16.
 * @see SRS-004 §18.2; formats.md §7
 */
int32_t dvm_add_q16(int32_t a, int32_t b, ct_fault_flags_t *faults);

/**
 * Subtracts one Q16.16 number from another and saturates.
 *
 * @param a Number to subtract from, raw Q16.16, any value.
 * @param b Number to subtract, raw Q16.16, any value.
 * @param faults Fault flags of the caller, of which at least the first seven exist; the call
 *     clears none. A result above the range sets overflow and saturation, one below it underflow
 *     and saturation. NULL: the call does nothing and returns 0.
 * @return a - b, raw Q16.16.
 * @see SRS-004 §18.2; formats.md §7
 */
int32_t dvm_sub_q16(int32_t a, int32_t b, ct_fault_flags_t *faults);

/**
 * Multiplies two Q16.16 numbers, rounds half to even and saturates.
 *
 * @param a First factor, raw Q16.16, any value.
 * @param b Second factor, raw Q16.16, any value.
 * @param faults Fault flags of the caller, of which at least the first seven exist; the call
 *     clears none. A result above the range sets overflow and saturation, one below it underflow
 *     and saturation. NULL: the call does nothing and returns 0.
 * @return The product, raw Q16.16.
 * @see SRS-004 §18.2; formats.md §7
 */
int32_t dvm_mul_q16(int32_t a, int32_t b, ct_fault_flags_t *faults);

/**
 * Divides one Q16.16 number by another, rounds half to even and saturates.
 *
 * @param a Dividend, raw Q16.16, any value.
 * @param b Divisor, raw Q16.16, any value; 0 sets div_zero.
 * @param faults Fault flags of the caller, of which at least the first seven exist; the call
 *     clears none. A result above the range sets overflow and saturation, one below it underflow
 *     and saturation. NULL: the call does nothing and returns 0.
 * @return a / b, raw Q16.16; 0 where b is 0.
 * @see SRS-004 §18.2; formats.md §7
 */
int32_t dvm_div_q16(int32_t a, int32_t b, ct_fault_flags_t *faults);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_DVM_H */
