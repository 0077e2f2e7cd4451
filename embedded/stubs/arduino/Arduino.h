/* In place of Arduino's core: its serial line is the console of an emulated machine. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

class SerialLine {
public:
    void begin(unsigned long) {}
    size_t write(const uint8_t *bytes, size_t length) { return fwrite(bytes, 1, length, stdout); }
    void print(const char *text) { fputs(text, stdout); }
    void println(int number) { printf("%d\n", number); }
};

extern SerialLine Serial;
