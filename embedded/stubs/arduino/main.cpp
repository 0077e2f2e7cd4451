#include "Arduino.h"

SerialLine Serial;

void setup(void);
void loop(void);

int main(void)
{
    setup();
    loop();
    fflush(stdout);
    return 0;
}
