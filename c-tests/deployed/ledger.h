/* A ledger of the vectors: what it is before a call, and what it is after it. */

#ifndef LEDGER_H
#define LEDGER_H

#include "axilog/audit.h"

#include "flags.h"

enum { PAD = 6 };

/* The golden genesis hash, which the vectors leave out. */
static inline const uint8_t *golden(void)
{
    static ax_ledger_ctx_t ledger;
    ct_fault_flags_t faults;
    ct_fault_clear(&faults);
    ax_ledger_genesis(&ledger, &faults);
    return ledger.current_hash;
}

/* The bytes of the deployed struct's padding. */
static inline uint8_t *pad_of(ax_ledger_ctx_t *ledger)
{
    return &ledger->initialised + 1;
}

static inline void read_ledger(const char *front, ax_ledger_ctx_t *ledger)
{
    ct_fault_flags_t faults;
    ct_fault_clear(&faults);
    memset(ledger, 0, sizeof *ledger);
    ax_ledger_genesis(ledger, &faults);
    copy_bytes(in(front, "current_hash"), ledger->current_hash, sizeof ledger->current_hash);
    copy_bytes(in(front, "genesis_hash"), ledger->genesis_hash, sizeof ledger->genesis_hash);
    ledger->sequence = natural(in(front, "sequence"), ledger->sequence);
    ledger->failed = (uint8_t)natural(in(front, "failed"), ledger->failed);
    ledger->initialised = (uint8_t)natural(in(front, "initialised"), ledger->initialised);
    copy_bytes(in(front, "pad"), pad_of(ledger), PAD);
}

static inline void put_ledger(const char *front, ax_ledger_ctx_t *ledger)
{
    static const uint8_t no_pad[PAD];
    put_bytes_unless(in(front, "current_hash"), ledger->current_hash, sizeof ledger->current_hash, golden());
    put_bytes_unless(in(front, "genesis_hash"), ledger->genesis_hash, sizeof ledger->genesis_hash, golden());
    put_natural(in(front, "sequence"), ledger->sequence);
    put_natural(in(front, "failed"), ledger->failed);
    put_natural(in(front, "initialised"), ledger->initialised);
    put_bytes_unless(in(front, "pad"), pad_of(ledger), PAD, no_pad);
}

#endif
