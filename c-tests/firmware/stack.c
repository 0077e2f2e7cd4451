/* How much stack each exported function uses: what the wrappers of stack_arm.S and stack_riscv.S ask
 * for. It is linked into the C suites, so that what they do with a function is what is measured.
 *
 * A function may call back into the library through the sink. What the callback uses is the caller's:
 * the outer measurement is read before the inner begins, and the stack is painted again after it. */

#include <stdio.h>
#include <stdlib.h>

#include "host.h"

/* The words that a wrapper saves, and those that its frame has. */
#if defined __riscv
enum { SAVED = 9, FRAME = 12 }; /* a0 to a7, ra */
#else
enum { SAVED = 6, FRAME = 6 }; /* r0 to r4, lr */
#endif

enum { PAINT = 0x5A5A5A5A, WORDS = 4096, DEPTH = 8, FUNCTIONS = 256 };

/* A call in progress: the registers that the wrapper saved, and what was found of it so far. */
typedef struct {
    uint32_t saved[SAVED];
    uint32_t *sp;
    uint32_t function;
    uint32_t index;
    uint32_t deepest;
} call_t;

static call_t calls[DEPTH];
static uint32_t depth;
static uint32_t deepest[FUNCTIONS];

call_t *stack_enter(const uint32_t *saved, uint32_t index, uint32_t function);
call_t *stack_leave(uint32_t low, uint32_t high);
static void say_all(void);

static void paint(uint32_t *sp)
{
    uint32_t i;
    for (i = 1; i <= WORDS; i++) {
        *(sp - i) = PAINT;
    }
}

/* Notes the bytes below the call's sp that are not painted any more. */
static void look(call_t *call)
{
    uint32_t used = WORDS;
    while (used > 0 && *(call->sp - used) == PAINT) {
        used--;
    }
    if (4 * used > call->deepest) {
        call->deepest = 4 * used;
    }
}

call_t *stack_enter(const uint32_t *saved, uint32_t index, uint32_t function)
{
    call_t *call = &calls[depth];
    static int registered;
    uint32_t i;
    if (!registered) {
        registered = 1;
        (void)atexit(say_all);
    }
    if (depth > 0) {
        look(&calls[depth - 1]);
    }
    if (++depth == DEPTH || index >= FUNCTIONS) {
        host_print("too many calls within calls\n");
        host_exit(71);
    }
    for (i = 0; i < SAVED; i++) {
        call->saved[i] = saved[i];
    }
    call->sp = (uint32_t *)(uintptr_t)(saved + FRAME);
    call->function = function;
    call->index = index;
    call->deepest = 0;
    paint(call->sp);
    return call;
}

/* The result comes in two registers, and goes back in them. */
call_t *stack_leave(uint32_t low, uint32_t high)
{
    call_t *call = &calls[--depth];
    look(call);
    if (call->deepest + 1 > deepest[call->index]) {
        deepest[call->index] = call->deepest + 1;
    }
    paint(call->sp);
    call->saved[0] = low;
    call->saved[1] = high;
    return call;
}

/* One line for each function that was called. */
static void say(const char *name, uint32_t index)
{
    if (deepest[index] > 0) {
        printf("stack %s %lu\n", name, (unsigned long)(deepest[index] - 1));
    }
}

static void say_all(void)
{
#define FUNCTION(name) say(#name, __LINE__);
#include "functions.h"
}
