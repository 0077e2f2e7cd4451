/* What the test programs share: a check that names its line. */

#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include "axilog/host.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s; last error: %s\n", __FILE__, __LINE__, #condition,         \
                    axh_last_error());                                                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#endif
