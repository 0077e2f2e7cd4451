/* Prints what both include directories declare alike; the test compiles it with each of them. */

#include "axilog/agent.h"
#include "axilog/audit.h"
#include "axilog/canonical.h"
#include "axilog/dvec.h"
#include "axilog/hash.h"
#ifdef AXILOG_COMPAT
#include "axilog/l3_types.h"
#endif

#include <stddef.h>
#include <stdio.h>

#define VALUE(v) printf(#v " %lld\n", (long long)(v))
#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define FIELD(type, field) \
    printf(#type "." #field " %zu %zu\n", offsetof(type, field), sizeof((type *)NULL)->field)

int main(void)
{
    VALUE(AX_OK);
    VALUE(AX_ERR_ENCODING);
    VALUE(AX_ERR_SCHEMA);
    VALUE(AX_ERR_ORDERING);
    VALUE(AX_ERR_SIZE);
    VALUE(AX_ERR_HASH);
    VALUE(AX_ERR_BUFFER);
    VALUE(AX_ERR_PROTOCOL);
    VALUE(AX_ERR_LEDGER);
    VALUE(Q16_16_ONE);
    VALUE(Q16_16_HALF);
    VALUE(Q16_16_MAX);
    VALUE(Q16_16_MIN);
    VALUE(Q16_16_FROM_INT(-3));
    VALUE(AX_CANONICAL_BUFFER_SIZE);
    SIZE(q16_16_t);
    SIZE(ax_oracle_params_t);
    SIZE(ax_obs_record_t);
    SIZE(ax_obs_input_t);
    SIZE(ax_obs_view_t);
    SIZE(ax_admission_ctx_t);
    FIELD(ax_admission_ctx_t, reject_del);
    FIELD(ax_obs_record_t, schema_version);
    FIELD(ax_obs_input_t, input_kind);
    FIELD(ax_obs_view_t, gateway);
    /* audit.h declares these by hand for rigs. */
    SIZE(ax_ledger_entry_t);
    FIELD(ax_ledger_entry_t, tag);
    FIELD(ax_ledger_entry_t, payload);
    FIELD(ax_ledger_entry_t, payload_len);
    FIELD(ax_ledger_entry_t, sequence);
    FIELD(ax_ledger_entry_t, commit);
    FIELD(ax_ledger_entry_t, chain);
    SIZE(ax_ledger_sink_t);
    FIELD(ax_ledger_sink_t, append);
    FIELD(ax_ledger_sink_t, user);
    SIZE(ax_ledger_ctx_t);
    FIELD(ax_ledger_ctx_t, current_hash);
    FIELD(ax_ledger_ctx_t, genesis_hash);
    FIELD(ax_ledger_ctx_t, sequence);
    FIELD(ax_ledger_ctx_t, failed);
    FIELD(ax_ledger_ctx_t, initialised);
    FIELD(ax_ledger_ctx_t, sealed);
    FIELD(ax_ledger_ctx_t, sink);
    SIZE(ax_evidence_t);
    FIELD(ax_evidence_t, tag);
    FIELD(ax_evidence_t, payload);
    FIELD(ax_evidence_t, payload_len);
    SIZE(ax_policy_ctx_t);
    FIELD(ax_policy_ctx_t, manifest);
    SIZE(ax_agent_ctx_t);
    FIELD(ax_agent_ctx_t, violation);
    SIZE(ax_input_t);
    FIELD(ax_input_t, ledger_seq);
#ifdef AXILOG_COMPAT
    printf("state %zu\n", offsetof(ax_ledger_ctx_t, state));
#else
    printf("state %zu\n", offsetof(ax_ledger_ctx_t, initialised));
#endif
#ifdef AXILOG_COMPAT
#define FLAG(name, compat) printf(#name " %zu\n", offsetof(ax_l3_fault_flags_t, compat))
#else
#define FLAG(name, compat) printf(#name " %zu\n", offsetof(ct_fault_flags_t, name))
#endif
    FLAG(overflow, base.overflow);
    FLAG(underflow, base.underflow);
    FLAG(div_zero, base.div_zero);
    FLAG(saturation, base.saturation);
    FLAG(narrowing, base.narrowing);
    FLAG(domain, base.domain);
    FLAG(ledger_fail, base.ledger_fail);
    FLAG(precision, precision);
    FLAG(encoding, encoding);
    FLAG(schema, schema);
    FLAG(ordering, ordering);
    FLAG(size, size);
    FLAG(protocol, protocol);
    return 0;
}
