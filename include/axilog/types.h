/**
 * Q16.16, fault flags, return codes, versions (SRS-004 section 25.2).
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_TYPES_H
#define AXILOG_TYPES_H

#include <stddef.h>
#include <stdint.h>

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
 * 1.0 in Q16.16.
 */
#define Q16_16_ONE 65536

/**
 * 0.5 in Q16.16.
 */
#define Q16_16_HALF 32768

/**
 * The call succeeded.
 */
#define AX_OK 0

/**
 * A text is not admissible: it is not UTF-8, not NFC, or has a control character.
 */
#define AX_ERR_ENCODING (-1)

/**
 * A field breaks the schema.
 */
#define AX_ERR_SCHEMA (-2)

/**
 * A sequence number does not increase.
 */
#define AX_ERR_ORDERING (-3)

/**
 * A record or a registry is larger than its limit.
 */
#define AX_ERR_SIZE (-4)

/**
 * A hash does not match.
 */
#define AX_ERR_HASH (-5)

/**
 * The caller's buffer is too small.
 */
#define AX_ERR_BUFFER (-6)

/**
 * The call is not allowed here, or a required pointer is NULL.
 */
#define AX_ERR_PROTOCOL (-7)

/**
 * The ledger has failed, is sealed, or was never initialised.
 */
#define AX_ERR_LEDGER (-8)

/**
 * A Q16.16 fixed-point number: the raw integer is the value times 65536.
 */
typedef int32_t q16_16_t;

/**
 * Sixteen sticky fault flags, each 0 or 1.
 *
 * The caller owns the struct. The library sets a flag to exactly 1, one byte at a time, and never
 * clears one. The order is part of the interface: functions of commitment.h and dvm.h touch only the
 * first seven, so that callers with a shorter struct may pass theirs.
 */
typedef struct ct_fault_flags_t {
    /**
     * A result above the range was saturated.
     */
    uint8_t overflow;
    /**
     * A result below the range was saturated.
     */
    uint8_t underflow;
    /**
     * A number was divided by zero.
     */
    uint8_t div_zero;
    /**
     * A result was saturated, in either direction.
     */
    uint8_t saturation;
    /**
     * A value lost bits in a conversion.
     */
    uint8_t narrowing;
    /**
     * An argument was outside its domain: a NULL, an unknown tag, a number that is not in its enum.
     */
    uint8_t domain;
    /**
     * The ledger has failed.
     */
    uint8_t ledger_fail;
    /**
     * The sink refused a record.
     */
    uint8_t io_error;
    /**
     * A conversion was not exact.
     */
    uint8_t precision;
    /**
     * A text was not admissible.
     */
    uint8_t encoding;
    /**
     * A field broke the schema.
     */
    uint8_t schema;
    /**
     * A sequence did not increase.
     */
    uint8_t ordering;
    /**
     * An answer was cut, or there were too many oracles to hold to their models.
     */
    uint8_t size;
    /**
     * The protocol did not allow the call.
     */
    uint8_t protocol;
    /**
     * A record did not fit its buffer.
     */
    uint8_t serialise;
    /**
     * A record could not be committed; for callers with a step of their own.
     */
    uint8_t commit;
} ct_fault_flags_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Describes a return code in one line of English.
 *
 * @param code Any number; the codes are AX_OK and the AX_ERR_ constants.
 * @return A static string of the library, never NULL: "unknown code" for a number that is not a
 *     code.
 * @see SRS-004 §25.2
 */
const char *ax_strerror(int code);

/**
 * Gives the version of this interface: the major version times 65536, plus the minor version.
 *
 * A program that was compiled against another major version must not go on.
 *
 * @return The version of the library that is loaded.
 * @see SRS-004 §25.2
 */
uint32_t ax_abi_version(void);

/**
 * Gives the version of the library as text, such as "0.2.0".
 *
 * @return A static string of the library, never NULL.
 * @see SRS-004 §25.2
 */
const char *ax_version(void);

/**
 * Gives the Unicode version whose Normalization Form C the library decides, such as "18.0.0".
 *
 * @return A static string of the library, never NULL: "none" for a library built with the feature
 *     nfc-none, to which only ASCII is admissible.
 * @see SRS-004 §5.5
 */
const char *ax_unicode_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Clears every fault flag; no other function of this interface clears one.
 *
 * @param faults Flags to clear, owned by the caller. NULL: the call does nothing.
 * @see SRS-004 §25.2
 */
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
        faults->io_error = 0;
        faults->precision = 0;
        faults->encoding = 0;
        faults->schema = 0;
        faults->ordering = 0;
        faults->size = 0;
        faults->protocol = 0;
        faults->serialise = 0;
        faults->commit = 0;
    }
}

/**
 * Clears every fault flag of a struct that was never set up.
 *
 * @param faults Flags to clear, owned by the caller. NULL: the call does nothing.
 * @see SRS-004 §25.2
 */
static inline void ct_fault_init(ct_fault_flags_t *faults)
{
    ct_fault_clear(faults);
}

/**
 * Tells whether any fault flag is set.
 *
 * @param faults Flags to look at, borrowed for the call; NULL counts as a fault.
 * @return 1 where one is, else 0.
 * @see SRS-004 §25.2
 *
 * @par Example
 * @code{.c}
 * ct_fault_flags_t faults;
 *
 * ct_fault_init(&faults);
 * assert(!ct_fault_any(&faults));
 * dvm_div_q16(Q16_16_ONE, 0, &faults);
 * assert(ct_fault_any(&faults) && faults.div_zero == 1);
 * @endcode
 */
static inline int ct_fault_any(const ct_fault_flags_t *faults)
{
    int is_any_set = 0;
    if ((faults == NULL) || (faults->overflow != 0U) || (faults->underflow != 0U)
        || (faults->div_zero != 0U) || (faults->saturation != 0U) || (faults->narrowing != 0U)
        || (faults->domain != 0U) || (faults->ledger_fail != 0U) || (faults->io_error != 0U)
        || (faults->precision != 0U) || (faults->encoding != 0U) || (faults->schema != 0U)
        || (faults->ordering != 0U) || (faults->size != 0U) || (faults->protocol != 0U)
        || (faults->serialise != 0U) || (faults->commit != 0U)) {
        is_any_set = 1;
    }
    return is_any_set;
}

#ifdef __cplusplus
}
#endif

#endif /* AXILOG_TYPES_H */
