/* Compiles to nothing. It stops a build whose compiler gives enums another size than the library has them in: on Arm
 * the smallest that holds the values, on RISC-V four bytes. */

#include "axilog/agent.h"

#if defined __arm__
#define ENUM_BYTES 1
#else
#define ENUM_BYTES 4
#endif

typedef char compile_arm_with_fshort_enums_and_others_without[sizeof(ax_health_state_t) == ENUM_BYTES ? 1 : -1];
