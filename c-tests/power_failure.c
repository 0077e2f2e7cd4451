/* A disk that keeps only what was synced, and that may be full or fail. tests/documents/power_failure.rs links it
 * with the programs of the pages, whose calls of fsync come here instead of to the C library.
 *
 * POWER_FAILURE_DISK   directory of the disk. `image` there is ledger.jsonl as it was when it was last
 *                      synced; `name` exists once the directory that ledger.jsonl lies in was synced.
 * POWER_FAILURE_SYNCS  number of syncs that succeed; each later one fails with EIO. Without it all do.
 * POWER_FAILURE_BYTES  length beyond which no file grows: a write is short there, and then fails. */

#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Ends the program as a power failure would, after what it has printed. */
void power_failure(void);

/* Stands for fsync in a program that loses its records. */
int sync_nothing(int file);

int sync_nothing(int file)
{
    (void)file;
    return 0;
}

void power_failure(void)
{
    (void)fflush(stdout);
    (void)kill(getpid(), SIGKILL);
}

/* A number of the environment, or -1. */
static long setting(const char *name)
{
    const char *text = getenv(name);
    return text == NULL ? -1 : atol(text);
}

__attribute__((constructor)) static void limit_files(void)
{
    const long bytes = setting("POWER_FAILURE_BYTES");
    if (bytes >= 0) {
        struct rlimit limit;
        limit.rlim_cur = limit.rlim_max = (rlim_t)bytes;
        if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || setrlimit(RLIMIT_FSIZE, &limit) != 0) {
            abort();
        }
    }
}

/* Opens a new file of the disk. */
static int disk_file(const char *name)
{
    char path[4096];
    const char *disk = getenv("POWER_FAILURE_DISK");
    int file;
    if (disk == NULL || snprintf(path, sizeof path, "%s/%s", disk, name) >= (int)sizeof path) {
        abort();
    }
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) {
        abort();
    }
    return file;
}

/* Copies ledger.jsonl to the disk. */
static void keep_image(void)
{
    char bytes[65536];
    const int from = open("ledger.jsonl", O_RDONLY);
    const int to = disk_file("image");
    ssize_t n;
    while ((n = read(from, bytes, sizeof bytes)) > 0) {
        if (write(to, bytes, (size_t)n) != n) {
            abort();
        }
    }
    if (n < 0 || close(from) != 0 || close(to) != 0) {
        abort();
    }
}

int fsync(int file)
{
    static long syncs;
    const long allowed = setting("POWER_FAILURE_SYNCS");
    struct stat is, ledger;
    if (fstat(file, &is) != 0) {
        return -1;
    }
    if (allowed >= 0 && syncs >= allowed) {
        errno = EIO;
        return -1;
    }
    syncs++;
    if (stat("ledger.jsonl", &ledger) == 0) {
        if (S_ISDIR(is.st_mode)) {
            (void)close(disk_file("name"));
        } else if (is.st_ino == ledger.st_ino && is.st_dev == ledger.st_dev) {
            keep_image();
        }
    }
    return 0;
}
