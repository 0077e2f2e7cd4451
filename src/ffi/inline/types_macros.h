/** The largest Q16.16 value. */
#define Q16_16_MAX INT32_MAX
/** The smallest Q16.16 value. */
#define Q16_16_MIN INT32_MIN

/**
 * An integer as Q16.16, by multiplication: shifting a negative value is undefined (SRS-004-SHALL-029).
 * x is at most 32767 and at least -32768.
 */
#define Q16_16_FROM_INT(x) ((q16_16_t)((x) * Q16_16_ONE))
