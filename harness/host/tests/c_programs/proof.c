/* Checks proofs of a record. Its arguments: the files of a proof with its record, of the same proof without it, and of the
 * record's line; the public key. Prints what the proof shows, then changes each byte of it in turn. */

#include <string.h>
#include "check.h"

#define MAX_BYTES 100000

struct text {
    char bytes[MAX_BYTES];
    size_t len;
};

static struct text proof, bare, line, changed;

static void read_file(const char *name, struct text *text)
{
    FILE *file = fopen(name, "rb");

    CHECK(file != NULL);
    text->len = fread(text->bytes, 1, MAX_BYTES, file);
    CHECK(text->len > 0 && text->len < MAX_BYTES);
    fclose(file);
}

static int said(const char *words) { return strstr(axh_last_error(), words) != NULL; }

static int check(const struct text *text, const struct text *record, const char *key, char **json)
{
    return axh_check_proof(text->bytes, text->len, record != NULL ? record->bytes : NULL,
                           record != NULL ? record->len : 0, key, json);
}

/* The proof shows nothing, for this reason. */
static void fails(const struct text *text, const struct text *record, const char *key, const char *reason)
{
    char *json = NULL;

    CHECK(check(text, record, key, &json) == AXH_NOT_OK);
    if (strstr(json, reason) == NULL || strstr(json, "\"ok\":false") == NULL) {
        fprintf(stderr, "%s lacks %s\n", json, reason);
        exit(1);
    }
    axh_string_free(json);
}

int main(int argc, char **argv)
{
    const char *key = argv[4];
    char sentinel, *json = NULL;
    size_t i, holding = 0;

    CHECK(argc == 5);
    read_file(argv[1], &proof);
    read_file(argv[2], &bare);
    read_file(argv[3], &line);
    CHECK(check(&proof, NULL, key, &json) == AXH_OK && json != NULL);
    puts(json);
    axh_string_free(json);
    CHECK(check(&bare, &line, key, NULL) == AXH_OK && check(&proof, &line, key, NULL) == AXH_OK);

    /* No byte of the record and of the bare proof can be another one, but in the last line, the signature, where
     * base64 that is not canonical is refused too. */
    changed = line;
    for (i = 0; i < line.len; i++) {
        changed.bytes[i] ^= 1;
        holding += check(&bare, &changed, key, NULL) == AXH_OK;
        changed.bytes[i] ^= 1;
    }
    printf("%zu\n", holding);
    changed = bare;
    for (i = 0; i < bare.len; i++) {
        changed.bytes[i] ^= 1;
        CHECK(check(&changed, &line, key, NULL) == AXH_NOT_OK);
        changed.bytes[i] ^= 1;
    }
    changed = line;
    memcpy(strstr(changed.bytes, "\"seq\":"), "\"sec\":", 6);
    fails(&bare, &changed, key, "not one line of a ledger file");
    fails(&line, NULL, key, "it is no proof of a record: ");
    CHECK(axh_check_proof(bare.bytes, bare.len, line.bytes, 0, key, NULL) == AXH_NOT_OK);

    json = &sentinel;
    CHECK(check(&bare, NULL, key, &json) == AXH_ERR_ARGUMENT && json == NULL && said("is not in this proof"));
    CHECK(check(&proof, NULL, NULL, &json) == AXH_ERR_ARGUMENT && said("public_key is NULL"));
    CHECK(check(&proof, NULL, "plant", &json) == AXH_ERR_ARGUMENT && said("NAME+ID+KEY"));
    CHECK(check(&proof, NULL, "\xff", &json) == AXH_ERR_ARGUMENT && said("public_key is not UTF-8"));
    CHECK(axh_check_proof(NULL, 1, NULL, 0, key, &json) == AXH_ERR_ARGUMENT && said("proof is NULL"));
    CHECK(axh_check_proof(proof.bytes, proof.len, NULL, 1, key, &json) == AXH_ERR_ARGUMENT && said("record is NULL"));
    CHECK(axh_check_proof(NULL, 0, NULL, 0, key, NULL) == AXH_NOT_OK);
    return 0;
}
