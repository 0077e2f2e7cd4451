/* A deployed gateway's day, made of the recorded answers: admit each; where it is refused, make an INVALID_OUTPUT
 * record under the same sequence instead; hash, write and commit the record; step the agent.
 *
 * Usage: day LEDGER. Reads calls of ax_obs_admit as the other programs of this folder do, each of which is an
 * answer of the day; the sequence is the gateway's own. Writes every record's line to the file LEDGER. */

#include "axilog/agent.h"
#include "axilog/audit.h"
#include "axilog/canonical.h"
#include "axilog/commitment.h"
#include "axilog/obs.h"

#include "answer.h"

enum { OUTPUT_SIZE = 200000, RECORD_SIZE = 1 << 19 };

static FILE *file;
static ax_agent_ctx_t agent;
static ax_admission_ctx_t admission;

static void must(int holds, const char *what)
{
    if (!holds) {
        fail(what, "does not hold");
    }
}

static void write_hex(const char *name, const uint8_t *hash)
{
    size_t i;
    fputs(name, file);
    for (i = 0; i < 32; i++) {
        fprintf(file, "%02x", hash[i]);
    }
}

/* Writes a line; a sink too, which receives the agent's transitions. */
static int write_line(void *user, const ax_ledger_entry_t *entry)
{
    (void)user;
    write_hex("{\"chain\":\"", entry->chain);
    write_hex("\",\"commit\":\"", entry->commit);
    fputs("\",\"record\":", file);
    fwrite(entry->payload, 1, (size_t)entry->payload_len, file);
    fprintf(file, ",\"seq\":%" PRIu64 ",\"tag\":\"%s\"}\n", entry->sequence, entry->tag);
    return 0;
}

/* Commits a record and appends the commitment. */
static void record_answer(const ax_obs_record_t *record)
{
    char *text = unwritten(RECORD_SIZE);
    int written = ax_obs_canonicalise(text, RECORD_SIZE, record, 1);
    ax_ledger_entry_t entry;
    ct_fault_flags_t faults;
    must(written > 0, "a record");
    ct_fault_clear(&faults);
    entry.tag = AX_TAG_OBS;
    entry.payload = (const uint8_t *)text;
    entry.payload_len = (uint64_t)written;
    axilog_commit(AX_TAG_OBS, entry.payload, entry.payload_len, entry.commit, &faults);
    ax_ledger_append(&agent.ledger, entry.commit, &faults);
    must(!ct_fault_any(&faults), "a commitment");
    entry.sequence = agent.ledger.sequence;
    memcpy(entry.chain, agent.ledger.current_hash, sizeof entry.chain);
    write_line(NULL, &entry);
}

static void step(ax_input_class_t type, const char *payload, uint64_t ledger_seq)
{
    ax_input_t input;
    ct_fault_flags_t faults;
    memset(&input, 0, sizeof input);
    ct_fault_clear(&faults);
    input.type = type;
    input.payload = (const uint8_t *)payload;
    input.payload_len = payload != NULL ? strlen(payload) : 0;
    input.ledger_seq = ledger_seq;
    ax_agent_step(&agent, &input, &faults);
    must(!ct_fault_any(&faults), "a step");
}

static void serve_answer(void)
{
    ax_obs_input_t answer;
    ax_obs_record_t record;
    ax_l3_fault_flags_t faults;
    char *output = unwritten(OUTPUT_SIZE);
    uint64_t ledger_seq = agent.last_seen_seq + 1;
    int rc;
    read_answer(&answer);
    answer.ledger_seq = ledger_seq;
    memset(&faults, 0, sizeof faults);
    rc = ax_obs_admit(&record, output, OUTPUT_SIZE, &answer, &admission, &faults);
    put_number("rc", rc);
    if (rc == AX_ERR_ENCODING) {
        const char *oracle_id = answer.oracle_id, *model_id = answer.model_id, *input = answer.input;
        size_t input_len = answer.input_len;
        must(admission.last_ledger_seq == ledger_seq - 1 || admission.initialized == 0, "a free sequence");
        memset(&faults, 0, sizeof faults);
        ax_obs_input_set_invalid_output(&answer, ledger_seq, oracle_id, model_id, input, input_len, NULL, 0);
        rc = ax_obs_admit(&record, output, OUTPUT_SIZE, &answer, &admission, &faults);
    }
    must(rc == AX_OK, "an admission");
    record_answer(&record);
    step(AX_INPUT_LLM_OBS, NULL, ledger_seq);
}

int main(int argc, char **argv)
{
    static const call_t calls[] = { { "ax_obs_admit", serve_answer }, { NULL, NULL } };
    static const ax_ledger_sink_t sink = { write_line, NULL };
    ax_ledger_entry_t genesis;
    ct_fault_flags_t faults;
    if (argc != 2 || (file = fopen(argv[1], "wb")) == NULL) {
        fail("usage", "day LEDGER");
    }
    ct_fault_clear(&faults);
    ax_admission_ctx_init(&admission);
    ax_agent_init(&agent, &faults);
    ax_agent_bind(&agent, &faults);
    must(ax_ledger_set_sink(&agent.ledger, &sink, &faults) == AX_OK && !ct_fault_any(&faults), "an agent");
    must(ax_ledger_genesis_entry(&genesis) == AX_OK, "a genesis");
    write_line(NULL, &genesis);
    step(AX_INPUT_RESET_REQUEST, NULL, 1);
    step(AX_INPUT_TIME_OBS, "{\"timestamp\":1000}", 2);
    make_calls(calls);
    must(fclose(file) == 0, "a file");
    return 0;
}
