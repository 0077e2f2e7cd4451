/* A sink that keeps a ledger as its file would hold it, and one that refuses. */

#ifndef LEDGER_FILE_H
#define LEDGER_FILE_H

#include "axilog/audit.h"

#include "check.h"

typedef struct {
    uint8_t bytes[1 << 18];
    size_t len;
    size_t entries;
    size_t refuse; /* the n-th entry from here on is refused; 0: none */
} ledger_file_t;

static inline int ledger_file_append(void *user, const ax_ledger_entry_t *entry)
{
    ledger_file_t *file = (ledger_file_t *)user;
    int written;
    if (file->refuse > 0 && --file->refuse == 0) {
        return -1;
    }
    written = ax_ledger_line_write(file->bytes + file->len, sizeof file->bytes - file->len, entry);
    if (written < 0) {
        return written;
    }
    file->len += (size_t)written;
    file->entries++;
    return 0;
}

/* Begins a file with the genesis, which no sink receives. */
static inline void ledger_file_begin(ledger_file_t *file)
{
    ax_ledger_entry_t genesis;
    memset(file, 0, sizeof *file);
    CHECK(ax_ledger_genesis_entry(&genesis) == AX_OK);
    CHECK(ledger_file_append(file, &genesis) == 0);
}

/* The line that begins at *at, which moves after it; its length with the line feed. */
static inline size_t ledger_file_next(const uint8_t *bytes, size_t len, size_t *at)
{
    size_t begin = *at;
    while (*at < len && bytes[*at] != '\n') {
        (*at)++;
    }
    if (*at < len) {
        (*at)++;
    }
    return *at - begin;
}

#endif
