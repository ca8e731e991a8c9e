/* Preloaded into a program (LD_PRELOAD): one block of one file can't be read, as when a disk has lost a sector of it.
   Writing a part of such a block fails, too: the system has to read the rest of it first.
   LOST_INODE is the number of the file, LOST_AT an offset in the block. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define BLOCK 4096
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_lost(int file, off_t at, size_t size, int writes) {
    const char *inode = getenv("LOST_INODE");
    struct stat found;
    if (inode == NULL || fstat(file, &found) != 0) return 0;
    off_t lost = atoll(getenv("LOST_AT")) / BLOCK * BLOCK, end = at + (off_t)size;
    if (found.st_ino != strtoull(inode, NULL, 10) || at >= lost + BLOCK || end <= lost) return 0;
    if (writes && at <= lost && end >= lost + BLOCK) return 0;
    errno = EIO;
    return 1;
}

ssize_t pread64(int file, void *into, size_t size, off_t at) {
    return is_lost(file, at, size, 0) ? -1 : NEXT(pread64)(file, into, size, at);
}

ssize_t pread(int file, void *into, size_t size, off_t at) { return pread64(file, into, size, at); }

ssize_t read(int file, void *into, size_t size) {
    off_t at = getenv("LOST_INODE") ? lseek(file, 0, SEEK_CUR) : -1;
    return at >= 0 && is_lost(file, at, size, 0) ? -1 : NEXT(read)(file, into, size);
}

ssize_t sendfile64(int into, int from, off_t *at, size_t size) {
    off_t where = at != NULL ? *at : lseek(from, 0, SEEK_CUR);
    return is_lost(from, where, size, 0) ? -1 : NEXT(sendfile64)(into, from, at, size);
}

ssize_t sendfile(int into, int from, off_t *at, size_t size) { return sendfile64(into, from, at, size); }

ssize_t pwrite64(int file, const void *content, size_t size, off_t at) {
    return is_lost(file, at, size, 1) ? -1 : NEXT(pwrite64)(file, content, size, at);
}

ssize_t pwrite(int file, const void *content, size_t size, off_t at) { return pwrite64(file, content, size, at); }
