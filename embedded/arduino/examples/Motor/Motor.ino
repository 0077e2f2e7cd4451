// Prints the ledger of a motor on the serial line. A device would write it into flash.

#include <axilog.h>

#include "motor.h"

static int store_line(const uint8_t *line, size_t length) {
  return Serial.write(line, length) == length ? 0 : -1;
}

static void drive(const char *answer) {
  (void)answer;
}

static void stop(void) {
}

void setup() {
  static const motor_board_t BOARD = { store_line, drive, stop };
  Serial.begin(115200);
  int failed = motor_run(&BOARD);
  if (failed != 0) {
    Serial.print("the motor ended at step ");
    Serial.println(failed);
  }
}

void loop() {
}
