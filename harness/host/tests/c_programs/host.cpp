// Writes the ledger that write.c writes, call for call, at the first argument, and prints its length and head. Reads and
// checks it through the classes, and misuses them.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

#include "axilog/host.hpp"

using namespace axilog::host;
using namespace std::chrono_literals;

namespace {

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s; last error: %s\n", __FILE__, __LINE__, #condition,    \
                         axh_last_error());                                                        \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

static_assert(!std::is_copy_constructible_v<Ledger> && !std::is_copy_assignable_v<Ledger>);
static_assert(std::is_nothrow_move_constructible_v<Ledger>);
static_assert(!std::is_copy_constructible_v<Reader> && std::is_nothrow_move_assignable_v<Reader>);

Options options()
{
    return Options()
        .name("plant/pump-3")
        .note("A trial.")
        .oracle("llm")
        .oracle("sensor")
        .schema("sensor", "", R"({"type":"object","required":["value"]})")
        .time(5);
}

Decision observe(Ledger &ledger, std::string_view answer)
{
    const ax_oracle_params_t params = { 100, 7, Q16_16_HALF, Q16_16_ONE };
    Observation observation{ "llm", "model-1", "How fast?\r\n", answer };
    observation.params = &params;
    return ledger.observe(observation).value();
}

void write(const std::string &path)
{
    auto created = Ledger::create(path, options());
    CHECK(created);
    Ledger ledger = std::move(created).value();
    CHECK(observe(ledger, "{\"value\": 60}"));
    const Decision breach = observe(ledger, "{\"value\": 71}");
    CHECK(!breach && breach.health_name() == std::string_view("ALARM"));
    CHECK(last_decision().find("value 71 is above 70") != std::string::npos);
    CHECK(ledger.control(AX_INPUT_POLICY_TRIGGER) && ledger.control(AX_INPUT_RESET_REQUEST));
    CHECK(ledger.time(6)->health() == AX_HEALTH_ENABLED);
    const auto refused = ledger.time(6);
    CHECK(!refused && refused.error().code() == ErrorCode::Refused);
    CHECK(refused.error().reason() == AXH_REASON_TIME);
    CHECK(refused.error().message().find("not after") != std::string::npos);

    CHECK(ledger.close());
    const auto again = ledger.close();
    CHECK(!again && again.error().code() == ErrorCode::Handle);
    CHECK(Ledger::create(path).error().code() == ErrorCode::Exists);
    CHECK(Ledger::open(path, options().note("Another.")).error().code() == ErrorCode::Refused);
    const std::string other = "9:" + std::string(64, 'a');
    CHECK(Ledger::open(path, options().follows(other)).error().reason() == AXH_REASON_BINDING);
    ledger = Ledger::open_or_create(path, options().interval(10, 5ms)).value();
    CHECK(Ledger::open(path).error().code() == ErrorCode::Locked);

    const std::string question = canonical_json("{ \"ask\" : \"pressure\" }").value();
    CHECK(ledger.check_question({ "llm", "model-1", "How\r\nfast?" }).value() == "How\nfast?");
    CHECK(ledger.check_question({ "valve", "v-1", "?" }).error().code() == ErrorCode::Refused);
    CHECK(ledger.opening()->find("\"torn\":null") != std::string::npos);
    const std::string source(64, 'a');
    const std::string derived = ledger.derive_question("And now?", { source }).value();
    CHECK(derived == "{\"derived_from\":[\"" + source + "\"],\"input\":\"And now?\"}");
    CHECK(ledger.derive_question("?", {}).error().code() == ErrorCode::Refused);
    Observation unknown{ "llm", "model-1", derived };
    unknown.input_kind = AX_INPUT_KIND_JSON;
    CHECK(ledger.check_question(unknown).error().reason() == AXH_REASON_SOURCE);
    const auto calls = tool_calls(R"([{"type":"tool_use","name":"pay","input":{"b":1.0,"a":2}},)"
                                  R"({"type":"function_call","name":"say","arguments":"hm"}])");
    CHECK(calls->size() == 2 && calls->at(0).oracle_id == "tool.pay");
    CHECK(calls->at(0).arguments == R"({"a":2,"b":1})" && calls->at(1).arguments == "hm");
    CHECK(tool_calls("[]")->empty());
    CHECK(tool_calls("[{\"type\":\"tool_use\"}]").error().code() == ErrorCode::Argument);
    Observation failed{ "sensor", "sensor-3", question };
    failed.input_kind = AX_INPUT_KIND_JSON;
    failed.failure = AX_FAILURE_TIMEOUT;
    CHECK(!*ledger.observe(failed));
    CHECK(ledger.control(AX_INPUT_POLICY_TRIGGER) && ledger.control(AX_INPUT_RESET_REQUEST));
    CHECK(ledger.time(7));
    failed.failure = AX_FAILURE_NULL;
    failed.output = "{\"level\": 1}";
    CHECK(ledger.observe(failed)->violates_schema());
    observe(ledger, { "\xff\0", 2 });
    observe(ledger, std::string(100000, 'x'));
    CHECK(ledger.sync() && ledger.seal() && !ledger.seal());
    const axh_state_t state = ledger.state().value();
    std::printf("%llu ", static_cast<unsigned long long>(state.entries));
    for (const std::uint8_t byte : state.head) {
        std::printf("%02x", byte);
    }
} // closes the ledger

void read(const std::string &path)
{
    Reader reader = Reader::open(path).value();
    Reader batches = Reader::open(path).value();
    const Columns columns = batches.columns(1000).value().value();
    std::size_t at = 0;
    while (const auto record = reader.next().value()) {
        CHECK(columns.sequence().data()[at] == record->sequence());
        CHECK(columns.bytes()[at] == record->bytes() && columns.output()[at] == record->output());
        CHECK(columns.oracle_id()[at] == record->oracle_id());
        CHECK(columns.policy_id()[at] == record->policy_id());
        CHECK(columns.kind().data()[at] == record->kind());
        if (record->kind() == AXH_RECORD_OBSERVATION && record->oracle_id() == "llm") {
            CHECK(reader.question().value() == "How fast?\n");
        }
        if (record->kind() == AXH_RECORD_RAW_ANSWER) {
            CHECK(reader.raw_answer()->size() == record->raw().output_size);
            CHECK(reader.question().error().code() == ErrorCode::Argument);
        }
        at++;
    }
    CHECK(at == columns.size() && reader.state()->entries == at && reader.state()->sealed == 1);
    Filter filter;
    filter.oracle_id = "sensor";
    filter.tags = AXH_TAG_OBSERVATION;
    CHECK(Reader::open(path, filter)->columns(1000).value()->size() == 2);
    reader = std::move(batches);
    CHECK(!reader.next().value());
    CHECK(Reader::open("/nowhere/ledger").error().code() == ErrorCode::Io);
}

void check(const std::string &path)
{
    CHECK(verify(path)->ok && replay(path)->ok && audit(path)->ok);
    Expectations expected;
    expected.models = { "llm=model-2" };
    const Check verified = verify(path, expected).value();
    CHECK(!verified && verified.json.find("MODEL_MISMATCH") != std::string::npos);
    CHECK(head(path)->json.find("\"plant/pump-3\"") != std::string::npos);
    expected.models = { "llm" };
    CHECK(replay(path, expected).error().code() == ErrorCode::Argument);
    const std::uint64_t far = std::uint64_t(1) << 40;
    const std::vector<std::string> segments = { verify_segment(path, 0, 2000).value(),
                                                verify_segment(path, 2000, far).value() };
    CHECK(verify_joined(path, segments)->json == verify(path)->json);
    CHECK(replay_joined(path, { replay_segment(path, 0, far).value() })->json == replay(path)->json);
    CHECK(replay_joined(path, { "changed" }).error().code() == ErrorCode::Argument);
    const std::string policies = R"([{"comparison":"GT","enabled":true,"policy_id":"MAX",)"
                                 R"("threshold":4587520}])";
    CHECK(check_policies(policies)->ok);
    CHECK(check_policies("[", "limits.json").error().message().find("limits.json:1:")
          != std::string::npos);
    CHECK(explain_policies(policies, "{\"value\":70}")->ok);
    CHECK(!explain_policies(policies, "{\"value\":71}", "llm")->ok);
    CHECK(compile_policies(policies, AXH_POLICY_FORM_C, "limits")->find("limits")
          != std::string::npos);
}

void build()
{
    const Check built = build_bundle(R"({"step_id":1,"run_id":"r-1"})").value();
    CHECK(built && built.json.find("\"prompt\":\"=== STEP MISSION") != std::string::npos);
    CHECK(!build_bundle(R"({"step_id":1,"budgets":{"ctx_max_tokens":2100}})")->ok);
    CHECK(build_bundle(R"({"step_id":7})").error().reason() == AXH_REASON_BUNDLE);
    CHECK(check_catalogue()->ok);
    CHECK(check_catalogue("/nowhere/c.toml").error().code() == ErrorCode::Io);
    const std::string grammar = grammar_text("json_generic.gbnf").value();
    CHECK(match_grammar(grammar, R"({"a": [1, true]})")->ok && !match_grammar(grammar, "{")->ok);
    CHECK(match_grammar("root ::= other", "").error().reason() == AXH_REASON_GRAMMAR);
    CHECK(grammar_text("none.gbnf").error().message().find("there is no grammar") == 0);
    CHECK(canonicalize("Here: {\"a\": 1}")->json.find("\"json\":{\"a\":1}") != std::string::npos);
    CHECK(!canonicalize("I would rather not.").value());
    CHECK(canonicalize("\xff").error().code() == ErrorCode::Argument);
    const char *const key = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
    CHECK(check_proof("a proof", key)->json.find("it is no proof of a record") != std::string::npos);
    CHECK(check_proof("a proof", "a key").error().code() == ErrorCode::Argument);
}

/// An exchange in a ledger of its own, whose first answer breaches for want of a value.
void exchange(const std::string &path)
{
    const std::string_view request = R"({"model":"m","messages":[]})";
    const std::string_view response = R"({"choices":[{"message":{"content":"Slowly."}}]})";
    axh_exchange_t given{};
    given.interface = "chat/completions";
    given.request = request.data();
    given.request_len = request.size();
    const auto policies =
        R"({"llm#speed":[{"comparison":"GT","enabled":true,"policy_id":"SPEED","threshold":4587520}]})";
    Ledger ledger = Ledger::create(path, Options().policies(policies).time(1)).value();
    CHECK(ledger.begin_exchange(given));
    given.response = response.data();
    given.response_len = response.size();
    given.status = 200;
    const ExchangeEnd end = ledger.end_exchange(given).value();
    CHECK(!end && !end.decision && end.json.find("\"end\":\"breach\"") != std::string::npos);
    CHECK(ledger.begin_exchange(given).error().reason() == AXH_REASON_STATE);
    given.status = 0;
    CHECK(ledger.end_exchange(given).error().code() == ErrorCode::Argument);
}

void spend(const std::string &path)
{
    const auto policies =
        R"({"ax.count.calls#value":[{"comparison":"GT","enabled":true,"policy_id":"CALLS","threshold":65536}]})";
    Options options = Options().policies(policies).time(1);
    CHECK(Ledger::create(path, options.running_values("{")).error().code() == ErrorCode::Argument);
    options.running_values(R"({"ax.count.calls":{"oracle":"llm"}})");
    Ledger ledger = Ledger::create(path, options).value();
    Observation call{ "llm", "model-1" };
    call.output = "Go.";
    CHECK(ledger.observe(call).value());
    CHECK(!ledger.observe(call).value());
}

} // namespace

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    write(argv[1]);
    exchange(std::string(argv[1]) + ".exchange");
    spend(std::string(argv[1]) + ".spend");
    read(argv[1]);
    check(argv[1]);
    build();
    return 0;
}
