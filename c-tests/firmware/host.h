/* What a program on a bare processor asks of the machine that emulates it: semihosting, and on a
 * hosted machine the same by stdio. */

#ifndef HOST_H
#define HOST_H

#include <stddef.h>
#include <stdint.h>

/* Prints text. */
void host_print(const char *text);

/* Prints a number in decimal. */
void host_print_number(uint32_t number);

/* Creates a file of which there is only one; 0, or -1. */
int host_create(const char *name);

/* Writes to that file; 0, or -1. */
int host_write(const void *bytes, size_t len);

/* Ends the emulation. */
void host_exit(int status);

#endif
