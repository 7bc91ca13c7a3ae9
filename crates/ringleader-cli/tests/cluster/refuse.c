/* Put before the system's library (LD_PRELOAD): a network file system without locks (REFUSE_LOCKS), or one whose quota is used up after so many bytes
   (REFUSE_AFTER), as this process meets them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

int flock(int file, int operation) {
    static int (*real)(int, int);
    if (!real) real = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
    if (getenv("REFUSE_LOCKS")) {
        errno = ENOLCK;
        return -1;
    }
    return real(file, operation);
}

ssize_t write(int file, const void *bytes, size_t count) {
    static ssize_t (*real)(int, const void *, size_t);
    static long used;
    if (!real) real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    const char *most = getenv("REFUSE_AFTER");
    /* Files have numbers after those of the standard streams; a pipe or an event cannot be seeked. */
    if (most && file > 2 && lseek(file, 0, SEEK_CUR) >= 0) {
        long left = atol(most) - used;
        if (left <= 0) {
            errno = EDQUOT;
            return -1;
        }
        if ((long)count > left) count = left;
        used += count;
    }
    return real(file, bytes, count);
}
