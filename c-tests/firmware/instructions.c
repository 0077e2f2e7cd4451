/* How many instructions a call takes, by the number of policies. The emulator runs one instruction a
 * nanosecond of its own time (-icount shift=0): a Cortex-M's timer counts the time, a RISC-V processor
 * the instructions themselves. */

#include "axilog/axilog.h"

#include "host.h"

#if defined __riscv

static void timer_start(void)
{
}

static uint32_t timer_read(void)
{
    uint32_t count;
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrr %0, minstret\n.option pop" : "=r"(count));
    return count;
}

static uint32_t elapsed(uint32_t since)
{
    return timer_read() - since;
}

/* Two instructions a turn. */
static void turns(uint32_t n)
{
    __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(n));
}

#else

#define SYSTICK ((volatile uint32_t *)0xE000E010)

static void timer_start(void)
{
    SYSTICK[1] = 0xFFFFFF; /* reload */
    SYSTICK[2] = 0;        /* current */
    SYSTICK[0] = 5;        /* on, by the processor's clock, no interrupt */
    while (SYSTICK[2] == 0) {
    }
}

/* Ticks since the start, one after the other modulo 2^24. */
static uint32_t timer_read(void)
{
    return 0xFFFFFF - SYSTICK[2];
}

static uint32_t elapsed(uint32_t since)
{
    return (timer_read() - since) & 0xFFFFFF;
}

/* Two instructions a turn. */
static void turns(uint32_t n)
{
    __asm__ volatile(".syntax unified\n1: subs %0, #1\n bne 1b" : "+l"(n) : : "cc");
}

#endif

static void say(const char *what, uint32_t n, uint32_t ticks)
{
    host_print(what);
    host_print(" ");
    host_print_number(n);
    host_print(" ");
    host_print_number(ticks);
    host_print("\n");
}

static char ids[AX_POLICY_MAX_COUNT][20];
static ax_policy_t policies[AX_POLICY_MAX_COUNT];
static ax_agent_ctx_t agent;
static ax_policy_ctx_t policy;
static ct_fault_flags_t faults;
static uint8_t work[1024];

static int sink(void *user, const ax_ledger_entry_t *entry)
{
    (void)user;
    (void)entry;
    return 0;
}

static const ax_ledger_sink_t SINK = { sink, NULL };

/* The policies' names: 19 bytes each, in order. */
static void name(size_t i)
{
    static const char NAME[] = "POL-000-MAX-SPEED-X";
    size_t at;
    for (at = 0; at < sizeof NAME; at++) {
        ids[i][at] = NAME[at];
    }
    ids[i][5] = (char)('0' + i / 10);
    ids[i][6] = (char)('0' + i % 10);
}

static int measure(size_t count)
{
    static const char PROMPT[] = "How fast?";
    static const char ANSWER[] = "{\"value\":60.5}";
    const ax_policy_registry_t registry = { policies, count, NULL };
    ax_obs_input_t in;
    ax_input_t input = { AX_INPUT_LLM_OBS, work, 0, 0 };
    ax_obs_record_t record;
    ax_admission_ctx_t admission;
    char output[32];
    uint32_t since;
    int len;

    ax_agent_init(&agent, &faults);
    (void)ax_ledger_set_sink(&agent.ledger, &SINK, &faults);
    (void)ax_policy_init_with_registry(&policy, &registry, &agent.ledger, &agent, &faults);

    since = timer_read();
    (void)ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, sizeof work, &faults);
    say("ax_agent_observe_control", (uint32_t)count, elapsed(since));
    since = timer_read();
    (void)ax_agent_observe_time(&agent, &policy, 1000, work, sizeof work, &faults);
    say("ax_agent_observe_time", (uint32_t)count, elapsed(since));
    ax_obs_input_set_complete(&in, 0, "motor-model", "m-1", PROMPT, sizeof PROMPT - 1, ANSWER,
                              sizeof ANSWER - 1, NULL);
    since = timer_read();
    (void)ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults);
    say("ax_agent_observe", (uint32_t)count, elapsed(since));
    if (agent.health != AX_HEALTH_ENABLED || ct_fault_any(&faults)) {
        return -1;
    }

    /* The same answer recorded, and the step alone. */
    in.ledger_seq = agent.ledger.sequence + 1;
    ax_admission_ctx_init(&admission);
    (void)ax_obs_admit(&record, output, sizeof output, &in, &admission, &faults);
    len = ax_obs_canonicalise((char *)work, sizeof work, &record, 1);
    if (len < 0) {
        return -1;
    }
    input.payload_len = (uint64_t)len;
    input.ledger_seq = in.ledger_seq;
    since = timer_read();
    ax_agent_step(&agent, &policy, &input, &faults);
    say("ax_agent_step", (uint32_t)count, elapsed(since));
    return agent.health == AX_HEALTH_ENABLED && !ct_fault_any(&faults) ? 0 : -1;
}

int main(void)
{
    static const size_t COUNTS[] = { 0, 1, 2, 4, 8, 16, 32, 64 };
    uint32_t since;
    size_t i;
    ct_fault_init(&faults);
    for (i = 0; i < AX_POLICY_MAX_COUNT; i++) {
        name(i);
        policies[i].policy_id = ids[i];
        policies[i].threshold = 4587520;
        policies[i].comparison = AX_POLICY_CMP_GT;
        policies[i].enabled = 1;
    }
    timer_start();
    since = timer_read();
    turns(1000000);
    say("instructions", 2000000, elapsed(since));
    for (i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++) {
        if (measure(COUNTS[i]) != 0) {
            return 1;
        }
    }
    return 0;
}
