/* Checks a ledger in segments, in one process after the other as far as the library can tell. Its arguments: a ledger; a
 * place for changed copies of it; another ledger. Every object must be the one of a check of the whole file. */

#include <string.h>
#include "check.h"

#define MAX_BYTES 100000
#define MAX_SEGMENTS 8

typedef int segment_t(const char *, uint64_t, uint64_t, const axh_expectations_t *, char **);
typedef int join_t(const char *, const char *const *, size_t, const axh_expectations_t *, char **);
typedef int whole_t(const char *, const axh_expectations_t *, char **);

struct way {
    segment_t *segment;
    join_t *join;
    whole_t *whole;
};

static const struct way ways[] = {
    { axh_segment_verify, axh_segment_verify_join, axh_verify },
    { axh_segment_replay, axh_segment_replay_join, axh_replay },
};

static char bytes[MAX_BYTES], changed[MAX_BYTES];
static char *segments[MAX_SEGMENTS];

static size_t read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    size_t len;

    CHECK(file != NULL);
    len = fread(bytes, 1, MAX_BYTES, file);
    CHECK(len > 0 && len < MAX_BYTES);
    fclose(file);
    return len;
}

static void write_file(const char *name, const char *data, size_t len)
{
    FILE *file = fopen(name, "wb");

    CHECK(file != NULL && fwrite(data, 1, len, file) == len && fclose(file) == 0);
}

/* Checks so many segments of one length. */
static void check_segments(const struct way *way, const char *path, size_t len, size_t count,
                           const axh_expectations_t *expected)
{
    size_t i;

    for (i = 0; i < count; i++) {
        CHECK(way->segment(path, len * i / count, len * (i + 1) / count, expected, &segments[i]) == AXH_OK);
    }
}

static void free_segments(size_t count)
{
    while (count > 0) {
        axh_string_free(segments[--count]);
    }
}

/* Joins segments, and compares what is said with what is said of the whole. */
static void compare(const struct way *way, const char *path, size_t count, const axh_expectations_t *expected)
{
    char *of_whole = NULL, *joined = NULL;
    int status = way->whole(path, expected, &of_whole);

    CHECK(status == AXH_OK || status == AXH_NOT_OK);
    CHECK(way->join(path, (const char *const *)segments, count, expected, &joined) == status);
    if (strcmp(of_whole, joined) != 0) {
        fprintf(stderr, "of the whole: %s\njoined: %s\n", of_whole, joined);
        exit(1);
    }
    axh_string_free(of_whole);
    axh_string_free(joined);
}

/* The segments cannot be joined, for this reason. */
static void refuse(const struct way *way, const char *path, size_t count, const axh_expectations_t *expected,
                   const char *words)
{
    char sentinel, *json = &sentinel;

    CHECK(way->join(path, (const char *const *)segments, count, expected, &json) == AXH_ERR_ARGUMENT);
    CHECK(json == NULL && strstr(axh_last_error(), words) != NULL);
}

int main(int argc, char **argv)
{
    static const char *const models[] = { "llm=model-2" };
    axh_expectations_t pinned = { .size = sizeof pinned, .models = models, .model_count = 1 };
    axh_expectations_t blobs = { .size = sizeof blobs, .blobs = 1 };
    char sentinel, *segment = &sentinel;
    size_t len, at, i;

    CHECK(argc == 4);
    len = read_file(argv[1]);
    for (i = 0; i < 2; i++) {
        const struct way *way = &ways[i];

        for (at = 1; at <= MAX_SEGMENTS; at++) {
            check_segments(way, argv[1], len, at, NULL);
            compare(way, argv[1], at, NULL);
            free_segments(at);
        }
        check_segments(way, argv[1], len, 3, &pinned);
        compare(way, argv[1], 3, &pinned);
        refuse(way, argv[1], 3, NULL, "rules or expectations");
        free_segments(3);
        compare(way, argv[1], 0, NULL);

        /* What was changed on the way is refused, and so is what was found of another ledger. */
        check_segments(way, argv[1], len, 3, NULL);
        refuse(way, argv[3], 3, NULL, "another ledger");
        segments[1][40] ^= 1;
        refuse(way, argv[1], 3, NULL, "element 1 was changed");
        segments[1][40] ^= 1;
        CHECK(strlen(segments[2]) > 2);
        segments[2][strlen(segments[2]) - 2] = '\0';
        refuse(way, argv[1], 3, NULL, "element 2 was changed");
        free_segments(3);

        /* A segment that ends before it begins has no lines; the process that joins reads them. */
        CHECK(way->segment(argv[1], len, 0, NULL, &segments[0]) == AXH_OK);
        compare(way, argv[1], 1, NULL);
        free_segments(1);
        CHECK(way->segment(argv[1], 0, len, &blobs, &segment) == AXH_ERR_ARGUMENT && segment == NULL);
        CHECK(way->segment(argv[1], 0, len, NULL, NULL) == AXH_ERR_ARGUMENT);
        segment = &sentinel;
        CHECK(way->segment("absent", 0, len, NULL, &segment) == AXH_ERR_IO && segment == NULL);
        CHECK(way->segment(NULL, 0, len, NULL, &segment) == AXH_ERR_ARGUMENT);
    }

    /* A bit that is wrong anywhere, and an end that is missing. Beside the copies there are no blobs. */
    for (at = 0; at < len; at += 97) {
        memcpy(changed, bytes, len);
        changed[at] ^= 1;
        write_file(argv[2], changed, len);
        check_segments(&ways[0], argv[2], len, 3, NULL);
        compare(&ways[0], argv[2], 3, NULL);
        free_segments(3);
        write_file(argv[2], bytes, at);
        check_segments(&ways[0], argv[2], at, 3, NULL);
        compare(&ways[0], argv[2], 3, NULL);
        free_segments(3);
    }
    return 0;
}
