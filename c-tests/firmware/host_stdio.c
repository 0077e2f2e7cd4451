/* host.h by stdio, for the machine that the others are compared with. */

#include <stdio.h>
#include <stdlib.h>

#include "host.h"

static FILE *file;

void host_print(const char *text)
{
    fputs(text, stdout);
}

void host_print_number(uint32_t number)
{
    printf("%lu", (unsigned long)number);
}

int host_create(const char *name)
{
    file = fopen(name, "wb");
    return file == NULL ? -1 : 0;
}

int host_write(const void *bytes, size_t len)
{
    return fwrite(bytes, 1, len, file) == len && fflush(file) == 0 ? 0 : -1;
}

void host_exit(int status)
{
    exit(status);
}
