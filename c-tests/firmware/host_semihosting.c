/* host.h by semihosting (Arm's specification, version 3; RISC-V has taken it over). */

#include "host.h"

enum { SYS_OPEN = 1, SYS_WRITE0 = 4, SYS_WRITE = 5, SYS_EXIT_EXTENDED = 0x20 };

static intptr_t call(intptr_t operation, const void *block)
{
#if defined __riscv
    register intptr_t a0 __asm__("a0") = operation;
    register const void *a1 __asm__("a1") = block;
    /* Three uncompressed instructions that must not lie across two pages. */
    __asm__ volatile(".balign 16\n.option push\n.option norvc\n"
                     "slli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
    return a0;
#else
    register intptr_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = block;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
#endif
}

static size_t length(const char *text)
{
    size_t len = 0;
    while (text[len] != '\0') {
        len++;
    }
    return len;
}

void host_print(const char *text)
{
    (void)call(SYS_WRITE0, text);
}

void host_print_number(uint32_t number)
{
    char text[11];
    char *at = text + sizeof text - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    host_print(at);
}

static intptr_t file = -1;

int host_create(const char *name)
{
    const intptr_t block[3] = { (intptr_t)name, 5 /* "wb" */, (intptr_t)length(name) };
    file = call(SYS_OPEN, block);
    return file < 0 ? -1 : 0;
}

int host_write(const void *bytes, size_t len)
{
    const intptr_t block[3] = { file, (intptr_t)bytes, (intptr_t)len };
    return call(SYS_WRITE, block) == 0 ? 0 : -1;
}

void host_exit(int status)
{
    const intptr_t block[2] = { 0x20026 /* ADP_Stopped_ApplicationExit */, status };
    (void)call(SYS_EXIT_EXTENDED, block);
    for (;;) {
    }
}
