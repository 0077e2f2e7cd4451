/** The names of the evidence: the library's own, over the types.h of this directory. */

#ifndef AXILOG_COMPAT_DVEC_H
#define AXILOG_COMPAT_DVEC_H

#include "../../axilog/dvec.h"

#endif /* AXILOG_COMPAT_DVEC_H */
