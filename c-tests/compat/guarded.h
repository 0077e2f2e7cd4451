/* Memory that ends at a page nobody may touch: what is written (or read) after it ends the program,
 * in the library as in the suite. AddressSanitizer watches compiled C only, so this is the watch over
 * the library; it is beside it in the sanitised suites. */

#ifndef GUARDED_H
#define GUARDED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The last size bytes before a page without access; zero, and never freed. */
static inline void *guarded(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t used = (size / page + 1) * page;
    uint8_t *pages = (uint8_t *)mmap(NULL, used + page, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == (uint8_t *)MAP_FAILED || mprotect(pages + used, page, PROT_NONE) != 0) {
        perror("guarded memory");
        exit(2);
    }
    return pages + used - size;
}

#endif
