/**
 * Q16.16 and the eight fault flags of deployed rigs (c-abi.md, Compatibility headers).
 *
 * Stands in for axilog/types.h where include/compat comes before include.
 */

#ifndef AXILOG_TYPES_H
#define AXILOG_TYPES_H

/** Which types.h this is; the other headers here insist on it. */
#define AXILOG_COMPAT 1

#include <stddef.h>
#include <stdint.h>

/** A Q16.16 fixed-point number: the raw integer is the value times 65536. */
typedef int32_t q16_16_t;

/** 1.0 in Q16.16. */
#define Q16_16_ONE 65536
/** 0.5 in Q16.16. */
#define Q16_16_HALF 32768
/** The largest Q16.16 value. */
#define Q16_16_MAX INT32_MAX
/** The smallest Q16.16 value. */
#define Q16_16_MIN INT32_MIN

/**
 * An integer as Q16.16, by multiplication: shifting a negative value is undefined (SRS-004-SHALL-029).
 * x is at most 32767 and at least -32768.
 */
#define Q16_16_FROM_INT(x) ((q16_16_t)((x) * Q16_16_ONE))

/**
 * Eight sticky fault flags, each 0 or 1: the first seven of the library's sixteen, and a byte that
 * no function declared here touches.
 */
typedef struct ct_fault_flags_t {
    uint8_t overflow;
    uint8_t underflow;
    uint8_t div_zero;
    uint8_t saturation;
    uint8_t narrowing;
    uint8_t domain;
    uint8_t ledger_fail;
    uint8_t _reserved;
} ct_fault_flags_t;

#ifdef __cplusplus
extern "C" {
#endif

/** Clears every flag. NULL is left alone. */
static inline void ct_fault_clear(ct_fault_flags_t *faults)
{
    if (faults != NULL) {
        faults->overflow = 0;
        faults->underflow = 0;
        faults->div_zero = 0;
        faults->saturation = 0;
        faults->narrowing = 0;
        faults->domain = 0;
        faults->ledger_fail = 0;
        faults->_reserved = 0;
    }
}

/** The same as ct_fault_clear, for flags that were never set up. */
static inline void ct_fault_init(ct_fault_flags_t *faults)
{
    ct_fault_clear(faults);
}

/** 1 where any flag is set, else 0; 1 for NULL. */
static inline int ct_fault_any(const ct_fault_flags_t *faults)
{
    if (faults == NULL) {
        return 1;
    }
    return (faults->overflow || faults->underflow || faults->div_zero || faults->saturation
            || faults->narrowing || faults->domain || faults->ledger_fail)
        ? 1
        : 0;
}

#ifdef __cplusplus
}
#endif

#endif /* AXILOG_TYPES_H */
