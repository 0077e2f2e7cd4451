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
 * Success.
 */
#define AX_OK 0

/**
 * Text is not admissible: not UTF-8, not NFC, or a control character.
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
 * Larger than the limit.
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
 * The call is not allowed here; also for a NULL that may not be one.
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
 * Caller-owned. The library sets a flag to exactly 1, one byte at a time, and never clears one.
 * The order is part of the interface: functions of sha256.h, commitment.h and dvm.h touch only the
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
     * Division by zero.
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
     * A NULL, an unknown tag, or another argument outside the domain.
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
     * Text that is not admissible.
     */
    uint8_t encoding;
    /**
     * A field that breaks the schema.
     */
    uint8_t schema;
    /**
     * A sequence that does not increase.
     */
    uint8_t ordering;
    /**
     * Something was cut, or was too much to keep track of.
     */
    uint8_t size;
    /**
     * A call that the protocol does not allow.
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
 * One line about a return code.
 *
 * Returns a static string, also for a code that is not one; never NULL.
 */
const char *ax_strerror(int code);

/**
 * The version of this interface: major times 65536 plus minor. A caller built against another
 * major version must not go on.
 */
uint32_t ax_abi_version(void);

/**
 * The library's version as a static string, such as "0.1.0".
 */
const char *ax_version(void);

/**
 * The Unicode version whose NFC the library decides, as a static string, such as "18.0.0"; "none" for
 * a library built with the feature nfc-none, to which only ASCII is admissible.
 */
const char *ax_unicode_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#ifdef __cplusplus
extern "C" {
#endif

/** Clears every flag: the only thing that ever does. NULL is left alone. */
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
            || faults->narrowing || faults->domain || faults->ledger_fail || faults->io_error
            || faults->precision || faults->encoding || faults->schema || faults->ordering
            || faults->size || faults->protocol || faults->serialise || faults->commit)
        ? 1
        : 0;
}

#ifdef __cplusplus
}
#endif

#endif /* AXILOG_TYPES_H */
