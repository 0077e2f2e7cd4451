/* Checks a sealed ledger by its path, and what somebody noted of it: its length without the seal, its head, and
 * LENGTH:HEAD with the seal. Then begins a ledger, at the last argument, and checks it while it is open. */

#include <errno.h>
#include <string.h>
#include "check.h"

typedef int check_t(const char *, const axh_expectations_t *, char **);

/* Calls a function, which must return a status; its object must have these words. */
static void expect(check_t *check, const char *path, const axh_expectations_t *expected, int status,
                   const char *words)
{
    char *json = NULL;

    CHECK(check(path, expected, &json) == status);
    if (json == NULL || strstr(json, words) == NULL) {
        fprintf(stderr, "%s lacks %s\n", json != NULL ? json : "NULL", words);
        exit(1);
    }
    axh_string_free(json);
}

/* Calls a function, which must refuse its arguments in these words. */
static void refuse(check_t *check, const char *path, const axh_expectations_t *expected, int status,
                   const char *words)
{
    char sentinel, *json = &sentinel;

    CHECK(check(path, expected, &json) == status && json == NULL);
    CHECK(strstr(axh_last_error(), words) != NULL);
}

static void expect_what_is_known(const char *path, unsigned long long entries, const char *head,
                                 const char *extends)
{
    static const char *const models[] = { "llm=model-1", "sensor=sensor-3" };
    static const char *const others[] = { "llm=model-2" };
    static const char other_head[] = "0000000000000000000000000000000000000000000000000000000000000000";
    axh_expectations_t expected = {
        .size = sizeof expected, .entries = entries, .head = head, .extends = &extends,
        .extends_count = 1, .models = models, .model_count = 2, .blobs = 1
    };

    expect(axh_verify, path, &expected, AXH_OK, "\"missing_count\":0");
    expect(axh_replay, path, &expected, AXH_OK, "\"configuration_source\":\"ledger\"");
    expect(axh_audit, path, &expected, AXH_OK, "\"verdict\":\"OK\"");
    expected.blobs = 0;
    expected.entries++;
    expect(axh_verify, path, &expected, AXH_NOT_OK, "\"verdict\":\"TRUNCATED\"");
    expected.entries--;
    expected.head = other_head;
    expect(axh_replay, path, &expected, AXH_NOT_OK, "\"ok\":false");
    expected.head = head;
    expected.models = others;
    expected.model_count = 1;
    expect(axh_audit, path, &expected, AXH_NOT_OK, "\"verdict\":\"FAILED\"");
    expected = (axh_expectations_t){ .size = sizeof expected, .blob_bytes = 4 };
    expect(axh_audit, path, &expected, AXH_NOT_OK, "\"verdict\":\"INCOMPLETE\"");
    expected.stop_on_invalid = 1;
    expect(axh_head, path, &expected, AXH_NOT_OK, "\"verdict\":\"CONFIG_MISMATCH\"");
    expected = (axh_expectations_t){ .size = sizeof expected, .policies = "[]", .policies_len = 2 };
    expect(axh_replay, path, &expected, AXH_NOT_OK, "\"verdict\":\"CONFIG_MISMATCH\"");
}

static void give_wrong_expectations(const char *path)
{
    const char *word = "word", *none = NULL;
    axh_expectations_t expected = { .size = 8 };

    refuse(axh_verify, NULL, NULL, AXH_ERR_ARGUMENT, "file is NULL");
    refuse(axh_verify, "/nowhere/ledger.jsonl", NULL, AXH_ERR_IO, "/nowhere");
    CHECK(axh_last_os_error() == ENOENT);
    refuse(axh_audit, "/", NULL, AXH_ERR_IO, "regular file");
    CHECK(axh_last_os_error() == 0);
    refuse(axh_head, path, &expected, AXH_ERR_ARGUMENT, "size of expected is 8");
    expected = (axh_expectations_t){ .size = sizeof expected, .head = word };
    refuse(axh_replay, path, &expected, AXH_ERR_ARGUMENT, "expected.head: expected 64");
    expected = (axh_expectations_t){ .size = sizeof expected, .extends = &word, .extends_count = 1 };
    refuse(axh_replay, path, &expected, AXH_ERR_ARGUMENT, "N:HEAD");
    expected.extends = &none;
    refuse(axh_replay, path, &expected, AXH_ERR_ARGUMENT, "an element of expected.extends is NULL");
    expected = (axh_expectations_t){ .size = sizeof expected, .models = &word, .model_count = 1 };
    refuse(axh_verify, path, &expected, AXH_ERR_ARGUMENT, "ORACLE=MODEL");
    expected = (axh_expectations_t){ .size = sizeof expected, .policies = "{", .policies_len = 1 };
    refuse(axh_audit, path, &expected, AXH_ERR_ARGUMENT, "expected.policies:1:");
    expected = (axh_expectations_t){ .size = sizeof expected, .entries = 3 };
    refuse(axh_head, path, &expected, AXH_ERR_ARGUMENT, "axh_replay");
}

int main(int argc, char **argv)
{
    axh_ledger_t *ledger;

    CHECK(argc == 6);
    CHECK(axh_verify(argv[1], NULL, NULL) == AXH_OK && axh_replay(argv[1], NULL, NULL) == AXH_OK);
    CHECK(axh_audit(argv[1], NULL, NULL) == AXH_OK && axh_head(argv[1], NULL, NULL) == AXH_OK);
    expect(axh_head, argv[1], NULL, AXH_OK, argv[4]);
    expect(axh_head, argv[1], NULL, AXH_OK, "\"name\":\"plant/pump-3\"");
    expect_what_is_known(argv[1], strtoull(argv[2], NULL, 10), argv[3], argv[4]);
    give_wrong_expectations(argv[1]);
    axh_string_free(NULL);

    CHECK(axh_ledger_create(argv[5], NULL, &ledger) == AXH_OK);
    expect(axh_audit, argv[5], NULL, AXH_OK, "\"sealed\":false");
    expect(axh_head, argv[5], NULL, AXH_OK, "\"state\":\"ENABLED\"");
    return axh_ledger_close(ledger) != AXH_OK;
}
