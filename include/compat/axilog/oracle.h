/** Observation types: the library's own, over the types.h of this directory. */

#ifndef AXILOG_COMPAT_ORACLE_H
#define AXILOG_COMPAT_ORACLE_H

#include "axilog/l3_types.h"

#include "../../axilog/oracle.h"

#endif /* AXILOG_COMPAT_ORACLE_H */
