/** SHA-256: the library's own, over the types.h of this directory. */

#ifndef AXILOG_COMPAT_SHA256_H
#define AXILOG_COMPAT_SHA256_H

#include "../../axilog/sha256.h"

#endif /* AXILOG_COMPAT_SHA256_H */
