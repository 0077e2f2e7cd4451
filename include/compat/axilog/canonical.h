/** The canonical writer, over the types.h of this directory; ax_obs_canonicalise writes the rig's profile. */

#ifndef AXILOG_COMPAT_CANONICAL_H
#define AXILOG_COMPAT_CANONICAL_H

#include "axilog/obs.h"

#include "../../axilog/canonical.h"

#endif /* AXILOG_COMPAT_CANONICAL_H */
