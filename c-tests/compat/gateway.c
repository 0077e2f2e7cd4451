/* A gateway in the style of the deployed ones, which serves a day of traffic: admit each answer; where it is
 * refused, make an INVALID_OUTPUT record under the same sequence instead; hash, write and commit the record;
 * append the commitment to the ledger; go on. One answer in twenty is bad.
 *
 * Usage: gateway LEDGER. Writes the ledger's lines to the file LEDGER, keeps each question as a file of
 * LEDGER.blobs under its SHA-256, where an audit looks for it, and prints what it counted. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "axilog/audit.h"
#include "axilog/canonical.h"
#include "axilog/commitment.h"
#include "axilog/dvec.h"
#include "axilog/hash.h"
#include "axilog/l3_types.h"
#include "axilog/obs.h"
#include "axilog/validate.h"

#define ANSWERS 10000U
#define BAD_EVERY 20U

#define ORACLE "azure-openai-prod-westeurope"
#define MODEL "gpt-4-turbo-2024-04-09"

typedef struct {
    const char *text;
    size_t len;
} text_t;

#define TEXT(literal) { literal, sizeof(literal) - 1 }

/* What models have answered that no record may contain. */
static const text_t BAD[] = {
    TEXT("Cafe\xCC\x81"),                /* not composed */
    TEXT("column\tcolumn"),              /* a tab */
    TEXT("cut in a character \xE2\x82"), /* not UTF-8 */
    TEXT("\x1B[31mred\x1B[0m"),          /* a terminal's escape */
    TEXT("a\0b"),                        /* a NUL */
    TEXT("deleted\x7F"),                 /* U+007F */
    TEXT("\xED\xA0\x80"),                /* half of a pair */
};
#define BAD_COUNT (sizeof BAD / sizeof BAD[0])

static char output[AX_CANONICAL_BUFFER_SIZE];
static char record[AX_CANONICAL_BUFFER_SIZE];
static uint8_t line[AX_CANONICAL_BUFFER_SIZE + 512];

/* Ends the gateway where something that must hold does not. */
static void must(int holds, const char *what, uint64_t seq)
{
    if (!holds) {
        fprintf(stderr, "gateway: %s at sequence %lu\n", what, (unsigned long)seq);
        exit(1);
    }
}

static void write_line(FILE *file, const ax_ledger_entry_t *entry)
{
    const int len = ax_ledger_line_write(line, sizeof line, entry);
    must(len > 0 && fwrite(line, 1, (size_t)len, file) == (size_t)len, "no line", entry->sequence);
}

/* Makes a directory, unless it is there. */
static void make_directory(const char *path, uint64_t seq)
{
    must(mkdir(path, 0777) == 0 || errno == EEXIST, path, seq);
}

/* Keeps a question: LEDGER.blobs, the first two digits of its hash, the hash. */
static void keep_question(const char *ledger, const ax_obs_record_t *obs, const char *question, size_t len)
{
    char path[4096];
    char digits[AX_HASH_HEX_SIZE];
    FILE *blob;
    int written = snprintf(path, sizeof path, "%s.blobs", ledger);
    must(written > 0 && (size_t)written + 80 < sizeof path, "too long a path", obs->ledger_seq);
    make_directory(path, obs->ledger_seq);
    must(ax_format_hash_hex(digits, sizeof digits, obs->input_hash, 32) == 64, "no hash", obs->ledger_seq);
    written += snprintf(path + written, sizeof path - (size_t)written, "/%.2s", digits);
    make_directory(path, obs->ledger_seq);
    snprintf(path + written, sizeof path - (size_t)written, "/%s", digits);
    blob = fopen(path, "wb");
    must(blob != NULL, path, obs->ledger_seq);
    must(fwrite(question, 1, len, blob) == len && fclose(blob) == 0, path, obs->ledger_seq);
}

/* Commits a record and appends the commitment. */
static void commit_record(ax_ledger_ctx_t *ledger, FILE *file, const ax_obs_record_t *obs)
{
    ct_fault_flags_t faults;
    ax_ledger_entry_t entry;
    int len;

    len = ax_obs_canonicalise(record, sizeof record, obs, 1);
    must(len > 0, "no record", obs->ledger_seq);
    ct_fault_init(&faults);
    axilog_commit(AX_TAG_OBS, (const uint8_t *)record, (uint64_t)len, entry.commit, &faults);
    ax_ledger_append(ledger, entry.commit, &faults);
    ax_verify_chain(ledger, &faults);
    must(!ct_fault_any(&faults) && ledger->sequence == obs->ledger_seq, "no entry", obs->ledger_seq);
    entry.tag = AX_TAG_OBS;
    entry.payload = (const uint8_t *)record;
    entry.payload_len = (uint64_t)len;
    entry.sequence = ledger->sequence;
    memcpy(entry.chain, ledger->current_hash, sizeof entry.chain);
    write_line(file, &entry);
}

/* The answer to question seq: mostly short, some of kilobytes, some with quotes and line ends. */
static size_t make_answer(char *answer, size_t size, uint64_t seq)
{
    static const char *const WORDS[] = { "approve", "\"hold\"", "r\xC3\xA9sum\xC3\xA9", "line\r\nend", "42" };
    size_t len = 0;
    uint64_t words = seq % 97 == 0 ? 800 : 1 + seq % 7;
    uint64_t i;
    for (i = 0; i < words && len + 16 < size; i++) {
        const char *word = WORDS[(seq + i) % 5];
        memcpy(answer + len, word, strlen(word));
        len += strlen(word);
        answer[len++] = ' ';
    }
    return len;
}

int main(int argc, char **argv)
{
    static char answer[16384];
    ax_admission_ctx_t admission;
    ax_ledger_ctx_t ledger;
    ax_ledger_entry_t genesis;
    ct_fault_flags_t faults;
    unsigned admitted = 0, refused = 0, timeouts = 0;
    uint64_t seq;
    FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;

    if (file == NULL) {
        fputs("usage: gateway LEDGER\n", stderr);
        return 2;
    }
    ct_fault_init(&faults);
    ax_ledger_genesis(&ledger, &faults);
    must(ledger.state == AX_LEDGER_READY && !ct_fault_any(&faults), "no genesis", 0);
    must(ax_ledger_genesis_entry(&genesis) == AX_OK, "no genesis", 0);
    write_line(file, &genesis);
    ax_admission_ctx_init(&admission);

    for (seq = 1; seq <= ANSWERS; seq++) {
        ax_l3_fault_flags_t l3;
        ax_obs_input_t in;
        ax_obs_record_t obs;
        char question[64];
        const int question_len = snprintf(question, sizeof question, "request\t%lu", (unsigned long)seq);
        text_t given = { answer, make_answer(answer, sizeof answer, seq) };
        int code;

        if (seq % BAD_EVERY == 0) {
            given = BAD[seq / BAD_EVERY % BAD_COUNT];
        }
        ax_l3_fault_init(&l3);
        if (seq % 501 == 0) {
            ax_obs_input_set_timeout(&in, seq, ORACLE, MODEL, question, (size_t)question_len);
            timeouts++;
        } else {
            ax_obs_input_set_complete(&in, seq, ORACLE, MODEL, question, (size_t)question_len, given.text,
                                      given.len, NULL);
        }
        code = ax_obs_admit(&obs, output, sizeof output, &in, &admission, &l3);
        if (code == AX_ERR_ENCODING) {
            /* Refused: the same sequence is for the record that says so, without the text, which no record can hold. */
            must(l3.encoding == 1 && admission.last_ledger_seq == seq - 1, "the sequence is gone", seq);
            ax_l3_fault_init(&l3);
            ax_obs_input_set_invalid_output(&in, seq, ORACLE, MODEL, question, (size_t)question_len,
                                            NULL, 0);
            code = ax_obs_admit(&obs, output, sizeof output, &in, &admission, &l3);
            refused++;
        } else {
            admitted++;
        }
        must(code == AX_OK && !ax_l3_fault_any(&l3), "not admitted", seq);
        must(admission.last_ledger_seq == seq && ax_obs_validate(&obs, &l3) == AX_OK, "not valid", seq);
        keep_question(argv[1], &obs, question, (size_t)question_len);
        commit_record(&ledger, file, &obs);
    }
    if (fclose(file) != 0) {
        perror(argv[1]);
        return 1;
    }
    printf("%u admitted, %u refused, %u timeouts\n", admitted - timeouts, refused, timeouts);
    return 0;
}
