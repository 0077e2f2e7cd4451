/* What the programs of this folder share. Each reads calls of recorded vectors, makes them through include/compat,
 * and prints what came of them; tests/c_suites/compat/deployed.rs writes the calls and compares the results.
 *
 * A line in is a function's name and, each after a tab, PATH=VALUE of the vector's fields. A line out has the same
 * form: ?PATH for each field that was read as an argument, PATH=VALUE for each result. A program that printed what
 * it had read would show in both. Bytes are an expression: hexadecimal pieces joined by +, each perhaps followed
 * by * and a count; null is a NULL pointer. */

#ifndef CALL_H
#define CALL_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALL_FIELDS = 64 };

typedef struct {
    const char *path;
    const char *value;
    int read;
} call_field_t;

static call_field_t call_fields[CALL_FIELDS];
static size_t call_count;

/* What the current call allocated. */
static void *call_memory[CALL_FIELDS];
static size_t call_allocated;

static inline void fail(const char *what, const char *of)
{
    fprintf(stderr, "%s: %s\n", what, of);
    exit(2);
}

/* size bytes for this call; never NULL. */
static inline void *room(size_t size)
{
    void *memory = malloc(size != 0 ? size : 1);
    if (memory == NULL || call_allocated == CALL_FIELDS) {
        fail("no room", "");
    }
    call_memory[call_allocated++] = memory;
    return memory;
}

/* A path of two parts, for this call. */
static inline const char *in(const char *front, const char *name)
{
    char *path = (char *)room(strlen(front) + strlen(name) + 1);
    strcpy(path, front);
    strcat(path, name);
    return path;
}

/* The value of a field, which is then an argument; NULL where the vector has no such field. */
static inline const char *field(const char *path)
{
    size_t i;
    for (i = 0; i < call_count; i++) {
        if (strcmp(call_fields[i].path, path) == 0) {
            call_fields[i].read = 1;
            return call_fields[i].value;
        }
    }
    return NULL;
}

static inline int is_null(const char *path)
{
    const char *value = field(path);
    return value != NULL && strcmp(value, "null") == 0;
}

/* A number, or otherwise where there is no such field. */
static inline uint64_t natural(const char *path, uint64_t otherwise)
{
    const char *value = field(path);
    if (value == NULL) {
        return otherwise;
    }
    return *value == '-' ? (uint64_t)strtoll(value, NULL, 10) : strtoull(value, NULL, 10);
}

static inline int64_t number(const char *path, int64_t otherwise)
{
    return (int64_t)natural(path, (uint64_t)otherwise);
}

static inline int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Writes the bytes of an expression to dst, where dst is not NULL, and gives their number. */
static inline size_t expand(const char *from, uint8_t *dst)
{
    size_t size = 0;
    while (*from != '\0') {
        size_t digits = strspn(from, "0123456789abcdef"), count = 1, i;
        const char *behind = from + digits;
        if (*behind == '*') {
            char *end;
            count = strtoul(behind + 1, &end, 10);
            behind = end;
        }
        if (digits % 2 != 0 || (*behind != '+' && *behind != '\0')) {
            fail("no expression", from);
        }
        for (; count > 0; count--) {
            for (i = 0; i < digits; i += 2, size++) {
                if (dst != NULL) {
                    dst[size] = (uint8_t)(digit(from[i]) * 16 + digit(from[i + 1]));
                }
            }
        }
        from = *behind == '+' ? behind + 1 : behind;
    }
    return size;
}

/* The bytes of a field and a NUL after them; NULL where it is null or absent. */
static inline uint8_t *bytes(const char *path)
{
    const char *value = field(path);
    uint8_t *memory;
    size_t size;
    if (value == NULL || is_null(path)) {
        return NULL;
    }
    size = expand(value, NULL);
    memory = (uint8_t *)room(size + 1);
    expand(value, memory);
    memory[size] = 0;
    return memory;
}

static inline const char *string(const char *path)
{
    return (const char *)bytes(path);
}

/* Plain text, not an expression. */
static inline const char *text(const char *path)
{
    return is_null(path) ? NULL : field(path);
}

/* The bytes of a field in an array of the same size, where the vector has it. */
static inline void copy_bytes(const char *path, uint8_t *dst, size_t size)
{
    const char *value = field(path);
    if (value != NULL) {
        if (expand(value, NULL) != size) {
            fail("other length", path);
        }
        expand(value, dst);
    }
}

static inline void put_number(const char *path, int64_t value)
{
    printf("\t%s=%" PRId64, path, value);
}

static inline void put_natural(const char *path, uint64_t value)
{
    printf("\t%s=%" PRIu64, path, value);
}

static inline void put_text(const char *path, const char *value)
{
    printf("\t%s=%s", path, value != NULL ? value : "null");
}

/* Bytes as an expression, in which a run of one byte is short. */
static inline void put_bytes(const char *path, const void *data, size_t size)
{
    const uint8_t *from = (const uint8_t *)data;
    size_t at = 0, plain = 0;
    if (data == NULL) {
        put_text(path, NULL);
        return;
    }
    printf("\t%s=", path);
    while (at < size) {
        size_t run = 1;
        while (at + run < size && from[at + run] == from[at]) {
            run++;
        }
        if (run < 16) {
            printf("%s%02x", plain == 0 && at != 0 ? "+" : "", from[at]);
            plain = 1;
            at++;
        } else {
            printf("%s%02x*%zu", at != 0 ? "+" : "", from[at], run);
            plain = 0;
            at += run;
        }
    }
}

static inline void put_string(const char *path, const char *value)
{
    put_bytes(path, value, value != NULL ? strlen(value) : 0);
}

/* Bytes that differ from what the vectors leave out. */
static inline void put_bytes_unless(const char *path, const uint8_t *data, size_t size, const uint8_t *usual)
{
    if (memcmp(data, usual, size) != 0) {
        put_bytes(path, data, size);
    }
}

/* What a function that writes text and returns its length or an error did. */
static inline void put_written(int rc, const char *dst, size_t size)
{
    put_number("rc", rc);
    if (rc >= 0 && (size_t)rc < size) {
        put_bytes("dst", dst, (size_t)rc);
        put_number("terminated", dst[rc] == '\0');
    }
}

/* Room of size bytes without a NUL. */
static inline char *unwritten(size_t size)
{
    char *dst = (char *)room(size);
    memset(dst, 0x5A, size);
    return dst;
}

/* A flag of one bit holds no more than 1. */
#ifdef AXILOG_COMPAT_POLICY
#define FLAG_OF(value) ((value) != 0)
#else
#define FLAG_OF(value) (value)
#endif

/* What tells the flags of a struct by their names: type_set, type_read, type_put. FLAGS(X) is X("name", member) for
 * each of them. */
#define CALL_SET_FLAG(text, member) \
    if (strcmp(name, text) == 0) { \
        faults->member = FLAG_OF(value); \
        return 1; \
    }
#define CALL_PUT_FLAG(text, member) \
    if (faults->member) { \
        printf("%s%s", between, text); \
        between = ","; \
    }
#define CALL_FLAGS(type, FLAGS) \
    static inline int type##_set(type *faults, const char *name, unsigned char value) \
    { \
        FLAGS(CALL_SET_FLAG) \
        return 0; \
    } \
    static inline void type##_put(const char *path, const type *faults) \
    { \
        const char *between = ""; \
        printf("\t%s=", path); \
        FLAGS(CALL_PUT_FLAG) \
    } \
    static inline type *type##_read(const char *path) \
    { \
        const char *value = field(path); \
        type *faults; \
        char name[32]; \
        if (is_null(path)) { \
            return NULL; \
        } \
        faults = (type *)room(sizeof *faults); \
        memset(faults, 0, sizeof *faults); \
        while (value != NULL && *value != '\0') { \
            size_t length = strcspn(value, ","); \
            if (length >= sizeof name) { \
                fail("long flag", value); \
            } \
            memcpy(name, value, length); \
            name[length] = '\0'; \
            if (!type##_set(faults, name, 1)) { \
                put_text("missing", name); \
            } \
            value += length; \
            value += *value == ',' ? 1 : 0; \
        } \
        return faults; \
    } \
    static inline void type##_put_after(const type *faults) \
    { \
        if (faults != NULL) { \
            type##_put("flags", faults); \
        } \
    }

typedef struct {
    const char *name;
    void (*make)(void);
} call_t;

/* Makes one call; a function that this program does not know is a name that include/compat lacks. */
static inline void make_call(const call_t *calls, char *line)
{
    char *at = strchr(line, '\t');
    size_t i;
    call_count = 0;
    while (at != NULL) {
        char *equals;
        *at++ = '\0';
        equals = strchr(at, '=');
        if (equals == NULL || call_count == CALL_FIELDS) {
            fail("no field", at);
        }
        *equals = '\0';
        call_fields[call_count].path = at;
        call_fields[call_count].value = equals + 1;
        call_fields[call_count++].read = 0;
        at = strchr(equals + 1, '\t');
    }
    while (calls->name != NULL && strcmp(calls->name, line) != 0) {
        calls++;
    }
    printf("%s", line);
    if (calls->name == NULL) {
        put_text("missing", line);
    } else {
        calls->make();
    }
    for (i = 0; i < call_count; i++) {
        if (call_fields[i].read) {
            printf("\t?%s", call_fields[i].path);
        }
    }
    printf("\n");
    for (; call_allocated > 0; call_allocated--) {
        free(call_memory[call_allocated - 1]);
    }
}

/* Makes the calls of the standard input. */
static inline int make_calls(const call_t *calls)
{
    size_t size = 0, limit = 1 << 16;
    char *input = (char *)malloc(limit);
    char *line;
    size_t got;
    while (input != NULL && (got = fread(input + size, 1, limit - size - 1, stdin)) > 0) {
        size += got;
        if (size + 1 == limit) {
            limit *= 2;
            input = (char *)realloc(input, limit);
        }
    }
    if (input == NULL) {
        fail("no room", "");
    }
    input[size] = '\0';
    for (line = input; *line != '\0';) {
        char *end = strchr(line, '\n');
        if (end == NULL) {
            fail("no end of line", line);
        }
        *end = '\0';
        make_call(calls, line);
        line = end + 1;
    }
    free(input);
    return 0;
}

#endif
