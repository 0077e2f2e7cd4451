/* What the conformance suites share: the fault structs of a deployed rig, which end at a page nobody may
 * touch, and their flags as bits; buffers that end there too. The suites are compiled for both generations
 * of rigs, those of eight and sixteen bytes and those of one struct of sixteen (AXILOG_COMPAT_1_0). */

#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include "guarded.h"

#include "axilog/l3_types.h"

#include "check.h"

/* The flags by their byte in the library's struct. */
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

/* The profile that a rig of this generation writes. */
#define PROFILE ((ax_profile_t)AXILOG_COMPAT_PROFILE)

/* What the bytes of a struct hold that no function may touch: the reserved one and the padding. */
#define UNTOUCHED 0xA5

static ct_fault_flags_t *base;
static ax_l3_fault_flags_t *l3;

/* Whether byte i of the sixteen holds no flag. */
static inline int holds_no_flag(size_t i)
{
#ifdef AXILOG_COMPAT_1_0
    (void)i;
    return 0;
#else
    return i == 7 || i >= 14;
#endif
}

static inline void l3_clear(void)
{
    uint8_t *bytes = (uint8_t *)l3;
    size_t i;
    for (i = 0; i < sizeof *l3; i++) {
        bytes[i] = holds_no_flag(i) ? UNTOUCHED : 0;
    }
}

/* The flags of the observation layer that are set, as bits; -1 where a byte is neither 0 nor 1, or one without
 * a flag was touched. Clears them. */
static inline int l3_taken(void)
{
    const uint8_t *bytes = (const uint8_t *)l3;
    int set = 0;
    size_t i;
    for (i = 0; i < sizeof *l3 && set >= 0; i++) {
        if (holds_no_flag(i)) {
            set = bytes[i] == UNTOUCHED ? set : -1;
        } else {
            set = bytes[i] > 1 ? -1 : set | (int)bytes[i] << i;
        }
    }
    l3_clear();
    return set;
}

/* The same of the substrate's struct, all of whose bytes may be set. */
static inline int base_taken(void)
{
    uint8_t *bytes = (uint8_t *)base;
    int set = 0;
    size_t i;
    for (i = 0; i < sizeof *base && set >= 0; i++) {
        set = bytes[i] > 1 ? -1 : set | (int)bytes[i] << i;
    }
    memset(base, 0, sizeof *base);
    return set;
}

/* What the substrate's struct tells of the library's flags: eight bytes tell io_error as ledger_fail, and
 * what they have no byte for as domain. */
static inline int told(int flags)
{
#ifdef AXILOG_COMPAT_1_0
    return flags;
#else
    return (flags & 0x7F) | ((flags & IO_ERROR_) != 0 ? LEDGER_FAIL_ : 0) | (flags > 0xFF ? DOMAIN_ : 0);
#endif
}

/* A number that no compiler takes for a constant, to be cast to an enum that lacks it. */
static inline int number(int value)
{
    const volatile int any = value;
    return any;
}

/* size bytes of 0x5A that end at a page nobody may touch. */
static inline char *room_of(size_t size)
{
    char *room = (char *)guarded(size);
    memset(room, 0x5A, size);
    return room;
}

/* Whether nobody wrote into a room. */
static inline int is_unwritten(const char *room, size_t size)
{
    return is_all(room, size, 0x5A);
}

static inline void conformance_begin(void)
{
    base = (ct_fault_flags_t *)guarded(sizeof *base);
    l3 = (ax_l3_fault_flags_t *)guarded(sizeof *l3);
    memset(base, 0, sizeof *base);
    l3_clear();
}

/* The end of a suite: nothing stands in front of the structs either. */
static inline int conformance_end(void)
{
    CHECK(is_all((const uint8_t *)base - 64, 64, 0) && base_taken() == 0);
    CHECK(is_all((const uint8_t *)l3 - 64, 64, 0) && l3_taken() == 0);
    return check_end();
}

#endif
