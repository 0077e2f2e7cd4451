/* The answer of a vector of ax_obs_admit. */

#ifndef ANSWER_H
#define ANSWER_H

#include "axilog/obs.h"

#include "flags.h"

static inline void read_params(const char *front, ax_oracle_params_t *params)
{
    params->max_tokens = (int32_t)number(in(front, "max_tokens"), -1);
    params->seed = number(in(front, "seed"), -1);
    params->temperature = (q16_16_t)number(in(front, "temperature"), INT32_MIN);
    params->top_p = (q16_16_t)number(in(front, "top_p"), INT32_MIN);
}

static inline void read_answer(ax_obs_input_t *answer)
{
    ax_obs_input_init(answer);
    answer->completion_state = (ax_completion_state_t)number("in.completion_state", 0);
    answer->failure_type = (ax_failure_type_t)number("in.failure_type", 0);
    answer->input = string("in.input");
    answer->input_len = (size_t)natural("in.input_len", 0);
    answer->ledger_seq = natural("in.ledger_seq", 0);
    answer->model_id = string("in.model_id");
    answer->oracle_id = string("in.oracle_id");
    answer->output = string("in.output");
    answer->output_len = (size_t)natural("in.output_len", 0);
    read_params("in.params.", &answer->params);
}

#endif
