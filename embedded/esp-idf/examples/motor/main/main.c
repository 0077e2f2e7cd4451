/* Prints the ledger of the motor on the console. A device would write it into flash. */

#include <stdio.h>

#include "motor.h"

static int store_line(const uint8_t *line, size_t length)
{
    return fwrite(line, 1, length, stdout) == length ? 0 : -1;
}

static void drive(const char *answer)
{
    (void)answer;
}

static void stop(void)
{
}

void app_main(void)
{
    static const motor_board_t BOARD = { store_line, drive, stop };
    const int failed = motor_run(&BOARD);
    if (failed != 0) {
        printf("the motor ended at step %d\n", failed);
    }
}
