/* A library to be loaded before the others: it counts the calls that change files, and makes one of them, or that one
 * and all later ones, fail, or end the process. FAULT_AT is the number of the call, the first is 1; FAULT_KIND says what
 * happens: "once" and "always" fail with ENOSPC, a write in the half of its bytes; "kill" ends the process before the
 * call, or in the half of a write. Calls on standard input, output and error are not counted.
 *
 * count_unsynced_changes() gives the number of files and directories that were changed and not synced since, and
 * prints them. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_CHANGES 64

int count_unsynced_changes(void);

static unsigned long calls, failed;
/* What was changed and not synced: paths of files and of directories. */
static char changed[MAX_CHANGES][PATH_MAX];

static void require(int condition)
{
    if (!condition) {
        abort();
    }
}

#define ORIGINAL(name) ((__typeof__(&name))find(#name))

static void *find(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    require(found != NULL);
    return found;
}

static int is_lock(const char *path)
{
    size_t length = strlen(path);

    return length > 5 && strcmp(path + length - 5, ".lock") == 0;
}

static void note_change(const char *path)
{
    int i, free_place = -1;

    for (i = 0; i < MAX_CHANGES; i++) {
        if (strcmp(changed[i], path) == 0) {
            return;
        }
        if (changed[i][0] == '\0') {
            free_place = i;
        }
    }
    require(free_place >= 0 && strlen(path) < PATH_MAX);
    strcpy(changed[free_place], path);
}

static void note_sync(const char *path)
{
    int i;

    for (i = 0; i < MAX_CHANGES; i++) {
        if (strcmp(changed[i], path) == 0) {
            changed[i][0] = '\0';
        }
    }
}

/* A name that was made, moved or removed changes its directory. The name of a lock need not outlive its process. */
static void note_name(const char *path)
{
    char directory[PATH_MAX];
    char *end;

    if (is_lock(path)) {
        return;
    }
    require(path[0] == '/' && strlen(path) < PATH_MAX);
    strcpy(directory, path);
    end = strrchr(directory, '/');
    *end = '\0';
    note_change(directory);
}

static const char *path_of(int file)
{
    static char path[PATH_MAX];
    char link[64];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, path, sizeof path - 1);
    require(length > 0);
    path[length] = '\0';
    return path;
}

int count_unsynced_changes(void)
{
    int i, count = 0;

    for (i = 0; i < MAX_CHANGES; i++) {
        if (changed[i][0] != '\0') {
            fprintf(stderr, "not synced: %s\n", changed[i]);
            count++;
        }
    }
    return count;
}

/* Counts a call. Gives 1 where it is to fail; where the process is to end, that happens here, but for a write, whose
 * first half is written before. */
static int fails(int is_write)
{
    const char *at = getenv("FAULT_AT"), *kind = getenv("FAULT_KIND");
    unsigned long number = at != NULL ? strtoul(at, NULL, 10) : 0;

    calls++;
    if (number == 0 || calls < number || (calls > number && strcmp(kind, "always") != 0)) {
        return 0;
    }
    if (strcmp(kind, "kill") == 0 && !is_write) {
        _exit(9);
    }
    failed++;
    errno = ENOSPC;
    return 1;
}

ssize_t write(int file, const void *bytes, size_t length)
{
    if (file <= 2) {
        return ORIGINAL(write)(file, bytes, length);
    }
    if (!is_lock(path_of(file))) {
        note_change(path_of(file));
    }
    if (fails(1)) {
        ssize_t written = ORIGINAL(write)(file, bytes, length / 2);

        if (strcmp(getenv("FAULT_KIND"), "kill") == 0) {
            _exit(9);
        }
        errno = ENOSPC;
        return written > 0 ? written : -1;
    }
    return ORIGINAL(write)(file, bytes, length);
}

int fsync(int file)
{
    int result = fails(0) ? -1 : ORIGINAL(fsync)(file);

    if (result == 0) {
        note_sync(path_of(file));
    }
    return result;
}

int fdatasync(int file)
{
    int result = fails(0) ? -1 : ORIGINAL(fdatasync)(file);

    if (result == 0) {
        note_sync(path_of(file));
    }
    return result;
}

int ftruncate64(int file, off64_t length)
{
    note_change(path_of(file));
    return fails(0) ? -1 : ORIGINAL(ftruncate64)(file, length);
}

int mkdir(const char *path, mode_t mode)
{
    int result = fails(0) ? -1 : ORIGINAL(mkdir)(path, mode);

    if (result == 0) {
        note_name(path);
    }
    return result;
}

int rename(const char *from, const char *to)
{
    int result = fails(0) ? -1 : ORIGINAL(rename)(from, to);

    if (result == 0) {
        note_sync(from);
        note_name(from);
        note_name(to);
    }
    return result;
}

int unlink(const char *path)
{
    int result = fails(0) ? -1 : ORIGINAL(unlink)(path);

    if (result == 0) {
        note_sync(path);
        note_name(path);
    }
    return result;
}

int open64(const char *path, int flags, ...)
{
    mode_t mode = 0;
    int is_new, file;

    if ((flags & O_CREAT) == 0) {
        return ORIGINAL(open64)(path, flags);
    }
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
    is_new = access(path, F_OK) != 0;
    file = fails(0) ? -1 : ORIGINAL(open64)(path, flags, mode);
    if (file >= 0 && is_new) {
        note_name(path);
    }
    return file;
}

__attribute__((destructor)) static void print_calls(void)
{
    fprintf(stderr, "%lu calls change files, %lu failed\n", calls, failed);
}
