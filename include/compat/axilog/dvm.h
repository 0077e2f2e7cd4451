/** Saturating Q16.16 arithmetic, which touches the first seven flags only: the library's own, over the types.h of this directory. */

#ifndef AXILOG_COMPAT_DVM_H
#define AXILOG_COMPAT_DVM_H

#include "../../axilog/dvm.h"

#endif /* AXILOG_COMPAT_DVM_H */
