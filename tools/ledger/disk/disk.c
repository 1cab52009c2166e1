// A disk that lies, under a PostgreSQL that is loaded with it (LD_PRELOAD; Linux). A file in shared memory says what fails now:
// syncs of the log, reads and writes, or nothing for a while. A sync that fails loses what was written since the last one, as
// Linux does with pages that it could not write (fsyncgate): what the server had promised by then would be lost.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WELL = 0, SYNCS_FAIL = 1, IO_FAILS = 2, STALLS = 3 };
enum { OTHER = 0, LOG = 1, DATA = 2 };

// tools/ledger/disk/disk.mjs writes the first one, and reads the second
struct control {
  _Atomic int32_t fault;
  _Atomic int32_t met;
  // syncs of the log that succeeded, of all processes
  _Atomic int32_t syncs;
};

static struct control well;
static struct control *control = &well;

// what a write of the log has replaced
struct before {
  int fd, syncs;
  off_t at;
  size_t size;
  char *bytes;
};
#define MOST 8192
static struct before written[MOST];
static int count;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("LYING_DISK_CONTROL");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *shared = mmap(0, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (shared != MAP_FAILED) control = shared;
  close(fd);
}

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static int kind_of(int fd) {
  char link[32] = "/proc/self/fd/", path[512], digits[12];
  int saved = errno, nth = 0, at = 14;
  for (int left = fd; nth == 0 || left > 0; left /= 10) digits[nth++] = (char)('0' + left % 10);
  while (nth > 0) link[at++] = digits[--nth];
  link[at] = 0;
  ssize_t size = readlink(link, path, sizeof path - 1);
  errno = saved;
  if (size < 0) return OTHER;
  path[size] = 0;
  if (strstr(path, "/pg_wal/")) return LOG;
  return strstr(path, "/base/") || strstr(path, "/global/") ? DATA : OTHER;
}

static int now_fails(int fault) {
  if (atomic_load(&control->fault) != fault) return 0;
  atomic_fetch_add(&control->met, 1);
  return 1;
}

// until the fault is over; the one who set it ends it
static void stall(int kind) {
  if (kind == OTHER || !now_fails(STALLS)) return;
  struct timespec nap = {0, 20 * 1000 * 1000};
  while (atomic_load(&control->fault) == STALLS) nanosleep(&nap, 0);
}

static int fails(void) {
  errno = EIO;
  return -1;
}

static void forget(int fd) {
  int kept = 0;
  for (int nth = 0; nth < count; nth++)
    if (written[nth].fd == fd) free(written[nth].bytes);
    else written[kept++] = written[nth];
  count = kept;
}

static void remember(int fd, size_t size, off_t at) {
  if (count == MOST) return;
  char *bytes = malloc(size);
  if (!bytes) return;
  ssize_t (*read_at)(int, void *, size_t, off_t) = real("pread64");
  if (read_at(fd, bytes, size, at) != (ssize_t)size) {
    free(bytes);
    return;
  }
  written[count++] = (struct before){fd, atomic_load(&control->syncs), at, size, bytes};
}

// what another process has synced since stays
static void lose(int fd) {
  ssize_t (*write_at)(int, const void *, size_t, off_t) = real("pwrite64");
  for (int nth = count - 1; nth >= 0; nth--) {
    struct before *one = &written[nth];
    if (one->fd == fd && one->syncs == atomic_load(&control->syncs))
      if (write_at(fd, one->bytes, one->size, one->at) < 0) abort();
  }
  forget(fd);
}

static int sync_of(const char *name, int fd) {
  int kind = kind_of(fd);
  stall(kind);
  if (kind == LOG && now_fails(SYNCS_FAIL)) {
    lose(fd);
    return fails();
  }
  int (*sync)(int) = real(name);
  int result = sync(fd);
  if (kind == LOG && result == 0) {
    atomic_fetch_add(&control->syncs, 1);
    forget(fd);
  }
  return result;
}
int fsync(int fd) { return sync_of("fsync", fd); }
int fdatasync(int fd) { return sync_of("fdatasync", fd); }

static int io_fails(int fd, int *kind) {
  *kind = kind_of(fd);
  stall(*kind);
  return *kind != OTHER && now_fails(IO_FAILS);
}

static ssize_t write_of(const char *name, int fd, const void *bytes, size_t size, off_t at) {
  int kind;
  if (io_fails(fd, &kind)) return fails();
  if (kind == LOG) remember(fd, size, at);
  ssize_t (*write_at)(int, const void *, size_t, off_t) = real(name);
  return write_at(fd, bytes, size, at);
}
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) { return write_of("pwrite", fd, bytes, size, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t at) { return write_of("pwrite64", fd, bytes, size, at); }

static ssize_t writes_of(const char *name, int fd, const struct iovec *parts, int many, off_t at) {
  int kind;
  if (io_fails(fd, &kind)) return fails();
  size_t size = 0;
  for (int nth = 0; nth < many; nth++) size += parts[nth].iov_len;
  if (kind == LOG) remember(fd, size, at);
  ssize_t (*write_at)(int, const struct iovec *, int, off_t) = real(name);
  return write_at(fd, parts, many, at);
}
ssize_t pwritev(int fd, const struct iovec *parts, int many, off_t at) { return writes_of("pwritev", fd, parts, many, at); }
ssize_t pwritev64(int fd, const struct iovec *parts, int many, off_t at) { return writes_of("pwritev64", fd, parts, many, at); }

static ssize_t read_of(const char *name, int fd, void *bytes, size_t size, off_t at) {
  int kind;
  if (io_fails(fd, &kind)) return fails();
  ssize_t (*read_at)(int, void *, size_t, off_t) = real(name);
  return read_at(fd, bytes, size, at);
}
ssize_t pread(int fd, void *bytes, size_t size, off_t at) { return read_of("pread", fd, bytes, size, at); }
ssize_t pread64(int fd, void *bytes, size_t size, off_t at) { return read_of("pread64", fd, bytes, size, at); }

static ssize_t reads_of(const char *name, int fd, const struct iovec *parts, int many, off_t at) {
  int kind;
  if (io_fails(fd, &kind)) return fails();
  ssize_t (*read_at)(int, const struct iovec *, int, off_t) = real(name);
  return read_at(fd, parts, many, at);
}
ssize_t preadv(int fd, const struct iovec *parts, int many, off_t at) { return reads_of("preadv", fd, parts, many, at); }
ssize_t preadv64(int fd, const struct iovec *parts, int many, off_t at) { return reads_of("preadv64", fd, parts, many, at); }
