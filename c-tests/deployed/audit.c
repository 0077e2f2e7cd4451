/* The calls of ledger.jsonl. */

#include "axilog/commitment.h"
#include "axilog/dvm_compat.h"

#include "ledger.h"

/* The ledger of the vector, or NULL. */
static ax_ledger_ctx_t *ledger_of_call(void)
{
    static ax_ledger_ctx_t ledger;
    if (is_null("ctx")) {
        return NULL;
    }
    read_ledger("ctx.", &ledger);
    return &ledger;
}

static void put_after(ax_ledger_ctx_t *ledger, const ct_fault_flags_t *faults)
{
    if (ledger != NULL) {
        put_ledger("ctx_after.", ledger);
    }
    ct_fault_flags_t_put_after(faults);
}

static void ax_ledger_append_call(void)
{
    ax_ledger_ctx_t *ledger = ledger_of_call();
    ct_fault_flags_t *faults = ct_fault_flags_t_read("flags_before");
    ax_ledger_append(ledger, bytes("commit"), faults);
    put_after(ledger, faults);
}

static void ax_verify_chain_call(void)
{
    ax_ledger_ctx_t *ledger = ledger_of_call();
    ct_fault_flags_t *faults = ct_fault_flags_t_read("flags_before");
    ax_verify_chain(ledger, faults);
    put_after(ledger, faults);
}

static void ax_ledger_genesis_call(void)
{
    ax_ledger_ctx_t *ledger = ledger_of_call();
    ct_fault_flags_t *faults = ct_fault_flags_t_read("flags_before");
    ax_ledger_genesis(ledger, faults);
    put_after(ledger, faults);
}

/* Where the commitment goes: 32 bytes as before the call, or nowhere. */
static uint8_t *commit_of_call(void)
{
    uint8_t *commit;
    if (is_null("commit_before")) {
        return NULL;
    }
    commit = (uint8_t *)room(32);
    memset(commit, 9, 32);
    copy_bytes("commit_before", commit, 32);
    return commit;
}

static void put_commit(const uint8_t *commit, const ct_fault_flags_t *faults)
{
    if (commit != NULL) {
        put_bytes("commit", commit, 32);
    }
    ct_fault_flags_t_put_after(faults);
}

static const char *tag_of_call(void)
{
    return field("tag_bytes") != NULL ? string("tag_bytes") : text("tag");
}

static void ax_commit_evidence_call(void)
{
    ax_evidence_t evidence;
    uint8_t *commit = commit_of_call();
    ct_fault_flags_t *faults = ct_fault_flags_t_read("flags_before");
    evidence.tag = tag_of_call();
    evidence.payload = bytes("payload");
    evidence.payload_len = natural("payload_len", 0);
    ax_commit_evidence(is_null("evidence") ? NULL : &evidence, commit, faults);
    put_commit(commit, faults);
}

static void axilog_commit_call(void)
{
    uint8_t *commit = commit_of_call();
    ct_fault_flags_t *faults = ct_fault_flags_t_read("flags_before");
    axilog_commit(tag_of_call(), bytes("payload"), natural("payload_len", 0), commit, faults);
    put_commit(commit, faults);
}

#define ENCODE(function, type, size) \
    static void function##_call(void) \
    { \
        uint8_t to[size]; \
        function((type)natural("value", 0), to); \
        put_bytes("bytes", to, size); \
    }

ENCODE(axilog_le64_encode, uint64_t, 8)
ENCODE(axilog_be64_encode, uint64_t, 8)
ENCODE(axilog_be32_encode, uint32_t, 4)

static void axilog_le64_decode_call(void)
{
    put_natural("rc", axilog_le64_decode(bytes("bytes")));
}

static void axilog_be32_decode_call(void)
{
    put_natural("rc", axilog_be32_decode(bytes("bytes")));
}

int main(void)
{
    static const call_t calls[] = {
        { "ax_ledger_append", ax_ledger_append_call },
        { "ax_verify_chain", ax_verify_chain_call },
        { "ax_ledger_genesis", ax_ledger_genesis_call },
        { "ax_commit_evidence", ax_commit_evidence_call },
        { "axilog_commit", axilog_commit_call },
        { "axilog_le64_encode", axilog_le64_encode_call },
        { "axilog_be64_encode", axilog_be64_encode_call },
        { "axilog_be32_encode", axilog_be32_encode_call },
        { "axilog_le64_decode", axilog_le64_decode_call },
        { "axilog_be32_decode", axilog_be32_decode_call },
        { NULL, NULL }
    };
    return make_calls(calls);
}
