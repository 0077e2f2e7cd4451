/* The calls of text.jsonl: text, numbers, digests, and the inline functions over faults. */

#ifndef TEXT_H
#define TEXT_H

#include "axilog/canonical.h"
#include "axilog/hash.h"
#include "axilog/sha256.h"
#include "axilog/validate.h"

#include "flags.h"

CALL_ANY(ct_fault_flags_t, ct_fault_any, ct_fault_clear)

#ifndef AXILOG_COMPAT_1_0
CALL_ANY(ax_l3_fault_flags_t, ax_l3_fault_any, ax_l3_fault_init)
#endif

#define PREDICATE(function) \
    static void function##_call(void) \
    { \
        put_number("rc", function(string("data"), (size_t)natural("len", 0))); \
    }

PREDICATE(ax_validate_utf8)
PREDICATE(ax_is_nfc)
PREDICATE(ax_contains_forbidden_control)
PREDICATE(ax_validate_encoding)

static void ax_validate_and_normalise_call(void)
{
    size_t size = (size_t)natural("dst_size", 0);
    char *dst = unwritten(size);
    ax_l3_fault_flags_t *faults = ax_l3_fault_flags_t_read("flags_before");
    put_written(ax_validate_and_normalise(dst, size, string("src"), (size_t)natural("src_len", 0), faults), dst,
                size);
    ax_l3_fault_flags_t_put_after(faults);
}

static void ax_normalise_line_endings_call(void)
{
    size_t size = (size_t)natural("dst_size", 0);
    char *dst = unwritten(size);
    put_written(ax_normalise_line_endings(dst, size, string("src"), (size_t)natural("src_len", 0)), dst, size);
}

static void ax_string_escape_call(void)
{
    size_t size = (size_t)natural("dst_size", 0);
    char *dst = unwritten(size);
    put_written(ax_string_escape(dst, size, string("src"), (size_t)natural("src_len", 0)), dst, size);
}

static void ax_format_int64_call(void)
{
    size_t size = (size_t)natural("dst_size", 0);
    char *dst = unwritten(size);
    put_written(ax_format_int64(dst, size, number("value", 0)), dst, size);
}

static void ax_format_uint64_call(void)
{
    size_t size = (size_t)natural("dst_size", 0);
    char *dst = unwritten(size);
    put_written(ax_format_uint64(dst, size, natural("value", 0)), dst, size);
}

static void ax_format_q16_call(void)
{
    size_t size = (size_t)natural("dst_size", 0);
    char *dst = unwritten(size);
    put_written(ax_format_q16(dst, size, (q16_16_t)number("value", 0)), dst, size);
}

static void ax_format_hash_hex_call(void)
{
    size_t size = (size_t)natural("dst_size", 0);
    char *dst = unwritten(size);
    put_written(ax_format_hash_hex(dst, size, bytes("hash"), (size_t)natural("hash_len", 0)), dst, size);
}

static void ax_compute_input_hash_call(void)
{
    uint8_t hash[32];
    memset(hash, 9, sizeof hash);
    ax_compute_input_hash(hash, string("input"), (size_t)natural("input_len", 0));
    put_bytes("hash", hash, sizeof hash);
}

#define DIGEST(function) \
    static void function##_call(void) \
    { \
        uint8_t hash[32]; \
        memset(hash, 9, sizeof hash); \
        function(hash, bytes("data"), (size_t)natural("len", 0)); \
        put_bytes("hash", hash, sizeof hash); \
    }

DIGEST(axilog_sha256)
DIGEST(ax_sha256)

/* A digest of two pieces. */
static void ax_sha256_pieces_call(void)
{
    ax_sha256_ctx_t ctx;
    uint8_t hash[32];
    uint8_t *data = bytes("data");
    size_t size = expand(field("data"), NULL), cut = (size_t)natural("cut", 0);
    ax_sha256_init(&ctx);
    ax_sha256_update(&ctx, data, cut);
    ax_sha256_update(&ctx, data + cut, size - cut);
    ax_sha256_final(&ctx, hash);
    put_bytes("hash", hash, sizeof hash);
}

#ifdef AXILOG_COMPAT_1_0
#define L3_CALLS
#else
#define L3_CALLS { "ax_l3_fault_any", ax_l3_fault_any_call },
#endif

#define TEXT_CALLS \
    L3_CALLS \
    { "ct_fault_any", ct_fault_any_call }, \
    { "ax_validate_utf8", ax_validate_utf8_call }, \
    { "ax_is_nfc", ax_is_nfc_call }, \
    { "ax_contains_forbidden_control", ax_contains_forbidden_control_call }, \
    { "ax_validate_encoding", ax_validate_encoding_call }, \
    { "ax_validate_and_normalise", ax_validate_and_normalise_call }, \
    { "ax_normalise_line_endings", ax_normalise_line_endings_call }, \
    { "ax_string_escape", ax_string_escape_call }, \
    { "ax_format_int64", ax_format_int64_call }, \
    { "ax_format_uint64", ax_format_uint64_call }, \
    { "ax_format_q16", ax_format_q16_call }, \
    { "ax_format_hash_hex", ax_format_hash_hex_call }, \
    { "ax_compute_input_hash", ax_compute_input_hash_call }, \
    { "axilog_sha256", axilog_sha256_call }, \
    { "ax_sha256", ax_sha256_call }, \
    { "ax_sha256_init, ax_sha256_update, ax_sha256_final", ax_sha256_pieces_call },

#endif
