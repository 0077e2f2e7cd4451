/* A motor that asks a model for its speed, and acts on no answer that is not recorded and permitted. */

#ifndef MOTOR_H
#define MOTOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the motor asks of the board. */
typedef struct {
    /* Stores a line of the ledger where a power failure does not lose it; 0, or -1. */
    int (*store_line)(const uint8_t *line, size_t length);
    /* Does what the answer says. Called only for an answer that is recorded and permitted. */
    void (*drive)(const char *answer);
    /* Stops the motor. Called for every other answer. */
    void (*stop)(void);
} motor_board_t;

/* Asks the model three times, and seals the ledger. 0, or the number of the step that failed. */
int motor_run(const motor_board_t *board);

#ifdef __cplusplus
}
#endif

#endif
