/**
 * Q16.16 and the fault flags of deployed rigs (c-abi.md, Compatibility headers; docs/rigs.md).
 *
 * Stands in for axilog/types.h where include/compat comes before include. The struct has eight flags; a rig
 * whose own types.h has one struct of sixteen defines AXILOG_COMPAT_1_0 for all of its sources.
 */

#ifndef AXILOG_TYPES_H
#define AXILOG_TYPES_H

/** Which types.h this is; the other headers here insist on it. */
#define AXILOG_COMPAT 1

#include <stddef.h>
#include <stdint.h>

#include "axilog/names.h"

/* Rigs declare functions again that these headers declare already. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wredundant-decls"
#endif

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

/** Bits after the point of a Q16.16 number. */
#define Q16_16_FRAC_BITS 16
/** The integer in front of the point. */
#define Q16_16_TO_INT(x) ((int32_t)((x) / Q16_16_ONE))

#ifdef AXILOG_COMPAT_1_0

/** Sixteen sticky fault flags, each 0 or 1, where the library has them. */
typedef struct ct_fault_flags_t {
    uint8_t overflow;
    uint8_t underflow;
    uint8_t div_zero;
    uint8_t saturation;
    uint8_t narrowing;
    uint8_t domain;
    uint8_t ledger_fail;
    uint8_t io_error;
    uint8_t precision;
    uint8_t encoding;
    uint8_t schema;
    uint8_t ordering;
    uint8_t size;
    uint8_t protocol;
    uint8_t serialise;
    uint8_t commit;
} ct_fault_flags_t;

#else

/**
 * Eight sticky fault flags, each 0 or 1: the first seven of the library's sixteen, and a byte that
 * counts for nothing; a sink that refuses a record sets it beside ledger_fail.
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

#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * An integer as Q16.16; beyond 32767 and -32768 the largest and the smallest value, or, with
 * AXILOG_COMPAT_AS_DEPLOYED, what is left of it.
 */
static inline q16_16_t q16_16_from_int(int32_t value)
{
#ifdef AXILOG_COMPAT_AS_DEPLOYED
    const uint32_t low = (uint32_t)value & 0xFFFFU;
    return low < 0x8000U ? Q16_16_FROM_INT((int32_t)low) : Q16_16_FROM_INT((int32_t)low - 0x10000);
#else
    if (value > 32767) {
        return Q16_16_MAX;
    }
    return value < -32768 ? Q16_16_MIN : Q16_16_FROM_INT(value);
#endif
}

/** 1 where a is greater than b, else 0. */
static inline int q16_16_gt(q16_16_t a, q16_16_t b)
{
    return a > b ? 1 : 0;
}

/** 1 where a is less than b, else 0. */
static inline int q16_16_lt(q16_16_t a, q16_16_t b)
{
    return a < b ? 1 : 0;
}

/** 1 where a is greater than b or equal, else 0. */
static inline int q16_16_ge(q16_16_t a, q16_16_t b)
{
    return a >= b ? 1 : 0;
}

/** 1 where a is less than b or equal, else 0. */
static inline int q16_16_le(q16_16_t a, q16_16_t b)
{
    return a <= b ? 1 : 0;
}

/** 1 where a equals b, else 0. */
static inline int q16_16_eq(q16_16_t a, q16_16_t b)
{
    return a == b ? 1 : 0;
}

/** Clears every flag. NULL is left alone. */
static inline void ct_fault_clear(ct_fault_flags_t *faults)
{
    if (faults != NULL) {
        const ct_fault_flags_t none = { 0, 0, 0, 0, 0, 0, 0, 0
#ifdef AXILOG_COMPAT_1_0
                                        , 0, 0, 0, 0, 0, 0, 0, 0
#endif
        };
        *faults = none;
    }
}

/** The same as ct_fault_clear, for flags that were never set up. */
static inline void ct_fault_init(ct_fault_flags_t *faults)
{
    ct_fault_clear(faults);
}

/** Every flag in one number, which is 0 where none is set; 1 for NULL. */
static inline int ct_fault_any(const ct_fault_flags_t *faults)
{
    if (faults == NULL) {
        return 1;
    }
    return faults->overflow | faults->underflow | faults->div_zero | faults->saturation | faults->narrowing
        | faults->domain | faults->ledger_fail
#ifdef AXILOG_COMPAT_1_0
        | faults->io_error | faults->precision | faults->encoding | faults->schema | faults->ordering
        | faults->size | faults->protocol | faults->serialise | faults->commit
#endif
        ;
}

#ifdef __cplusplus
}
#endif

#ifdef AXILOG_COMPAT_1_0
/* The types.h of such rigs has the return codes. */
#include "axilog/l3_types.h"
#endif

#endif /* AXILOG_TYPES_H */
