/* Fault flags in tests: which are set, and whether a function touched more than it may. */

#ifndef FLAGS_H
#define FLAGS_H

#include "axilog/types.h"

#include "check.h"

/* The flags as bits, in the order of the struct. */
enum {
    OVERFLOW_ = 1 << 0,
    UNDERFLOW_ = 1 << 1,
    DIV_ZERO_ = 1 << 2,
    SATURATION_ = 1 << 3,
    DOMAIN_ = 1 << 5,
    LEDGER_FAIL_ = 1 << 6,
    IO_ERROR_ = 1 << 7,
    ENCODING_ = 1 << 9,
    SCHEMA_ = 1 << 10,
    ORDERING_ = 1 << 11,
    SIZE_ = 1 << 12,
    PROTOCOL_ = 1 << 13,
    SERIALISE_ = 1 << 14
};

/* The flags that are 1, as bits; -1 where one is neither 0 nor 1. Clears them. */
static inline int flags_taken(ct_fault_flags_t *faults)
{
    uint8_t bytes[sizeof *faults];
    int bits = 0;
    size_t i;
    memcpy(bytes, faults, sizeof bytes);
    for (i = 0; i < sizeof bytes; i++) {
        if (bytes[i] > 1) {
            return -1;
        }
        bits |= (int)bytes[i] << i;
    }
    ct_fault_clear(faults);
    return bits;
}

/* The eight bytes of a deployed caller's flags, and eight that are not its own. */
typedef union {
    ct_fault_flags_t whole;
    uint8_t bytes[16];
} short_flags_t;

static inline void short_flags_init(short_flags_t *flags)
{
    memset(flags->bytes, 0, 7);
    memset(flags->bytes + 7, 0xA5, 9);
}

/* Whether nothing after the first seven flags was touched. */
static inline int short_flags_kept(const short_flags_t *flags)
{
    return is_all(flags->bytes + 7, 9, 0xA5);
}

#endif
