// The least a FUSE server does for attributes and reads of one file, in one thread and without
// libfuse: what `sluice bench fuse` compares ours with.
//
//   fuse_peer DIR    mounts there, with one file "file" of 16 MiB; prints "ready"; ends when unmounted
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_BYTES (16u << 20)
#define FILE_ID 2
#define ALIGNMENT (2u << 20)    // whole pages: the kernel takes hold of each page that it copies from
#define MAX_WRITE (1u << 20)
#define VALID_SECONDS 86400

static union {
  struct fuse_init_out init;
  struct fuse_entry_out entry;
  struct fuse_attr_out attr;
  struct fuse_open_out open;
} body;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void fill(struct fuse_attr *attr, uint64_t id) {
  int is_file = id == FILE_ID;
  attr->ino = id;
  attr->mode = is_file ? S_IFREG | 0644 : S_IFDIR | 0755;
  attr->nlink = is_file ? 1 : 2;
  attr->size = is_file ? FILE_BYTES : 0;
  attr->blocks = attr->size / 512;
  attr->blksize = 4096;
}

// Returns the length of the body, or a negative errno; `content` gets what follows the body.
static int answer(const struct fuse_in_header *in, const void *arg, const char *data,
                  struct iovec *content) {
  memset(&body, 0, sizeof body);
  switch (in->opcode) {
    case FUSE_INIT: {
      const struct fuse_init_in *init = arg;
      body.init.major = FUSE_KERNEL_VERSION;
      body.init.minor = FUSE_KERNEL_MINOR_VERSION;
      body.init.max_readahead = init->max_readahead;
      body.init.flags = init->flags & (FUSE_ASYNC_READ | FUSE_BIG_WRITES | FUSE_MAX_PAGES |
                                       FUSE_PARALLEL_DIROPS | FUSE_ASYNC_DIO);
      body.init.max_write = MAX_WRITE;
      body.init.max_pages = MAX_WRITE / 4096;
      return sizeof body.init;
    }
    case FUSE_LOOKUP:
      if (strcmp(arg, "file") != 0) return -ENOENT;
      body.entry.nodeid = FILE_ID;
      body.entry.entry_valid = VALID_SECONDS;
      body.entry.attr_valid = VALID_SECONDS;
      fill(&body.entry.attr, FILE_ID);
      return sizeof body.entry;
    case FUSE_GETATTR:
      body.attr.attr_valid = VALID_SECONDS;
      fill(&body.attr.attr, in->nodeid);
      return sizeof body.attr;
    case FUSE_OPEN:
    case FUSE_OPENDIR:
      body.open.open_flags = FOPEN_KEEP_CACHE;
      return sizeof body.open;
    case FUSE_READ: {
      const struct fuse_read_in *read = arg;
      if (read->offset < FILE_BYTES) {
        uint64_t left = FILE_BYTES - read->offset;
        content->iov_base = (char *)data + read->offset;
        content->iov_len = read->size < left ? read->size : left;
      }
      return 0;
    }
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
      return 0;
    default:
      return -ENOSYS;
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s DIR\n", argv[0]);
    return 2;
  }
  size_t room = MAX_WRITE + 4096;
  char *data = aligned_alloc(ALIGNMENT, FILE_BYTES), *message = aligned_alloc(4096, room);
  if (data == NULL || message == NULL) die("malloc");
  memset(data, 'x', FILE_BYTES);
  int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (fd < 0) die("/dev/fuse");
  char options[128];
  snprintf(options, sizeof options,
           "fd=%d,rootmode=40755,user_id=0,group_id=0,default_permissions,allow_other,max_read=%u",
           fd, MAX_WRITE);
  if (mount("fuse_peer", argv[1], "fuse.peer", MS_NOSUID | MS_NODEV, options) != 0) die("mount");
  puts("ready");
  fflush(stdout);
  for (;;) {
    ssize_t got = read(fd, message, room);
    if (got < 0 && (errno == EINTR || errno == ENOENT || errno == EAGAIN)) continue;
    if (got < (ssize_t)sizeof(struct fuse_in_header)) return 0;
    const struct fuse_in_header *in = (const void *)message;
    if (in->opcode == FUSE_FORGET || in->opcode == FUSE_BATCH_FORGET) continue;
    struct iovec content = {NULL, 0};
    int bytes = answer(in, in + 1, data, &content);
    struct fuse_out_header out = {.unique = in->unique, .error = bytes < 0 ? bytes : 0};
    size_t length = bytes < 0 ? 0 : (size_t)bytes;
    out.len = (uint32_t)(sizeof out + length + content.iov_len);
    struct iovec parts[] = {{&out, sizeof out}, {&body, length}, content};
    if (writev(fd, parts, content.iov_len > 0 ? 3 : 2) < 0 && errno == ENODEV) return 0;
  }
}
