/**
 * Admissible text, for deployed rigs: for NFC passes what has no combining mark of four blocks (docs/rigs.md);
 * ax_validate_encoding returns AX_OK or AX_ERR_ENCODING; U+007F is refused; ax_validate_and_normalise takes
 * ax_l3_fault_flags_t * and sets size on a short buffer.
 */

#ifndef AXILOG_COMPAT_VALIDATE_H
#define AXILOG_COMPAT_VALIDATE_H

#include "axilog/l3_types.h"

/* Sixteen bytes in the same places, so that one set of declarations serves both. */
#define ct_fault_flags_t ax_l3_fault_flags_t
#include "../../axilog/validate.h"
#undef ct_fault_flags_t

#endif /* AXILOG_COMPAT_VALIDATE_H */
