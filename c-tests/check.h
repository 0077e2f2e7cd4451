/* Counts checks. A failed one names its file, line and expression; a suite ends with check_end(). */

#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int check_passed;
static int check_failed;

static int check(int holds, const char *file, int line, const char *expression)
{
    if (holds) {
        check_passed++;
    } else {
        check_failed++;
        fprintf(stderr, "%s:%d: %s\n", file, line, expression);
    }
    return holds;
}

/* Nonzero where e holds. */
#define CHECK(e) check((e) ? 1 : 0, __FILE__, __LINE__, #e)

/* Whether two C strings are the same, NULL being equal to NULL alone. */
#define CHECK_STR(a, b) CHECK((a) != NULL && strcmp((a), (b)) == 0)

/* Whether len bytes at a are the given lower-case hexadecimal digits. */
static inline int is_hex(const uint8_t *a, size_t len, const char *digits)
{
    static const char DIGITS[] = "0123456789abcdef";
    size_t i;
    for (i = 0; i < len; i++) {
        if (digits[2 * i] != DIGITS[a[i] >> 4] || digits[2 * i + 1] != DIGITS[a[i] & 15]) {
            return 0;
        }
    }
    return digits[2 * len] == '\0';
}

/* Whether len bytes at a all have the given value. */
static inline int is_all(const void *a, size_t len, uint8_t value)
{
    const uint8_t *bytes = (const uint8_t *)a;
    size_t i;
    for (i = 0; i < len; i++) {
        if (bytes[i] != value) {
            return 0;
        }
    }
    return 1;
}

/* Prints the counts; the exit status of the suite. */
static inline int check_end(void)
{
    printf("%d passed, %d failed\n", check_passed, check_failed);
    return check_failed == 0 ? 0 : 1;
}

#endif
