/// Step awareness bundles, the grammars that answers to them fit, and the one JSON object in a model's text.

#ifndef AXILOG_HOST_BUNDLE_HPP
#define AXILOG_HOST_BUNDLE_HPP

#include "axilog/host_check.hpp"

namespace axilog::host {

/// Builds the bundle of a step and renders its prompt. The request is JSON, as axh_bundle_build says; the result is ok
/// where there is a prompt.
inline Result<Check> build_bundle(std::string_view request)
{
    char *json = nullptr;
    const int status = axh_bundle_build(request.data(), request.size(), &json);
    return to_check(status, json);
}
/// Checks a catalogue of steps and its grammars: the built-in one where there is no path.
inline Result<Check> check_catalogue(const std::optional<std::string> &catalogue = {})
{
    char *json = nullptr;
    const int status = axh_bundle_check(catalogue ? catalogue->c_str() : nullptr, &json);
    return to_check(status, json);
}
/// The text of a grammar: of the file beside the catalogue, or else of the built-in one.
inline Result<std::string> grammar_text(ZString name, const std::optional<std::string> &catalogue = {})
{
    char *text = nullptr;
    const int status = axh_bundle_grammar(catalogue ? catalogue->c_str() : nullptr, name.c_str(), &text);
    return status == AXH_OK ? Result<std::string>(take_text(text)) : Error::last(status);
}
/// Says whether an answer fits a grammar; 0 steps are ten million.
inline Result<Check> match_grammar(std::string_view grammar, std::string_view answer,
                                   std::uint64_t max_steps = 0, ZString name = "grammar")
{
    char *json = nullptr;
    const int status = axh_bundle_match(grammar.data(), grammar.size(), name.c_str(), answer.data(),
                                        answer.size(), max_steps, &json);
    return to_check(status, json);
}
/// Finds the one JSON object in the text of a language model; the result is ok where there is one.
inline Result<Check> canonicalize(std::string_view text)
{
    char *json = nullptr;
    const int status = axh_canonicalize(text.data(), text.size(), &json);
    return to_check(status, json);
}

} // namespace axilog::host

#endif
