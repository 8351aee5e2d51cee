// io_uring by raw system calls, for the load generator and the C io_uring peer. One thread per ring.
#ifndef SLUICE_RING_H
#define SLUICE_RING_H

#include <linux/io_uring.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
  int fd;
  int enter_fd;  // the registered index when the kernel gave one, else fd
  unsigned enter_flags;
  unsigned *sq_head, *sq_tail, *cq_head, *cq_tail;
  unsigned sq_mask, sq_entries, cq_mask;
  struct io_uring_sqe *sqes;
  struct io_uring_cqe *cqes;
  unsigned tail;  // next free submission entry
};

// Buffers that the kernel picks from for multishot receives (group 0 of its ring).
struct buffer_ring {
  struct io_uring_buf_ring *ring;
  char *memory;
  unsigned count, bytes, mask;
  uint16_t tail;
};

// Opens a ring with SINGLE_ISSUER|DEFER_TASKRUN and registers its descriptor. Ends the process on
// failure.
void ring_open(struct ring *ring, unsigned sq_entries, unsigned cq_entries);

// Submits all that is staged, waits for `wait` completions or `timeout_ns` (negative: no limit).
// Returns 0, or a negative errno other than EINTR, EBUSY, EAGAIN and ETIME.
int ring_enter(struct ring *ring, unsigned wait, long timeout_ns);

// A zeroed submission entry; submits first when the queue is full.
struct io_uring_sqe *ring_sqe(struct ring *ring);

// Registers an empty table of direct descriptors.
void ring_register_files(struct ring *ring, unsigned count);

void buffer_ring_open(struct ring *ring, struct buffer_ring *buffers, unsigned count,
                      unsigned bytes);

static inline char *buffer_at(const struct buffer_ring *buffers, unsigned id) {
  return buffers->memory + (size_t)id * buffers->bytes;
}

// Gives a buffer back; the kernel sees it after buffer_ring_publish.
static inline void buffer_return(struct buffer_ring *buffers, unsigned id) {
  struct io_uring_buf *entry = &buffers->ring->bufs[buffers->tail++ & buffers->mask];
  entry->addr = (uint64_t)buffer_at(buffers, id);
  entry->len = buffers->bytes;
  entry->bid = (uint16_t)id;
}

static inline void buffer_ring_publish(struct buffer_ring *buffers) {
  __atomic_store_n(&buffers->ring->tail, buffers->tail, __ATOMIC_RELEASE);
}

#endif
