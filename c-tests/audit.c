/* audit.h: the chain, its sink, its seal, the lines of its file. */

#include "axilog/audit.h"

#include "axilog/commitment.h"
#include "flags.h"
#include "ledger_file.h"
#include "vectors.h"

#define GOLDEN "7bb0d791697306ce2f1cc5df0bcdf66d810d6af9425aa380b352a62453a5ec7b"

static ct_fault_flags_t faults;
static ledger_file_t file;
static const ax_ledger_sink_t SINK = { ledger_file_append, &file };

/* An evidence record; the casts keep one line per call. */
static ax_evidence_t evidence(const char *tag, const char *payload)
{
    ax_evidence_t made;
    made.tag = tag;
    made.payload = (const uint8_t *)payload;
    made.payload_len = payload == NULL ? 0 : strlen(payload);
    return made;
}

static void genesis(void)
{
    ax_ledger_ctx_t ctx;
    ax_ledger_entry_t entry;
    uint8_t commit[32];
    memset(&ctx, 0xA5, sizeof ctx);
    CHECK(ax_ledger_genesis(&ctx, &faults) == AX_OK);
    CHECK(is_hex(ctx.current_hash, 32, GOLDEN) && is_hex(ctx.genesis_hash, 32, GOLDEN));
    CHECK(ctx.sequence == 0 && ctx.failed == 0 && ctx.initialised == 1 && ctx.sealed == 0);
    CHECK(is_all(ctx._pad, sizeof ctx._pad, 0) && ctx.sink == NULL);
    CHECK(ax_verify_chain(&ctx, &faults) == AX_OK && flags_taken(&faults) == 0);
    CHECK(ax_ledger_genesis(NULL, &faults) == AX_ERR_PROTOCOL && flags_taken(&faults) == DOMAIN_);
    ctx.sequence = 77;
    CHECK(ax_ledger_genesis(&ctx, NULL) == AX_ERR_PROTOCOL && ctx.sequence == 77);

    memset(&entry, 0, sizeof entry);
    CHECK(ax_ledger_genesis_entry(&entry) == AX_OK && entry.sequence == 0);
    CHECK_STR(entry.tag, AX_TAG_STATE);
    CHECK(is_hex(entry.chain, 32, GOLDEN));
    axilog_commit(entry.tag, entry.payload, entry.payload_len, commit, &faults);
    CHECK(memcmp(commit, entry.commit, 32) == 0);
    CHECK(ax_ledger_genesis_entry(NULL) == AX_ERR_PROTOCOL);
}

static void commitments(void)
{
    ax_evidence_t e = evidence(AX_TAG_TRANS, "{}");
    uint8_t out[32];
    uint8_t expected[32];
    CHECK(ax_commit_evidence(&e, out, &faults) == AX_OK);
    axilog_commit(AX_TAG_TRANS, e.payload, 2, expected, &faults);
    CHECK(memcmp(out, expected, 32) == 0 && flags_taken(&faults) == 0);

#define FAILS(made, code) \
    e = (made); \
    memset(out, 0xA5, 32); \
    CHECK(ax_commit_evidence(&e, out, &faults) == (code) && is_all(out, 32, 0)); \
    CHECK(flags_taken(&faults) == DOMAIN_)
    FAILS(evidence("AX:LEDGER:v1", "{}"), AX_ERR_SCHEMA);
    FAILS(evidence("AX:OBS:v2", "{}"), AX_ERR_SCHEMA);
    FAILS(evidence("AX:OBS:v11", "{}"), AX_ERR_SCHEMA);
    FAILS(evidence("", "{}"), AX_ERR_SCHEMA);
    FAILS(evidence("a tag that is longer than every tag", "{}"), AX_ERR_SCHEMA);
    FAILS(evidence(AX_TAG_TRANS, ""), AX_ERR_SCHEMA);
    FAILS(evidence(AX_TAG_TRANS, NULL), AX_ERR_SCHEMA);
    FAILS(evidence(NULL, "{}"), AX_ERR_PROTOCOL);
#undef FAILS
    e = evidence(AX_TAG_OBS, NULL);
    e.payload_len = 1;
    CHECK(ax_commit_evidence(&e, out, &faults) == AX_ERR_PROTOCOL && is_all(out, 32, 0));
    CHECK(flags_taken(&faults) == DOMAIN_);
    memset(out, 0xA5, 32);
    CHECK(ax_commit_evidence(NULL, out, &faults) == AX_ERR_PROTOCOL && is_all(out, 32, 0));
    CHECK(flags_taken(&faults) == DOMAIN_);
    CHECK(ax_commit_evidence(&e, NULL, &faults) == AX_ERR_PROTOCOL);
    CHECK(flags_taken(&faults) == DOMAIN_);
    memset(out, 0xA5, 32);
    CHECK(ax_commit_evidence(&e, out, NULL) == AX_ERR_PROTOCOL && is_all(out, 32, 0xA5));
}

/* A call that must change nothing in ctx. */
#define UNCHANGED(call, code, flags) \
    do { \
        const ax_ledger_ctx_t before = ctx; \
        CHECK((call) == (code) && flags_taken(&faults) == (flags)); \
        CHECK(memcmp(&before, &ctx, sizeof ctx) == 0); \
    } while (0)

static void recording(void)
{
    ax_ledger_ctx_t ctx;
    ax_ledger_ctx_t chained;
    ax_evidence_t e = evidence(AX_TAG_TRANS, "{\"a\":1}");
    uint8_t head[32];
    uint8_t commit[32];
    const ax_ledger_sink_t incomplete = { NULL, NULL };

    ax_ledger_genesis(&ctx, &faults);
    ledger_file_begin(&file);
    CHECK(ax_ledger_set_sink(&ctx, &SINK, &faults) == AX_OK && ctx.sink == &SINK);
    CHECK(ax_ledger_record(&ctx, &e, &faults) == AX_OK);
    CHECK(ctx.sequence == 1 && file.entries == 2);

    /* Appending the commitment alone gives the same chain, and does not call the sink. */
    ax_ledger_genesis(&chained, &faults);
    ax_ledger_set_sink(&chained, &SINK, &faults);
    CHECK(ax_commit_evidence(&e, commit, &faults) == AX_OK);
    CHECK(ax_ledger_append(&chained, commit, &faults) == AX_OK);
    CHECK(memcmp(chained.current_hash, ctx.current_hash, 32) == 0 && chained.sequence == 1);
    CHECK(file.entries == 2 && flags_taken(&faults) == 0);
    CHECK(ax_verify_chain(&ctx, &faults) == AX_OK);

    /* The wrong calls. */
    UNCHANGED(ax_ledger_record(&ctx, NULL, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    UNCHANGED(ax_ledger_record(&ctx, &e, NULL), AX_ERR_PROTOCOL, 0);
    UNCHANGED(ax_ledger_record(NULL, &e, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    UNCHANGED(ax_ledger_append(&ctx, NULL, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    UNCHANGED(ax_ledger_append(&ctx, commit, NULL), AX_ERR_PROTOCOL, 0);
    UNCHANGED(ax_ledger_append(NULL, commit, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    e = evidence(AX_CHAIN_LEDGER, "{}");
    UNCHANGED(ax_ledger_record(&ctx, &e, &faults), AX_ERR_SCHEMA, DOMAIN_);
    e = evidence(NULL, "{}");
    UNCHANGED(ax_ledger_record(&ctx, &e, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    e = evidence(AX_TAG_OBS, NULL);
    e.payload_len = 3;
    UNCHANGED(ax_ledger_record(&ctx, &e, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    UNCHANGED(ax_ledger_set_sink(&ctx, &incomplete, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    UNCHANGED(ax_ledger_set_sink(NULL, &SINK, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    UNCHANGED(ax_ledger_set_sink(&ctx, NULL, NULL), AX_ERR_PROTOCOL, 0);
    UNCHANGED(ax_verify_chain(NULL, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    UNCHANGED(ax_verify_chain(&ctx, NULL), AX_ERR_PROTOCOL, 0);
    UNCHANGED(ax_ledger_seal(NULL, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    UNCHANGED(ax_ledger_seal(&ctx, NULL), AX_ERR_PROTOCOL, 0);

    /* A ledger without a sink commits and keeps nothing. */
    e = evidence(AX_TAG_TRANS, "{}");
    CHECK(ax_ledger_set_sink(&ctx, NULL, &faults) == AX_OK && ctx.sink == NULL);
    CHECK(ax_ledger_record(&ctx, &e, &faults) == AX_OK && ctx.sequence == 2 && file.entries == 2);

    /* A refused record fails the ledger for good, and the head stays. */
    ax_ledger_set_sink(&ctx, &SINK, &faults);
    memcpy(head, ctx.current_hash, 32);
    file.refuse = 2;
    CHECK(ax_ledger_record(&ctx, &e, &faults) == AX_OK);
    memcpy(head, ctx.current_hash, 32);
    CHECK(ax_ledger_record(&ctx, &e, &faults) == AX_ERR_LEDGER);
    CHECK(flags_taken(&faults) == (IO_ERROR_ | LEDGER_FAIL_));
    CHECK(ctx.failed == 1 && ctx.sequence == 3 && memcmp(head, ctx.current_hash, 32) == 0);
    UNCHANGED(ax_ledger_record(&ctx, &e, &faults), AX_ERR_LEDGER, LEDGER_FAIL_);
    UNCHANGED(ax_ledger_append(&ctx, commit, &faults), AX_ERR_LEDGER, LEDGER_FAIL_);
    UNCHANGED(ax_ledger_seal(&ctx, &faults), AX_ERR_LEDGER, LEDGER_FAIL_);
    UNCHANGED(ax_verify_chain(&ctx, &faults), AX_ERR_LEDGER, LEDGER_FAIL_);
    CHECK(file.entries == 3);

    /* One that was never initialised. */
    memset(&ctx, 0, sizeof ctx);
    UNCHANGED(ax_ledger_set_sink(&ctx, &SINK, &faults), AX_ERR_LEDGER, DOMAIN_);
#define FAILS_IT(call) \
    memset(&ctx, 0, sizeof ctx); \
    CHECK((call) == AX_ERR_LEDGER && flags_taken(&faults) == (DOMAIN_ | LEDGER_FAIL_)); \
    CHECK(ctx.failed == 1 && ctx.initialised == 0 && ctx.sequence == 0);
    FAILS_IT(ax_ledger_record(&ctx, &e, &faults));
    FAILS_IT(ax_ledger_seal(&ctx, &faults));
    FAILS_IT(ax_ledger_append(&ctx, commit, &faults));
    UNCHANGED(ax_verify_chain(&ctx, &faults), AX_ERR_LEDGER, LEDGER_FAIL_);
}

static void resuming(void)
{
    ax_ledger_ctx_t ctx;
    ax_ledger_ctx_t whole;
    ax_ledger_ctx_t last;
    ax_evidence_t e = evidence(AX_TAG_TRANS, "{}");
    ax_ledger_genesis(&whole, &faults);
    last = whole;
    CHECK(ax_ledger_resume(&ctx, whole.current_hash, 0, &faults) == AX_OK);
    CHECK(memcmp(&ctx, &whole, sizeof ctx) == 0);
    ax_ledger_record(&whole, &e, &faults);
    CHECK(ax_ledger_resume(&ctx, whole.current_hash, 1, &faults) == AX_OK);
    CHECK(memcmp(&ctx, &whole, sizeof ctx) == 0);
    CHECK(ax_ledger_record(&ctx, &e, &faults) == AX_OK && ctx.sequence == 2);
    CHECK(flags_taken(&faults) == 0);

    UNCHANGED(ax_ledger_resume(&ctx, whole.current_hash, 0, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    UNCHANGED(ax_ledger_resume(&ctx, last.current_hash, 5, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    UNCHANGED(ax_ledger_resume(&ctx, NULL, 1, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    UNCHANGED(ax_ledger_resume(&ctx, whole.current_hash, 1, NULL), AX_ERR_PROTOCOL, 0);
    CHECK(ax_ledger_resume(NULL, whole.current_hash, 1, &faults) == AX_ERR_PROTOCOL);
    CHECK(flags_taken(&faults) == DOMAIN_);

    /* There is no sequence after the last. */
    CHECK(ax_ledger_resume(&ctx, whole.current_hash, UINT64_MAX - 1, &faults) == AX_OK);
    CHECK(ax_ledger_record(&ctx, &e, &faults) == AX_OK && ctx.sequence == UINT64_MAX);
    last = ctx;
    CHECK(ax_ledger_record(&ctx, &e, &faults) == AX_ERR_LEDGER && flags_taken(&faults) == LEDGER_FAIL_);
    CHECK(ctx.failed == 1 && ctx.sequence == UINT64_MAX);
    CHECK(memcmp(last.current_hash, ctx.current_hash, 32) == 0);

    /* A head that is the genesis of a longer ledger. */
    ax_ledger_genesis(&ctx, &faults);
    ctx.sequence = 1;
    CHECK(ax_verify_chain(&ctx, &faults) == AX_ERR_LEDGER && flags_taken(&faults) == LEDGER_FAIL_);
    ax_ledger_genesis(&ctx, &faults);
    ctx.current_hash[0] ^= 1;
    CHECK(ax_verify_chain(&ctx, &faults) == AX_ERR_LEDGER && flags_taken(&faults) == LEDGER_FAIL_);
}

static void sealing(void)
{
    ax_ledger_ctx_t ctx;
    ax_ledger_entry_t entry;
    ax_evidence_t e = evidence(AX_TAG_TRANS, "{}");
    char tag[16];
    char expected[160];
    uint8_t commit[32] = { 0 };
    size_t at = 0;
    size_t begin;
    size_t len = 0;
    size_t i;

    ax_ledger_genesis(&ctx, &faults);
    ledger_file_begin(&file);
    ax_ledger_set_sink(&ctx, &SINK, &faults);
    CHECK(ax_ledger_record(&ctx, &e, &faults) == AX_OK);
    memcpy(expected, "{\"entries\":2,\"head\":\"", 21);
    for (i = 0; i < 32; i++) {
        snprintf(expected + 21 + 2 * i, 3, "%02x", (unsigned)ctx.current_hash[i]);
    }
    strcpy(expected + 21 + 64, "\",\"kind\":\"SEAL\"}");
    CHECK(ax_ledger_seal(&ctx, &faults) == AX_OK && ctx.sealed == 1 && ctx.sequence == 2);
    for (begin = 0; at < file.len; begin = at - len) {
        len = ledger_file_next(file.bytes, file.len, &at);
    }
    CHECK(ax_ledger_line_parse(&entry, tag, file.bytes + begin, len) == AX_OK);
    CHECK_STR(tag, "AX:PROOF:v1");
    CHECK(entry.payload_len == strlen(expected) && memcmp(entry.payload, expected, strlen(expected)) == 0);
    UNCHANGED(ax_ledger_record(&ctx, &e, &faults), AX_ERR_LEDGER, LEDGER_FAIL_);
    UNCHANGED(ax_ledger_append(&ctx, commit, &faults), AX_ERR_LEDGER, LEDGER_FAIL_);
    UNCHANGED(ax_ledger_seal(&ctx, &faults), AX_ERR_LEDGER, LEDGER_FAIL_);
    CHECK(ax_verify_chain(&ctx, &faults) == AX_OK);
}

/* Every line of the golden file, read and written. */
static void golden_lines(void)
{
    static uint8_t line[4096];
    const bytes_t golden = BREACH_ALARM_RECOVER;
    ax_ledger_ctx_t ctx;
    size_t at = 0;
    uint64_t n = 0;

    ax_ledger_genesis(&ctx, &faults);
    while (at < golden.len) {
        const uint8_t *begin = golden.at + at;
        size_t len = ledger_file_next(golden.at, golden.len, &at);
        ax_ledger_entry_t entry;
        ax_ledger_entry_t same;
        ax_evidence_t e;
        char tag[16];
        memset(tag, 0x5A, sizeof tag);
        if (!CHECK(ax_ledger_line_parse(&entry, tag, begin, len) == AX_OK)) {
            return;
        }
        CHECK(entry.tag == tag && entry.sequence == n && tag[15] == '\0');
        CHECK(entry.payload > begin && entry.payload + entry.payload_len < begin + len);
        CHECK(ax_ledger_line_parse(&same, tag, begin, len - 1) == AX_OK);
        CHECK(same.payload == entry.payload && same.sequence == n);
        memset(line, 0x5A, sizeof line);
        CHECK(ax_ledger_line_write(line, len - 1, &entry) == AX_ERR_BUFFER);
        CHECK(is_all(line, sizeof line, 0x5A));
        CHECK(ax_ledger_line_write(line, len, &entry) == (int)len);
        CHECK(memcmp(line, begin, len) == 0 && line[len] == 0x5A);
        e.tag = entry.tag;
        e.payload = entry.payload;
        e.payload_len = entry.payload_len;
        if (n > 0) {
            CHECK(ax_ledger_record(&ctx, &e, &faults) == AX_OK);
        }
        CHECK(memcmp(ctx.current_hash, entry.chain, 32) == 0 && ctx.sequence == n);
        n++;
    }
    CHECK(n == 20 && flags_taken(&faults) == 0);
}

static int no_line(const char *text, size_t len)
{
    ax_ledger_entry_t entry;
    char tag[16];
    memset(&entry, 0xA5, sizeof entry);
    memset(tag, 0x5A, sizeof tag);
    return ax_ledger_line_parse(&entry, tag, (const uint8_t *)text, len) == AX_ERR_SCHEMA
        && is_all(&entry, sizeof entry, 0xA5) && is_all(tag, sizeof tag, 0x5A);
}

static void bad_lines(void)
{
    static char text[4096];
    const char *golden = (const char *)BREACH_ALARM_RECOVER.at;
    ax_ledger_entry_t entry;
    char tag[16];
    uint8_t line[512];
    size_t at = 0;
    size_t len = ledger_file_next(BREACH_ALARM_RECOVER.at, BREACH_ALARM_RECOVER.len, &at);

    CHECK(no_line(golden, len - 2));
    CHECK(no_line(golden, 0) && no_line(NULL, 0));
    CHECK(no_line(golden + 1, len - 1));
    CHECK(no_line(golden, len + 1));
    memcpy(text, golden, len);
    *strstr(text, "\"seq\":0") = '\'';
    CHECK(no_line(text, len));
    memcpy(text, golden, len);
    memcpy(strstr(text, "\"tag\":\"AX:STATE"), "\"tag\":\"AX:STATX", 15);
    CHECK(no_line(text, len));
    memcpy(text, golden, len);
    text[10] = 'G';
    CHECK(no_line(text, len));

    CHECK(ax_ledger_genesis_entry(&entry) == AX_OK);
    CHECK(ax_ledger_line_parse(NULL, tag, (const uint8_t *)golden, len) == AX_ERR_PROTOCOL);
    CHECK(ax_ledger_line_parse(&entry, NULL, (const uint8_t *)golden, len) == AX_ERR_PROTOCOL);
    CHECK(ax_ledger_line_parse(&entry, tag, NULL, len) == AX_ERR_PROTOCOL);
    CHECK(ax_ledger_line_write(NULL, 512, &entry) == AX_ERR_PROTOCOL);
    CHECK(ax_ledger_line_write(NULL, 0, &entry) == AX_ERR_PROTOCOL);
    CHECK(ax_ledger_line_write(line, 512, NULL) == AX_ERR_PROTOCOL);
    entry.tag = NULL;
    CHECK(ax_ledger_line_write(line, 512, &entry) == AX_ERR_PROTOCOL);
    entry.tag = "AX:NEW:v1";
    CHECK(ax_ledger_line_write(line, 512, &entry) == AX_ERR_SCHEMA);
    entry.tag = AX_TAG_STATE;
    entry.payload = (const uint8_t *)"{\n}";
    entry.payload_len = 3;
    CHECK(ax_ledger_line_write(line, 512, &entry) == AX_ERR_SCHEMA);
    entry.payload = (const uint8_t *)"[1]";
    CHECK(ax_ledger_line_write(line, 512, &entry) == AX_ERR_SCHEMA);
    entry.payload = NULL;
    CHECK(ax_ledger_line_write(line, 512, &entry) == AX_ERR_PROTOCOL);
}

static void comparing(void)
{
    uint8_t a[32] = { 1, 2, 3 };
    uint8_t b[32] = { 1, 2, 3 };
    size_t i;
    CHECK(ax_hash_equal_ct(a, b, 32) == 1);
    for (i = 0; i < 256; i++) {
        b[i / 8] ^= (uint8_t)(1 << (i % 8));
        CHECK(ax_hash_equal_ct(a, b, 32) == 0);
        b[i / 8] ^= (uint8_t)(1 << (i % 8));
    }
    CHECK(ax_hash_equal_ct(a, b, 0) == 1 && ax_hash_equal_ct(NULL, NULL, 0) == 1);
    CHECK(ax_hash_equal_ct(NULL, b, 32) == 0 && ax_hash_equal_ct(a, NULL, 32) == 0);
    CHECK(ax_hash_equal_ct(NULL, NULL, 32) == 0);
}

int main(void)
{
    ct_fault_init(&faults);
    genesis();
    commitments();
    recording();
    resuming();
    sealing();
    golden_lines();
    bad_lines();
    comparing();
    return check_end();
}
