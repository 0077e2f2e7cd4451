/* How much stack each exported function uses: what the wrappers of stack_arm.S ask for. It is linked
 * into the C suites, so that what they do with a function is what is measured.
 *
 * A function may call back into the library through the sink. What the callback uses is the caller's:
 * the outer measurement is read before the inner begins, and the stack is painted again behind it. */

#include <stdio.h>

#include "host.h"

void at_end(void);

enum { PAINT = 0x5A5A5A5A, WORDS = 4096, DEPTH = 8, FUNCTIONS = 256 };

/* A call in progress: the registers that the wrapper saved, and what was found of it so far. */
typedef struct {
    uint32_t r[5];
    uint32_t lr;
    uint32_t *sp;
    uint32_t function;
    uint32_t index;
    uint32_t deepest;
} call_t;

static call_t calls[DEPTH];
static uint32_t depth;
static uint32_t deepest[FUNCTIONS];

call_t *stack_enter(const uint32_t *saved, uint32_t index, uint32_t function);
call_t *stack_leave(uint32_t r0, uint32_t r1);

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
    uint32_t i;
    if (depth > 0) {
        look(&calls[depth - 1]);
    }
    if (++depth == DEPTH || index >= FUNCTIONS) {
        host_print("too many calls within calls\n");
        host_exit(71);
    }
    for (i = 0; i < 5; i++) {
        call->r[i] = saved[i];
    }
    call->lr = saved[5];
    call->sp = (uint32_t *)(uintptr_t)(saved + 6);
    call->function = function;
    call->index = index;
    call->deepest = 0;
    paint(call->sp);
    return call;
}

call_t *stack_leave(uint32_t r0, uint32_t r1)
{
    call_t *call = &calls[--depth];
    look(call);
    if (call->deepest + 1 > deepest[call->index]) {
        deepest[call->index] = call->deepest + 1;
    }
    paint(call->sp);
    call->r[0] = r0;
    call->r[1] = r1;
    return call;
}

/* One line for each function that was called. */
static void say(const char *name, uint32_t index)
{
    if (deepest[index] > 0) {
        printf("stack %s %lu\n", name, (unsigned long)(deepest[index] - 1));
    }
}

void at_end(void)
{
#define FUNCTION(name) say(#name, __LINE__);
#include "functions.h"
}
