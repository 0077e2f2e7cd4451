/** Tagged commitments, which touch the first seven flags only: the library's own, over the types.h of this directory. */

#ifndef AXILOG_COMPAT_COMMITMENT_H
#define AXILOG_COMPAT_COMMITMENT_H

#include "../../axilog/commitment.h"

#endif /* AXILOG_COMPAT_COMMITMENT_H */
