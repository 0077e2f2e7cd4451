/** Byte orders, for deployed rigs. */

#ifndef AXILOG_DVM_COMPAT_H
#define AXILOG_DVM_COMPAT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Writes the eight bytes of value, the lowest first. */
static inline void axilog_le64_encode(uint64_t value, uint8_t out[8])
{
    int i;
    for (i = 0; i < 8; i++) {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

/** The number of eight bytes, the lowest first. */
static inline uint64_t axilog_le64_decode(const uint8_t in[8])
{
    uint64_t value = 0;
    int i;
    for (i = 7; i >= 0; i--) {
        value = value << 8 | in[i];
    }
    return value;
}

/** Writes the eight bytes of value, the highest first. */
static inline void axilog_be64_encode(uint64_t value, uint8_t out[8])
{
    int i;
    for (i = 0; i < 8; i++) {
        out[i] = (uint8_t)(value >> (8 * (7 - i)));
    }
}

/** Writes the four bytes of value, the highest first. */
static inline void axilog_be32_encode(uint32_t value, uint8_t out[4])
{
    int i;
    for (i = 0; i < 4; i++) {
        out[i] = (uint8_t)(value >> (8 * (3 - i)));
    }
}

/** The number of four bytes, the highest first. */
static inline uint32_t axilog_be32_decode(const uint8_t in[4])
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
}

#ifdef __cplusplus
}
#endif

#endif /* AXILOG_DVM_COMPAT_H */
