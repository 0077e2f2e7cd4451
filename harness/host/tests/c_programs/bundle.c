/* Builds the bundles of the steps that follow the first argument, of results in the folder that it names, and
 * prints each object on a line. Then matches answers, finds objects in answers, and calls each function wrongly. */

#include <errno.h>
#include <string.h>
#include "check.h"

static const char grammar[] = "root ::= \"a\" [0-9]{2,3}";

static int said(const char *words) { return strstr(axh_last_error(), words) != NULL; }

/* Takes an object, which must have these words, and frees it. */
static void expect(char *json, const char *words)
{
    if (json == NULL || strstr(json, words) == NULL) {
        fprintf(stderr, "%s lacks %s\n", json != NULL ? json : "NULL", words);
        exit(1);
    }
    axh_string_free(json);
}

static int build(const char *request, char **json)
{
    return axh_bundle_build(request, strlen(request), json);
}

static void print_bundle(const char *folder, const char *step)
{
    char request[1000], *json = NULL;

    snprintf(request, sizeof request,
             "{\"step_id\":%s,\"run_id\":\"r-1\",\"run_number\":7,\"results_path\":\"%s/step%s.json\"}", step,
             folder, step);
    CHECK(build(request, &json) == AXH_OK);
    puts(json);
    axh_string_free(json);
}

/* Refused by a request; the object's place is NULL then. */
static void refuse(const char *request, int status, int reason, const char *words)
{
    char sentinel, *json = &sentinel;

    CHECK(build(request, &json) == status && json == NULL && said(words));
    CHECK(axh_last_reason() == reason);
}

static void build_other_bundles(void)
{
    char *json = NULL;

    CHECK(build("{\"step_id\":1,\"results\":{\"b\":1,\"a\":2},\"state_paths\":[\"none\"]}", &json) == AXH_OK);
    CHECK(strstr(json, "FILE_NOT_FOUND") != NULL && strstr(json, "\\\"b\\\": 1,\\n  \\\"a\\\": 2") != NULL);
    expect(json, "\"run_id\":\"step1_");
    CHECK(build("{\"step_id\":1,\"budgets\":{\"ctx_max_tokens\":2100}}", &json) == AXH_NOT_OK);
    CHECK(strstr(json, "\"problem\":\"Tier 0 (") != NULL);
    expect(json, "\"rendered\":null");
    CHECK(build("{\"step_id\":1,\"is_chapter_13\":true,\"fallback\":false}", NULL) == AXH_OK);
}

static void give_wrong_requests(void)
{
    char *json = NULL;

    CHECK(axh_bundle_build(NULL, 1, &json) == AXH_ERR_ARGUMENT && said("request is NULL"));
    refuse("", AXH_ERR_ARGUMENT, AXH_REASON_NONE, "request is no request");
    refuse("{}", AXH_ERR_ARGUMENT, AXH_REASON_NONE, "missing field `step_id`");
    refuse("{\"step_id\":1,\"step\":1}", AXH_ERR_ARGUMENT, AXH_REASON_NONE, "unknown field `step`");
    refuse("{\"step_id\":1,\"run_number\":0}", AXH_ERR_ARGUMENT, AXH_REASON_NONE, "nonzero");
    refuse("{\"step_id\":1,\"results\":{},\"results_path\":\"r\"}", AXH_ERR_ARGUMENT, AXH_REASON_NONE,
           "expected one of them");
    refuse("{\"step_id\":7}", AXH_ERR_ARGUMENT, AXH_REASON_BUNDLE, "there is no step 7; the catalogue has 1");
    refuse("{\"step_id\":13,\"fallback\":true}", AXH_ERR_ARGUMENT, AXH_REASON_BUNDLE, "no fallback grammar");
    refuse("{\"step_id\":1,\"results\":[]}", AXH_ERR_ARGUMENT, AXH_REASON_BUNDLE,
           "the results: is not a JSON object");
    refuse("{\"step_id\":1,\"results\":{\"a\":1,\"a\":2}}", AXH_ERR_ARGUMENT, AXH_REASON_BUNDLE, "occurs twice");
    refuse("{\"step_id\":1,\"results_path\":\"/nowhere/r\"}", AXH_ERR_IO, AXH_REASON_NONE, "/nowhere/r");
    CHECK(axh_last_os_error() == ENOENT);
    refuse("{\"step_id\":1,\"state_paths\":[\"/\"]}", AXH_ERR_IO, AXH_REASON_NONE, "directory");
    CHECK(axh_last_os_error() == 0);
}

static void check_catalogues(void)
{
    char sentinel, *text = &sentinel;

    CHECK(axh_bundle_check(NULL, &text) == AXH_OK);
    expect(text, "\"catalogue\":null");
    CHECK(axh_bundle_check("/nowhere/c.toml", &text) == AXH_ERR_IO && text == NULL);
    CHECK(axh_bundle_check("bad.toml", &text) == AXH_ERR_ARGUMENT && said("bad.toml: not a catalogue"));
    CHECK(axh_last_reason() == AXH_REASON_BUNDLE);
    CHECK(axh_bundle_grammar(NULL, "json_generic.gbnf", &text) == AXH_OK);
    expect(text, "root ::=");
    CHECK(axh_bundle_grammar(NULL, "none.gbnf", &text) == AXH_ERR_ARGUMENT && text == NULL);
    CHECK(said("there is no grammar \"none.gbnf\"") && axh_last_reason() == AXH_REASON_BUNDLE);
    CHECK(axh_bundle_grammar(NULL, NULL, &text) == AXH_ERR_ARGUMENT && said("name is NULL"));
    CHECK(axh_bundle_grammar(NULL, "json_generic.gbnf", NULL) == AXH_ERR_ARGUMENT);
}

static int match(const char *answer, uint64_t steps, char **json)
{
    return axh_bundle_match(grammar, strlen(grammar), NULL, answer, strlen(answer), steps, json);
}

static void match_answers(void)
{
    char sentinel, *json = NULL;

    CHECK(match("a12", 0, NULL) == AXH_OK && match("a12", 0, &json) == AXH_OK);
    expect(json, "\"verdict\":\"MATCHES\"");
    CHECK(match("a1234", 0, &json) == AXH_NOT_OK);
    expect(json, "\"reason\":\"line 1, column 5: found '4', expected the end");
    CHECK(match("a12\xff", 0, &json) == AXH_NOT_OK);
    expect(json, "0xff, which is not UTF-8");
    CHECK(match("a12", 1, &json) == AXH_NOT_OK);
    expect(json, "\"verdict\":\"CANNOT_BE_TOLD\"");
    json = &sentinel;
    CHECK(axh_bundle_match("root ::= other", 14, "my.gbnf", "", 0, 0, &json) == AXH_ERR_ARGUMENT);
    CHECK(json == NULL && said("my.gbnf:1:10: ") && axh_last_reason() == AXH_REASON_GRAMMAR);
    CHECK(axh_bundle_match("x", 1, NULL, "", 0, 0, NULL) == AXH_ERR_ARGUMENT && said("grammar:1:"));
    CHECK(axh_bundle_match("\xff", 1, NULL, "", 0, 0, NULL) == AXH_ERR_ARGUMENT);
    CHECK(said("grammar is not UTF-8 at byte 0") && axh_last_reason() == AXH_REASON_NONE);
    CHECK(axh_bundle_match(NULL, 1, NULL, "", 0, 0, NULL) == AXH_ERR_ARGUMENT && said("grammar is NULL"));
    CHECK(axh_bundle_match(grammar, 3, "\xff", "", 0, 0, NULL) == AXH_ERR_ARGUMENT && said("name is"));
    CHECK(axh_bundle_match(grammar, 3, NULL, NULL, 1, 0, NULL) == AXH_ERR_ARGUMENT && said("answer is"));
}

static int find_object(const char *text, char **json) { return axh_canonicalize(text, strlen(text), json); }

static void find_objects(void)
{
    char sentinel, *json = NULL;

    CHECK(find_object("Here:\r\n{\"b\": 2.0, \"a\": \"\\u00e9\"}", &json) == AXH_OK);
    CHECK(strstr(json, "\"block\":\"{\\\"b\\\": 2.0, \\\"a\\\": \\\"\\\\u00e9\\\"}\"") != NULL);
    expect(json, "\"json\":{\"a\":\"\xc3\xa9\",\"b\":2},\"raw_hash\":\"");
    CHECK(find_object("{} {}", &json) == AXH_NOT_OK);
    expect(json, "\"status\":\"AMBIGUOUS_MULTI_BLOCK\"}");
    CHECK(find_object("{\"a\":", &json) == AXH_NOT_OK);
    expect(json, "PARSE_ERROR");
    CHECK(axh_canonicalize(NULL, 0, &json) == AXH_NOT_OK);
    expect(json, "NO_JSON");
    CHECK(find_object("{}", NULL) == AXH_OK);
    json = &sentinel;
    CHECK(find_object("{\"a\":\"\xff\"}", &json) == AXH_ERR_ARGUMENT && json == NULL);
    CHECK(said("text is not UTF-8 at byte 6"));
    CHECK(axh_canonicalize(NULL, 1, &json) == AXH_ERR_ARGUMENT && said("text is NULL"));
}

int main(int argc, char **argv)
{
    int i;

    CHECK(argc > 2);
    for (i = 2; i < argc; i++) {
        print_bundle(argv[1], argv[i]);
    }
    build_other_bundles();
    give_wrong_requests();
    check_catalogues();
    match_answers();
    find_objects();
    return 0;
}
