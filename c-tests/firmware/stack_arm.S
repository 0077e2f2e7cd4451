@ A wrapper around every function of functions.h, put before it by the linker's --wrap. It has the
@ unused stack painted, calls the function with stack and registers as they were, and has the paint
@ looked for afterwards. The looking runs on a stack of its own, so that it leaves no trace.

    .syntax unified
    .thumb
    .text

    .macro FUNCTION_ name, line
    .global __wrap_\name
    .thumb_func
__wrap_\name:
    push {r0-r4, lr}
    ldr r4, =\line
    ldr r0, =__real_\name
    b enter
    .ltorg
    .endm

@ r4: the function's place in functions.h; r0: the function; on the stack: r0-r4 and lr.
    .thumb_func
enter:
    mov r3, r0
    mov r0, sp
    mov r1, r4
    ldr r2, =stack_own_top
    mov sp, r2
    mov r2, r3
    bl stack_enter              @ gives { r0-r4, lr, sp, function }
    mov r4, r0
    ldr r0, [r4, #24]
    mov sp, r0
    ldr r0, [r4, #28]
    mov r12, r0
    ldr r0, [r4, #0]
    ldr r1, [r4, #4]
    ldr r2, [r4, #8]
    ldr r3, [r4, #12]
    ldr r4, [r4, #16]
    blx r12
    ldr r2, =stack_own_top
    mov sp, r2
    bl stack_leave              @ with the result in r0 and r1; gives the same record
    mov r2, r0
    ldr r0, [r2, #24]
    mov sp, r0
    ldr r3, [r2, #20]
    ldr r0, [r2, #0]
    ldr r1, [r2, #4]
    bx r3
    .ltorg

#define FUNCTION(name) FUNCTION_ name, __LINE__ ;
#include "functions.h"

    .bss
    .balign 8
    .space 1024
stack_own_top:
