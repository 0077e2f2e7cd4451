/**
 * Ledger files for programs on hosts: libaxilog_host.
 *
 * Generated from harness/host/src/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_HOST_H
#define AXILOG_HOST_H

#include "axilog/agent.h"
#include "axilog/obs.h"

/**
 * The call succeeded.
 */
#define AXH_OK 0

/**
 * What was checked is not OK: the verdict on a ledger is another, an answer would be refused, or a text is not as it
 * should be.
 */
#define AXH_NOT_OK 1

/**
 * The reader has no further record: what the ledger holds was read.
 */
#define AXH_END 2

/**
 * An argument is not what the function takes: a NULL, a struct of another size, a number outside its enum, text that is
 * not UTF-8, a policy file or schema that is not valid. Nothing was done.
 */
#define AXH_ERR_ARGUMENT (-101)

/**
 * The handle is NULL, closed, or no handle of this library. Nothing was done.
 */
#define AXH_ERR_HANDLE (-102)

/**
 * The handle belongs to the process that this one was forked from, which alone may use it. Nothing was done.
 */
#define AXH_ERR_FORKED (-103)

/**
 * The ledger does not take this: it is sealed, the oracle or its model is not one that may answer, the question is not
 * admissible or violates its schema, the time does not increase. Nothing was recorded.
 */
#define AXH_ERR_REFUSED (-104)

/**
 * The file for a new ledger holds a ledger already.
 */
#define AXH_ERR_EXISTS (-105)

/**
 * Another process, or another handle of this one, is writing to the ledger.
 */
#define AXH_ERR_LOCKED (-106)

/**
 * The ledger cannot be gone on with: it is damaged, holds no observation, or what it names is missing or altered.
 */
#define AXH_ERR_LEDGER (-107)

/**
 * The operating system refused an operation, or the ledger is no longer under its path. The text says whether anything
 * was recorded; open the ledger again to go on.
 */
#define AXH_ERR_IO (-108)

/**
 * The library has a defect, and stopped in the middle of a call. The ledger takes no further steps through this handle;
 * close it, and open the ledger again to see what it holds.
 */
#define AXH_ERR_DEFECT (-109)

/**
 * Nothing finer than the status is known about the error.
 */
#define AXH_REASON_NONE 0

/**
 * The question has no canonical form, or what it says of its sources cannot be read.
 */
#define AXH_REASON_QUESTION 1

/**
 * The identity of an oracle or of a model cannot be recorded.
 */
#define AXH_REASON_IDENTITY 2

/**
 * The oracle has another model in the ledger.
 */
#define AXH_REASON_MODEL 3

/**
 * The ledger declares other oracles, or no policy judges the oracle and the ledger requires one.
 */
#define AXH_REASON_ORACLE 4

/**
 * The question is derived from what is no answer of the ledger, or from one that may not be acted on.
 */
#define AXH_REASON_SOURCE 5

/**
 * The question violates its declared schema.
 */
#define AXH_REASON_SCHEMA 6

/**
 * The time is not after the last one.
 */
#define AXH_REASON_TIME 7

/**
 * The ledger is sealed.
 */
#define AXH_REASON_SEALED 8

/**
 * The ledger is bound to something else than the options name.
 */
#define AXH_REASON_BINDING 9

/**
 * The ledger is damaged, or its policies are others.
 */
#define AXH_REASON_DAMAGED 10

/**
 * The configuration of the ledger is missing or cannot be read, or the ledger holds no observation.
 */
#define AXH_REASON_CONFIGURATION 11

/**
 * What the ledger declares is missing or cannot be used.
 */
#define AXH_REASON_DECLARATIONS 12

/**
 * The path leads to another file than the one that was opened.
 */
#define AXH_REASON_DISPLACED 13

/**
 * An earlier step failed; the ledger must be opened again.
 */
#define AXH_REASON_FAILED 14

/**
 * The policies are not valid, or not such as an exchange with a provider can be recorded under.
 */
#define AXH_REASON_POLICIES 15

/**
 * A bundle cannot be built of the step, the results or the catalogue that were given.
 */
#define AXH_REASON_BUNDLE 16

/**
 * The grammar is not valid.
 */
#define AXH_REASON_GRAMMAR 17

/**
 * The agent is not ENABLED, and takes no question before an operator has acted.
 */
#define AXH_REASON_STATE 18

/**
 * The genesis, among the tags of axh_filter_t.
 */
#define AXH_TAG_STATE 1

/**
 * Observations, among the tags of axh_filter_t.
 */
#define AXH_TAG_OBSERVATION 2

/**
 * What policies said, among the tags of axh_filter_t.
 */
#define AXH_TAG_POLICY 4

/**
 * Transitions, among the tags of axh_filter_t.
 */
#define AXH_TAG_TRANSITION 8

/**
 * Raw answers and the seal, among the tags of axh_filter_t.
 */
#define AXH_TAG_PROOF 16

/**
 * When a ledger file is synced, and so when a call that records returns (docs/ledger.md, Durability).
 */
typedef enum axh_durability_t {
    /**
     * Sync after every step, or once after those of several threads: a call returns when its step is durable.
     */
    AXH_DURABILITY_STEP = 0,
    /**
     * Sync after every record of a step: a call returns when its step is durable.
     */
    AXH_DURABILITY_RECORD = 1,
    /**
     * Sync after several steps: a call returns when its step is written, which survives the end of the process, and not
     * yet a crash of the machine.
     */
    AXH_DURABILITY_INTERVAL = 2,
} axh_durability_t;

/**
 * What came of a question to a provider.
 */
typedef enum axh_arrival_t {
    /**
     * A whole response, whatever its status.
     */
    AXH_ARRIVAL_RESPONSE = 0,
    /**
     * No connection came about, so that nothing was asked.
     */
    AXH_ARRIVAL_UNREACHABLE = 1,
    /**
     * The answer was not there in time.
     */
    AXH_ARRIVAL_TIMEOUT = 2,
    /**
     * The connection broke, or what came cannot be read.
     */
    AXH_ARRIVAL_BROKEN = 3,
    /**
     * The program gave up waiting.
     */
    AXH_ARRIVAL_CANCELLED = 4,
} axh_arrival_t;

/**
 * What a record is.
 */
typedef enum axh_record_kind_t {
    /**
     * The first record of every ledger.
     */
    AXH_RECORD_GENESIS = 0,
    /**
     * What an oracle answered, or how it failed; the time; a control input.
     */
    AXH_RECORD_OBSERVATION = 1,
    /**
     * What one policy said of the observation before.
     */
    AXH_RECORD_POLICY = 2,
    /**
     * What the observation before made of the agent.
     */
    AXH_RECORD_TRANSITION = 3,
    /**
     * Length and hash of an answer that the observation before does not hold whole.
     */
    AXH_RECORD_RAW_ANSWER = 4,
    /**
     * The end of the ledger.
     */
    AXH_RECORD_SEAL = 5,
} axh_record_kind_t;

/**
 * What policies are compiled to.
 */
typedef enum axh_policy_form_t {
    /**
     * C99 and C++17 source with a `const ax_policy_registry_t`.
     */
    AXH_POLICY_FORM_C = 0,
    /**
     * Rust source with a `pub static BUILTIN: [Policy; N]`.
     */
    AXH_POLICY_FORM_RUST = 1,
    /**
     * The canonical policy file.
     */
    AXH_POLICY_FORM_JSON = 2,
} axh_policy_form_t;

/**
 * A decision that a program has taken with axh_take_decision.
 */
typedef struct axh_kept_decision_t axh_kept_decision_t;

/**
 * An open ledger file, which this process alone may write. The pointer is a handle: the library looks it up, and it
 * leads nowhere. Several threads may use it; each call waits for those before it.
 */
typedef struct axh_ledger_t axh_ledger_t;

/**
 * An open reader of a ledger file. The pointer is a handle: the library looks it up, and it leads nowhere. One thread at
 * a time may use it, since each record takes the place of the one before.
 */
typedef struct axh_reader_t axh_reader_t;

/**
 * The JSON Schemas (2020-12) of what one oracle is asked and answers. The struct borrows what it points to.
 */
typedef struct axh_schema_t {
    /**
     * Identity of the oracle.
     */
    const char *oracle_id;
    /**
     * Schema of its questions, as JSON text; NULL for none.
     */
    const char *input;
    /**
     * Bytes of input.
     */
    size_t input_len;
    /**
     * Schema of its answers, as JSON text; NULL for none.
     */
    const char *output;
    /**
     * Bytes of output.
     */
    size_t output_len;
} axh_schema_t;

/**
 * What a ledger is begun with, and what it must be bound to where it is opened. All zero but the size, each member has
 * its default. The struct borrows what it points to.
 */
typedef struct axh_options_t {
    /**
     * Bytes of this struct: sizeof (axh_options_t).
     */
    size_t size;
    /**
     * Policy file in its canonical form, as JSON text; NULL for the built-in policies, or those of a ledger that exists.
     */
    const char *policies;
    /**
     * Bytes of policies.
     */
    size_t policies_len;
    /**
     * Name that the ledger is bound to, 1 to 256 visible ASCII characters without a plus sign; NULL for none.
     */
    const char *name;
    /**
     * Text for people that the ledger is bound to, at most 4096 bytes; NULL for none.
     */
    const char *note;
    /**
     * Identities of the oracles that may answer; NULL for any.
     */
    const char *const *oracles;
    /**
     * Number of oracles.
     */
    size_t oracle_count;
    /**
     * Declared schemas, one element for each oracle; NULL for none.
     */
    const struct axh_schema_t *schemas;
    /**
     * Number of schemas.
     */
    size_t schema_count;
    /**
     * Present time of a ledger that is begun, in the unit of later times; 0 for seconds since 1970 by the system's clock.
     */
    uint64_t time;
    /**
     * For AXH_DURABILITY_INTERVAL: sync once so many records are not durable, at least 1.
     */
    uint64_t interval_records;
    /**
     * For AXH_DURABILITY_INTERVAL: sync once a step has been waiting for so many milliseconds, at least 1.
     */
    uint64_t interval_milliseconds;
    /**
     * When the file is synced.
     */
    enum axh_durability_t durability;
    /**
     * 1: only an oracle that a policy judges may answer; else 0.
     */
    uint8_t require_policy;
    /**
     * 1: an answer that was cut off is judged as if it were whole; else 0.
     */
    uint8_t permit_truncated;
    /**
     * 1: an inadmissible answer stops the agent; 0: it alarms the agent.
     */
    uint8_t stop_on_invalid;
    /**
     * The sealed ledger that this one goes on from, as N:HEAD: its number of records, the seal counted, and its head;
     * NULL for none.
     */
    const char *follows;
    /**
     * What the ledger computes over the answers of oracles and records itself, as a JSON object that has an element such
     * as "ax.sum.spend": {"oracle": "tool.pay", "path": "/amount", "window": 3600} for each (docs/policies.md, Limits over
     * time); NULL for none. Each needs a policy of its own.
     */
    const char *running_values;
    /**
     * Bytes of running_values.
     */
    size_t running_values_len;
} axh_options_t;

/**
 * One call of an oracle: what it was asked, and its answer or its failure. All zero but the size, the identities and the
 * answer, each member has its default. The struct borrows what it points to.
 */
typedef struct axh_observation_t {
    /**
     * Bytes of this struct: sizeof (axh_observation_t).
     */
    size_t size;
    /**
     * Identity of the oracle, NUL-terminated, 1 to 256 visible ASCII characters.
     */
    const char *oracle_id;
    /**
     * Versioned identity of its model, as oracle_id; one for each oracle in a ledger.
     */
    const char *model_id;
    /**
     * Sampling parameters of the call; NULL where each is null.
     */
    const ax_oracle_params_t *params;
    /**
     * Question: UTF-8 in NFC, whose line ends may be any; NULL for none.
     */
    const char *input;
    /**
     * Bytes of input, at most 64 MiB.
     */
    size_t input_len;
    /**
     * Answer, as it came, whatever it is; NULL for an empty one, and with a failure.
     */
    const char *output;
    /**
     * Bytes of output, at most 64 MiB; 0 with a failure.
     */
    size_t output_len;
    /**
     * What the question is; AX_INPUT_KIND_JSON wants canonical JSON.
     */
    ax_input_kind_t input_kind;
    /**
     * AX_FAILURE_NULL for an answer; else AX_FAILURE_TIMEOUT or AX_FAILURE_TRANSPORT_ERROR. Whether an answer is
     * admissible, the library decides.
     */
    ax_failure_type_t failure;
    /**
     * 1 where the oracle says that its answer is cut off, as at a limit of tokens; else 0. Any number but 0 is 1.
     */
    uint8_t truncated;
} axh_observation_t;

/**
 * The decision of one step, as the ledger holds it.
 */
typedef struct axh_decision_t {
    /**
     * Bytes of this struct: sizeof (axh_decision_t), which the caller sets.
     */
    size_t size;
    /**
     * Number of the observation.
     */
    uint64_t ledger_seq;
    /**
     * Number of records in the ledger after the step, genesis included.
     */
    uint64_t entries;
    /**
     * Bytes of the whole answer.
     */
    uint64_t output_size;
    /**
     * Chain value after the step.
     */
    uint8_t head[32];
    /**
     * SHA-256 of the canonical question, whose blob has it as its name.
     */
    uint8_t input_hash[32];
    /**
     * Hash of the observation.
     */
    uint8_t obs_hash[32];
    /**
     * Number of policies that judged the answer and the running values after it.
     */
    uint32_t judged;
    /**
     * Number of those that were breached.
     */
    uint32_t breached;
    /**
     * Number of faults since the last reset.
     */
    uint32_t fault_count;
    /**
     * Whether the answer was received in full, in part or not at all.
     */
    ax_completion_state_t completion_state;
    /**
     * The failure of the oracle; AX_FAILURE_NULL where it did not fail.
     */
    ax_failure_type_t failure_type;
    /**
     * State of the agent after the step.
     */
    ax_health_state_t health;
    /**
     * The rule that was violated; AX_VIOLATION_NONE for none.
     */
    ax_violation_t violation;
    /**
     * 1 where the answer may be acted on: it is an oracle's, permitted, and the agent is ENABLED after it; else 0.
     */
    uint8_t may_act;
    /**
     * 1 where the agent made a transition and no policy was breached, else 0. Whether the program may act, may_act says.
     */
    uint8_t permitted;
    /**
     * 1 where the answer was refused because it violates its declared schema, else 0.
     */
    uint8_t violates_schema;
} axh_decision_t;

/**
 * One exchange with the provider of a model: the request as it is sent, and what comes back. The struct borrows what it
 * points to.
 */
typedef struct axh_exchange_t {
    /**
     * Bytes of this struct: sizeof (axh_exchange_t).
     */
    size_t size;
    /**
     * Interface, NUL-terminated: "chat/completions", "responses", "completions" or "embeddings" of OpenAI, or "messages"
     * of Anthropic.
     */
    const char *interface;
    /**
     * Identity of the oracle that answers, NUL-terminated; NULL for "llm". Embeddings have "llm.embedding" always.
     */
    const char *oracle_id;
    /**
     * The API key that the request is sent with, NUL-terminated: no blob and no record holds it; NULL for none. A key of
     * fewer than 8 characters is not searched for.
     */
    const char *key;
    /**
     * Body of the request, which is a JSON object with the member "model".
     */
    const char *request;
    /**
     * Bytes of request, at most 64 MiB.
     */
    size_t request_len;
    /**
     * Body of the response as the provider sent it, JSON or a stream of events, not encoded; or what came of it; NULL
     * for none.
     */
    const char *response;
    /**
     * Bytes of response, at most 64 MiB.
     */
    size_t response_len;
    /**
     * Header `content-type` of the response, NUL-terminated; NULL for none. "text/event-stream" is a stream.
     */
    const char *content_type;
    /**
     * Milliseconds from the request to the end of the response.
     */
    uint64_t milliseconds;
    /**
     * Status of HTTP, from 100 to 999; 0 where no whole response came.
     */
    uint32_t status;
    /**
     * What came of the request.
     */
    enum axh_arrival_t arrival;
} axh_exchange_t;

/**
 * The state of a ledger and of its agent, between two steps.
 */
typedef struct axh_state_t {
    /**
     * Bytes of this struct: sizeof (axh_state_t), which the caller sets.
     */
    size_t size;
    /**
     * Number of records, genesis and seal included.
     */
    uint64_t entries;
    /**
     * Number of records that are known to be durable.
     */
    uint64_t durable_entries;
    /**
     * Last accepted time.
     */
    uint64_t last_timestamp;
    /**
     * Number of records that opening the ledger has added to complete an interrupted step.
     */
    uint64_t completed_records;
    /**
     * Chain value of the last record.
     */
    uint8_t head[32];
    /**
     * Chain value of the last record that is known to be durable.
     */
    uint8_t durable_head[32];
    /**
     * SHA-256 of the configuration: the policies, the switches and the manifest.
     */
    uint8_t configuration[32];
    /**
     * SHA-256 of the manifest; zero where has_manifest is 0.
     */
    uint8_t manifest[32];
    /**
     * Number of faults since the last reset.
     */
    uint32_t fault_count;
    /**
     * State of the agent.
     */
    ax_health_state_t health;
    /**
     * 1 where the ledger is sealed, else 0.
     */
    uint8_t sealed;
    /**
     * 1 where a step could not be recorded, so that the ledger takes no further ones through this handle; else 0.
     */
    uint8_t failed;
    /**
     * 1 where the ledger is bound to a manifest, else 0.
     */
    uint8_t has_manifest;
    /**
     * 1 where opening the ledger has moved a torn last line aside, else 0.
     */
    uint8_t torn;
} axh_state_t;

/**
 * What the caller of a check knows about a ledger from elsewhere, and how deep the check goes. All zero but the size,
 * nothing is expected. The struct borrows what it points to.
 */
typedef struct axh_expectations_t {
    /**
     * Bytes of this struct: sizeof (axh_expectations_t).
     */
    size_t size;
    /**
     * Chain value of the last record, 64 hexadecimal digits, NUL-terminated; NULL for none.
     */
    const char *head;
    /**
     * Heads that were noted earlier, each as N:HEAD, as axh_head and `axilog head` give it: the ledger must be that one,
     * grown or as it was. NULL for none.
     */
    const char *const *extends;
    /**
     * Number of extends.
     */
    size_t extends_count;
    /**
     * Models that oracles must have, each as ORACLE=MODEL; NULL for none.
     */
    const char *const *models;
    /**
     * Number of models.
     */
    size_t model_count;
    /**
     * Policy file in its canonical form, as JSON text, which must be the ledger's; NULL for the ledger's own. With it
     * both switches are compared too.
     */
    const char *policies;
    /**
     * Bytes of policies.
     */
    size_t policies_len;
    /**
     * Number of records, genesis included, a seal not counted; 0 for any.
     */
    uint64_t entries;
    /**
     * For axh_audit: the most bytes of a blob that are read; 0 for 64 MiB.
     */
    uint64_t blob_bytes;
    /**
     * 1: the ledger must judge an answer that was cut off as if it were whole, and the other switch is compared too; else 0.
     */
    uint8_t permit_truncated;
    /**
     * 1: the ledger must stop the agent on an inadmissible answer, and the other switch is compared too; else 0.
     */
    uint8_t stop_on_invalid;
    /**
     * For axh_audit, 1: a policy must have judged every answer that was permitted; else 0.
     */
    uint8_t require_policy;
    /**
     * For axh_verify, 1: compare the blobs beside the ledger with the records too; else 0.
     */
    uint8_t blobs;
} axh_expectations_t;

/**
 * The records that a reader gives. All zero but the size, it gives every one. What a filter leaves out is read and
 * verified nevertheless. The struct borrows what it points to.
 */
typedef struct axh_filter_t {
    /**
     * Bytes of this struct: sizeof (axh_filter_t).
     */
    size_t size;
    /**
     * Identity of the oracle whose answers, and the records after each up to the next observation, are given; NULL for
     * every one.
     */
    const char *oracle_id;
    /**
     * Sequence of the first record.
     */
    uint64_t first;
    /**
     * Number of records from first on, filtered out or not, after which nothing is read; 0 for any number.
     */
    uint64_t count;
    /**
     * Sum of the AXH_TAG_ constants of the records; 0 for every one.
     */
    uint32_t tags;
} axh_filter_t;

/**
 * A record. What its kind does not have is 0 or NULL. The reader owns what the struct points to; it is valid until the
 * next call with the reader that reads a record or closes it.
 */
typedef struct axh_record_t {
    /**
     * Bytes of this struct: sizeof (axh_record_t), which the caller sets.
     */
    size_t size;
    /**
     * Place of the record in the ledger: the number of records before it.
     */
    uint64_t sequence;
    /**
     * Number of the observation that the record is or is about; 0 for the genesis and a seal.
     */
    uint64_t ledger_seq;
    /**
     * Offset in bytes at which the record's line begins in the file.
     */
    uint64_t offset;
    /**
     * The last time that the ledger holds up to the record; 0 before the first.
     */
    uint64_t time;
    /**
     * Canonical bytes of the record, as they are committed.
     */
    const char *bytes;
    /**
     * Number of bytes.
     */
    size_t bytes_len;
    /**
     * Of an observation: identity of the oracle, NUL-terminated.
     */
    const char *oracle_id;
    /**
     * Of an observation: versioned identity of the oracle's model, NUL-terminated.
     */
    const char *model_id;
    /**
     * Of an observation: the answer as far as the record holds it, its line ends normalised, NUL-terminated.
     */
    const char *output;
    /**
     * Bytes of output.
     */
    size_t output_len;
    /**
     * Of an observation or a raw answer: bytes of the whole answer.
     */
    uint64_t output_size;
    /**
     * Of a policy: its identity, NUL-terminated.
     */
    const char *policy_id;
    /**
     * Commit of the record.
     */
    uint8_t commit[32];
    /**
     * Chain value after the record.
     */
    uint8_t chain[32];
    /**
     * Of an observation: SHA-256 of the canonical question. Of a raw answer: SHA-256 of the answer as it came.
     */
    uint8_t content_hash[32];
    /**
     * Of an observation: its hash.
     */
    uint8_t obs_hash[32];
    /**
     * Of an observation: sampling parameters of the call.
     */
    ax_oracle_params_t params;
    /**
     * What the record is.
     */
    enum axh_record_kind_t kind;
    /**
     * Of an observation: whether the answer was received in full, in part or not at all.
     */
    ax_completion_state_t completion_state;
    /**
     * Of an observation: the failure of the oracle; AX_FAILURE_NULL where it did not fail.
     */
    ax_failure_type_t failure_type;
    /**
     * Of a transition: an ax_input_class_t; -1 where it is unknown.
     */
    int input_class;
    /**
     * Of a transition: state of the agent before.
     */
    ax_health_state_t prev_state;
    /**
     * Of a transition: state of the agent after it.
     */
    ax_health_state_t next_state;
    /**
     * Of a transition: the rule that was violated; AX_VIOLATION_NONE for none.
     */
    ax_violation_t violation;
    /**
     * Of a transition: number of faults since the last reset.
     */
    uint32_t fault_count;
    /**
     * Of a policy: the value that was judged, raw Q16.16; INT32_MIN where there was none.
     */
    int32_t actual;
    /**
     * Of a policy: its limit, raw Q16.16.
     */
    int32_t threshold;
    /**
     * Of a policy: 1 where the value breached it, else 0.
     */
    uint8_t breached;
} axh_record_t;

/**
 * Texts, one for each record: text i has the bytes from the offset i to the next one, as large_utf8 of Arrow has them.
 */
typedef struct axh_texts_t {
    /**
     * Array of one element more than there are texts; the first is 0.
     */
    const int64_t *offsets;
    /**
     * Bytes of all texts, without NULs between them.
     */
    const char *bytes;
} axh_texts_t;

/**
 * Records in columns: each pointer is to an array with one element for each record, as axh_record_t has it, and of
 * hashes 32 bytes each. What a record's kind does not have is 0 or an empty text. The reader owns the arrays; they are
 * valid until the next call with it that reads or closes.
 */
typedef struct axh_columns_t {
    /**
     * Bytes of this struct: sizeof (axh_columns_t), which the caller sets.
     */
    size_t size;
    /**
     * Number of records.
     */
    size_t count;
    /**
     * Places of the records in the ledger.
     */
    const uint64_t *sequence;
    /**
     * Numbers of the observations that they are or are about.
     */
    const uint64_t *ledger_seq;
    /**
     * Offsets of their lines in the file.
     */
    const uint64_t *offset;
    /**
     * The last times that the ledger holds up to them.
     */
    const uint64_t *time;
    /**
     * Bytes of the whole answers.
     */
    const uint64_t *output_size;
    /**
     * Values that were judged, raw Q16.16.
     */
    const int32_t *actual;
    /**
     * Limits of policies, raw Q16.16.
     */
    const int32_t *threshold;
    /**
     * Numbers of faults since the last reset.
     */
    const uint32_t *fault_count;
    /**
     * An axh_record_kind_t each.
     */
    const uint8_t *kind;
    /**
     * An ax_completion_state_t each.
     */
    const uint8_t *completion_state;
    /**
     * An ax_failure_type_t each.
     */
    const uint8_t *failure_type;
    /**
     * 1 for each policy that was breached, else 0.
     */
    const uint8_t *breached;
    /**
     * An ax_input_class_t each; -1 where it is unknown.
     */
    const int8_t *input_class;
    /**
     * An ax_health_state_t each, before the transition.
     */
    const uint8_t *prev_state;
    /**
     * An ax_health_state_t each, after the transition.
     */
    const uint8_t *next_state;
    /**
     * An ax_violation_t each.
     */
    const uint8_t *violation;
    /**
     * Chain values.
     */
    const uint8_t *chain;
    /**
     * Hashes of questions, and of raw answers.
     */
    const uint8_t *content_hash;
    /**
     * Hashes of observations.
     */
    const uint8_t *obs_hash;
    /**
     * Identities of oracles.
     */
    struct axh_texts_t oracle_id;
    /**
     * Identities of models.
     */
    struct axh_texts_t model_id;
    /**
     * Answers as far as records hold them.
     */
    struct axh_texts_t output;
    /**
     * Identities of policies.
     */
    struct axh_texts_t policy_id;
    /**
     * Canonical bytes.
     */
    struct axh_texts_t bytes;
} axh_columns_t;

/**
 * How far a reader has come.
 */
typedef struct axh_reader_state_t {
    /**
     * Bytes of this struct: sizeof (axh_reader_state_t), which the caller sets.
     */
    size_t size;
    /**
     * Number of records that were read and verified, those that the filter leaves out among them.
     */
    uint64_t entries;
    /**
     * Offset in bytes after the last of them.
     */
    uint64_t offset;
    /**
     * Bytes after the last line feed of the file, where the reader came to its end: a line that is being written, or
     * whose write was interrupted, as axh_verify tells.
     */
    uint64_t torn_bytes;
    /**
     * The last time that was read; 0 before the first.
     */
    uint64_t time;
    /**
     * Chain value of the last record that was read; zero where entries is 0.
     */
    uint8_t head[32];
    /**
     * 1 where that record is a seal, else 0.
     */
    uint8_t sealed;
} axh_reader_state_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Gives the text of the last error of the calling thread: what was found, what was expected, what to do.
 *
 * Each thread has a text of its own. A call that succeeds leaves it as it is.
 *
 * @return A string of one line in UTF-8, never NULL; empty where no call of this thread has failed. The library owns
 *     it; it is valid until the next function of this header fails on this thread, or the thread ends.
 * @see SRS-004 §25.2
 */
const char *axh_last_error(void);

/**
 * Gives the operating system's number of the last error of the calling thread.
 *
 * A call that succeeds leaves it as it is.
 *
 * @return An errno of Unix, or an error of GetLastError on Windows; 0 where the last error was no refusal of the
 *     operating system, or no call of this thread has failed.
 * @see SRS-004 §25.2
 */
int axh_last_os_error(void);

/**
 * Gives what the last error of the calling thread was about, finer than its status.
 *
 * For programs that treat some errors otherwise than others; people read axh_last_error. A later version may tell more:
 * a program treats a number that it does not know as AXH_REASON_NONE. A call that succeeds leaves it as it is.
 *
 * @return An AXH_REASON_ number.
 * @see formats.md §6
 */
int axh_last_reason(void);

/**
 * Begins a ledger: keeps its configuration, and records a reset and the time, durably. The agent is ENABLED afterwards.
 *
 * The file must be absent, empty, or hold the genesis only; a ledger is never overwritten. Its blobs are kept beside
 * it, in the directory PATH.blobs.
 *
 * @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
 * @param options What the ledger is bound to, borrowed for the call; NULL for the default of each.
 * @param ledger Receives the handle, which axh_ledger_close closes; NULL on failure.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, or the options are not valid.
 * @retval AXH_ERR_EXISTS The file holds a ledger.
 * @retval AXH_ERR_LOCKED Another writer has the ledger open.
 * @retval AXH_ERR_REFUSED A declared oracle has an identity that no ledger takes, or no policy judges it and one is
 *     required.
 * @retval AXH_ERR_IO The operating system refused an operation.
 * @see formats.md §5 and §6
 */
int axh_ledger_create(const char *file,
                      const struct axh_options_t *options,
                      struct axh_ledger_t **ledger);

/**
 * Opens a ledger that exists, to go on with it: replays it, or what follows its saved state, moves a torn last line aside,
 * and completes a step that was interrupted.
 *
 * What the options name must be the ledger's own: its policies, its switches, and what else it is bound to. What they
 * leave out is the ledger's.
 *
 * @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
 * @param options What the ledger must be bound to, and its durability, borrowed for the call; NULL for the default of
 *     each.
 * @param ledger Receives the handle, which axh_ledger_close closes; NULL on failure.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, or the options are not valid.
 * @retval AXH_ERR_LOCKED Another writer has the ledger open.
 * @retval AXH_ERR_REFUSED The ledger is sealed, or is bound to something else than the options name.
 * @retval AXH_ERR_LEDGER The ledger is damaged, its policies are others, it holds no observation, or its configuration
 *     is missing.
 * @retval AXH_ERR_IO The operating system refused an operation, such as opening a file that does not exist.
 * @see formats.md §6; SRS-004 §13
 */
int axh_ledger_open(const char *file,
                    const struct axh_options_t *options,
                    struct axh_ledger_t **ledger);

/**
 * Opens a ledger as axh_ledger_open does, or begins it as axh_ledger_create does where there is none.
 *
 * A beginning that was interrupted before its time is completed: the ledger gets the time of the options.
 *
 * @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
 * @param options What the ledger is or must be bound to, and its durability, borrowed for the call; NULL for the default
 *     of each.
 * @param ledger Receives the handle, which axh_ledger_close closes; NULL on failure.
 * @return AXH_OK, or one of the codes of axh_ledger_create and axh_ledger_open.
 * @see formats.md §5 and §6
 */
int axh_ledger_open_or_create(const char *file,
                              const struct axh_options_t *options,
                              struct axh_ledger_t **ledger);

/**
 * Syncs every step that was recorded: when the call returns AXH_OK, all of them are durable.
 *
 * With AXH_DURABILITY_STEP and AXH_DURABILITY_RECORD they are so already.
 *
 * @param ledger Ledger to sync.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_HANDLE ledger is NULL or closed.
 * @retval AXH_ERR_IO The sync failed, or the ledger is no longer under its path; the ledger takes no further steps.
 * @see SRS-004 §7.2; formats.md §6
 */
int axh_ledger_sync(const struct axh_ledger_t *ledger);

/**
 * Syncs a ledger, closes its file and releases its lock, once the calls of other threads have returned.
 *
 * The handle is closed whatever the result; later calls with it, a second close among them, return AXH_ERR_HANDLE, in
 * any thread: no handle is given twice. A program that ends without closing a ledger keeps every step that was recorded.
 *
 * @param ledger Ledger to close.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_HANDLE ledger is NULL or closed already.
 * @retval AXH_ERR_FORKED Another process opened the ledger; it stays open there.
 * @retval AXH_ERR_IO The last sync failed: steps that were written may not be durable.
 * @see formats.md §6
 */
int axh_ledger_close(struct axh_ledger_t *ledger);

/**
 * Records an answer or a failure of an oracle, has the policies judge it, and gives the decision.
 *
 * The question is kept as a blob beside the ledger, and the answer too where the record does not hold it whole. When the
 * call returns AXH_OK, the step is as durable as the ledger's durability says. Several threads may call at once: each
 * call is one step, and its decision is about its own answer.
 *
 * @param ledger Ledger that records the answer.
 * @param observation Call and reply of the oracle, borrowed for the call.
 * @param decision Receives the decision; its size is set by the caller, and it overlaps nothing. On failure all after
 *     the size is 0: nothing may be acted on. NULL where it is not wanted.
 * @return AXH_OK, or one of these codes. A breach and an answer that is not admissible are recorded, and AXH_OK.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, a size or a number is not as its member says, or a failure has an output.
 * @retval AXH_ERR_HANDLE ledger is NULL or closed.
 * @retval AXH_ERR_REFUSED The ledger does not take the question or the oracle; nothing was recorded.
 * @retval AXH_ERR_LEDGER The ledger has failed, or a schema that it declares cannot be used; nothing was recorded.
 * @retval AXH_ERR_IO The operating system refused an operation; the text says whether anything was recorded.
 * @see SRS-004 §7 and §8; formats.md §3 and §5
 */
int axh_observe(const struct axh_ledger_t *ledger,
                const struct axh_observation_t *observation,
                struct axh_decision_t *decision);

/**
 * Checks, before an oracle is asked, that its answer could be recorded: the identities, the question, the answers that it
 * was derived from, and the declared schema of what the oracle may be asked. Records nothing.
 *
 * A question that is refused is then never put. axh_observe checks again.
 *
 * @param ledger Ledger that will record the answer.
 * @param observation Call of the oracle, borrowed for the call; its output and failure are not read.
 * @param question Receives the question in the form that is recorded, which is to be put to the oracle, NUL-terminated;
 *     axh_string_free frees it. NULL on failure. It overlaps no other argument. NULL where it is not wanted.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, or a size or a number is not as its member says.
 * @retval AXH_ERR_HANDLE ledger is NULL or closed.
 * @retval AXH_ERR_REFUSED The ledger does not take the question or the oracle.
 * @retval AXH_ERR_LEDGER A schema that the ledger declares cannot be used.
 * @see SRS-004 §8; formats.md §5
 */
int axh_check_question(const struct axh_ledger_t *ledger,
                       const struct axh_observation_t *observation,
                       char **question);

/**
 * Keeps what a provider is about to be asked: the question is durable when the call returns AXH_OK, and may be sent then.
 *
 * The question is the canonical JSON of the request's body. The ledger must take the answer: its agent is ENABLED, no
 * policy of it judges every oracle, and oracle and model are such that may answer. Nothing is recorded.
 *
 * @param ledger Ledger that will record the exchange.
 * @param exchange Request, borrowed for the call; the members after request_len are not read.
 * @return AXH_OK, or one of these codes. But for AXH_OK the request must not be sent.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, the size or the interface is none, or the request is too long.
 * @retval AXH_ERR_HANDLE ledger is NULL or closed.
 * @retval AXH_ERR_REFUSED The ledger does not take the question, the oracle or its model; the request is no JSON with a
 *     model, or holds the key; with AXH_REASON_STATE the agent is not ENABLED, with AXH_REASON_POLICIES a policy judges
 *     every oracle.
 * @retval AXH_ERR_LEDGER A schema that the ledger declares cannot be used.
 * @retval AXH_ERR_IO The operating system refused an operation.
 * @see SRS-004 §4, §7.2 and §8
 */
int axh_exchange_begin(const struct axh_ledger_t *ledger,
                       const struct axh_exchange_t *exchange);

/**
 * Records what came of a request that axh_exchange_begin has kept, has the policies judge it, and says whether the
 * program may have the answer.
 *
 * In one turn it records what the provider says of itself (oracle "llm.provider", whose input is the response, byte for
 * byte), each answer, and after it each of its tool calls ("tool.NAME"). A stream is recorded as what its events add up
 * to. A response that is no answer, as it was cut, is no JSON or holds the key, is a TRANSPORT_ERROR; an error of the
 * provider and a request that nobody got are recorded and alarm nobody.
 *
 * @param ledger Ledger that records the exchange.
 * @param exchange Request as it was begun, and what came of it, borrowed for the call.
 * @param decision Receives the decision that counts: the first on what may not be acted on, else the last; all after its
 *     size is 0 where there was no answer, and on failure. axh_last_decision is about it too. NULL where it is not wanted.
 * @param json Receives an object, NUL-terminated, which axh_string_free frees: in "end" how the exchange ended
 *     ("released", "breach", "provider_error", "provider_failure"), in "why" the reason in words (null where "released"),
 *     in "decisions" an object for each answer, tool call and failure, as `axilog observe --json` prints it, and of the
 *     last record "ledger_seq", "head" and "state", which are null where nothing was recorded. NULL on failure. It
 *     overlaps no other argument. NULL where it is not wanted.
 * @return AXH_OK where everything in the answer may be acted on, AXH_NOT_OK where it was recorded and not, or one of
 *     these codes.
 * @retval AXH_ERR_ARGUMENT As of axh_exchange_begin; or the response is too long, or status or arrival is none.
 * @retval AXH_ERR_HANDLE ledger is NULL or closed.
 * @retval AXH_ERR_REFUSED As of axh_exchange_begin; the state of the agent is no reason.
 * @retval AXH_ERR_LEDGER The ledger has failed, or a schema that it declares cannot be used; nothing was recorded.
 * @retval AXH_ERR_IO The operating system refused an operation; the text says whether anything was recorded.
 * @see SRS-004 §4, §7.2 and §9
 */
int axh_exchange_end(const struct axh_ledger_t *ledger,
                     const struct axh_exchange_t *exchange,
                     struct axh_decision_t *decision,
                     char **json);

/**
 * Makes the question of a call that uses earlier answers: canonical JSON whose member derived_from names them. It is put
 * to the oracle, and given to axh_observe with AX_INPUT_KIND_JSON.
 *
 * A JSON object gets the member; a text becomes the member input of a new object, and an empty text becomes no member.
 *
 * @param ledger Ledger that holds the answers. The question says even_refused only where one of them may not be acted
 *     on. NULL where there is none at hand: the question then says even_refused where the caller does.
 * @param input Question: UTF-8 in NFC, whose line ends may be any; NULL for none. Borrowed for the call.
 * @param input_len Bytes of input, at most 64 MiB.
 * @param input_kind What the question is; AX_INPUT_KIND_JSON wants a canonical JSON object.
 * @param sources The obs_hash of each answer, 64 hexadecimal digits, NUL-terminated, in the order of use. Borrowed for
 *     the call.
 * @param source_count Number of sources, at least 1.
 * @param even_refused 1: answers that may not be acted on are taken too; 0: axh_observe refuses them.
 * @param question Receives the question, NUL-terminated; axh_string_free frees it. NULL on failure. It overlaps no other
 *     argument.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, a number is not as its parameter says, or a source is no hash.
 * @retval AXH_ERR_HANDLE ledger is closed.
 * @retval AXH_ERR_REFUSED The question has no canonical form, is JSON and no object, or has one of the members already; or
 *     there are no sources.
 * @retval AXH_ERR_IO The ledger could not be read.
 * @see SRS-004 §10.1 and §11.2; formats.md §5
 */
int axh_derive_question(const struct axh_ledger_t *ledger,
                        const char *input,
                        size_t input_len,
                        ax_input_kind_t input_kind,
                        const char *const *sources,
                        size_t source_count,
                        int even_refused,
                        char **question);

/**
 * Records the time, which policies on elapsed judge.
 *
 * @param ledger Ledger that records the time.
 * @param timestamp Time in the unit of the ledger's other times; it must be after the last one.
 * @param force 1: record a time too that is not after the last one, which stops the agent for good; else 0.
 * @param decision Receives the decision; its size is set by the caller. On failure all after the size is 0. NULL where
 *     it is not wanted.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_ARGUMENT decision has another size.
 * @retval AXH_ERR_HANDLE ledger is NULL or closed.
 * @retval AXH_ERR_REFUSED The time is not after the last one, or the ledger is sealed; nothing was recorded.
 * @retval AXH_ERR_LEDGER The ledger has failed; nothing was recorded.
 * @retval AXH_ERR_IO The operating system refused an operation; the text says whether anything was recorded.
 * @see SRS-004 §19; formats.md §5
 */
int axh_time(const struct axh_ledger_t *ledger,
             uint64_t timestamp,
             int force,
             struct axh_decision_t *decision);

/**
 * Records a control input: an operator's or the machine's, not an oracle's.
 *
 * @param ledger Ledger that records the input.
 * @param input AX_INPUT_RESET_REQUEST, which the time must follow, AX_INPUT_POLICY_TRIGGER for an alarm that was
 *     handled, or AX_INPUT_FAULT_SIGNAL for a fault of the machine.
 * @param decision Receives the decision; its size is set by the caller. On failure all after the size is 0. NULL where
 *     it is not wanted.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_ARGUMENT input is another number, or decision has another size.
 * @retval AXH_ERR_HANDLE ledger is NULL or closed.
 * @retval AXH_ERR_REFUSED The ledger is sealed; nothing was recorded.
 * @retval AXH_ERR_LEDGER The ledger has failed; nothing was recorded.
 * @retval AXH_ERR_IO The operating system refused an operation; the text says whether anything was recorded.
 * @see SRS-004 §19; formats.md §5
 */
int axh_control(const struct axh_ledger_t *ledger,
                ax_input_class_t input,
                struct axh_decision_t *decision);

/**
 * Ends a ledger with a seal, durably. Nothing may follow it; the handle stays open until axh_ledger_close.
 *
 * @param ledger Ledger to seal.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_HANDLE ledger is NULL or closed.
 * @retval AXH_ERR_REFUSED The ledger is sealed already.
 * @retval AXH_ERR_LEDGER The ledger has failed; nothing was recorded.
 * @retval AXH_ERR_IO The operating system refused an operation; the text says whether anything was recorded.
 * @see formats.md §6
 */
int axh_seal(const struct axh_ledger_t *ledger);

/**
 * Gives the last decision of the calling thread as JSON: that of its last axh_observe, axh_time or axh_control that
 * returned AXH_OK.
 *
 * The object is the one that the command prints with --json (docs/cli.md): each policy with the value that it compared,
 * the states before and after, and in "why" the reasons in words. It takes some microseconds to make, and is made only
 * where this function is called.
 *
 * @return A string of one line in UTF-8, never NULL; empty where no such call of this thread has succeeded. The library
 *     owns it; it is valid until the next of those calls succeeds on this thread, or the thread ends.
 * @see SRS-004 §11 and §12; formats.md §4 and §5
 */
const char *axh_last_decision(void);

/**
 * Takes the last decision of the calling thread, to be told later or on another thread. axh_last_decision of this thread
 * is empty then, until the next decision.
 *
 * @return The decision, which axh_kept_decision_free frees; NULL where axh_last_decision is empty.
 * @see SRS-004 §11 and §12
 */
struct axh_kept_decision_t *axh_take_decision(void);

/**
 * Gives a decision that was taken, as the JSON that axh_last_decision would have given. Several threads may ask at once.
 *
 * @param kept Decision to tell, from axh_take_decision; NULL for none.
 * @return A string of one line in UTF-8, never NULL; empty for NULL. It is valid until the decision is freed.
 * @see SRS-004 §11 and §12; formats.md §4 and §5
 */
const char *axh_kept_decision(const struct axh_kept_decision_t *kept);

/**
 * Frees a decision that was taken.
 *
 * @param kept Decision to free, from axh_take_decision; NULL for none.
 * @see SRS-004 §11 and §12
 */
void axh_kept_decision_free(struct axh_kept_decision_t *kept);

/**
 * Gives what opening a ledger did, as JSON: the records that it added to complete an interrupted step, in "torn" the
 * incomplete last line that it moved to another file, and in "left_behind" the files among the blobs that no record
 * names and that it moved out of them; null for neither.
 *
 * @param ledger Ledger to describe.
 * @param json Receives the object, NUL-terminated, with the members completed_records, torn and left_behind of what the
 *     command prints with --json; axh_string_free frees it. NULL on failure. It overlaps no other argument.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_HANDLE ledger is NULL or closed.
 * @see formats.md §6
 */
int axh_opening(const struct axh_ledger_t *ledger,
                char **json);

/**
 * Gives the state of a ledger and of its agent, between two steps. Steps that wait for their sync count among entries
 * and not yet among durable_entries.
 *
 * @param ledger Ledger that is open.
 * @param state Receives the state; its size is set by the caller. On failure all after the size is 0.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_ARGUMENT state is NULL or has another size.
 * @retval AXH_ERR_HANDLE ledger is NULL or closed.
 * @see SRS-004 §19; formats.md §5
 */
int axh_state(const struct axh_ledger_t *ledger,
              struct axh_state_t *state);

/**
 * Checks a ledger: hashes, chain, canonical forms, order, witnesses, models. Decides nothing again.
 *
 * The ledger may be open for writing, in this process or another.
 *
 * @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
 * @param expected What is known of the ledger from elsewhere, borrowed for the call; NULL for nothing.
 * @param json Receives the object that `axilog verify --json` prints, NUL-terminated, which axh_string_free frees; NULL
 *     on failure. It overlaps no other argument. NULL where it is not wanted.
 * @return AXH_OK where the verdict is OK, AXH_NOT_OK where it is another, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, or an expectation is not as its member says.
 * @retval AXH_ERR_IO The file cannot be read.
 * @see SRS-004 §13; formats.md §6
 */
int axh_verify(const char *file,
               const struct axh_expectations_t *expected,
               char **json);

/**
 * Replays a ledger: runs policies and agent afresh on the recorded observations, and compares every record.
 *
 * @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
 * @param expected What is known of the ledger from elsewhere, borrowed for the call; NULL for nothing.
 * @param json Receives the object that `axilog replay --json` prints, NUL-terminated, which axh_string_free frees; NULL
 *     on failure. It overlaps no other argument. NULL where it is not wanted.
 * @return AXH_OK where the verdict is OK, AXH_NOT_OK where it is another, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, or an expectation is not as its member says.
 * @retval AXH_ERR_LEDGER The rules that the ledger names are missing or cannot be read.
 * @retval AXH_ERR_IO The file cannot be read.
 * @see SRS-004 §13; formats.md §6
 */
int axh_replay(const char *file,
               const struct axh_expectations_t *expected,
               char **json);

/**
 * Audits a ledger: verifies and replays it, compares blobs, rules, models, schemas and derivations, as one verdict.
 *
 * @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
 * @param expected What is known of the ledger from elsewhere, borrowed for the call; NULL for nothing.
 * @param json Receives the object that `axilog audit --json` prints, NUL-terminated, which axh_string_free frees; NULL
 *     on failure. It overlaps no other argument. NULL where it is not wanted.
 * @return AXH_OK where the verdict is OK, AXH_NOT_OK where it is FAILED or INCOMPLETE, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, or an expectation is not as its member says.
 * @retval AXH_ERR_IO A file cannot be read.
 * @see SRS-004 §13; formats.md §6
 */
int axh_audit(const char *file,
              const struct axh_expectations_t *expected,
              char **json);

/**
 * Gives the length, the head, the recorded state and the manifest of a ledger, which is replayed on the way.
 *
 * @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
 * @param expected What is known of the ledger's rules, borrowed for the call; NULL for nothing. What is expected of its
 *     records is for axh_replay, and an error here.
 * @param json Receives the object that `axilog head --json` prints, NUL-terminated, which axh_string_free frees; NULL on
 *     failure. It overlaps no other argument. NULL where it is not wanted.
 * @return AXH_OK where the ledger is good, AXH_NOT_OK where it is not, and the object is of its fault, or one of these
 *     codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, or an expectation is not as its member says.
 * @retval AXH_ERR_LEDGER The rules that the ledger names are missing or cannot be read.
 * @retval AXH_ERR_IO The file cannot be read.
 * @see SRS-004 §13; formats.md §6
 */
int axh_head(const char *file,
             const struct axh_expectations_t *expected,
             char **json);

/**
 * Frees a text that a function of this header has given.
 *
 * @param text Text to free, once; NULL is none, and nothing is done.
 * @see SRS-004 §25.2
 */
void axh_string_free(char *text);

/**
 * Opens a ledger for reading. No lock is taken: the ledger may be open for writing, in this process or another.
 *
 * @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
 * @param filter Records to give, borrowed for the call; NULL for every one.
 * @param reader Receives the handle, which axh_reader_close closes; NULL on failure.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, or the filter is not as its members say.
 * @retval AXH_ERR_IO The file cannot be opened, or is not a regular one.
 * @see SRS-004 §13; formats.md §6
 */
int axh_reader_open(const char *file,
                    const struct axh_filter_t *filter,
                    struct axh_reader_t **reader);

/**
 * Reads the next record that the filter selects, and verifies it and all before: hashes, chain, canonical form, order,
 * witnesses, models. Only good records are given.
 *
 * @param reader Reader that is open.
 * @param record Receives the record; its size is set by the caller, and it overlaps nothing. Unless the call returns
 *     AXH_OK, all after the size is 0.
 * @return AXH_OK; AXH_END where the ledger has no further record, after which a later call gives what was recorded
 *     since; or one of these codes.
 * @retval AXH_ERR_ARGUMENT record is NULL or has another size.
 * @retval AXH_ERR_HANDLE reader is NULL or closed.
 * @retval AXH_ERR_LEDGER The next record is bad; the text has the verdict of axh_verify and its place. So does every
 *     later call.
 * @retval AXH_ERR_IO The file cannot be read.
 * @see SRS-004 §13; formats.md §6
 */
int axh_reader_next(const struct axh_reader_t *reader,
                    struct axh_record_t *record);

/**
 * Gives the question of the observation that axh_reader_next read last, from its blob beside the ledger.
 *
 * @param reader Reader that is open.
 * @param question Receives the canonical question, which the reader owns until the next call with it that reads or
 *     closes; NULL on failure. It overlaps no other argument.
 * @param len Receives its bytes; 0 on failure.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, or the record is no observation.
 * @retval AXH_ERR_HANDLE reader is NULL or closed.
 * @retval AXH_ERR_LEDGER The blob is missing or has other bytes.
 * @retval AXH_ERR_IO The blob cannot be read.
 * @see SRS-004 §8; formats.md §6
 */
int axh_reader_question(const struct axh_reader_t *reader,
                        const char **question,
                        size_t *len);

/**
 * Gives the whole answer that the record leads to which axh_reader_next read last: of an AXH_RECORD_RAW_ANSWER the bytes
 * as they came, from their blob, and of an AXH_RECORD_OBSERVATION that holds its answer whole its output.
 *
 * @param reader Reader that is open.
 * @param answer Receives the answer, which the reader owns until the next call with it that reads or closes; NULL on
 *     failure. It overlaps no other argument.
 * @param len Receives its bytes; 0 on failure.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, or the record leads to no whole answer; where an observation does not hold
 *     it, the AXH_RECORD_RAW_ANSWER after it does.
 * @retval AXH_ERR_HANDLE reader is NULL or closed.
 * @retval AXH_ERR_LEDGER The blob is missing or has other bytes.
 * @retval AXH_ERR_IO The blob cannot be read.
 * @see formats.md §6
 */
int axh_reader_raw_answer(const struct axh_reader_t *reader,
                          const char **answer,
                          size_t *len);

/**
 * Reads records as axh_reader_next does, and gives them in columns.
 *
 * @param reader Reader that is open.
 * @param max_records The most records to give, at least 1. A batch ends earlier where its texts reach 32 MiB, or the
 *     record after it cannot be given, as the next call tells.
 * @param columns Receives the columns; its size is set by the caller, and it overlaps nothing. Unless the call returns
 *     AXH_OK, all after the size is 0.
 * @return AXH_OK where there is a record at least; AXH_END where there is none; or one of the codes of axh_reader_next.
 * @retval AXH_ERR_ARGUMENT columns is NULL or has another size, or max_records is 0.
 * @see SRS-004 §13; formats.md §6
 */
int axh_reader_columns(const struct axh_reader_t *reader,
                       size_t max_records,
                       struct axh_columns_t *columns);

/**
 * Gives how far a reader has come, and the head of what it has read.
 *
 * @param reader Reader that is open.
 * @param state Receives the state; its size is set by the caller. On failure all after the size is 0.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_ARGUMENT state is NULL or has another size.
 * @retval AXH_ERR_HANDLE reader is NULL or closed.
 * @see formats.md §6
 */
int axh_reader_state(const struct axh_reader_t *reader,
                     struct axh_reader_state_t *state);

/**
 * Closes a reader, and frees what it has given. Later calls with the handle return AXH_ERR_HANDLE, in any thread.
 *
 * @param reader Reader to close.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_HANDLE reader is NULL or closed already.
 * @retval AXH_ERR_FORKED Another process opened the reader; it stays open there.
 * @see formats.md §6
 */
int axh_reader_close(struct axh_reader_t *reader);

/**
 * Gives the canonical form of a JSON text (RFC 8785), which questions of AX_INPUT_KIND_JSON have.
 *
 * @param json JSON text in any spelling, borrowed for the call.
 * @param json_len Bytes of json, at most 64 MiB.
 * @param canonical Receives the canonical form, NUL-terminated, which axh_string_free frees; NULL on failure. It
 *     overlaps no other argument.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, or json is no JSON that has a canonical form: the text has its place.
 * @see SRS-004 §8; formats.md §3
 */
int axh_canonical_json(const char *json,
                       size_t json_len,
                       char **canonical);

/**
 * Finds the one JSON object in the text of a language model, as the live harness X-0L does: prose and fences around it
 * are left out, and nothing is repaired or chosen.
 *
 * This is not axh_canonical_json, which writes a JSON text in its canonical form and takes no text around it.
 *
 * @param text Text as the model gave it, in UTF-8, borrowed for the call.
 * @param text_len Bytes of text, at most 64 MiB.
 * @param json Receives the object that `axilog x0l canonicalize` prints, NUL-terminated, which axh_string_free frees: its
 *     "status" (OK, NO_JSON, AMBIGUOUS_MULTI_BLOCK or PARSE_ERROR) and "raw_hash", and where the status is OK the object
 *     as it stands in the text ("block"), in canonical form ("json"), and the hash of that ("canonicalized_hash"). NULL
 *     on failure. It overlaps no other argument. NULL where it is not wanted.
 * @return AXH_OK where the status is OK, AXH_NOT_OK where it is another, or one of these codes.
 * @retval AXH_ERR_ARGUMENT text is NULL, not UTF-8 or too long.
 * @see X-0L, A1 to A7
 */
int axh_canonicalize(const char *text,
                     size_t text_len,
                     char **json);

/**
 * Builds the step awareness bundle of a pipeline step and renders its prompt, as `axilog bundle build` and
 * `axilog bundle render` do.
 *
 * The request is a JSON object. Its member "step_id" must be there; the others have defaults: "run_id" (a text; one is
 * made from the step and the time), "run_number" (an integer from 1; 1), "results" (the step's output, an object, whose
 * members keep their order) or "results_path" (the file that holds it), "manifest_path", "state_paths" (an array),
 * "budgets" (an object of tokens: "ctx_max_tokens", 32768; "tier0_reserved", 1200; "tier1_cap", 3000; "history_cap", 6000;
 * "telemetry_cap", 3000; "generation_reserve", 2000), "is_chapter_13" (false), "catalogue_path" (the built-in catalogue),
 * "fallback" (whether the answer shall fit the step's fallback grammar; false), "history_path" (a folder), and of that
 * history "outcomes" (the most outcomes, 20) and "window" (the values of a trend, from 1; 10). Paths are texts in UTF-8.
 * A manifest, state or history file that is not there is no error.
 *
 * The call reads the files that the request names, and has no other effect.
 *
 * @param request Request as JSON text, borrowed for the call.
 * @param request_len Bytes of request, at most 64 MiB.
 * @param json Receives an object, NUL-terminated, which axh_string_free frees: in "bundle" what `axilog bundle build --json`
 *     prints, in "rendered" what `axilog bundle render --json` prints, its tokens estimated from words, in "skipped" a
 *     sentence for each entry of the history that is no valid record. Where the prompt has no room, "rendered" is null
 *     and "problem" says why, which is null otherwise. NULL on failure. It overlaps no other argument. NULL where it is
 *     not wanted.
 * @return AXH_OK, AXH_NOT_OK where the bundle was built and its Tier 0 alone is more than a prompt may have, or one of
 *     these codes.
 * @retval AXH_ERR_ARGUMENT request is NULL, too long or no such object; or, with AXH_REASON_BUNDLE, the catalogue, the step
 *     or the results are not valid.
 * @retval AXH_ERR_IO A file that is there cannot be read, or the results or the catalogue are not there.
 * @see Addendum A, A1 to A8
 */
int axh_bundle_build(const char *request,
                     size_t request_len,
                     char **json);

/**
 * Checks a catalogue of steps and the grammars that it names.
 *
 * @param catalogue Path of the catalogue, a TOML file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for
 *     the call. NULL for the built-in catalogue.
 * @param json Receives the object that `axilog bundle check --json` prints, NUL-terminated, which axh_string_free frees;
 *     NULL on failure. It overlaps no other argument. NULL where it is not wanted.
 * @return AXH_OK, AXH_NOT_OK where a grammar that the catalogue names is missing or not valid, or one of these codes.
 * @retval AXH_ERR_ARGUMENT The file is no catalogue: the text has the place.
 * @retval AXH_ERR_IO The file cannot be read.
 * @see Addendum A, A7
 */
int axh_bundle_check(const char *catalogue,
                     char **json);

/**
 * Gives the text of a grammar: of the file beside the catalogue, or else of the built-in one.
 *
 * @param catalogue Path of the catalogue, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call. NULL
 *     for the built-in catalogue.
 * @param name File name of the grammar, as "grammar_name" of a bundle has it, NUL-terminated UTF-8, borrowed for the call.
 * @param grammar Receives the text, in llama.cpp's notation, NUL-terminated; axh_string_free frees it. NULL on failure. It
 *     overlaps no other argument.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, there is no such grammar, or what was found is no text.
 * @retval AXH_ERR_IO A file cannot be read.
 * @see Addendum A, A7.3
 */
int axh_bundle_grammar(const char *catalogue,
                       const char *name,
                       char **grammar);

/**
 * Says whether a text fits a grammar, as llama.cpp decides it. The text is compared byte for byte.
 *
 * @param grammar Grammar in llama.cpp's notation, in UTF-8, borrowed for the call.
 * @param grammar_len Bytes of grammar, at most 64 MiB.
 * @param name Name of the grammar in messages, such as its path, NUL-terminated UTF-8; NULL for "grammar".
 * @param answer Text, any bytes, borrowed for the call.
 * @param answer_len Bytes of answer, at most 64 MiB.
 * @param max_steps Most steps of the comparison; 0 for ten million.
 * @param json Receives an object, NUL-terminated, which axh_string_free frees: "verdict" (MATCHES, DOES_NOT_MATCH or
 *     CANNOT_BE_TOLD), "ok", "reason", "line", "column", "found" and "expected" of what `axilog bundle match --json`
 *     prints. NULL on failure. It overlaps no other argument. NULL where it is not wanted.
 * @return AXH_OK where the text fits, AXH_NOT_OK where it does not or nobody can tell, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, or, with AXH_REASON_GRAMMAR, the grammar is not valid: the text has its place.
 * @see Addendum A, A7.3
 */
int axh_bundle_match(const char *grammar,
                     size_t grammar_len,
                     const char *name,
                     const char *answer,
                     size_t answer_len,
                     uint64_t max_steps,
                     char **json);

/**
 * Checks a policy file, and gives what it permits, per oracle and path.
 *
 * @param policies Policy file in its canonical form, as JSON text, borrowed for the call.
 * @param policies_len Bytes of policies.
 * @param name Name of the policies in the object and in messages, such as their path, NUL-terminated UTF-8; NULL for
 *     "policies".
 * @param json Receives the object that `axilog policy check --json` prints, NUL-terminated, which axh_string_free frees;
 *     NULL on failure. It overlaps no other argument. NULL where it is not wanted.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_ARGUMENT policies is NULL, or no good policy file: the text has its line and column.
 * @see SRS-004 §17; formats.md §4
 */
int axh_policy_check(const char *policies,
                     size_t policies_len,
                     const char *name,
                     char **json);

/**
 * Compiles a policy file: to source of a registry, or to its canonical form.
 *
 * @param policies Policy file in its canonical form, as JSON text, borrowed for the call.
 * @param policies_len Bytes of policies.
 * @param name Name of the policies in messages, NUL-terminated UTF-8; NULL for "policies".
 * @param form What is written.
 * @param symbol For AXH_POLICY_FORM_C: name of the registry, NUL-terminated; NULL for "axilog_policies".
 * @param text Receives what `axilog policy compile` prints, NUL-terminated, which axh_string_free frees; NULL on
 *     failure. It overlaps no other argument.
 * @return AXH_OK, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, policies are no good policy file, or symbol is no name that C and C++ take.
 * @see SRS-004 §17; formats.md §4
 */
int axh_policy_compile(const char *policies,
                       size_t policies_len,
                       const char *name,
                       enum axh_policy_form_t form,
                       const char *symbol,
                       char **text);

/**
 * Says value by value what policies would decide on an answer, and why, without a ledger.
 *
 * @param policies Policy file in its canonical form or in another spelling, as JSON text, borrowed for the call.
 * @param policies_len Bytes of policies.
 * @param name Name of the policies in messages, NUL-terminated UTF-8; NULL for "policies".
 * @param answer Answer, as the oracle gives it, borrowed for the call.
 * @param answer_len Bytes of answer, at most 64 MiB.
 * @param oracle_id Oracle that gives it, NUL-terminated; NULL for each that the policies name, and any other.
 * @param json Receives the object that `axilog policy explain --json` prints, NUL-terminated, which axh_string_free
 *     frees; NULL on failure. It overlaps no other argument. NULL where it is not wanted.
 * @return AXH_OK where the answer is permitted every time, AXH_NOT_OK where it is not, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, policies are no good policy file, or oracle_id is no identity.
 * @see SRS-004 §17; formats.md §4
 */
int axh_policy_explain(const char *policies,
                       size_t policies_len,
                       const char *name,
                       const char *answer,
                       size_t answer_len,
                       const char *oracle_id,
                       char **json);

/**
 * Gives one tool call of an assistant's message. A program records each, from index 0 until AXH_END, with axh_observe
 * before it makes the first. The message is read anew each time.
 *
 * @param message JSON, borrowed for the call: the message of a choice of OpenAI's chat completions or its tool_calls, a
 *     response of OpenAI's responses or its output, or a message of Anthropic or its content.
 * @param message_len Bytes of message, at most 64 MiB.
 * @param index Number of the call, from 0.
 * @param oracle_id Receives "tool." and the tool's name, NUL-terminated, which axh_string_free frees; NULL where
 *     AXH_OK is not returned. It overlaps no other argument.
 * @param arguments Receives the arguments, NUL-terminated, which axh_string_free frees: canonical JSON where they are
 *     JSON, else the text; NULL where AXH_OK is not returned. It overlaps no other argument.
 * @return AXH_OK, AXH_END where the message has no more calls, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, message is no JSON with a canonical form or none of these, a call in it has no
 *     name or another form, or the call asked for holds a NUL. Nothing of such a message may be acted on.
 * @see SRS-004 §8; formats.md §4
 */
int axh_tool_call(const char *message,
                  size_t message_len,
                  size_t index,
                  char **oracle_id,
                  char **arguments);

/**
 * Checks the proof that a ledger has one record, with the public key of the ledger alone.
 *
 * What holds is that whoever has the key signed a head of the ledger that covers this record. Nothing but the arguments
 * is read. The key comes from whoever keeps the ledger, by another way than the proof.
 *
 * @param proof The proof that `axilog prove --seq` writes, borrowed for the call.
 * @param proof_len Bytes of proof.
 * @param record The record's line of the ledger file, with or without its line feed, borrowed for the call; NULL for the
 *     one in the proof.
 * @param record_len Bytes of record.
 * @param public_key The public key of the ledger as `axilog key show` prints it, NUL-terminated, without a line feed.
 * @param json Receives an object, NUL-terminated, which axh_string_free frees; NULL on failure. Where the proof holds it
 *     has what `axilog check --json` prints of a record: "origin", "size", "seq", "tag", "commit", "record" and so on, and
 *     "ok" true; else "ok" false, and the "reason" as a sentence. It overlaps no other argument. NULL where it is not
 *     wanted.
 * @return AXH_OK where the proof holds, AXH_NOT_OK where it does not, or one of these codes.
 * @retval AXH_ERR_ARGUMENT proof or public_key is NULL, the key is none, an argument is longer than any of its kind, or
 *     record is NULL and the proof has no record in it.
 * @see formats.md §1 and §6; RFC 6962 §2.1; docs/heads.md
 */
int axh_check_proof(const char *proof,
                    size_t proof_len,
                    const char *record,
                    size_t record_len,
                    const char *public_key,
                    char **json);

/**
 * Verifies the segment of a ledger that has the lines which begin from one offset on and before another.
 *
 * Any offsets will do: the segments from 0 to A, from A to B and from B to the file's length are the whole file. What was
 * found of each goes to one process that has the file too, and calls axh_segment_verify_join. Whoever hands in what nobody
 * found has verified nothing: those who check segments are trusted as the one who joins is.
 *
 * @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
 * @param from Offset in the file, in bytes.
 * @param to Offset in the file, in bytes. One that is not after `from` gives a segment without lines.
 * @param expected What is known of the ledger from elsewhere, borrowed for the call, without blobs; NULL for nothing. It
 *     must be the same for each segment and when they are joined.
 * @param segment Receives what was found, as hexadecimal digits, NUL-terminated, which axh_string_free frees; NULL on
 *     failure. A process that loads the same version of this library reads it; nobody keeps it. It overlaps no other
 *     argument.
 * @return AXH_OK, where the segment has a defect too, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, or an expectation is not as its member says or names blobs.
 * @retval AXH_ERR_IO The file cannot be read.
 * @see SRS-004 §13; formats.md §6
 */
int axh_segment_verify(const char *file,
                       uint64_t from,
                       uint64_t to,
                       const struct axh_expectations_t *expected,
                       char **segment);

/**
 * Replays a segment as axh_segment_verify verifies it: policies and agent run afresh on its observations, from the state
 * that one of its first records implies. axh_segment_replay_join takes what was found.
 *
 * The rules are those that the beginning of the file names, from the blobs beside it, or the expected ones.
 *
 * @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
 * @param from Offset in the file, in bytes.
 * @param to Offset in the file, in bytes. One that is not after `from` gives a segment without lines.
 * @param expected What is known of the ledger from elsewhere, borrowed for the call, without blobs; NULL for nothing. It
 *     must be the same for each segment and when they are joined.
 * @param segment Receives what was found, as hexadecimal digits, NUL-terminated, which axh_string_free frees; NULL on
 *     failure. It overlaps no other argument.
 * @return AXH_OK, where the segment has a defect or the rules are missing too, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, or an expectation is not as its member says or names blobs.
 * @retval AXH_ERR_IO The file cannot be read.
 * @see SRS-004 §13; formats.md §6
 */
int axh_segment_replay(const char *file,
                       uint64_t from,
                       uint64_t to,
                       const struct axh_expectations_t *expected,
                       char **segment);

/**
 * Joins segments that were verified. The verdict, the place of the first defect and its reason are those of axh_verify.
 *
 * Each segment is joined where the state that it began with is the one that the records before have led to. What is not
 * joined, with any defect, and what no segment has, is read here. The digest in a segment finds what was changed by accident;
 * nobody has signed it, so that whoever gives the segments is trusted. Blobs are not compared.
 *
 * @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
 * @param segments What axh_segment_verify gave of each segment, in any order, borrowed for the call; NULL for none.
 * @param segment_count Number of segments.
 * @param expected What the segments were verified with, borrowed for the call; NULL for nothing.
 * @param json Receives the object that `axilog verify --json` prints, NUL-terminated, which axh_string_free frees; NULL
 *     on failure. It overlaps no other argument. NULL where it is not wanted.
 * @return AXH_OK where the verdict is OK, AXH_NOT_OK where it is another, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, an expectation is not as its member says or names blobs, or a segment is
 *     not whole as it was given, or is of a ledger that begins with other bytes or was longer, or of other expectations.
 * @retval AXH_ERR_IO The file cannot be read.
 * @see SRS-004 §13; formats.md §6
 */
int axh_segment_verify_join(const char *file,
                            const char *const *segments,
                            size_t segment_count,
                            const struct axh_expectations_t *expected,
                            char **json);

/**
 * Joins segments that were replayed. The verdict, the place of the first defect and its reason are those of axh_replay.
 * Whoever gives the segments is trusted, and blobs are not compared, as axh_segment_verify_join says.
 *
 * @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
 * @param segments What axh_segment_replay gave of each segment, in any order, borrowed for the call; NULL for none.
 * @param segment_count Number of segments.
 * @param expected What the segments were replayed with, borrowed for the call; NULL for nothing.
 * @param json Receives the object that `axilog replay --json` prints, NUL-terminated, which axh_string_free frees; NULL
 *     on failure. It overlaps no other argument. NULL where it is not wanted.
 * @return AXH_OK where the verdict is OK, AXH_NOT_OK where it is another, or one of these codes.
 * @retval AXH_ERR_ARGUMENT A pointer is NULL, an expectation is not as its member says or names blobs, or a segment is
 *     not whole as it was given, or is of a ledger that begins with other bytes or was longer, or of other rules or
 *     expectations.
 * @retval AXH_ERR_LEDGER The rules that the ledger names are missing or cannot be read.
 * @retval AXH_ERR_IO The file cannot be read.
 * @see SRS-004 §13; formats.md §6
 */
int axh_segment_replay_join(const char *file,
                            const char *const *segments,
                            size_t segment_count,
                            const struct axh_expectations_t *expected,
                            char **json);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_HOST_H */
