#include <stdio.h>
#include <string.h>
#include "axilog/host.h"

int main(void)
{
    static const char *const answers[] = { "{\"value\": 69}", "{\"value\": 71}" };
    axh_ledger_t *ledger;
    int i;

    if (axh_ledger_create("ledger.jsonl", NULL, &ledger) != AXH_OK) { /* never over a ledger */
        return fprintf(stderr, "%s\n", axh_last_error()), 1;
    }
    for (i = 0; i < 2; i++) {
        axh_observation_t observation = {
            .size = sizeof observation, .oracle_id = "llm", .model_id = "model-1",
            .input = "How fast?", .input_len = 9,
            .output = answers[i], .output_len = strlen(answers[i])
        };
        axh_decision_t decision = { .size = sizeof decision };

        if (axh_observe(ledger, &observation, &decision) != AXH_OK) {
            return fprintf(stderr, "%s\n", axh_last_error()), 1;
        }
        if (decision.may_act) {
            puts("go"); /* the act: what it rests on is on the disk */
        } else {
            puts(ax_health_state_to_str(decision.health)); /* ALARM: 71 is above 70 */
        }
    }
    return axh_ledger_close(ledger) != AXH_OK;
}
