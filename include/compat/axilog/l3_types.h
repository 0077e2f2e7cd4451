/**
 * The fault flags of the observation layer, and the return codes, for deployed rigs (c-abi.md,
 * Compatibility headers).
 */

#ifndef AXILOG_L3_TYPES_H
#define AXILOG_L3_TYPES_H

#include "axilog/types.h"

#ifndef AXILOG_COMPAT
#error "axilog/types.h is the library's own: name include/compat before include"
#endif

/** Success. */
#define AX_OK 0
/** Text is not admissible: not UTF-8, not NFC, or a control character. */
#define AX_ERR_ENCODING (-1)
/** A field breaks the schema. */
#define AX_ERR_SCHEMA (-2)
/** A sequence number does not increase. */
#define AX_ERR_ORDERING (-3)
/** Larger than the limit. */
#define AX_ERR_SIZE (-4)
/** A hash does not match. */
#define AX_ERR_HASH (-5)
/** The caller's buffer is too small. */
#define AX_ERR_BUFFER (-6)
/** The call is not allowed here; also for a NULL that may not be one. */
#define AX_ERR_PROTOCOL (-7)
/** The ledger has failed, is sealed, or was never initialised. */
#define AX_ERR_LEDGER (-8)

/** The first of several arguments. */
#define AX_L3_FIRST(first, ...) first

/**
 * Refuses to compile where its first argument, a constant condition, does not hold; after it, what to say of
 * it, or nothing. Stands wherever a declaration may.
 */
#define AX_L3_STATIC_ASSERT(...) \
    extern int (*ax_l3_static_assert(void))[(AX_L3_FIRST(__VA_ARGS__, 0)) ? 1 : -1]

#ifdef AXILOG_COMPAT_1_0

/** The one struct of a rig of that generation. */
typedef ct_fault_flags_t ax_l3_fault_flags_t;

#else

/**
 * Sixteen bytes: the eight flags of ct_fault_flags_t and six of the observation layer, each where
 * the library has it. No function that takes this struct touches base._reserved or _pad.
 */
typedef struct ax_l3_fault_flags_t {
    ct_fault_flags_t base;
    uint8_t precision;
    uint8_t encoding;
    uint8_t schema;
    uint8_t ordering;
    uint8_t size;
    uint8_t protocol;
    uint8_t _pad[2];
} ax_l3_fault_flags_t;

#endif

#ifdef __cplusplus
extern "C" {
#endif

/** One line about a return code; never NULL. */
const char *ax_strerror(int code);

/** Clears every flag. NULL is left alone. */
static inline void ax_l3_fault_init(ax_l3_fault_flags_t *faults)
{
#ifdef AXILOG_COMPAT_1_0
    ct_fault_init(faults);
#else
    if (faults != NULL) {
        ct_fault_init(&faults->base);
        faults->precision = 0;
        faults->encoding = 0;
        faults->schema = 0;
        faults->ordering = 0;
        faults->size = 0;
        faults->protocol = 0;
        faults->_pad[0] = 0;
        faults->_pad[1] = 0;
    }
#endif
}

/** Every flag in one number, which is 0 where none is set; 1 for NULL. */
static inline int ax_l3_fault_any(const ax_l3_fault_flags_t *faults)
{
#ifdef AXILOG_COMPAT_1_0
    return ct_fault_any(faults);
#else
    if (faults == NULL) {
        return 1;
    }
    return ct_fault_any(&faults->base) | faults->precision | faults->encoding | faults->schema
        | faults->ordering | faults->size | faults->protocol;
#endif
}

#ifdef __cplusplus
}
#endif

#endif /* AXILOG_L3_TYPES_H */
