/* Makes questions from earlier answers, cut ones among them, in a ledger that follows another one. */

#include <string.h>
#include "check.h"

static char answer_hash[65];

/* Records an answer to a question, and keeps its obs_hash as text. */
static axh_decision_t observe(axh_ledger_t *ledger, const char *question, ax_input_kind_t kind,
                              const char *answer, uint8_t truncated)
{
    const axh_observation_t observation = {
        .size = sizeof observation, .oracle_id = "llm", .model_id = "model-1", .input = question,
        .input_len = strlen(question), .output = answer, .output_len = strlen(answer),
        .input_kind = kind, .truncated = truncated
    };
    axh_decision_t decision = { .size = sizeof decision };
    int i;

    CHECK(axh_observe(ledger, &observation, &decision) == AXH_OK);
    for (i = 0; i < 32; i++) {
        sprintf(answer_hash + 2 * i, "%02x", decision.obs_hash[i]);
    }
    return decision;
}

/* The question that is derived from the last answer. */
static char *derive(axh_ledger_t *ledger, int even_refused)
{
    const char *const sources[] = { answer_hash };
    char *question;

    CHECK(axh_derive_question(ledger, "And now?", 8, AX_INPUT_KIND_TEXT, sources, 1, even_refused,
                              &question) == AXH_OK);
    return question;
}

static void give_wrong_questions(axh_ledger_t *ledger)
{
    const char *const sources[] = { answer_hash, "0" };
    char *question = answer_hash;

    CHECK(axh_derive_question(ledger, "", 0, AX_INPUT_KIND_TEXT, sources, 2, 0, &question)
          == AXH_ERR_ARGUMENT && question == NULL);
    CHECK(strstr(axh_last_error(), "sources: found \"0\"") != NULL);
    CHECK(axh_derive_question(ledger, "", 0, AX_INPUT_KIND_TEXT, NULL, 0, 0, &question)
          == AXH_ERR_REFUSED && axh_last_reason() == AXH_REASON_QUESTION);
    CHECK(axh_derive_question(ledger, "[]", 2, AX_INPUT_KIND_JSON, sources, 1, 0, &question)
          == AXH_ERR_REFUSED);
    CHECK(axh_derive_question(ledger, "", 0, (ax_input_kind_t)7, sources, 1, 0, &question)
          == AXH_ERR_ARGUMENT);
    CHECK(axh_derive_question(ledger, "", 0, AX_INPUT_KIND_TEXT, sources, 1, 0, NULL)
          == AXH_ERR_ARGUMENT);
}

int main(int argc, char **argv)
{
    axh_options_t options = { .size = sizeof options, .time = 1, .permit_truncated = 1 };
    axh_observation_t refused = {
        .size = sizeof refused, .oracle_id = "llm", .model_id = "model-1",
        .input_kind = AX_INPUT_KIND_JSON
    };
    axh_state_t state = { .size = sizeof state };
    char follows[100], *question, *other;
    axh_ledger_t *ledger;
    axh_decision_t decision;
    int i, length;

    CHECK(argc == 3);
    CHECK(axh_ledger_create(argv[1], &options, &ledger) == AXH_OK);
    decision = observe(ledger, "?", AX_INPUT_KIND_TEXT, "{\"value\": 1, \"tail\":", 1);
    CHECK(decision.completion_state == AX_COMPLETION_TRUNCATED && !decision.may_act);
    CHECK(axh_control(ledger, AX_INPUT_POLICY_TRIGGER, NULL) == AXH_OK);
    CHECK(axh_control(ledger, AX_INPUT_RESET_REQUEST, NULL) == AXH_OK);
    CHECK(axh_time(ledger, 2, 0, NULL) == AXH_OK);

    /* The cut answer was refused: a question from it says so, or is refused too. */
    give_wrong_questions(ledger);
    question = derive(ledger, 0);
    refused.input = question;
    refused.input_len = strlen(question);
    CHECK(strstr(question, answer_hash) != NULL && strstr(question, "even_refused") == NULL);
    CHECK(axh_observe(ledger, &refused, NULL) == AXH_ERR_REFUSED);
    CHECK(axh_last_reason() == AXH_REASON_SOURCE);
    axh_string_free(question);
    question = derive(ledger, 1);
    CHECK(strstr(question, "\"even_refused\":true") != NULL);
    decision = observe(ledger, question, AX_INPUT_KIND_JSON, "{\"value\": 2}", 0);
    CHECK(decision.may_act);
    axh_string_free(question);

    /* The ledger knows that this answer was not refused; without one the caller's word counts. */
    question = derive(ledger, 1);
    other = derive(NULL, 1);
    CHECK(strstr(question, "even_refused") == NULL && strstr(other, "even_refused") != NULL);
    axh_string_free(other);
    CHECK(observe(ledger, question, AX_INPUT_KIND_JSON, "{\"value\": 3}", 0).may_act);
    axh_string_free(question);

    CHECK(axh_seal(ledger) == AXH_OK && axh_state(ledger, &state) == AXH_OK);
    CHECK(axh_ledger_close(ledger) == AXH_OK);
    length = sprintf(follows, "%llu:", (unsigned long long)state.entries);
    for (i = 0; i < 32; i++) {
        length += sprintf(follows + length, "%02x", state.head[i]);
    }
    options.follows = follows;
    CHECK(axh_ledger_create(argv[2], &options, &ledger) == AXH_OK);
    CHECK(axh_state(ledger, &state) == AXH_OK && state.has_manifest);
    CHECK(axh_ledger_close(ledger) == AXH_OK);
    CHECK(axh_head(argv[2], NULL, &other) == AXH_OK);
    CHECK(strstr(other, "\"follows\":{\"entries\"") && strstr(other, strchr(follows, ':') + 1));
    axh_string_free(other);
    return 0;
}
