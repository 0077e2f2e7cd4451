/** Sizes: the library's own, over the types.h of this directory. */

#ifndef AXILOG_COMPAT_LIMITS_H
#define AXILOG_COMPAT_LIMITS_H

#include "../../axilog/limits.h"

#endif /* AXILOG_COMPAT_LIMITS_H */
