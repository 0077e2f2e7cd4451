# The wrappers of stack_arm.S for RISC-V: a0 to a7 hold arguments, a0 and a1 the result, and t0 to t6 are
# nobody's across a call.

    .text

    .macro FUNCTION_ name, line
    .globl __wrap_\name
__wrap_\name:
    li t0, \line
    la t1, __real_\name
    j enter
    .endm

# t0: the function's place in functions.h; t1: the function.
enter:
    addi sp, sp, -48
    sw a0, 0(sp)
    sw a1, 4(sp)
    sw a2, 8(sp)
    sw a3, 12(sp)
    sw a4, 16(sp)
    sw a5, 20(sp)
    sw a6, 24(sp)
    sw a7, 28(sp)
    sw ra, 32(sp)
    mv a0, sp
    mv a1, t0
    mv a2, t1
    la sp, stack_own_top
    call stack_enter            # gives { a0-a7, ra, sp, function }
    mv t0, a0
    lw sp, 36(t0)
    lw t1, 40(t0)
    lw a0, 0(t0)
    lw a1, 4(t0)
    lw a2, 8(t0)
    lw a3, 12(t0)
    lw a4, 16(t0)
    lw a5, 20(t0)
    lw a6, 24(t0)
    lw a7, 28(t0)
    jalr t1
    la sp, stack_own_top
    call stack_leave            # with the result in a0 and a1; gives the same record
    mv t0, a0
    lw a0, 0(t0)
    lw a1, 4(t0)
    lw ra, 32(t0)
    lw sp, 36(t0)
    ret

#define FUNCTION(name) FUNCTION_ name, __LINE__ ;
#include "functions.h"

    .bss
    .balign 16
    .space 1024
stack_own_top:
