/** Admissible text, for deployed rigs: ax_validate_and_normalise takes ax_l3_fault_flags_t *. */

#ifndef AXILOG_COMPAT_VALIDATE_H
#define AXILOG_COMPAT_VALIDATE_H

#include "axilog/l3_types.h"

/* Sixteen bytes in the same places, so that one set of declarations serves both. */
#define ct_fault_flags_t ax_l3_fault_flags_t
#include "../../axilog/validate.h"
#undef ct_fault_flags_t

#endif /* AXILOG_COMPAT_VALIDATE_H */
