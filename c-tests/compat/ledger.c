/* Conformance of audit.h: the chain, its sink, its seal, the lines of its file. */

#include "conformance.h"

#include "axilog/audit.h"
#include "axilog/commitment.h"

#include "ledger_file.h"

#define GOLDEN "7bb0d791697306ce2f1cc5df0bcdf66d810d6af9425aa380b352a62453a5ec7b"

static ax_ledger_ctx_t *ctx;
static ledger_file_t file;
static const ax_ledger_sink_t SINK = { ledger_file_append, &file };

static ax_evidence_t evidence(const char *tag, const char *payload)
{
    ax_evidence_t made;
    made.tag = tag;
    made.payload = (const uint8_t *)payload;
    made.payload_len = payload == NULL ? 0 : strlen(payload);
    return made;
}

/* A new ledger whose file begins. */
static void begin(void)
{
    memset(ctx, 0xA5, sizeof *ctx);
    ax_ledger_genesis(ctx, base);
    ledger_file_begin(&file);
    CHECK(ax_ledger_set_sink(ctx, &SINK, base) == AX_OK && base_taken() == 0);
}

/* A call that sets flags and leaves the ledger as it is. */
#define UNCHANGED(call, flags) \
    do { \
        uint8_t before_[sizeof *ctx]; \
        memcpy(before_, ctx, sizeof *ctx); \
        call; \
        CHECK(base_taken() == (flags) && memcmp(before_, ctx, sizeof *ctx) == 0); \
    } while (0)

/* The same, which tells its failure by a code too. */
#define FAILS(call, code, flags) UNCHANGED(CHECK((call) == (code)), flags)

static void genesis(void)
{
    ax_ledger_entry_t *entry = (ax_ledger_entry_t *)guarded(sizeof *entry);
    uint8_t commit[32];
    memset(ctx, 0xA5, sizeof *ctx);
    ax_ledger_genesis(ctx, base);
    CHECK(base_taken() == 0 && is_hex(ctx->current_hash, 32, GOLDEN) && is_hex(ctx->genesis_hash, 32, GOLDEN));
    CHECK(ctx->sequence == 0 && ctx->failed == 0 && ctx->sealed == 0 && ctx->sink == NULL);
    CHECK(ctx->initialised == 1 && ctx->state == AX_LEDGER_READY && is_all(ctx->_pad, 6, 0));
    CHECK(ax_ledger_state(ctx) == AX_LEDGER_READY && ax_ledger_state(NULL) == 0);
    UNCHANGED(ax_verify_chain(ctx, base), 0);
    UNCHANGED(ax_ledger_genesis(NULL, base), DOMAIN_);
    ctx->sequence = 77;
    UNCHANGED(ax_ledger_genesis(ctx, NULL), 0);

    CHECK(strlen(AX_GENESIS_PAYLOAD) == sizeof AX_GENESIS_PAYLOAD - 1);
    CHECK_STR(AX_LEDGER_GENESIS_PAYLOAD, AX_GENESIS_PAYLOAD);
    CHECK(ax_ledger_genesis_entry(entry) == AX_OK && entry->sequence == 0);
    CHECK_STR(entry->tag, AX_TAG_STATE);
    CHECK(entry->payload_len == strlen(AX_GENESIS_PAYLOAD));
    CHECK(memcmp(entry->payload, AX_GENESIS_PAYLOAD, strlen(AX_GENESIS_PAYLOAD)) == 0);
    axilog_commit(AX_TAG_STATE, (const uint8_t *)AX_GENESIS_PAYLOAD, strlen(AX_GENESIS_PAYLOAD), commit, base);
    CHECK(memcmp(commit, entry->commit, 32) == 0 && is_hex(entry->chain, 32, GOLDEN));
    CHECK(ax_ledger_genesis_entry(NULL) == AX_ERR_PROTOCOL);
}

static void committing(void)
{
    ax_evidence_t e = evidence(AX_TAG_TRANS, "{}");
    uint8_t expected[32];
    uint8_t *out = (uint8_t *)guarded(32);
    static const struct {
        const char *tag;
        const char *payload;
        int code;
    } BAD[] = {
        { "AX:LEDGER:v1", "{}", AX_ERR_SCHEMA }, { "AX:OBS:v2", "{}", AX_ERR_SCHEMA },
        { "AX:OBS:v11", "{}", AX_ERR_SCHEMA },   { "", "{}", AX_ERR_SCHEMA },
        { AX_TAG_TRANS, "", AX_ERR_SCHEMA },     { AX_TAG_TRANS, NULL, AX_ERR_SCHEMA },
        { NULL, "{}", AX_ERR_PROTOCOL },
    };
    size_t i;
    CHECK(ax_commit_evidence(&e, out, base) == AX_OK && base_taken() == 0);
    axilog_commit(AX_TAG_TRANS, e.payload, 2, expected, base);
    CHECK(memcmp(out, expected, 32) == 0 && base_taken() == 0);
    begin();
    for (i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        e = evidence(BAD[i].tag, BAD[i].payload);
        memset(out, 0xA5, 32);
        CHECK(ax_commit_evidence(&e, out, base) == BAD[i].code && base_taken() == DOMAIN_ && is_all(out, 32, 0));
        FAILS(ax_ledger_record(ctx, &e, base), BAD[i].code, DOMAIN_);
    }
    e = evidence(AX_TAG_OBS, NULL);
    e.payload_len = 1;
    CHECK(ax_commit_evidence(&e, out, base) == AX_ERR_PROTOCOL && base_taken() == DOMAIN_);
    FAILS(ax_ledger_record(ctx, &e, base), AX_ERR_PROTOCOL, DOMAIN_);
    CHECK(ax_commit_evidence(NULL, out, base) == AX_ERR_PROTOCOL && base_taken() == DOMAIN_);
    CHECK(ax_commit_evidence(&e, NULL, base) == AX_ERR_PROTOCOL && base_taken() == DOMAIN_);
    memset(out, 0xA5, 32);
    CHECK(ax_commit_evidence(&e, out, NULL) == AX_ERR_PROTOCOL && is_all(out, 32, 0xA5));
    CHECK(file.entries == 1);
}

static void recording(void)
{
    const ax_ledger_sink_t incomplete = { NULL, NULL };
    ax_evidence_t e = evidence(AX_TAG_TRANS, "{\"a\":1}");
    uint8_t commit[32];
    uint8_t head[32];

    begin();
    CHECK(ctx->sink == &SINK && ax_ledger_record(ctx, &e, base) == AX_OK && base_taken() == 0);
    CHECK(ctx->sequence == 1 && file.entries == 2);
    memcpy(head, ctx->current_hash, 32);

    /* Appending the commitment alone gives the same chain, and does not call the sink. */
    begin();
    CHECK(ax_commit_evidence(&e, commit, base) == AX_OK);
    ax_ledger_append(ctx, commit, base);
    CHECK(base_taken() == 0 && memcmp(head, ctx->current_hash, 32) == 0 && ctx->sequence == 1);
    CHECK(file.entries == 1);
    UNCHANGED(ax_verify_chain(ctx, base), 0);

    UNCHANGED(ax_ledger_append(ctx, NULL, base), DOMAIN_);
    UNCHANGED(ax_ledger_append(ctx, commit, NULL), 0);
    UNCHANGED(ax_ledger_append(NULL, commit, base), DOMAIN_);
    FAILS(ax_ledger_record(ctx, NULL, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_ledger_record(ctx, &e, NULL), AX_ERR_PROTOCOL, 0);
    FAILS(ax_ledger_record(NULL, &e, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_ledger_set_sink(ctx, &incomplete, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_ledger_set_sink(NULL, &SINK, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_ledger_set_sink(ctx, NULL, NULL), AX_ERR_PROTOCOL, 0);
    UNCHANGED(ax_verify_chain(NULL, base), DOMAIN_);
    UNCHANGED(ax_verify_chain(ctx, NULL), 0);
    FAILS(ax_ledger_seal(NULL, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_ledger_seal(ctx, NULL), AX_ERR_PROTOCOL, 0);

    /* Without a sink a record is committed and kept nowhere. */
    CHECK(ax_ledger_set_sink(ctx, NULL, base) == AX_OK && ctx->sink == NULL);
    CHECK(ax_ledger_record(ctx, &e, base) == AX_OK && ctx->sequence == 2 && file.entries == 1);

    /* A refused record fails the ledger for good, and the head stays. */
    begin();
    file.refuse = 2;
    CHECK(ax_ledger_record(ctx, &e, base) == AX_OK && base_taken() == 0);
    memcpy(head, ctx->current_hash, 32);
    CHECK(ax_ledger_record(ctx, &e, base) == AX_ERR_LEDGER && base_taken() == (IO_ERROR_ | LEDGER_FAIL_));
    CHECK(ctx->failed == 1 && ctx->sequence == 1 && memcmp(head, ctx->current_hash, 32) == 0);
    CHECK(ax_ledger_state(ctx) == 0 && ctx->state == AX_LEDGER_READY);
    FAILS(ax_ledger_record(ctx, &e, base), AX_ERR_LEDGER, LEDGER_FAIL_);
    UNCHANGED(ax_ledger_append(ctx, commit, base), LEDGER_FAIL_);
    FAILS(ax_ledger_seal(ctx, base), AX_ERR_LEDGER, LEDGER_FAIL_);
    UNCHANGED(ax_verify_chain(ctx, base), LEDGER_FAIL_);
    CHECK(file.entries == 2);

    /* One that was never initialised. */
#define FAILS_IT(call) \
    memset(ctx, 0, sizeof *ctx); \
    call; \
    CHECK(base_taken() == (DOMAIN_ | LEDGER_FAIL_)); \
    CHECK(ctx->failed == 1 && ctx->initialised == 0 && ctx->sequence == 0 && ax_ledger_state(ctx) == 0)
    FAILS_IT(ax_ledger_record(ctx, &e, base));
    FAILS_IT(ax_ledger_seal(ctx, base));
#undef FAILS_IT
    memset(ctx, 0, sizeof *ctx);
    ax_ledger_append(ctx, commit, base);
    CHECK(base_taken() == LEDGER_FAIL_);
    CHECK(ctx->failed == 1 && ctx->initialised == 0 && ctx->sequence == 0 && ax_ledger_state(ctx) == 0);
    memset(ctx, 0, sizeof *ctx);
    FAILS(ax_ledger_set_sink(ctx, &SINK, base), AX_ERR_LEDGER, DOMAIN_);
}

/* A ledger that is not consistent fails by being checked. */
static void verifying(void)
{
    ax_evidence_t e = evidence(AX_TAG_TRANS, "{}");
    int way;
    for (way = 0; way < 4; way++) {
        begin();
        CHECK(way == 0 || ax_ledger_record(ctx, &e, base) == AX_OK);
        switch (way) {
        case 0: /* a head that the genesis does not have */
            ctx->current_hash[31] ^= 1;
            break;
        case 1: /* a record, and no sequence for it */
            ctx->sequence = 0;
            break;
        case 2: /* the head of the genesis after it */
            memcpy(ctx->current_hash, ctx->genesis_hash, 32);
            break;
        default: /* never initialised */
            memset(ctx, 0, sizeof *ctx);
            break;
        }
        UNCHANGED(ax_verify_chain(ctx, NULL), 0);
        CHECK(ctx->failed == 0);
        ax_verify_chain(ctx, base);
        CHECK(base_taken() == LEDGER_FAIL_ && ctx->failed == 1 && ax_ledger_state(ctx) == 0);
        UNCHANGED(ax_verify_chain(ctx, base), LEDGER_FAIL_);
        CHECK(ax_ledger_record(ctx, &e, base) == AX_ERR_LEDGER);
        CHECK(base_taken() == (way == 3 ? DOMAIN_ | LEDGER_FAIL_ : LEDGER_FAIL_));
    }
}

static void resuming(void)
{
    ax_evidence_t e = evidence(AX_TAG_TRANS, "{}");
    uint8_t first[32];
    uint8_t second[32];
    begin();
    memcpy(first, ctx->current_hash, 32);
    CHECK(ax_ledger_record(ctx, &e, base) == AX_OK);
    memcpy(second, ctx->current_hash, 32);

    CHECK(ax_ledger_resume(ctx, first, 0, base) == AX_OK && ctx->sink == NULL && ctx->sequence == 0);
    CHECK(ax_ledger_record(ctx, &e, base) == AX_OK && memcmp(second, ctx->current_hash, 32) == 0);
    CHECK(ax_ledger_resume(ctx, second, 1, base) == AX_OK && ax_ledger_state(ctx) == AX_LEDGER_READY);
    CHECK(base_taken() == 0 && ctx->sequence == 1);
    FAILS(ax_ledger_resume(ctx, second, 0, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_ledger_resume(ctx, first, 5, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_ledger_resume(ctx, NULL, 1, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_ledger_resume(NULL, second, 1, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_ledger_resume(ctx, second, 1, NULL), AX_ERR_PROTOCOL, 0);

    /* There is no sequence after the last. */
    CHECK(ax_ledger_resume(ctx, second, UINT64_MAX - 1, base) == AX_OK);
    ax_ledger_append(ctx, first, base);
    CHECK(base_taken() == 0 && ctx->sequence == UINT64_MAX);
    ax_ledger_append(ctx, first, base);
    CHECK(base_taken() == LEDGER_FAIL_ && ctx->failed == 1 && ctx->sequence == UINT64_MAX);
}

static void sealing(void)
{
    ax_evidence_t e = evidence(AX_TAG_TRANS, "{}");
    char seal[160];
    uint8_t commit[32] = { 0 };
    size_t i;
    begin();
    CHECK(ax_ledger_record(ctx, &e, base) == AX_OK);
    strcpy(seal, "{\"entries\":2,\"head\":\"");
    for (i = 0; i < 32; i++) {
        snprintf(seal + 21 + 2 * i, 3, "%02x", (unsigned)ctx->current_hash[i]);
    }
    strcpy(seal + 21 + 64, "\",\"kind\":\"SEAL\"}");
    CHECK(ax_ledger_seal(ctx, base) == AX_OK && base_taken() == 0);
    CHECK(ctx->sealed == 1 && ctx->sequence == 2 && file.entries == 3 && ax_ledger_state(ctx) == 0);
    CHECK(strstr((const char *)file.bytes, seal) != NULL);
    FAILS(ax_ledger_record(ctx, &e, base), AX_ERR_LEDGER, LEDGER_FAIL_);
    UNCHANGED(ax_ledger_append(ctx, commit, base), LEDGER_FAIL_);
    FAILS(ax_ledger_seal(ctx, base), AX_ERR_LEDGER, LEDGER_FAIL_);
    UNCHANGED(ax_verify_chain(ctx, base), 0);
}

static void raw_records(void)
{
    static const char EXPECTED[] = "{\"bytes\":3,\"kind\":\"RAW\",\"ledger_seq\":18446744073709551615,\"sha256\":"
                                   "\"1135c86f6d8a0dcdff8631195303ba482d404e3fee998b5dbb99f2c40f11e79e\"}";
    const uint8_t raw[3] = { 0xFF, 0, 9 };
    const int len = sizeof EXPECTED - 1;
    uint8_t *dst = (uint8_t *)guarded((size_t)len);
    CHECK(len <= AX_RAW_RECORD_MAX_BYTES);
    CHECK(ax_raw_record(dst, (size_t)len, UINT64_MAX, raw, 3) == len);
    CHECK(memcmp(dst, EXPECTED, sizeof EXPECTED - 1) == 0);
    dst = (uint8_t *)room_of((size_t)len - 1);
    CHECK(ax_raw_record(dst, (size_t)len - 1, UINT64_MAX, raw, 3) == AX_ERR_BUFFER);
    CHECK(ax_raw_record(dst, 0, UINT64_MAX, raw, 3) == AX_ERR_BUFFER);
    CHECK(is_unwritten((const char *)dst, (size_t)len - 1));
    CHECK(ax_raw_record(NULL, 160, 1, raw, 3) == AX_ERR_PROTOCOL);
    CHECK(ax_raw_record(dst, 8, 1, NULL, 3) == AX_ERR_PROTOCOL);
}

/* A line is written and read in exactly the room it needs, and read with and without its line feed. */
static void lines(void)
{
    char *tag = (char *)guarded(16);
    ax_ledger_entry_t *entry = (ax_ledger_entry_t *)guarded(sizeof *entry);
    ax_ledger_entry_t genesis_entry;
    ax_ledger_entry_t bad;
    uint8_t *line;
    char *text;
    size_t len = 0;
    int written;

    CHECK(ax_ledger_genesis_entry(&genesis_entry) == AX_OK);
    ledger_file_begin(&file);
    written = (int)file.len;
    line = (uint8_t *)room_of(file.len);
    CHECK(ax_ledger_line_write(line, file.len, &genesis_entry) == written);
    CHECK(memcmp(line, file.bytes, file.len) == 0 && line[file.len - 1] == '\n');
    CHECK(ax_ledger_line_parse(entry, tag, line, file.len) == AX_OK && entry->tag == tag);
    CHECK(ax_ledger_line_parse(entry, tag, line, file.len - 1) == AX_OK && entry->sequence == 0);
    CHECK_STR(tag, AX_TAG_STATE);
    CHECK(memcmp(entry->chain, genesis_entry.chain, 32) == 0);
    CHECK(memcmp(entry->commit, genesis_entry.commit, 32) == 0);
    text = room_of(file.len - 1);
    CHECK(ax_ledger_line_write((uint8_t *)text, file.len - 1, &genesis_entry) == AX_ERR_BUFFER);
    CHECK(ax_ledger_line_write((uint8_t *)text, 0, &genesis_entry) == AX_ERR_BUFFER);
    CHECK(is_unwritten(text, file.len - 1));

    /* What is no line leaves everything as it was. */
    memset(entry, 0xA5, sizeof *entry);
    memset(tag, 0x5A, 16);
    for (len = 0; len < file.len - 1; len += 9) {
        CHECK(ax_ledger_line_parse(entry, tag, line + file.len - len, len) == AX_ERR_SCHEMA);
        line[len] = '\n';
        CHECK(ax_ledger_line_parse(entry, tag, line, file.len) == AX_ERR_SCHEMA);
        line[len] = file.bytes[len];
    }
    CHECK(ax_ledger_line_parse(entry, tag, NULL, 0) == AX_ERR_SCHEMA);
    CHECK(ax_ledger_line_parse(entry, tag, NULL, 9) == AX_ERR_PROTOCOL);
    CHECK(ax_ledger_line_parse(NULL, tag, line, file.len) == AX_ERR_PROTOCOL);
    CHECK(ax_ledger_line_parse(entry, NULL, line, file.len) == AX_ERR_PROTOCOL);
    CHECK(is_all(entry, sizeof *entry, 0xA5) && is_unwritten(tag, 16));

    CHECK(ax_ledger_line_write(NULL, 512, &genesis_entry) == AX_ERR_PROTOCOL);
    CHECK(ax_ledger_line_write(line, file.len, NULL) == AX_ERR_PROTOCOL);
    bad = genesis_entry;
    bad.tag = NULL;
    CHECK(ax_ledger_line_write(line, file.len, &bad) == AX_ERR_PROTOCOL);
    bad.tag = "AX:NEW:v1";
    CHECK(ax_ledger_line_write(line, file.len, &bad) == AX_ERR_SCHEMA);
    bad = genesis_entry;
    bad.payload = NULL;
    CHECK(ax_ledger_line_write(line, file.len, &bad) == AX_ERR_PROTOCOL);
    bad.payload = (const uint8_t *)"[1]";
    bad.payload_len = 3;
    CHECK(ax_ledger_line_write(line, file.len, &bad) == AX_ERR_SCHEMA);
}

static void comparing(void)
{
    uint8_t *a = (uint8_t *)guarded(32);
    uint8_t *b = (uint8_t *)guarded(32);
    size_t i;
    CHECK(ax_hash_equal_ct(a, b, 32) == 1);
    for (i = 0; i < 32; i++) {
        b[i] = 0x80;
        CHECK(ax_hash_equal_ct(a, b, 32) == 0 && ax_hash_equal_ct(a, b, i) == 1);
        b[i] = 0;
    }
    CHECK(ax_hash_equal_ct(NULL, NULL, 0) == 1 && ax_hash_equal_ct(NULL, NULL, 32) == 0);
    CHECK(ax_hash_equal_ct(NULL, b, 32) == 0 && ax_hash_equal_ct(a, NULL, 32) == 0);
}

int main(void)
{
    conformance_begin();
    ctx = (ax_ledger_ctx_t *)guarded(sizeof *ctx);
    genesis();
    committing();
    recording();
    verifying();
    resuming();
    sealing();
    raw_records();
    lines();
    comparing();
    return conformance_end();
}
