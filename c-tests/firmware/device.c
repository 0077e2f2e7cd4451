/* A small device with 16 KiB of RAM: a motor that asks a model for its speed.
 *
 * The model speaks over a buffer, as one behind a serial line would. Each answer is recorded, judged
 * by two policies and acted on only if the agent stays ENABLED; an ALARM stops the motor and an
 * operator lets it go on. Every record goes through the sink as a line of a ledger file before the
 * agent may go on. The file is the same to the last byte on every processor. */

#include "axilog/axilog.h"

#include "host.h"

static const ax_policy_t POLICIES[] = {
    { "POL-MOTOR-MAX", 4587520, AX_POLICY_CMP_GT, 1 }, /* 70 */
    { "POL-TORQUE-MIN", 0, AX_POLICY_CMP_LT, 1 },
};
static const char *const SELECTORS[] = { "value", "torque" };
static const ax_policy_registry_t REGISTRY = { POLICIES, 2, SELECTORS };

/* What the model says when asked; NULL: nothing in time. */
static const char *const MODEL[] = {
    "{\"value\": 12.5, \"torque\": 0.25}",
    "{\"value\": 69.99, \"torque\": 1e1, \"why\": \"downhill\\u2026\"}",
    "{\"value\": 71, \"torque\": 3}",
    "I would go a little faster.",
    NULL,
    "{\"torque_q16\":65536,\"value_q16\":4587520}",
    "{\"value\": 20, \"torque\": -0.5}",
    "\x01\x02\x03",
    "{\"value\": 5, \"torque\": 5}\r\n",
};

/* State, buffers and the stack: everything here is within the 16 KiB. */
static ax_agent_ctx_t agent;
static ax_policy_ctx_t policy;
static ct_fault_flags_t faults;
static char answer[1024];
static uint8_t work[2048];
static uint8_t line[2048 + AX_TRANS_RECORD_MAX_BYTES];

static size_t copy(char *to, size_t at, const char *text)
{
    while (*text != '\0') {
        to[at++] = *text++;
    }
    return at;
}

/* The model's answer to the n-th question, received into `answer`; its length, or -1. The last one
 * goes on for longer than `work` can record. */
static int ask(size_t n)
{
    const size_t count = sizeof MODEL / sizeof MODEL[0];
    size_t at = 0;
    if (n < count) {
        return MODEL[n] == NULL ? -1 : (int)copy(answer, 0, MODEL[n]);
    }
    at = copy(answer, at, "{\"torque\":1,\"value\":30,\"why\":\"");
    for (; at < sizeof answer - 2; at++) {
        answer[at] = at % 7 == 0 ? '"' : 'x';
    }
    return (int)copy(answer, at, "\"}");
}

static int store(void *user, const ax_ledger_entry_t *entry)
{
    const int len = ax_ledger_line_write(line, sizeof line, entry);
    (void)user;
    return len < 0 ? len : host_write(line, (size_t)len);
}

static const ax_ledger_sink_t SINK = { store, NULL };

static void tell(const char *what)
{
    host_print(what);
    host_print(": ");
    host_print(ax_health_state_to_str(agent.health));
    host_print("\n");
}

static int control(ax_input_class_t input)
{
    const int code = ax_agent_observe_control(&agent, &policy, input, work, sizeof work, &faults);
    tell(ax_input_class_to_str(input));
    return code;
}

int main(void)
{
    static const char PROMPT[] = "The road ahead is clear. Speed and torque as JSON?";
    ax_ledger_entry_t genesis;
    uint64_t now = 1000;
    size_t n;

    ct_fault_init(&faults);
    if (host_create("ledger.jsonl") != 0 || ax_ledger_genesis_entry(&genesis) != AX_OK
        || store(NULL, &genesis) != 0) {
        return 1;
    }
    ax_agent_init(&agent, &faults);
    ax_agent_bind(&agent, &faults);
    if (ax_ledger_set_sink(&agent.ledger, &SINK, &faults) != AX_OK
        || ax_policy_init_with_registry(&policy, &REGISTRY, &agent.ledger, &agent, &faults)
            != AX_POLICY_OK
        || control(AX_INPUT_RESET_REQUEST) != AX_OK) {
        return 2;
    }
    for (n = 0; n <= sizeof MODEL / sizeof MODEL[0]; n++) {
        ax_obs_input_t in;
        const int len = ask(n);
        int code;
        now += 20;
        if (ax_agent_observe_time(&agent, &policy, now, work, sizeof work, &faults) != AX_OK) {
            return 3;
        }
        if (len < 0) {
            ax_obs_input_set_timeout(&in, 0, "motor-model", "m-1", PROMPT, sizeof PROMPT - 1);
        } else {
            ax_obs_input_set_complete(&in, 0, "motor-model", "m-1", PROMPT, sizeof PROMPT - 1, answer,
                                      (size_t)len, NULL);
        }
        /* The last question finds half the work buffer in use for something else. */
        code = ax_agent_observe(&agent, &policy, &in, work,
                                n < sizeof MODEL / sizeof MODEL[0] ? sizeof work : 1024, &faults);
        if ((code != AX_OK && code != AX_ERR_ENCODING) || ct_fault_any(&faults)) {
            return 4;
        }
        tell("answer");
        if (agent.health == AX_HEALTH_ALARM
            && (control(AX_INPUT_POLICY_TRIGGER) != AX_OK || control(AX_INPUT_RESET_REQUEST) != AX_OK)) {
            return 5;
        }
    }
    return ax_ledger_seal(&agent.ledger, &faults) == AX_OK ? 0 : 6;
}
