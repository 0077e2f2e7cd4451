/* Reads a ledger that write.c has written: record by record, printing a line of each, and in columns, which must be the
 * same. Then reads beside a writer, at the second argument; misuses readers; and checks and tries policies. */

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "axilog/sha256.h"
#include "check.h"

static int said(const char *words) { return strstr(axh_last_error(), words) != NULL; }

static axh_reader_t *open_reader(const char *path, const axh_filter_t *filter)
{
    axh_reader_t *reader = NULL;

    CHECK(axh_reader_open(path, filter, &reader) == AXH_OK && reader != NULL);
    return reader;
}

static int same_text(const axh_texts_t *texts, size_t at, const char *bytes, size_t len)
{
    size_t begin = (size_t)texts->offsets[at];

    return (size_t)texts->offsets[at + 1] - begin == len
           && (len == 0 || memcmp(texts->bytes + begin, bytes, len) == 0);
}

static size_t length(const char *text) { return text != NULL ? strlen(text) : 0; }

static void compare(const axh_record_t *record, const axh_columns_t *columns, size_t at)
{
    CHECK(columns->sequence[at] == record->sequence && columns->offset[at] == record->offset);
    CHECK(columns->ledger_seq[at] == record->ledger_seq && columns->time[at] == record->time);
    CHECK(columns->output_size[at] == record->output_size);
    CHECK(columns->actual[at] == record->actual && columns->threshold[at] == record->threshold);
    CHECK(columns->fault_count[at] == record->fault_count);
    CHECK(columns->kind[at] == record->kind && columns->breached[at] == record->breached);
    CHECK(columns->completion_state[at] == record->completion_state);
    CHECK(columns->failure_type[at] == record->failure_type);
    CHECK(columns->input_class[at] == record->input_class);
    CHECK(columns->prev_state[at] == record->prev_state);
    CHECK(columns->next_state[at] == record->next_state);
    CHECK(columns->violation[at] == record->violation);
    CHECK(memcmp(columns->chain + 32 * at, record->chain, 32) == 0);
    CHECK(memcmp(columns->content_hash + 32 * at, record->content_hash, 32) == 0);
    CHECK(memcmp(columns->obs_hash + 32 * at, record->obs_hash, 32) == 0);
    CHECK(same_text(&columns->oracle_id, at, record->oracle_id, length(record->oracle_id)));
    CHECK(same_text(&columns->model_id, at, record->model_id, length(record->model_id)));
    CHECK(same_text(&columns->output, at, record->output, record->output_len));
    CHECK(same_text(&columns->policy_id, at, record->policy_id, length(record->policy_id)));
    CHECK(same_text(&columns->bytes, at, record->bytes, record->bytes_len));
}

/* What a record of each kind leads to beside the ledger. */
static void read_beside(axh_reader_t *reader, const axh_record_t *record)
{
    const char *bytes = NULL;
    size_t len = 1;
    int is_whole = record->kind == AXH_RECORD_OBSERVATION
                   && record->completion_state == AX_COMPLETION_COMPLETE;

    if (record->kind == AXH_RECORD_OBSERVATION) {
        uint8_t hash[32];

        CHECK(axh_reader_question(reader, &bytes, &len) == AXH_OK);
        axilog_sha256(hash, (const uint8_t *)bytes, len);
        CHECK(memcmp(hash, record->content_hash, 32) == 0);
    } else {
        CHECK(axh_reader_question(reader, &bytes, &len) == AXH_ERR_ARGUMENT && len == 0);
        CHECK(bytes == NULL && said("no observation"));
    }
    if (is_whole) {
        CHECK(axh_reader_raw_answer(reader, &bytes, &len) == AXH_OK && len == record->output_len);
        CHECK(memcmp(bytes, record->output, len) == 0);
    } else if (record->kind == AXH_RECORD_RAW_ANSWER) {
        CHECK(axh_reader_raw_answer(reader, &bytes, &len) == AXH_OK && len == record->output_size);
    } else {
        CHECK(axh_reader_raw_answer(reader, &bytes, &len) == AXH_ERR_ARGUMENT && bytes == NULL);
    }
}

static void read_all(const char *path)
{
    axh_reader_t *reader = open_reader(path, NULL), *batches = open_reader(path, NULL);
    axh_reader_state_t state = { .size = sizeof state };
    axh_record_t record = { .size = sizeof record };
    axh_columns_t columns = { .size = sizeof columns };
    size_t at = 0;
    int status, i;

    while ((status = axh_reader_next(reader, &record)) == AXH_OK) {
        if (at == columns.count) {
            CHECK(axh_reader_columns(batches, 7, &columns) == AXH_OK && columns.count <= 7);
            at = 0;
        }
        compare(&record, &columns, at++);
        read_beside(reader, &record);
        printf("%llu %llu %d ", (unsigned long long)record.sequence,
               (unsigned long long)record.offset, (int)record.kind);
        for (i = 0; i < 32; i++) {
            printf("%02x", record.chain[i]);
        }
        printf(" %.*s\n", (int)record.bytes_len, record.bytes);
    }
    CHECK(status == AXH_END && record.bytes == NULL && record.sequence == 0);
    CHECK(at == columns.count && axh_reader_columns(batches, 7, &columns) == AXH_END);
    CHECK(columns.count == 0 && axh_reader_next(reader, &record) == AXH_END);
    CHECK(axh_reader_state(reader, &state) == AXH_OK && state.sealed && state.torn_bytes == 0);
    CHECK(state.time == 7 && state.entries > 20);
    CHECK(axh_reader_close(reader) == AXH_OK && axh_reader_close(batches) == AXH_OK);
}

static size_t count(const char *path, const axh_filter_t *filter)
{
    axh_reader_t *reader = open_reader(path, filter);
    axh_columns_t columns = { .size = sizeof columns };
    int status = axh_reader_columns(reader, 1000, &columns);

    CHECK(status == AXH_OK || status == AXH_END);
    CHECK(axh_reader_close(reader) == AXH_OK);
    return columns.count;
}

static void filter_records(const char *path)
{
    axh_filter_t filter = { .size = sizeof filter, .first = 3, .count = 5 };
    axh_reader_t *reader = NULL;

    CHECK(count(path, &filter) == 5);
    filter = (axh_filter_t){ .size = sizeof filter, .tags = AXH_TAG_STATE | AXH_TAG_PROOF };
    CHECK(count(path, &filter) == 5); /* the genesis, three raw answers, the seal */
    filter.oracle_id = "llm";
    CHECK(count(path, &filter) == 2);
    filter.oracle_id = "nobody";
    CHECK(count(path, &filter) == 0);
    filter.tags = 64;
    CHECK(axh_reader_open(path, &filter, &reader) == AXH_ERR_ARGUMENT && said("filter.tags is 64"));
}

/* A reader gives what a writer records, and takes no lock from it. */
static void read_beside_a_writer(const char *path)
{
    axh_decision_t decision = { .size = sizeof decision };
    axh_record_t record = { .size = sizeof record };
    axh_ledger_t *ledger = NULL;
    axh_reader_t *reader;
    int records = 0;

    CHECK(axh_ledger_create(path, NULL, &ledger) == AXH_OK);
    reader = open_reader(path, NULL);
    while (axh_reader_next(reader, &record) == AXH_OK) {
        records++;
    }
    CHECK(axh_control(ledger, AX_INPUT_FAULT_SIGNAL, &decision) == AXH_OK);
    CHECK(axh_reader_next(reader, &record) == AXH_OK && record.kind == AXH_RECORD_OBSERVATION);
    CHECK(record.sequence == decision.ledger_seq && records > 1);
    CHECK(strcmp(record.oracle_id, "ax.control") == 0);
    CHECK(axh_reader_next(reader, &record) == AXH_OK && record.kind == AXH_RECORD_TRANSITION);
    CHECK(record.input_class == AX_INPUT_FAULT_SIGNAL && record.fault_count == 1);
    CHECK(axh_reader_next(reader, &record) == AXH_END);
    CHECK(axh_ledger_close(ledger) == AXH_OK && axh_reader_next(reader, &record) == AXH_END);
    CHECK(axh_reader_close(reader) == AXH_OK);
}

static void use_without_a_reader(axh_reader_t *reader)
{
    axh_reader_state_t state = { .size = sizeof state };
    axh_record_t record = { .size = sizeof record };
    axh_columns_t columns = { .size = sizeof columns };
    const char *bytes;
    size_t len;

    CHECK(axh_reader_next(reader, &record) == AXH_ERR_HANDLE && said("axh_reader_open"));
    CHECK(axh_reader_columns(reader, 1, &columns) == AXH_ERR_HANDLE);
    CHECK(axh_reader_question(reader, &bytes, &len) == AXH_ERR_HANDLE);
    CHECK(axh_reader_raw_answer(reader, &bytes, &len) == AXH_ERR_HANDLE);
    CHECK(axh_reader_state(reader, &state) == AXH_ERR_HANDLE);
    CHECK(axh_reader_close(reader) == AXH_ERR_HANDLE);
}

static void misuse(const char *path)
{
    axh_reader_t *reader = open_reader(path, NULL), *none = NULL;
    axh_record_t record = { .size = 8 };
    axh_columns_t columns = { .size = sizeof columns };
    const char *bytes;
    size_t len;
    pid_t child;
    int status;

    CHECK(axh_reader_open(NULL, NULL, &none) == AXH_ERR_ARGUMENT && none == NULL);
    CHECK(axh_reader_open(path, NULL, NULL) == AXH_ERR_ARGUMENT);
    CHECK(axh_reader_open("/nowhere/ledger.jsonl", NULL, &none) == AXH_ERR_IO && said("/nowhere"));
    CHECK(axh_reader_open("/", NULL, &none) == AXH_ERR_IO && said("regular file"));
    CHECK(axh_reader_next(reader, NULL) == AXH_ERR_ARGUMENT);
    CHECK(axh_reader_next(reader, &record) == AXH_ERR_ARGUMENT && said("size of record is 8"));
    CHECK(axh_reader_columns(reader, 0, &columns) == AXH_ERR_ARGUMENT && said("max_records"));
    CHECK(axh_reader_question(reader, NULL, &len) == AXH_ERR_ARGUMENT);
    CHECK(axh_reader_question(reader, &bytes, NULL) == AXH_ERR_ARGUMENT);
    CHECK(axh_reader_question(reader, &bytes, &len) == AXH_ERR_ARGUMENT); /* nothing was read */
    CHECK(axh_ledger_close((axh_ledger_t *)reader) == AXH_ERR_HANDLE && said("open ledger"));
    CHECK(fflush(stdout) == 0); /* or the child may print once more what is not printed yet */
    child = fork();
    if (child == 0) {
        record.size = sizeof record;
        CHECK(axh_reader_next(reader, &record) == AXH_ERR_FORKED && said("forked"));
        CHECK(axh_reader_close(reader) == AXH_ERR_FORKED);
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    use_without_a_reader(NULL);
    use_without_a_reader((axh_reader_t *)&len);
    CHECK(axh_reader_close(reader) == AXH_OK);
    use_without_a_reader(reader);
}

static void try_policies(void)
{
    static const char policies[] =
        "[{\"comparison\":\"GT\",\"enabled\":true,\"policy_id\":\"MAX\",\"threshold\":4587520}]";
    static const char wrong[] = "[{\"comparison\":\"GT\"}]";
    const size_t len = sizeof policies - 1;
    char *text = NULL;

    CHECK(axh_policy_compile(policies, len, NULL, AXH_POLICY_FORM_JSON, NULL, &text) == AXH_OK);
    CHECK(strstr(text, "\"MAX\"") != NULL);
    axh_string_free(text);
    CHECK(axh_policy_compile(policies, len, NULL, AXH_POLICY_FORM_C, "limits", &text) == AXH_OK);
    CHECK(strstr(text, "const ax_policy_registry_t limits") != NULL);
    axh_string_free(text);
    CHECK(axh_policy_compile(policies, len, NULL, AXH_POLICY_FORM_C, "int", &text)
          == AXH_ERR_ARGUMENT && text == NULL);
    CHECK(axh_policy_compile(policies, len, NULL, (axh_policy_form_t)9, NULL, &text)
          == AXH_ERR_ARGUMENT && said("form is 9"));
    CHECK(axh_policy_compile(policies, len, NULL, AXH_POLICY_FORM_RUST, NULL, NULL)
          == AXH_ERR_ARGUMENT);
    CHECK(axh_policy_check(wrong, sizeof wrong - 1, "limits.json", &text) == AXH_ERR_ARGUMENT);
    CHECK(text == NULL && said("limits.json:1:"));
    CHECK(axh_policy_check(NULL, 3, NULL, NULL) == AXH_ERR_ARGUMENT && said("policies is NULL"));
    CHECK(axh_policy_explain(policies, len, NULL, "{\"value\":70}", 12, NULL, NULL) == AXH_OK);
    CHECK(axh_policy_explain(policies, len, NULL, "{\"value\":71}", 12, "llm", &text)
          == AXH_NOT_OK);
    CHECK(strstr(text, "is above 70") != NULL);
    axh_string_free(text);
    CHECK(axh_policy_explain(policies, len, NULL, "", 0, "\n", &text) == AXH_ERR_ARGUMENT);
    CHECK(text == NULL && said("no oracle id"));

    CHECK(axh_canonical_json(" {\"b\":1.0,\"a\":[]}", 17, &text) == AXH_OK);
    CHECK(strcmp(text, "{\"a\":[],\"b\":1}") == 0);
    axh_string_free(text);
    CHECK(axh_canonical_json("{\"a\":1,\"a\":2}", 13, &text) == AXH_ERR_ARGUMENT && text == NULL);
    CHECK(said("at byte 7"));
    CHECK(axh_canonical_json("1", 1, NULL) == AXH_ERR_ARGUMENT);
}

static void check_call(const char *message, size_t index, const char *oracle_id, const char *arguments)
{
    char *id = NULL, *text = NULL;

    CHECK(axh_tool_call(message, strlen(message), index, &id, &text) == AXH_OK);
    CHECK(strcmp(id, oracle_id) == 0);
    CHECK(strcmp(text, arguments) == 0);
    axh_string_free(id);
    axh_string_free(text);
}

static void split_messages(void)
{
    const char *chat =
        "{\"role\":\"assistant\",\"tool_calls\":[{\"type\":\"function\",\"function\":{\"name\":\"pay\","
        "\"arguments\":\"{\\\"b\\\": 1.0, \\\"a\\\": 2}\"}},"
        "{\"type\":\"function\",\"function\":{\"name\":\"say\",\"arguments\":\"no JSON\"}}]}";
    const char *content = "[{\"type\":\"text\",\"text\":\"hm\"},"
                          "{\"type\":\"tool_use\",\"name\":\"pay\",\"input\":{\"a\":2}}]";
    const char *nameless = "{\"tool_calls\":[{\"function\":{\"name\":\"a\"}},{\"function\":{}}]}";
    const char *nul = "[{\"type\":\"function_call\",\"name\":\"a\",\"arguments\":\"\\u0000\"}]";
    char *id = NULL, *text = NULL;

    check_call(chat, 0, "tool.pay", "{\"a\":2,\"b\":1}");
    check_call(chat, 1, "tool.say", "no JSON");
    CHECK(axh_tool_call(chat, strlen(chat), 2, &id, &text) == AXH_END && id == NULL && text == NULL);
    check_call(content, 0, "tool.pay", "{\"a\":2}");
    CHECK(axh_tool_call(content, strlen(content), 1, &id, &text) == AXH_END);
    CHECK(axh_tool_call("[]", 2, 0, &id, &text) == AXH_END);
    CHECK(axh_tool_call("{}", 2, 0, &id, &text) == AXH_ERR_ARGUMENT && said("no message"));

    /* A fault anywhere in the message keeps back its good calls too. */
    CHECK(axh_tool_call(nameless, strlen(nameless), 0, &id, &text) == AXH_ERR_ARGUMENT && said("call 1 has no name"));
    CHECK(axh_tool_call(nul, strlen(nul), 0, &id, &text) == AXH_ERR_ARGUMENT && said("NUL"));
    CHECK(axh_tool_call("{\"choices\":[]}", 14, 0, &id, &text) == AXH_ERR_ARGUMENT && said("choices"));
    CHECK(axh_tool_call("{", 1, 0, &id, &text) == AXH_ERR_ARGUMENT && id == NULL && text == NULL);
    CHECK(axh_tool_call(NULL, 1, 0, &id, &text) == AXH_ERR_ARGUMENT);
    CHECK(axh_tool_call(chat, strlen(chat), 0, NULL, &text) == AXH_ERR_ARGUMENT && said("oracle_id"));
    CHECK(axh_tool_call(chat, strlen(chat), 0, &id, NULL) == AXH_ERR_ARGUMENT && said("arguments"));
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    read_all(argv[1]);
    filter_records(argv[1]);
    read_beside_a_writer(argv[2]);
    misuse(argv[1]);
    try_policies();
    split_messages();
    return 0;
}
