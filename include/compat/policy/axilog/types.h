/**
 * Q16.16, fault flags, ledger and agent of rigs of the policies' generation, whose own types.h has them all: flags of
 * four bytes, a ledger of a state and a chain, and input classes of its own (docs/rigs.md).
 *
 * Stands in for axilog/types.h where include/compat/policy comes before include/compat. The library's functions for
 * rigs take structs of their own, which policy.h fills and reads back; these are named axilog_rig_ here.
 */

#ifndef AXILOG_COMPAT_POLICY_TYPES_H
#define AXILOG_COMPAT_POLICY_TYPES_H

/** Which types.h this is. */
#define AXILOG_COMPAT_POLICY 1

#ifdef AXILOG_COMPAT_1_0
#error "AXILOG_COMPAT_1_0 is for rigs of another generation: leave it out with include/compat/policy"
#endif

#define ct_fault_flags_t axilog_rig_flags_t
#define ct_fault_clear axilog_rig_flags_clear
#define ct_fault_init axilog_rig_flags_init
#define ct_fault_any axilog_rig_flags_any
#define ax_ledger_ctx_t axilog_rig_ledger_ctx_t
#define ax_ledger_state axilog_rig_ledger_state
/* A ledger's functions are the rig's own in this generation. */
#ifndef AXILOG_OWN_LEDGER
#define AXILOG_OWN_LEDGER
#endif
#include "../../axilog/types.h"
#include "../../axilog/audit.h"
#undef ct_fault_flags_t
#undef ct_fault_clear
#undef ct_fault_init
#undef ct_fault_any
#undef ax_ledger_ctx_t
#undef ax_ledger_state

/** Bytes of room for the record of a policy. */
#define AX_EVIDENCE_BUF_SIZE 512

/** Sticky fault flags, each 0 or 1. commit: a ledger did not take a record. */
typedef struct ct_fault_flags_t {
    unsigned int overflow : 1;
    unsigned int underflow : 1;
    unsigned int div_zero : 1;
    unsigned int domain : 1;
    unsigned int serialise : 1;
    unsigned int commit : 1;
    unsigned int protocol : 1;
    unsigned int io_error : 1;
    unsigned int reserved : 24;
} ct_fault_flags_t;

/** The state of a chain: AX_LEDGER_READY takes records. */
typedef struct ax_ledger_ctx_t {
    ax_ledger_state_t state;
    uint64_t sequence;
    uint8_t chain_head[AX_HASH_SIZE];
    uint8_t genesis_hash[AX_HASH_SIZE];
} ax_ledger_ctx_t;

/** The health of an agent. */
typedef enum ax_health_state_t {
    AX_HEALTH_UNINIT = 0,
    AX_HEALTH_INIT = 1,
    AX_HEALTH_ENABLED = 2,
    AX_HEALTH_ALARM = 3,
    AX_HEALTH_DEGRADED = 4,
    AX_HEALTH_STOPPED = 5
} ax_health_state_t;

/** The class of an input; this generation's numbers. */
typedef enum ax_input_class_t {
    AX_INPUT_TIME_OBS = 0,
    AX_INPUT_LLM_OBS = 1,
    AX_INPUT_FAULT_SIGNAL = 2,
    AX_INPUT_CLEAR_SIGNAL = 3,
    AX_INPUT_ENABLE_CMD = 4,
    AX_INPUT_DISABLE_CMD = 5,
    AX_INPUT_RESET_CMD = 6,
    AX_INPUT_POLICY_TRIGGER = 7
} ax_input_class_t;

/** An input of an agent. */
typedef struct ax_input_t {
    ax_input_class_t type;
    const uint8_t *payload;
    uint64_t payload_len;
    uint64_t ledger_seq;
} ax_input_t;

/** An agent, which belongs to the rig: no function here reads it. */
typedef struct ax_agent_ctx_t {
    ax_ledger_ctx_t ledger;
    ax_health_state_t health;
    uint32_t fault_accumulator;
    uint64_t last_timestamp;
    uint64_t last_seen_seq;
    uint8_t local_failed_flag;
} ax_agent_ctx_t;

#ifdef __cplusplus
extern "C" {
#endif

/** Clears every flag. NULL is left alone. */
static inline void ct_fault_clear(ct_fault_flags_t *faults)
{
    if (faults != NULL) {
        const ct_fault_flags_t none = { 0, 0, 0, 0, 0, 0, 0, 0, 0 };
        *faults = none;
    }
}

/** 1 where a flag is set, else 0; 1 for NULL. */
static inline int ct_fault_any(const ct_fault_flags_t *faults)
{
    return faults == NULL || faults->overflow || faults->underflow || faults->div_zero || faults->domain
        || faults->serialise || faults->commit || faults->protocol || faults->io_error;
}

#ifdef __cplusplus
}
#endif

#endif /* AXILOG_COMPAT_POLICY_TYPES_H */
