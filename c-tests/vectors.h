/* The golden vectors as C tables. The definitions are generated from tests/vectors/ by
 * harness/testkit/src/c_tables.rs when the suites are built. */

#ifndef VECTORS_H
#define VECTORS_H

#include <stddef.h>
#include <stdint.h>

#include "axilog/oracle.h"

/* Bytes, with one zero byte after them that len does not count. */
typedef struct {
    const uint8_t *at;
    size_t len;
} bytes_t;

/* A record as one profile has it. */
typedef struct {
    int present;
    size_t len;
    const char *obs_hash;
    const char *sha256;
    const char *commit;
    bytes_t bytes; /* at NULL where the vector names hashes only */
} record_vector_t;

typedef struct {
    const char *name;
    uint64_t ledger_seq;
    const char *oracle_id;
    const char *model_id;
    ax_oracle_params_t params;
    bytes_t input;
    bytes_t output;
    int completion_state;
    int failure_type;
    const char *status; /* "ok", "truncated" or "encoding" */
    record_vector_t records[3]; /* by ax_profile_t */
} observation_vector_t;

extern const observation_vector_t OBSERVATIONS[];
extern const size_t OBSERVATION_COUNT;

typedef struct {
    const char *policy_id;
    int32_t threshold;
    int comparison; /* an ax_policy_cmp_t, or 99 for an operator outside the set */
    uint8_t enabled;
    const char *selector;
} policy_vector_t;

typedef struct {
    const char *tag;
    bytes_t payload;
} evidence_vector_t;

typedef struct {
    const char *oracle_id;
    const char *model_id;
    bytes_t input;
    bytes_t output;
    const char *health;
    uint32_t fault_count;
    const evidence_vector_t *records;
    size_t record_count;
    const char *head;
    uint64_t sequence;
} step_vector_t;

typedef struct {
    const char *name;
    const policy_vector_t *policies;
    size_t policy_count;
    uint8_t permit_truncated;
    uint8_t stop_on_invalid;
    bytes_t manifest; /* its SHA-256; at NULL where the configuration names none */
    bytes_t configuration;
    const step_vector_t *steps;
    size_t step_count;
    const char *ledger_sha256;
} agent_vector_t;

extern const agent_vector_t AGENTS[];
extern const size_t AGENT_COUNT;

/* The value that a selector leads to in an answer, INT32_MIN where there is none. */
typedef struct {
    const char *selector;
    int comparison; /* an ax_policy_cmp_t */
    bytes_t answer;
    int32_t value;
} extracted_vector_t;

extern const extracted_vector_t EXTRACTED[];
extern const size_t EXTRACTED_COUNT;

extern const char *const VALID_SELECTORS[];
extern const size_t VALID_SELECTOR_COUNT;
extern const char *const REFUSED_SELECTORS[];
extern const size_t REFUSED_SELECTOR_COUNT;

typedef struct {
    char operation; /* '+', '-', '*' or '/' */
    int32_t a;
    int32_t b;
    int32_t result;
    uint8_t overflow;
    uint8_t underflow;
    uint8_t div_zero;
    uint8_t saturation;
} q16_vector_t;

extern const q16_vector_t Q16[];
extern const size_t Q16_COUNT;

/* Spellings of numbers, and of what is none. */
extern const char *const DECIMALS[];
extern const size_t DECIMAL_COUNT;

/* tests/vectors/breach-alarm-recover.jsonl */
extern const bytes_t BREACH_ALARM_RECOVER;

#endif
