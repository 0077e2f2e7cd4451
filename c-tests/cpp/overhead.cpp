// Pairs of functions, one over the C calls and one over axilog.hpp. The test compiles this with -O2
// and compares the machine code of each pair: no wrapper may be longer.

#include "axilog.hpp"

using namespace axilog;

struct Unit {
    ax_agent_ctx_t agent;
    ax_policy_ctx_t policy;
    ct_fault_flags_t faults;
    uint8_t *work;
    size_t work_len;
};

extern "C" {

int c_time(Unit *u, uint64_t now);
int cpp_time(Agent *agent, uint64_t now);
int c_answer(Unit *u, const char *in, size_t in_len, const char *out, size_t out_len);
int cpp_answer(Agent *agent, const char *in, size_t in_len, const char *out, size_t out_len);
int c_enabled(const Unit *u);
int cpp_enabled(const Agent *agent);
int c_sha256(uint8_t out[32], const uint8_t *data, size_t len);
int cpp_sha256(uint8_t out[32], const uint8_t *data, size_t len);
int c_feed(ax_replay_ctx_t *replay, ct_fault_flags_t *faults, const ax_ledger_entry_t *entry);
int cpp_feed(Replay *replay, const Entry *entry);
int c_attach(ax_ledger_ctx_t *ledger, const ax_ledger_sink_t *sink, ct_fault_flags_t *faults);
int cpp_attach(Ledger *ledger, const Sink<bool (*)(const Entry &)> *sink, Faults *faults);
int c_policy(int32_t actual, int32_t limit);
int cpp_policy(int32_t actual, int32_t limit);
int c_utf8(const char *data, size_t len);
int cpp_utf8(const char *data, size_t len);

int c_time(Unit *u, uint64_t now)
{
    return ax_agent_observe_time(&u->agent, &u->policy, now, u->work, u->work_len, &u->faults) >= 0;
}
int cpp_time(Agent *agent, uint64_t now) { return agent->observe_time(now).ok(); }

int c_answer(Unit *u, const char *in, size_t in_len, const char *out, size_t out_len)
{
    ax_obs_input_t call;
    ax_obs_input_set_complete(&call, 0, "llm", "m", in, in_len, out, out_len, NULL);
    return ax_agent_observe(&u->agent, &u->policy, &call, u->work, u->work_len, &u->faults) >= 0;
}
int cpp_answer(Agent *agent, const char *in, size_t in_len, const char *out, size_t out_len)
{
    return agent->observe(Answer::complete("llm", "m", { in, in_len }, { out, out_len })).ok();
}

int c_enabled(const Unit *u) { return u->agent.health == AX_HEALTH_ENABLED; }
int cpp_enabled(const Agent *agent) { return agent->enabled(); }

int c_sha256(uint8_t out[32], const uint8_t *data, size_t len)
{
    uint8_t hash[32];
    axilog_sha256(hash, data, len);
    return ax_hash_equal_ct(out, hash, 32) == 1;
}
int cpp_sha256(uint8_t out[32], const uint8_t *data, size_t len)
{
    return ax_hash_equal_ct(out, sha256({ data, len }).data(), 32) == 1;
}

int c_feed(ax_replay_ctx_t *replay, ct_fault_flags_t *faults, const ax_ledger_entry_t *entry)
{
    return ax_replay_feed(replay, entry, faults) == AX_VERDICT_OK;
}
int cpp_feed(Replay *replay, const Entry *entry) { return replay->feed(*entry) == Verdict::Ok; }

int c_attach(ax_ledger_ctx_t *ledger, const ax_ledger_sink_t *sink, ct_fault_flags_t *faults)
{
    return ax_ledger_set_sink(ledger, sink, faults) >= 0;
}
int cpp_attach(Ledger *ledger, const Sink<bool (*)(const Entry &)> *sink, Faults *faults)
{
    return ledger->attach(*sink, *faults).ok();
}

int c_policy(int32_t actual, int32_t limit)
{
    return ax_policy_check_breach(actual, limit, AX_POLICY_CMP_GT) == 1;
}
int cpp_policy(int32_t actual, int32_t limit)
{
    return breaches(Q16::from_raw(actual), Comparison::Greater, Q16::from_raw(limit));
}

int c_utf8(const char *data, size_t len) { return ax_validate_utf8(data, len) == 1; }
int cpp_utf8(const char *data, size_t len) { return is_utf8({ data, len }); }

} // extern "C"
