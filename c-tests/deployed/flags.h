/* The flags of the fault structs of a deployed rig, by the names that the vectors give them. */

#ifndef FLAGS_OF_RIGS_H
#define FLAGS_OF_RIGS_H

#include "axilog/types.h"
#ifndef AXILOG_COMPAT_POLICY
#include "axilog/l3_types.h"
#endif

#include "call.h"

#define SUBSTRATE_FLAGS(X, prefix) \
    X("overflow", prefix overflow) \
    X("underflow", prefix underflow) \
    X("div_zero", prefix div_zero) \
    X("saturation", prefix saturation) \
    X("narrowing", prefix narrowing) \
    X("domain", prefix domain) \
    X("ledger_fail", prefix ledger_fail)

#define OBSERVATION_FLAGS(X) \
    X("precision", precision) \
    X("encoding", encoding) \
    X("schema", schema) \
    X("ordering", ordering) \
    X("size", size) \
    X("protocol", protocol)

#ifdef AXILOG_COMPAT_POLICY

#define CT_FLAGS(X) \
    X("overflow", overflow) \
    X("underflow", underflow) \
    X("div_zero", div_zero) \
    X("domain", domain) \
    X("serialise", serialise) \
    X("commit", commit) \
    X("protocol", protocol) \
    X("io_error", io_error) \
    X("reserved", reserved)

#elif defined AXILOG_COMPAT_1_0

#define CT_FLAGS(X) \
    SUBSTRATE_FLAGS(X, ) \
    OBSERVATION_FLAGS(X) \
    X("io_error", io_error) \
    X("serialise", serialise) \
    X("commit", commit)
#define L3_FLAGS(X) CT_FLAGS(X)

#else

#define CT_FLAGS(X) \
    SUBSTRATE_FLAGS(X, ) \
    X("_reserved", _reserved)
#define L3_FLAGS(X) \
    SUBSTRATE_FLAGS(X, base.) \
    OBSERVATION_FLAGS(X) \
    X("base._reserved", base._reserved) \
    X("_pad[0]", _pad[0])

#endif

CALL_FLAGS(ct_fault_flags_t, CT_FLAGS)
#ifdef L3_FLAGS
CALL_FLAGS(ax_l3_fault_flags_t, L3_FLAGS)
#endif

/* ct_fault_any of one flag, or of those that a name joins by " and "; value is the flag's, 1 where absent. */
#define CALL_ANY(type, any, init) \
    static inline void any##_call(void) \
    { \
        const char *name = text("flag"); \
        type faults; \
        int rc; \
        init(&faults); \
        if (strcmp(name, "domain and overflow") == 0) { \
            type##_set(&faults, "domain", 1); \
            type##_set(&faults, "overflow", 2); \
            field("value"); \
        } else if (strcmp(name, "none") != 0 \
                   && !type##_set(&faults, name, (unsigned char)natural("value", 1))) { \
            put_text("missing", name); \
            return; \
        } else { \
            field("value"); \
        } \
        rc = any(&faults); \
        put_number("rc", rc); \
        if (field("value") != NULL) { \
            put_number("rc_nonzero", rc != 0); \
        } \
        init(&faults); \
        put_number("after_clear", any(&faults)); \
    }

#endif
