/* Prints the ledger of the motor on the console. A device would write it into flash. */

#include <zephyr/sys/printk.h>

#include "motor.h"

static int store_line(const uint8_t *line, size_t length)
{
    printk("%.*s", (int)length, (const char *)line);
    return 0;
}

static void drive(const char *answer)
{
    (void)answer;
}

static void stop(void)
{
}

int main(void)
{
    static const motor_board_t BOARD = { store_line, drive, stop };
    const int failed = motor_run(&BOARD);
    if (failed != 0) {
        printk("the motor ended at step %d\n", failed);
    }
    return failed;
}
