/* From reset to main on a Cortex-M: the FPU, RAM as C wants it, main. An exception that nobody
 * expects ends the emulation. */

#include "host.h"

extern uint32_t data_begin[], data_end[], bss_begin[], bss_end[], stack_top[];
extern const uint32_t data_load[];

int main(void);
void reset(void);
void trap(void);

#ifdef WITH_LIBC
#include <stdlib.h>
void initialise_monitor_handles(void);
#endif

void reset(void)
{
    const uint32_t *from = data_load;
    uint32_t *to;
    int status;
#ifdef __ARM_FP
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* CPACR */
#endif
    for (to = data_begin; to < data_end; to++) {
        *to = *from++;
    }
    for (to = bss_begin; to < bss_end; to++) {
        *to = 0;
    }
#ifdef WITH_LIBC
    initialise_monitor_handles();
#endif
    status = main();
#ifdef WITH_LIBC
    exit(status);
#else
    host_exit(status);
#endif
}

void trap(void)
{
    host_print("an exception\n");
    host_exit(70);
}

typedef void (*vector_t)(void);

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    vector_t reset;
    vector_t exceptions[14];
} VECTORS = { stack_top, reset,
              { trap, trap, trap, trap, trap, trap, trap, trap, trap, trap, trap, trap, trap, trap } };
