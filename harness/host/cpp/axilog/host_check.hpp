/// Checking ledgers and policies: the objects that the command prints with --json.

#ifndef AXILOG_HOST_CHECK_HPP
#define AXILOG_HOST_CHECK_HPP

#include <cstdint>
#include <vector>

#include "axilog/host_result.hpp"

namespace axilog::host {

/// What is known of a ledger from elsewhere, and how deep a check goes. What is empty or 0 is not expected.
struct Expectations {
    /// Chain value of the last record, 64 hexadecimal digits.
    std::string head{};
    /// Heads that were noted earlier, each as N:HEAD.
    std::vector<std::string> extends{};
    /// Models that oracles must have, each as ORACLE=MODEL.
    std::vector<std::string> models{};
    /// The policy file that must be the ledger's, as JSON text.
    std::string policies{};
    /// Number of records, genesis included, a seal not counted.
    std::uint64_t entries = 0;
    /// The most bytes of a blob that an audit reads.
    std::uint64_t blob_bytes = 0;
    bool permit_truncated = false;
    bool stop_on_invalid = false;
    /// For audit: a policy must have judged every answer that was permitted.
    bool require_policy = false;
    /// For verify: compare the blobs too.
    bool blobs = false;
};

/// A verdict, and the object that the command prints.
struct Check {
    /// Whether the verdict is OK.
    bool ok;
    /// The object, as JSON text.
    std::string json;

    explicit operator bool() const noexcept { return ok; }
};

/// The result of a call that gives an object with its verdict.
inline Result<Check> to_check(int status, char *json)
{
    std::string text = take_text(json);
    return status < 0 ? Result<Check>(Error::last(status))
                      : Result<Check>(Check{ status == AXH_OK, std::move(text) });
}

/// The texts as C takes them, for as long as they live.
inline std::vector<const char *> to_pointers(const std::vector<std::string> &texts)
{
    std::vector<const char *> pointers;
    for (const std::string &text : texts) {
        pointers.push_back(text.c_str());
    }
    return pointers;
}

/// Calls axh_verify, axh_replay, axh_audit or axh_head.
template <class Function>
Result<Check> check_ledger(Function check, ZString path, const Expectations &expected)
{
    const std::vector<const char *> extends = to_pointers(expected.extends);
    const std::vector<const char *> models = to_pointers(expected.models);
    axh_expectations_t raw{};
    raw.size = sizeof raw;
    raw.head = expected.head.empty() ? nullptr : expected.head.c_str();
    raw.extends = extends.data();
    raw.extends_count = extends.size();
    raw.models = models.data();
    raw.model_count = models.size();
    raw.policies = expected.policies.empty() ? nullptr : expected.policies.c_str();
    raw.policies_len = expected.policies.size();
    raw.entries = expected.entries;
    raw.blob_bytes = expected.blob_bytes;
    raw.permit_truncated = expected.permit_truncated;
    raw.stop_on_invalid = expected.stop_on_invalid;
    raw.require_policy = expected.require_policy;
    raw.blobs = expected.blobs;
    char *json = nullptr;
    const int status = check(path.c_str(), &raw, &json);
    return to_check(status, json);
}

/// Checks hashes, chain, canonical forms, order, witnesses and models of a ledger.
inline Result<Check> verify(ZString path, const Expectations &expected = {})
{
    return check_ledger(axh_verify, path, expected);
}
/// Makes every decision of a ledger again, and compares every record.
inline Result<Check> replay(ZString path, const Expectations &expected = {})
{
    return check_ledger(axh_replay, path, expected);
}
/// Verifies and replays a ledger, and compares its blobs, rules, models, schemas and derivations.
inline Result<Check> audit(ZString path, const Expectations &expected = {})
{
    return check_ledger(axh_audit, path, expected);
}
/// Gives the length, the head, the state and the manifest of a ledger.
inline Result<Check> head(ZString path, const Expectations &expected = {})
{
    return check_ledger(axh_head, path, expected);
}

/// Calls axh_segment_verify or axh_segment_replay.
template <class Function>
Result<std::string> check_segment(Function check, ZString path, std::uint64_t from, std::uint64_t to,
                                  const Expectations &expected)
{
    const auto check_part = [=](const char *file, const axh_expectations_t *raw, char **text) {
        return check(file, from, to, raw, text);
    };
    Result<Check> found = check_ledger(check_part, path, expected);
    return found ? Result<std::string>(std::move(found->json)) : Result<std::string>(found.error());
}

/// Calls axh_segment_verify_join or axh_segment_replay_join.
template <class Function>
Result<Check> join_segments(Function join, ZString path, const std::vector<std::string> &segments,
                            const Expectations &expected)
{
    const std::vector<const char *> texts = to_pointers(segments);
    const auto join_them = [&](const char *file, const axh_expectations_t *raw, char **json) {
        return join(file, texts.data(), texts.size(), raw, json);
    };
    return check_ledger(join_them, path, expected);
}

/// Verifies the lines of a ledger that begin from one offset on and before another; the text is for verify_joined.
inline Result<std::string> verify_segment(ZString path, std::uint64_t from, std::uint64_t to,
                                          const Expectations &expected = {})
{
    return check_segment(axh_segment_verify, path, from, to, expected);
}
/// Replays the lines of a ledger that begin from one offset on and before another; the text is for replay_joined.
inline Result<std::string> replay_segment(ZString path, std::uint64_t from, std::uint64_t to,
                                          const Expectations &expected = {})
{
    return check_segment(axh_segment_replay, path, from, to, expected);
}
/// Joins segments that were verified: what verify says of the whole.
inline Result<Check> verify_joined(ZString path, const std::vector<std::string> &segments,
                                   const Expectations &expected = {})
{
    return join_segments(axh_segment_verify_join, path, segments, expected);
}
/// Joins segments that were replayed: what replay says of the whole.
inline Result<Check> replay_joined(ZString path, const std::vector<std::string> &segments,
                                   const Expectations &expected = {})
{
    return join_segments(axh_segment_replay_join, path, segments, expected);
}

/// Checks the proof that a ledger has one record, with its public key. record is the record's line of the ledger file;
/// empty for the one in the proof.
inline Result<Check> check_proof(std::string_view proof, ZString public_key, std::string_view record = {})
{
    char *json = nullptr;
    const int status = axh_check_proof(proof.data(), proof.size(), record.empty() ? nullptr : record.data(),
                                       record.size(), public_key.c_str(), &json);
    return to_check(status, json);
}

/// Checks a policy file. name is the name of the policies in the object and in messages.
inline Result<Check> check_policies(std::string_view policies, ZString name = "policies")
{
    char *json = nullptr;
    const int status = axh_policy_check(policies.data(), policies.size(), name.c_str(), &json);
    return to_check(status, json);
}
/// Says what policies would decide on an answer: as one of this oracle, or with an empty id as one of each.
inline Result<Check> explain_policies(std::string_view policies, std::string_view answer,
                                      const std::string &oracle_id = {}, ZString name = "policies")
{
    char *json = nullptr;
    const int status = axh_policy_explain(policies.data(), policies.size(), name.c_str(),
                                          answer.data(), answer.size(),
                                          oracle_id.empty() ? nullptr : oracle_id.c_str(), &json);
    return to_check(status, json);
}
/// Compiles a policy file. symbol is the name of the registry in C.
inline Result<std::string> compile_policies(std::string_view policies, axh_policy_form_t form,
                                            ZString symbol = "axilog_policies",
                                            ZString name = "policies")
{
    char *text = nullptr;
    const int status = axh_policy_compile(policies.data(), policies.size(), name.c_str(), form,
                                          symbol.c_str(), &text);
    return status == AXH_OK ? Result<std::string>(take_text(text)) : Error::last(status);
}
/// The canonical form of a JSON text, which questions of AX_INPUT_KIND_JSON have.
inline Result<std::string> canonical_json(std::string_view json)
{
    char *text = nullptr;
    const int status = axh_canonical_json(json.data(), json.size(), &text);
    return status == AXH_OK ? Result<std::string>(take_text(text)) : Error::last(status);
}

/// A tool call in an assistant's message, to be recorded before it is made.
struct ToolCall {
    /// "tool." and the tool's name.
    std::string oracle_id{};
    /// Canonical JSON where the arguments are JSON, else the text.
    std::string arguments{};
};

/// The tool calls of an assistant's message in their order, as axh_tool_call says.
inline Result<std::vector<ToolCall>> tool_calls(std::string_view message)
{
    std::vector<ToolCall> calls;
    for (;;) {
        char *id = nullptr;
        char *arguments = nullptr;
        const int status = axh_tool_call(message.data(), message.size(), calls.size(), &id, &arguments);
        if (status == AXH_END) {
            return calls;
        }
        if (status != AXH_OK) {
            return Error::last(status);
        }
        // Owned before anything can throw.
        const std::unique_ptr<char, void (*)(char *)> owned(arguments, axh_string_free);
        calls.push_back({ take_text(id), owned.get() });
    }
}

} // namespace axilog::host

#endif
