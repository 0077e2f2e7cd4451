/* Calls the library in every wrong way, and shows that each is an error and harms nothing. */

#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

static axh_ledger_t *ledger;

static const axh_observation_t good = {
    .size = sizeof (axh_observation_t), .oracle_id = "llm", .model_id = "model-1", .input = "?",
    .input_len = 1, .output = "{\"value\":1}", .output_len = 11
};

/* Whether the text of the last error has these words. */
static int said(const char *words)
{
    return strstr(axh_last_error(), words) != NULL;
}

static unsigned long long entries(void)
{
    axh_state_t state = { .size = sizeof state };

    CHECK(axh_state(ledger, &state) == AXH_OK);
    return state.entries;
}

static void give_wrong_options(const char *path)
{
    static const char *const nobody[] = { NULL };
    static const char *const same[] = { "x y" };
    const axh_schema_t schemas[] = {
        { .oracle_id = "llm", .output = "{", .output_len = 1 }, { .oracle_id = NULL }
    };
    axh_options_t options = { .size = sizeof options - 1 };
    axh_ledger_t *none = (axh_ledger_t *)&options;

    CHECK(axh_ledger_create(NULL, NULL, &none) == AXH_ERR_ARGUMENT && none == NULL);
    CHECK(axh_ledger_create(path, NULL, NULL) == AXH_ERR_ARGUMENT);
    CHECK(axh_ledger_create(path, &options, &none) == AXH_ERR_ARGUMENT && said("size"));
    options.size = sizeof options;
    options.policies = "[";
    options.policies_len = 1;
    CHECK(axh_ledger_create(path, &options, &none) == AXH_ERR_ARGUMENT && said("policies:1:"));
    options.policies = NULL;
    CHECK(axh_ledger_create(path, &options, &none) == AXH_ERR_ARGUMENT && said("NULL"));
    options.policies_len = 0;
    options.name = "\xff";
    CHECK(axh_ledger_create(path, &options, &none) == AXH_ERR_ARGUMENT && said("UTF-8 at byte 0"));
    options.name = "a b";
    CHECK(axh_ledger_create(path, &options, &none) == AXH_ERR_ARGUMENT && said("U+0020"));
    options.name = NULL;
    options.follows = "9";
    CHECK(axh_ledger_create(path, &options, &none) == AXH_ERR_ARGUMENT && said("follows: found"));
    options.follows = NULL;
    options.oracle_count = 1;
    CHECK(axh_ledger_create(path, &options, &none) == AXH_ERR_ARGUMENT && said("oracles is NULL"));
    options.oracles = nobody;
    CHECK(axh_ledger_create(path, &options, &none) == AXH_ERR_ARGUMENT && said("element"));
    options.oracles = same;
    CHECK(axh_ledger_create(path, &options, &none) == AXH_ERR_REFUSED && said("oracle_id"));
    options.oracles = NULL;
    options.oracle_count = 0;
    options.schemas = schemas;
    options.schema_count = 1;
    CHECK(axh_ledger_create(path, &options, &none) == AXH_ERR_ARGUMENT && said("not a schema"));
    options.schemas = schemas + 1;
    CHECK(axh_ledger_create(path, &options, &none) == AXH_ERR_ARGUMENT && said("oracle_id"));
    options.schema_count = SIZE_MAX;
    CHECK(axh_ledger_create(path, &options, &none) == AXH_ERR_ARGUMENT && said("memory"));
    options.schema_count = 0;
    options.durability = (axh_durability_t)7;
    CHECK(axh_ledger_create(path, &options, &none) == AXH_ERR_ARGUMENT && said("durability is 7"));
    options.durability = AXH_DURABILITY_INTERVAL;
    CHECK(axh_ledger_create(path, &options, &none) == AXH_ERR_ARGUMENT && said("interval"));
    CHECK(access(path, F_OK) != 0);
    CHECK(axh_ledger_open(path, NULL, &none) == AXH_ERR_IO && none == NULL);
    CHECK(axh_ledger_create("/nowhere/ledger.jsonl", NULL, &none) == AXH_ERR_IO);
}

static void check_questions(void)
{
    axh_observation_t asked = good;
    const unsigned long long before = entries();
    char *question;

    asked.output = NULL; /* is not read */
    asked.failure = (ax_failure_type_t)9;
    asked.input = "a\r\nb";
    asked.input_len = 4;
    CHECK(axh_check_question(ledger, &asked, &question) == AXH_OK);
    CHECK(strcmp(question, "a\nb") == 0);
    axh_string_free(question);
    CHECK(axh_check_question(ledger, &asked, NULL) == AXH_OK);
    asked.input_kind = AX_INPUT_KIND_JSON;
    CHECK(axh_check_question(ledger, &asked, &question) == AXH_ERR_REFUSED && question == NULL);
    asked = good;
    asked.model_id = "model-2";
    CHECK(axh_check_question(ledger, &asked, &question) == AXH_ERR_REFUSED && said("model-1"));
    CHECK(axh_check_question(ledger, NULL, &question) == AXH_ERR_ARGUMENT && question == NULL);
    CHECK(axh_check_question(NULL, &good, &question) == AXH_ERR_HANDLE);
    CHECK(entries() == before);
}

static void give_wrong_observations(void)
{
    const ax_oracle_params_t params = { -2, -1, 0, 0 };
    axh_observation_t wrong = good;
    axh_decision_t decision = { .size = sizeof decision };

    CHECK(axh_observe(ledger, &good, &decision) == AXH_OK && decision.may_act);
    CHECK(axh_observe(ledger, NULL, &decision) == AXH_ERR_ARGUMENT && !decision.may_act);
    decision.size = 8;
    CHECK(axh_observe(ledger, &good, &decision) == AXH_ERR_ARGUMENT && said("size of decision is 8"));
    decision.size = sizeof decision;
    wrong.size = 0;
    CHECK(axh_observe(ledger, &wrong, &decision) == AXH_ERR_ARGUMENT && said("observation is 0"));
    wrong = good;
    wrong.oracle_id = NULL;
    CHECK(axh_observe(ledger, &wrong, &decision) == AXH_ERR_ARGUMENT && said("oracle_id is NULL"));
    wrong.oracle_id = "ax.time";
    wrong.model_id = "";
    CHECK(axh_observe(ledger, &wrong, &decision) == AXH_ERR_REFUSED);
    CHECK(axh_last_reason() == AXH_REASON_IDENTITY);
    wrong = good;
    wrong.model_id = "model-2";
    CHECK(axh_observe(ledger, &wrong, &decision) == AXH_ERR_REFUSED && said("model-1"));
    CHECK(axh_last_reason() == AXH_REASON_MODEL);
    wrong = good;
    wrong.input = NULL;
    CHECK(axh_observe(ledger, &wrong, &decision) == AXH_ERR_ARGUMENT && said("input is NULL"));
    wrong.input = "\t";
    CHECK(axh_observe(ledger, &wrong, &decision) == AXH_ERR_REFUSED && said("U+0009"));
    CHECK(axh_last_reason() == AXH_REASON_QUESTION);
    wrong = good;
    wrong.output_len = SIZE_MAX;
    CHECK(axh_observe(ledger, &wrong, &decision) == AXH_ERR_ARGUMENT && said("memory"));
    wrong.output_len = 11;
    wrong.failure = AX_FAILURE_TIMEOUT;
    CHECK(axh_observe(ledger, &wrong, &decision) == AXH_ERR_ARGUMENT && said("beside a failure"));
    wrong.output_len = 0;
    wrong.failure = AX_FAILURE_INVALID_OUTPUT;
    CHECK(axh_observe(ledger, &wrong, &decision) == AXH_ERR_ARGUMENT && said("failure is 2"));
    wrong.failure = (ax_failure_type_t)9;
    CHECK(axh_observe(ledger, &wrong, &decision) == AXH_ERR_ARGUMENT && said("failure is 9"));
    wrong = good;
    wrong.input_kind = (ax_input_kind_t)2;
    CHECK(axh_observe(ledger, &wrong, &decision) == AXH_ERR_ARGUMENT && said("input_kind is 2"));
    wrong.input_kind = AX_INPUT_KIND_JSON;
    CHECK(axh_observe(ledger, &wrong, &decision) == AXH_ERR_REFUSED && said("canonical JSON"));
    wrong = good;
    wrong.params = &params;
    CHECK(axh_observe(ledger, &wrong, &decision) == AXH_ERR_REFUSED);
    CHECK(axh_control(ledger, AX_INPUT_LLM_OBS, NULL) == AXH_ERR_ARGUMENT && said("input is 1"));
    CHECK(axh_control(ledger, (ax_input_class_t)77, NULL) == AXH_ERR_ARGUMENT);
    CHECK(axh_state(ledger, NULL) == AXH_ERR_ARGUMENT);
}

static void use_without_a_ledger(axh_ledger_t *handle)
{
    axh_decision_t decision = { .size = sizeof decision, .may_act = 1 };
    axh_state_t state = { .size = sizeof state };

    CHECK(axh_observe(handle, &good, &decision) == AXH_ERR_HANDLE && !decision.may_act);
    CHECK(axh_time(handle, 1000, 0, NULL) == AXH_ERR_HANDLE);
    CHECK(axh_control(handle, AX_INPUT_FAULT_SIGNAL, NULL) == AXH_ERR_HANDLE);
    CHECK(axh_seal(handle) == AXH_ERR_HANDLE);
    CHECK(axh_opening(handle, NULL) == AXH_ERR_HANDLE);
    CHECK(axh_state(handle, &state) == AXH_ERR_HANDLE);
    CHECK(axh_ledger_sync(handle) == AXH_ERR_HANDLE);
    CHECK(axh_ledger_close(handle) == AXH_ERR_HANDLE && said("handle"));
}

static void use_in_a_fork(const char *path)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        axh_ledger_t *own = NULL;
        char other[512];

        CHECK(axh_observe(ledger, &good, NULL) == AXH_ERR_FORKED && said("forked"));
        CHECK(axh_ledger_close(ledger) == AXH_ERR_FORKED);
        snprintf(other, sizeof other, "%s.child", path);
        CHECK(axh_ledger_create(other, NULL, &own) == AXH_OK);
        CHECK(axh_observe(own, &good, NULL) == AXH_OK && axh_ledger_close(own) == AXH_OK);
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void *close_once(void *closed)
{
    int status = axh_ledger_close(ledger);

    CHECK(status == AXH_OK || status == AXH_ERR_HANDLE);
    *(int *)closed = status == AXH_OK;
    return NULL;
}

/* Several threads close one ledger: one of them does. */
static void close_from_several_threads(void)
{
    pthread_t threads[4];
    int closed[4], i, sum = 0;

    for (i = 0; i < 4; i++) {
        CHECK(pthread_create(&threads[i], NULL, close_once, &closed[i]) == 0);
    }
    for (i = 0; i < 4; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        sum += closed[i];
    }
    CHECK(sum == 1);
}

int main(int argc, char **argv)
{
    axh_ledger_t *second = NULL;
    int local;
    unsigned long long before;

    CHECK(argc == 2 && axh_last_error()[0] == '\0' && axh_last_decision()[0] == '\0');
    CHECK(axh_take_decision() == NULL && axh_kept_decision(NULL)[0] == '\0');
    axh_kept_decision_free(NULL);
    give_wrong_options(argv[1]);
    CHECK(axh_ledger_create(argv[1], NULL, &ledger) == AXH_OK);
    CHECK(axh_ledger_open(argv[1], NULL, &second) == AXH_ERR_LOCKED && second == NULL);
    before = entries();
    give_wrong_observations();
    check_questions();
    CHECK(entries() == before + 3); /* the one good observation, its policy, its transition */
    use_in_a_fork(argv[1]);
    CHECK(axh_observe(ledger, &good, NULL) == AXH_OK && entries() == before + 6);
    use_without_a_ledger(NULL);
    use_without_a_ledger((axh_ledger_t *)&local);
    close_from_several_threads();
    use_without_a_ledger(ledger);
    return 0;
}
