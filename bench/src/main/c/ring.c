#include "ring.h"

#include <errno.h>
#include <linux/time_types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void *map(size_t bytes, int flags, int fd, off_t offset) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_POPULATE, fd, offset);
  if (p == MAP_FAILED) die("mmap");
  return p;
}

static int ring_register(struct ring *ring, unsigned op, void *arg, unsigned count) {
  return (int)syscall(__NR_io_uring_register, ring->fd, op, arg, count);
}

void ring_open(struct ring *ring, unsigned sq_entries, unsigned cq_entries) {
  struct io_uring_params p = {
      .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
      .cq_entries = cq_entries,
  };
  memset(ring, 0, sizeof *ring);
  ring->fd = (int)syscall(__NR_io_uring_setup, sq_entries, &p);
  if (ring->fd < 0) die("io_uring_setup");
  size_t cq_bytes = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
  size_t sq_bytes = p.sq_off.array + p.sq_entries * sizeof(unsigned);
  char *m = map(cq_bytes > sq_bytes ? cq_bytes : sq_bytes, MAP_SHARED, ring->fd,
                IORING_OFF_SQ_RING);
  ring->sqes = map(p.sq_entries * sizeof(struct io_uring_sqe), MAP_SHARED, ring->fd,
                   IORING_OFF_SQES);
  ring->sq_head = (unsigned *)(m + p.sq_off.head);
  ring->sq_tail = (unsigned *)(m + p.sq_off.tail);
  ring->cq_head = (unsigned *)(m + p.cq_off.head);
  ring->cq_tail = (unsigned *)(m + p.cq_off.tail);
  ring->cqes = (struct io_uring_cqe *)(m + p.cq_off.cqes);
  ring->sq_entries = p.sq_entries;
  ring->sq_mask = p.sq_entries - 1;
  ring->cq_mask = p.cq_entries - 1;
  unsigned *array = (unsigned *)(m + p.sq_off.array);
  for (unsigned i = 0; i < p.sq_entries; i++) array[i] = i;
  ring->enter_fd = ring->fd;
  struct io_uring_rsrc_update update = {.offset = -1U, .data = (uint64_t)ring->fd};
  if (ring_register(ring, IORING_REGISTER_RING_FDS, &update, 1) == 1) {
    ring->enter_fd = (int)update.offset;
    ring->enter_flags = IORING_ENTER_REGISTERED_RING;
  }
}

int ring_enter(struct ring *ring, unsigned wait, long timeout_ns) {
  __atomic_store_n(ring->sq_tail, ring->tail, __ATOMIC_RELEASE);
  // What the kernel has not taken yet: after EBUSY or EAGAIN that includes older entries.
  unsigned count = ring->tail - __atomic_load_n(ring->sq_head, __ATOMIC_ACQUIRE);
  struct __kernel_timespec ts = {timeout_ns / 1000000000L, timeout_ns % 1000000000L};
  struct io_uring_getevents_arg arg = {.ts = (uint64_t)&ts};
  unsigned flags = ring->enter_flags | IORING_ENTER_GETEVENTS;
  long rc = wait > 0 && timeout_ns >= 0
                ? syscall(__NR_io_uring_enter, ring->enter_fd, count, wait,
                          flags | IORING_ENTER_EXT_ARG, &arg, sizeof arg)
                : syscall(__NR_io_uring_enter, ring->enter_fd, count, wait, flags, NULL, 0);
  if (rc >= 0 || errno == EINTR || errno == EBUSY || errno == EAGAIN || errno == ETIME) return 0;
  return -errno;
}

struct io_uring_sqe *ring_sqe(struct ring *ring) {
  while (ring->tail - __atomic_load_n(ring->sq_head, __ATOMIC_ACQUIRE) >= ring->sq_entries) {
    int rc = ring_enter(ring, 0, 0);
    if (rc < 0) {
      errno = -rc;
      die("io_uring_enter");
    }
  }
  struct io_uring_sqe *sqe = &ring->sqes[ring->tail++ & ring->sq_mask];
  memset(sqe, 0, sizeof *sqe);
  return sqe;
}

void ring_register_files(struct ring *ring, unsigned count) {
  struct io_uring_rsrc_register r = {.nr = count, .flags = IORING_RSRC_REGISTER_SPARSE};
  if (ring_register(ring, IORING_REGISTER_FILES2, &r, sizeof r) < 0) die("register files");
}

void buffer_ring_open(struct ring *ring, struct buffer_ring *buffers, unsigned count,
                      unsigned bytes) {
  buffers->count = count;
  buffers->bytes = bytes;
  buffers->mask = count - 1;
  buffers->tail = 0;
  buffers->ring = map(count * sizeof(struct io_uring_buf), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  buffers->memory = map((size_t)count * bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct io_uring_buf_reg reg = {
      .ring_addr = (uint64_t)buffers->ring, .ring_entries = count, .bgid = 0};
  if (ring_register(ring, IORING_REGISTER_PBUF_RING, &reg, 1) < 0) die("register buffers");
  for (unsigned i = 0; i < count; i++) buffer_return(buffers, i);
  buffer_ring_publish(buffers);
}
