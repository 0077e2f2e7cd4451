/* Records what is missing of a session of ten steps in the ledger that the first argument names; the second one is the
 * durability. Prints the number of records and the head after each step that was acknowledged, a line each. At the
 * first error it prints that and ends with 3. A step that is acknowledged as durable leaves nothing unsynced, which
 * failing_disk.c sees. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include "check.h"

#define STEPS 10

static int is_synced;

static void end_with_error(int status)
{
    printf("error %d %d %s\n", status, axh_last_reason(), axh_last_error());
    exit(3);
}

static void print_acknowledged(axh_ledger_t *ledger)
{
    int (*count)(void);
    axh_state_t state = { .size = sizeof state };
    int i;

    CHECK(axh_state(ledger, &state) == AXH_OK && !state.failed);
    *(void **)&count = dlsym(RTLD_DEFAULT, "count_unsynced_changes");
    CHECK(count != NULL);
    CHECK(!is_synced || (count() == 0 && state.durable_entries == state.entries));
    printf("%llu ", (unsigned long long)state.entries);
    for (i = 0; i < 32; i++) {
        printf("%02x", state.head[i]);
    }
    printf("\n");
    fflush(stdout);
}

/* Each step but the last, the seal, makes one observation; the first two are those of the beginning. After the third
 * there is one of a running value. */
static int count_steps(const char *path)
{
    const axh_filter_t filter = { .size = sizeof filter, .tags = AXH_TAG_OBSERVATION };
    axh_record_t record = { .size = sizeof record };
    axh_reader_t *reader;
    int count = 0;

    CHECK(axh_reader_open(path, &filter, &reader) == AXH_OK);
    while (axh_reader_next(reader, &record) == AXH_OK) {
        count += record.oracle_id == NULL || strcmp(record.oracle_id, "ax.sum.speeds") != 0;
    }
    CHECK(axh_reader_close(reader) == AXH_OK);
    return count;
}

static int observe(axh_ledger_t *ledger, const char *answer, size_t length, ax_failure_type_t failure)
{
    static const char question[] = "How fast?";
    const axh_observation_t observation = {
        .size = sizeof observation, .oracle_id = "llm", .model_id = "model-1", .input = question,
        .input_len = sizeof question - 1, .output = answer, .output_len = length, .failure = failure
    };

    return axh_observe(ledger, &observation, NULL);
}

static int run_step(axh_ledger_t *ledger, int step)
{
    static char long_answer[70000];

    switch (step) {
    case 2: return observe(ledger, "{\"value\": 60}", 13, AX_FAILURE_NULL);
    case 3: return observe(ledger, "{\"value\": 71}", 13, AX_FAILURE_NULL);
    case 4: return axh_control(ledger, AX_INPUT_POLICY_TRIGGER, NULL);
    case 5: return axh_control(ledger, AX_INPUT_RESET_REQUEST, NULL);
    case 6: return axh_time(ledger, 6, 0, NULL);
    case 7: return observe(ledger, "{\"value\": 5\xff}", 13, AX_FAILURE_NULL);
    case 8: return observe(ledger, NULL, 0, AX_FAILURE_TIMEOUT);
    case 9:
        memset(long_answer, 'x', sizeof long_answer);
        return observe(ledger, long_answer, sizeof long_answer, AX_FAILURE_NULL);
    default: return axh_seal(ledger);
    }
}

int main(int argc, char **argv)
{
    static const char *const oracles[] = { "llm" };
    static const char policies[] =
        "{\"ax.sum.speeds#value\":[{\"comparison\":\"GT\",\"enabled\":true,\"policy_id\":\"SUM\","
        "\"threshold\":6553600}],\"llm#value\":[{\"comparison\":\"GT\",\"enabled\":true,"
        "\"policy_id\":\"SPEED\",\"threshold\":4587520}]}";
    static const char values[] = "{\"ax.sum.speeds\":{\"oracle\":\"llm\",\"path\":\"value\"}}";
    axh_options_t options = {
        .size = sizeof options, .name = "plant/pump-3", .oracles = oracles, .oracle_count = 1,
        .interval_records = 7, .interval_milliseconds = 3600000, .time = 5, .policies = policies,
        .policies_len = sizeof policies - 1, .running_values = values,
        .running_values_len = sizeof values - 1
    };
    axh_ledger_t *ledger;
    int step, status;

    CHECK(argc == 3);
    options.durability = (axh_durability_t)atoi(argv[2]);
    is_synced = options.durability != AXH_DURABILITY_INTERVAL;
    status = axh_ledger_open_or_create(argv[1], &options, &ledger);
    if (status == AXH_ERR_REFUSED && axh_last_reason() == AXH_REASON_SEALED) {
        return 0;
    }
    if (status != AXH_OK) {
        end_with_error(status);
    }
    print_acknowledged(ledger);
    for (step = count_steps(argv[1]); step <= STEPS; step++) {
        status = run_step(ledger, step);
        if (status != AXH_OK) {
            axh_state_t state = { .size = sizeof state };
            int failed = status;

            CHECK(axh_state(ledger, &state) == AXH_OK);
            /* A ledger whose last step is not known to be recorded takes no other. */
            CHECK(!state.failed || run_step(ledger, 6) != AXH_OK);
            end_with_error(failed);
        }
        print_acknowledged(ledger);
    }
    is_synced = 1;
    status = axh_ledger_sync(ledger);
    if (status != AXH_OK) {
        end_with_error(status);
    }
    print_acknowledged(ledger);
    status = axh_ledger_close(ledger);
    if (status != AXH_OK) {
        end_with_error(status);
    }
    return 0;
}
