#include "motor.h"

#include "axilog/axilog.h"

/* A speed above 70 is refused: 70 * 65536, in Q16.16. */
static const ax_policy_t POLICIES[] = { { "POL-MOTOR-MAX", 4587520, AX_POLICY_CMP_GT, 1 } };
static const char *const SELECTORS[] = { "value" };
static const ax_policy_registry_t REGISTRY = { POLICIES, 1, SELECTORS };

static ax_agent_ctx_t agent;
static ax_policy_ctx_t policy;
static ct_fault_flags_t faults;
static uint8_t work[1024];
static uint8_t line[1024 + AX_TRANS_RECORD_MAX_BYTES];

/* What the model says to the n-th question, as a modem would have received it. */
static const char *ask_model(size_t n)
{
    static const char *const ANSWERS[] = {
        "{\"value\": 12, \"why\": \"the road is narrow\"}",
        "{\"value\": 65}",
        "{\"value\": 90}",
    };
    return ANSWERS[n];
}

static int append(void *user, const ax_ledger_entry_t *entry)
{
    const motor_board_t *board = (const motor_board_t *)user;
    const int length = ax_ledger_line_write(line, sizeof line, entry);
    return length < 0 ? length : board->store_line(line, (size_t)length);
}

int motor_run(const motor_board_t *board)
{
    static const char QUESTION[] = "How fast? Answer {\"value\": PERCENT}.";
    const ax_ledger_sink_t sink = { append, (void *)board };
    ax_ledger_entry_t genesis;
    uint64_t seconds = 1000;
    size_t n;

    ct_fault_init(&faults);
    if (ax_ledger_genesis_entry(&genesis) != AX_OK || append((void *)board, &genesis) != 0) {
        return 1;
    }
    ax_agent_init(&agent, &faults);
    ax_agent_bind(&agent, &faults);
    if (ax_ledger_set_sink(&agent.ledger, &sink, &faults) != AX_OK
        || ax_policy_init_with_registry(&policy, &REGISTRY, &agent.ledger, &agent, &faults) != AX_POLICY_OK
        || ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, sizeof work, &faults)
            != AX_OK) {
        return 2;
    }
    for (n = 0; n < 3; n++) {
        ax_obs_input_t input;
        const char *answer = ask_model(n);
        size_t length = 0;
        while (answer[length] != '\0') {
            length++;
        }
        seconds += 20;
        if (ax_agent_observe_time(&agent, &policy, seconds, work, sizeof work, &faults) != AX_OK) {
            return 3;
        }
        ax_obs_input_set_complete(&input, 0, "motor-model", "m-1", QUESTION, sizeof QUESTION - 1, answer,
                                  length, NULL);
        if (ax_agent_observe(&agent, &policy, &input, work, sizeof work, &faults) == AX_OK
            && ax_agent_may_act(&agent, &policy)) {
            board->drive(answer);
        } else {
            board->stop();
        }
        if (ct_fault_any(&faults)) {
            return 4;
        }
    }
    return ax_ledger_seal(&agent.ledger, &faults) == AX_OK ? 0 : 5;
}
