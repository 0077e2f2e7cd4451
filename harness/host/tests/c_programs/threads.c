/* Records answers from as many threads as the fourth argument says: as many each as the second argument says, or without
 * end where it is 0. Prints the number of each observation once it is acknowledged, a line each. The third argument is
 * the durability. */

#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include "check.h"

#define MAX_THREADS 64

static axh_ledger_t *ledger;
static int answers;

/* Each thread gives its own value, which its own decisions must be about. */
static void *record(void *argument)
{
    const char *name = argument;
    char question[64], answer[64], line[32];
    int i;

    for (i = 0; answers == 0 || i < answers; i++) {
        axh_observation_t observation = {
            .size = sizeof observation, .oracle_id = name, .model_id = "model-1", .input = question,
            .output = answer
        };
        axh_decision_t decision = { .size = sizeof decision };

        observation.input_len = (size_t)snprintf(question, sizeof question, "%s %d?", name, i);
        observation.output_len =
            (size_t)snprintf(answer, sizeof answer, "{\"thread\":\"%s\",\"value\":%d}", name, i % 70);
        CHECK(axh_observe(ledger, &observation, &decision) == AXH_OK);
        CHECK(decision.may_act && decision.output_size == observation.output_len);
        snprintf(line, sizeof line, "%llu\n", (unsigned long long)decision.ledger_seq);
        CHECK(write(1, line, strlen(line)) == (ssize_t)strlen(line));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static char names[MAX_THREADS][16];
    pthread_t threads[MAX_THREADS];
    axh_options_t options = {
        .size = sizeof options, .interval_records = 50, .interval_milliseconds = 20, .time = 1
    };
    int i, count;

    CHECK(argc == 5);
    answers = atoi(argv[2]);
    count = atoi(argv[4]);
    CHECK(count > 0 && count <= MAX_THREADS);
    options.durability = (axh_durability_t)atoi(argv[3]);
    CHECK(axh_ledger_open_or_create(argv[1], &options, &ledger) == AXH_OK);
    for (i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "oracle-%d", i);
        CHECK(pthread_create(&threads[i], NULL, record, names[i]) == 0);
    }
    for (i = 0; i < count; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    return axh_ledger_close(ledger) != AXH_OK;
}
