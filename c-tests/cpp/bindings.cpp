// axilog.hpp: what it does beyond the C calls, and that it does the C calls' work. Compiled with and
// without exceptions and run-time type information.

#include "axilog.hpp"

#include <array>
#include <string>
#include <type_traits>
#include <vector>

#include "check.h"
// The arithmetic vectors are the C suites' business, and their name is a type here.
#define Q16 Q16_VECTORS
#include "vectors.h"
#undef Q16

using namespace axilog;

namespace {

std::string_view text(const bytes_t &bytes) { return as_text({ bytes.at, bytes.len }); }

bool is(ByteView bytes, const char *digits) { return is_hex(bytes.data(), bytes.size(), digits) != 0; }

bool same(std::string_view a, std::string_view b) { return a == b; }

// No object is larger than what C needs for the same.
struct AgentInC {
    ax_agent_ctx_t agent;
    ax_policy_ctx_t policy;
    ct_fault_flags_t faults;
    std::uint8_t *work;
    std::size_t work_len;
};
static_assert(sizeof(Agent) == sizeof(AgentInC));

// A table that would be gone before its agent is refused by the compiler.
template <class Table, class = void> struct Takes : std::false_type {};
template <class Table>
struct Takes<Table, std::void_t<decltype(std::declval<Agent &>().use(std::declval<Table>()))>> : std::true_type {};
static_assert(Takes<const Registry &>::value && !Takes<Registry>::value);

static_assert(sizeof(Ledger) == sizeof(ax_ledger_ctx_t) && sizeof(LedgerRef) == sizeof(void *));
static_assert(sizeof(Rules) == sizeof(ax_policy_ctx_t) && sizeof(Registry) == sizeof(ax_policy_registry_t));
static_assert(sizeof(Answer) == sizeof(ax_obs_input_t) && sizeof(Params) == sizeof(ax_oracle_params_t));
static_assert(sizeof(ObservationRecord) == sizeof(ax_obs_record_t));
static_assert(sizeof(Faults) == sizeof(ct_fault_flags_t));
static_assert(sizeof(Admission) == sizeof(ax_admission_ctx_t) && sizeof(Entry) == sizeof(ax_ledger_entry_t));
static_assert(sizeof(Status) == sizeof(int) && sizeof(WriteResult) == sizeof(int));
static_assert(sizeof(PolicyStatus) == sizeof(int) && sizeof(Q16) == sizeof(q16_16_t));
struct ReplayInC {
    ax_replay_ctx_t replay;
    ct_fault_flags_t faults;
};
static_assert(sizeof(Replay) == sizeof(ReplayInC));

// What may be copied can be, and what others point to cannot.
static_assert(!std::is_copy_constructible_v<Agent> && !std::is_move_constructible_v<Agent>);
static_assert(std::is_trivially_copyable_v<Ledger> && std::is_trivially_copyable_v<Replay>);
static_assert(std::is_trivially_copyable_v<Answer> && std::is_trivially_copyable_v<Observation>);
static_assert(!std::is_convertible_v<Status, bool> && !std::is_convertible_v<int, Status>);
static_assert(std::is_constructible_v<ByteSpan, std::vector<std::uint8_t> &>);
static_assert(std::is_constructible_v<ByteView, const std::array<std::uint8_t, 3> &>);
static_assert(!std::is_constructible_v<ByteSpan, const std::vector<std::uint8_t> &>);
static_assert(!std::is_constructible_v<ByteSpan, std::string &>);

// A ledger file in memory.
struct File {
    std::string &lines;
    bool operator()(const Entry &entry) const
    {
        std::vector<std::uint8_t> line(entry.record().size() + 512);
        const WriteResult written = entry.write_line(line);
        lines.append(as_text({ line.data(), written.size() }));
        return written.ok();
    }
};

std::string begun()
{
    std::string lines;
    CHECK(File{ lines }(Entry::genesis()));
    return lines;
}

// The verdict over lines, as a verification or as a replay.
Verdict verdict(std::string_view lines, Replay &replay)
{
    Line line;
    while (!lines.empty()) {
        const std::size_t end = lines.find('\n');
        if (end == lines.npos) {
            return Verdict::Torn;
        }
        if (!line.parse(as_bytes(lines.substr(0, end + 1)))) {
            return Verdict::NonCanonical;
        }
        const Verdict so_far = replay.feed(line.entry());
        if (so_far != Verdict::Ok) {
            return so_far;
        }
        lines.remove_prefix(end + 1);
    }
    return replay.finish();
}

// Every agent of the vectors, from its policies to its ledger.
void agents()
{
    for (std::size_t i = 0; i < AGENT_COUNT; i++) {
        const agent_vector_t &v = AGENTS[i];
        std::vector<ax_policy_t> policies;
        std::array<const char *, AX_POLICY_MAX_COUNT> selectors{};
        for (std::size_t n = 0; n < v.policy_count; n++) {
            const policy_vector_t &p = v.policies[n];
            policies.push_back(policy(p.policy_id, static_cast<Comparison>(p.comparison),
                                      Q16::from_raw(p.threshold), p.enabled != 0));
            selectors[n] = p.selector;
        }
        const ax_policy_registry_t table{ policies.data(), policies.size(), selectors.data() };
        std::array<std::uint8_t, AX_MAX_OBS_BYTES> work;
        std::string lines = begun();
        Sink sink(File{ lines });
        Agent agent(work);
        // The vectors have selectors of their own number, so the table goes in by the C call.
        CHECK(ax_policy_init_with_registry(agent.rules().raw(), &table, agent.ledger().raw(), agent.raw(),
                                           agent.faults().raw())
              == AX_POLICY_OK);
        agent.rules().permit_truncated(v.permit_truncated != 0);
        agent.rules().stop_on_invalid(v.stop_on_invalid != 0);
        Digest manifest{};
        if (v.manifest.at != nullptr) {
            std::memcpy(manifest.data(), v.manifest.at, manifest.size());
            agent.rules().manifest(manifest);
        }
        CHECK(agent.attach(sink).ok());
        const Result<Digest> configuration = agent.rules().configuration_hash(agent.faults());
        CHECK(configuration.ok() && equal(*configuration, input_hash(text(v.configuration))));
        for (std::size_t n = 0; n < v.step_count; n++) {
            const step_vector_t &step = v.steps[n];
            const Status status = agent.observe(
                Answer::complete(step.oracle_id, step.model_id, text(step.input), text(step.output)));
            CHECK(status.ok() || status.code() == Code::Encoding);
            CHECK_STR(name(agent.health()), step.health);
            CHECK(is(agent.ledger().head(), step.head) && agent.ledger().sequence() == step.sequence);
            CHECK(agent.fault_count() == step.fault_count);
        }
        CHECK(!agent.faults().any());
        CHECK(is(sha256(as_bytes(lines)), v.ledger_sha256));
        Replay replay;
        Verdict found = Verdict::Torn;
        CHECK(replay.feed_lines(as_bytes(lines), found) == lines.size() && found == Verdict::Ok);
        CHECK(replay.entries() == agent.ledger().sequence() + 1 && replay.offset() == lines.size());
        if (v.manifest.at != nullptr) {
            Replay bound;
            CHECK(bound.begin_builtin().ok());
            bound.manifest(manifest);
            CHECK(bound.feed_lines(as_bytes(lines), found) == lines.size() && found == Verdict::Ok);
            Replay unbound;
            CHECK(unbound.begin_builtin().ok());
            CHECK(unbound.feed_lines(as_bytes(lines), found) < lines.size());
            CHECK(found == Verdict::ConfigMismatch && unbound.entries() == 1);
        }
    }
}

// The program of the documentation, and what comes after it.
void program()
{
    std::array<std::uint8_t, 2048> work;
    std::string lines = begun();
    Sink sink([&lines](const Entry &entry) { return File{ lines }(entry); });
    {
        Agent agent(work);
        CHECK(agent.attach(sink).ok());
        CHECK(agent.reset().ok() && agent.health() == Health::Init);
        CHECK(agent.observe_time(1).ok() && agent.enabled() && agent.last_time() == 1);
        const std::string oracle = "llm"; // a ZString from something with c_str()
        CHECK(agent.observe(Answer::complete(oracle, "m", "Q", "{\"value\":69}")).ok() && agent.enabled());
        CHECK(agent.may_act());
        CHECK(agent.observe(Answer::complete(oracle, "m", "Q", "{\"value\":71}")).ok());
        CHECK(agent.health() == Health::Alarm && agent.rules().breached() && !agent.may_act());
        CHECK(agent.observe(Answer::complete(oracle, "m", "Q", "{\"value\":69}")).ok());
        CHECK(!agent.rules().breached() && !agent.may_act());
        CHECK(agent.observe_control(InputClass::PolicyTrigger).ok() && agent.health() == Health::Degraded);
        CHECK(agent.observe(Answer::timeout("llm", "m", "Q")).ok());
        CHECK(agent.observe(Answer::transport_error("llm", "m", "Q")).ok());
        CHECK(agent.observe(Answer::invalid("llm", "m", "Q")).ok());
        CHECK(agent.observe(Answer::complete("llm", "m", "{}", "{\"val").truncated().json_input()).ok());
        const Status refused = agent.observe_control(InputClass::Time);
        CHECK(!refused && refused.code() == Code::Schema && agent.faults().has(Fault::Schema));
        CHECK_STR(refused.message(), ax_strerror(AX_ERR_SCHEMA));
        agent.faults().clear();
        CHECK(!agent.faults().any() && agent.violation() == Violation::None);
        CHECK(name(Violation::None) == nullptr && same(name(Violation::Protocol), "PROTOCOL_VIOLATION"));
        CHECK(same(name(InputClass::Answer), "LLM_OBS"));
        CHECK(determine_next(Health::Init, InputClass::Time) == Health::Enabled);
    }
    Replay verification;
    CHECK(verdict(lines, verification) == Verdict::Ok);
    Replay replay;
    CHECK(replay.begin_builtin().ok() && verdict(lines, replay) == Verdict::Ok);
    CHECK(replay.finish(3) == Verdict::Altered);
    Replay damaged;
    std::string altered = lines;
    altered[altered.find("69")] = '5';
    CHECK(verdict(altered, damaged) == Verdict::Altered && same(name(Verdict::Altered), "ALTERED"));

    // An agent that goes on where the ledger ends.
    Replay whole;
    CHECK(whole.begin_builtin().ok() && verdict(lines, whole) == Verdict::Ok);
    Agent again(work);
    CHECK(again.resume(whole).ok() && again.attach(sink).ok() && again.complete(whole).ok());
    CHECK(again.observe_control(InputClass::PolicyTrigger).ok() && again.reset().ok());
    CHECK(again.observe_time(2).ok() && again.enabled());
    CHECK(again.ledger().seal(again.faults()).ok() && again.ledger().sealed());
    Replay sealed;
    CHECK(sealed.begin_builtin().ok() && verdict(lines, sealed) == Verdict::Ok);
    Digest head{};
    std::memcpy(head.data(), again.ledger().head().data(), head.size());
    CHECK(sealed.finish(0, head) == Verdict::Ok && !sealed.faults().any());
    head[0] ^= 1;
    CHECK(sealed.finish(0, head) != Verdict::Ok);
    CHECK(again.observe_time(3).code() == Code::Ledger && again.ledger().failed() == false);

    // A table of one's own.
    static constexpr ax_policy_t limits[] = {
        policy("POL-HEIGHT", Comparison::GreaterOrEqual, Q16::from_int(100)),
        policy("POL-SPEED", Comparison::Greater, Q16::from_int(10)),
    };
    static constexpr const char *selectors[] = { "height", "speed" };
    Agent other(work);
    const Registry registry(limits, selectors);
    CHECK(other.use(registry).ok() && other.reset().ok() && other.observe_time(1).ok());
    CHECK(other.observe(Answer::complete("o", "m", "Q", "{\"height\":99,\"speed\":10}")).ok());
    CHECK(other.enabled());
    static constexpr ax_policy_t unsorted[] = { limits[1], limits[0] };
    const Registry disorder{ Span<const ax_policy_t>(unsorted) };
    const PolicyStatus refused = other.use(disorder);
    CHECK(!refused && refused.code() == AX_POLICY_ERR_INVALID_ID && other.faults().has(Fault::Domain));
    CHECK(same(refused.message(), ax_policy_strerror(AX_POLICY_ERR_INVALID_ID)));
}

// A sink that refuses, or throws where that is possible, fails the ledger for good.
void refusals()
{
    Faults faults;
    Ledger ledger;
    CHECK(ledger.verify_chain(faults).ok() && ledger.sequence() == 0);
    Sink full([count = 0](const Entry &) mutable { return ++count < 2; });
    CHECK(ledger.attach(full, faults).ok());
    CHECK(ledger.record(AX_TAG_TRANS, as_bytes("{}"), faults).ok());
    const Digest head = commit(AX_CHAIN_LEDGER, as_bytes("x"), faults);
    CHECK(ledger.append(head, faults).ok() && ledger.sequence() == 2);
    Ledger own;
    CHECK(own.record_raw(1, as_bytes("\xFF"), faults).ok() && own.sequence() == 1);
    CHECK(ledger.record(AX_TAG_TRANS, as_bytes("{}"), faults).code() == Code::Ledger && ledger.failed());
    CHECK(faults.has(Fault::IoError) && faults.has(Fault::LedgerFail) && !faults.has(Fault::Domain));
    CHECK(ledger.detach(faults).ok());
    faults.clear();
#if defined(__cpp_exceptions)
    Sink throwing([](const Entry &) -> bool { throw 1; });
    Ledger second;
    CHECK(second.attach(throwing, faults).ok());
    CHECK(second.record(AX_TAG_TRANS, as_bytes("{}"), faults).code() == Code::Ledger && second.failed());
    faults.clear();
#endif
    Ledger resumed;
    CHECK(resumed.resume(head, 7, faults).ok() && resumed.sequence() == 7);
    CHECK(same(as_text(resumed.head()), as_text(head)));
    CHECK(!commit_evidence("AX:OTHER:v1", {}, faults) && faults.has(Fault::Domain));
    CHECK(commit_evidence(AX_TAG_OBS, as_bytes("{}"), faults).ok());
    CHECK(commit_evidence(AX_TAG_OBS, {}, faults).code() == Code::Schema && faults.has(Fault::Domain));
}

// Observations without an agent: admitted, written, read.
void observations()
{
    std::array<char, AX_CANONICAL_BUFFER_SIZE> output;
    std::array<char, AX_CANONICAL_BUFFER_SIZE> record_text;
    std::array<char, AX_CANONICAL_BUFFER_SIZE> unescaped;
    for (std::size_t i = 0; i < OBSERVATION_COUNT; i++) {
        const observation_vector_t &v = OBSERVATIONS[i];
        if (v.completion_state != AX_COMPLETION_COMPLETE || std::string_view(v.status) != "ok") {
            continue;
        }
        for (const Profile profile : { Profile::Rfc8785, Profile::Oracle11, Profile::Oracle12 }) {
            const record_vector_t &expected = v.records[static_cast<std::size_t>(profile)];
            if (!expected.present) {
                continue;
            }
            Faults faults;
            ObservationRecord record;
            Admission admission(profile);
            Answer answer =
                Answer::complete(v.oracle_id, v.model_id, text(v.input), text(v.output));
            answer.params(Params(v.params)).ledger_seq(v.ledger_seq);
            CHECK(admission.admit(record, output, answer, faults).ok());
            CHECK(same(record.obs_hash(), expected.obs_hash) && record.validate(faults).ok());
            const WriteResult written = record.canonicalise(record_text, profile);
            CHECK(written.size() == expected.len);
            const ByteView bytes = as_bytes({ record_text.data(), written.size() });
            CHECK(is(sha256(bytes), expected.sha256));
            const Result<Observation> found = Observation::parse(bytes, faults);
            CHECK(found.ok() && same(found->obs_hash(), record.obs_hash()) && !found->gateway());
            CHECK(found->ledger_seq() == v.ledger_seq && found->completion() == Completion::Complete);
            CHECK(found->failure() == Failure::None && found->output_size() == record.output_size());
            const WriteResult plain = found->output(unescaped);
            CHECK(same({ unescaped.data(), plain.size() }, record.output()));
            CHECK(same(found->model_id(), v.model_id) && same(found->oracle_id(), v.oracle_id));
            CHECK(!faults.any());
        }
    }
    Faults faults;
    const Result<Observation> none = Observation::parse(as_bytes("{}"), faults);
    CHECK(!none && none.code() == Code::Schema && faults.has(Fault::Schema));
    ObservationRecord record;
    CHECK(record.completion() == Completion::Error && record.obs_hash().empty());
    CHECK(is(record.derivation_hash(""), "0000000000000000000000000000000000000000000000000000000000000000"));
}

void texts()
{
    std::array<char, 80> room;
    Faults faults;
    CHECK(is_utf8("\xC3\xA9") && !is_utf8("\xC3") && is_nfc("\xC3\xA9") && !is_nfc("e\xCC\x81"));
    CHECK(is_visible_ascii("llm-1~!") && !is_visible_ascii("l m") && !is_visible_ascii("llm\x7F"));
    CHECK(!is_visible_ascii("") && !is_visible_ascii("ll\xE2\x80\x8Bm") && !is_visible_ascii("\xD0\xB0"));
    CHECK(has_forbidden_control("\t") && has_valid_encoding("\t") && is_canonical_json("{\"a\":1}"));
    CHECK(normalise_line_endings(room, "a\r\nb").size() == 3 && same(room.data(), "a\nb"));
    CHECK(validate_and_normalise(room, "a\rb", faults).size() == 3);
    CHECK(validate_and_normalise(room, "\xFF", faults).code() == Code::Encoding);
    CHECK(faults.has(Fault::Encoding));
    CHECK(escape(room, "a\nb").size() == 4 && escape(room, "a\nb", Profile::Oracle12).size() == 8);
    CHECK(format(room, std::int64_t{ -5 }).size() == 2 && same(room.data(), "-5"));
    CHECK(format(room, UINT64_MAX).size() == 20 && format(room, Q16::from_int(1)).size() == 5);
    CHECK(format_hex(room, sha256(as_bytes("abc"))).size() == 64);
    CHECK(same(std::string_view(room.data(), 8), "ba7816bf"));
    CHECK(format_hex({ room.data(), 3 }, sha256({})).code() == Code::Buffer);
    const Params params = Params().max_tokens(1).seed(2).temperature(Q16::from_int(1)).top_p(Q16());
    CHECK(params.canonicalise(room).ok());
    CHECK(same(room.data(), "{\"max_tokens\":1,\"seed\":2,\"temperature\":65536,\"top_p\":0}"));

    faults.clear();
    CHECK(Q16::add(Q16::from_int(2), Q16::from_int(3), faults) == Q16::from_int(5));
    CHECK(Q16::sub(Q16::from_int(2), Q16::from_int(3), faults) == Q16::from_int(-1));
    CHECK(Q16::mul(Q16::from_int(2), Q16::from_int(3), faults) == Q16::from_int(6) && !faults.any());
    CHECK(Q16::div(Q16::from_int(2), Q16(), faults) == Q16() && faults.has(Fault::DivZero));
    CHECK(Q16::from_int(1) < Q16::from_int(2) && Q16::from_int(1) != Q16::from_raw(1));

    Rules rules;
    CHECK(rules.evaluate(Q16::from_int(70), 1, faults) == PolicyResult::Permitted && !rules.breached());
    CHECK(rules.evaluate(Q16::from_int(71), 1, faults) == PolicyResult::Breach && rules.breached());
    rules.reset_cycle();
    CHECK(!rules.breached() && builtin_policies().size() == ax_policy_get_count());
    CHECK(rules.evaluate(*builtin_policies().begin(), Q16::from_int(71), 2, faults) == PolicyResult::Breach);
    CHECK(same(name(PolicyResult::Breach), "BREACH") && same(name(Comparison::GreaterOrEqual), "GE"));
    CHECK(breaches(Q16::from_int(2), Comparison::Greater, Q16::from_int(1)));
    Ledger ledger;
    faults.clear();
    const Registry registry(builtin_policies());
    CHECK(rules.use(registry, &ledger, faults).ok());
    CHECK(rules.evaluate(Q16::from_int(1), 1, faults) == PolicyResult::Permitted && ledger.sequence() == 1);
    CHECK(abi_version() == ax_abi_version() && same(version(), ax_version()));
    CHECK(same(unicode_version(), "18.0.0"));
}

} // namespace

int main()
{
    agents();
    program();
    refusals();
    observations();
    texts();
    return check_end();
}
