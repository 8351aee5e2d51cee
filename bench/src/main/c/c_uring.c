// The C peer on io_uring, with everything that is known to help: multishot accept into direct
// descriptors, multishot receives into provided buffers, one send per connection and turn that
// completes only when it falls short, one io_uring_enter per turn.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "peer.h"
#include "ring.h"

#define FILES 16384
#define BUFFERS 1024
#define BUFFER_BYTES (16 << 10)
#define RANGES 64  // echo pieces of one send

enum operation { ACCEPT, RECEIVE, SEND, SEND_REST, CLOSE };

struct bytes {
  char *data;
  size_t length, capacity;
};

struct connection {
  bool open, dirty, blocked, closing;
  unsigned receives;   // armed: 0 or 1
  struct request_scan scan;
  unsigned owed;       // HTTP replies to send
  unsigned staged;     // of them, in the send of this turn
  size_t staged_bytes;
  unsigned count;      // echo ranges to send
  struct iovec ranges[RANGES];
  struct msghdr message;
  struct bytes rest;   // what a short send left over; does not move while it is being sent
  struct bytes later;  // echo bytes that came meanwhile
};

static struct peer peer;
static struct ring ring;
static struct buffer_ring buffers;
static struct connection connections[FILES];
static uint32_t dirty[FILES];
static unsigned dirty_count;
static uint16_t held[BUFFERS];  // buffers whose bytes the staged sends read
static unsigned held_count;

static struct io_uring_sqe *stage(enum operation op, uint32_t index) {
  struct io_uring_sqe *sqe = ring_sqe(&ring);
  sqe->fd = (int)index;
  sqe->flags = IOSQE_FIXED_FILE;
  sqe->user_data = (uint64_t)op << 32 | index;
  return sqe;
}

static void arm_accept(int listener) {
  struct io_uring_sqe *sqe = stage(ACCEPT, 0);
  sqe->opcode = IORING_OP_ACCEPT;
  sqe->fd = listener;
  sqe->flags = 0;
  sqe->ioprio = IORING_ACCEPT_MULTISHOT;
  sqe->file_index = IORING_FILE_INDEX_ALLOC;
}

static void arm_receive(uint32_t index) {
  struct io_uring_sqe *sqe = stage(RECEIVE, index);
  sqe->opcode = IORING_OP_RECV;
  sqe->ioprio = IORING_RECV_MULTISHOT;
  sqe->flags |= IOSQE_BUFFER_SELECT;
  connections[index].receives = 1;
}

// Closes once nothing is armed or in flight; a receive still armed would keep the socket alive.
static void close_when_quiet(uint32_t index) {
  struct connection *c = &connections[index];
  if (!c->open || c->receives > 0 || c->blocked) return;
  c->open = false;
  free(c->rest.data);
  free(c->later.data);
  struct io_uring_sqe *sqe = ring_sqe(&ring);
  sqe->opcode = IORING_OP_CLOSE;
  sqe->file_index = index + 1;
  sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
  sqe->user_data = (uint64_t)CLOSE << 32 | index;
}

static void start_closing(uint32_t index) {
  connections[index].closing = true;
  close_when_quiet(index);
}

static void accepted(int result) {
  if (result < 0) return;
  struct connection *c = &connections[result];
  memset(c, 0, sizeof *c);
  c->open = true;
  arm_receive((uint32_t)result);
}

static void mark_dirty(uint32_t index) {
  struct connection *c = &connections[index];
  if (c->dirty || c->blocked || c->closing) return;
  c->dirty = true;
  dirty[dirty_count++] = index;
}

static bool keep(struct bytes *b, const char *data, size_t length) {
  if (b->length + length > b->capacity) {
    size_t capacity = (b->length + length) * 2;
    char *grown = realloc(b->data, capacity);
    if (grown == NULL) return false;
    b->data = grown;
    b->capacity = capacity;
  }
  memcpy(b->data + b->length, data, length);
  b->length += length;
  return true;
}

static void stage_rest(uint32_t index) {
  struct connection *c = &connections[index];
  struct io_uring_sqe *sqe = stage(SEND_REST, index);
  sqe->opcode = IORING_OP_SEND;
  sqe->addr = (uint64_t)c->rest.data;
  sqe->len = (unsigned)c->rest.length;
  sqe->msg_flags = MSG_WAITALL | MSG_NOSIGNAL;
  c->blocked = true;
}

static void received(uint32_t index, const struct io_uring_cqe *cqe) {
  struct connection *c = &connections[index];
  bool has_buffer = cqe->flags & IORING_CQE_F_BUFFER;
  unsigned id = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
  if (!(cqe->flags & IORING_CQE_F_MORE)) c->receives = 0;
  if (cqe->res <= 0 && cqe->res != -ENOBUFS) {
    if (has_buffer) buffer_return(&buffers, id);
    start_closing(index);
    return;
  }
  if (c->receives == 0) arm_receive(index);
  if (cqe->res < 0) return;
  char *data = buffer_at(&buffers, id);
  size_t length = (size_t)cqe->res;
  if (peer.http) {
    c->owed += requests_ended(&c->scan, data, length);
    buffer_return(&buffers, id);
    if (c->owed > 0) mark_dirty(index);
  } else if (c->blocked) {
    if (!keep(&c->later, data, length)) start_closing(index);
    buffer_return(&buffers, id);
  } else if (c->count == RANGES) {
    buffer_return(&buffers, id);
    start_closing(index);
  } else {
    c->ranges[c->count++] = (struct iovec){data, length};
    held[held_count++] = (uint16_t)id;
    mark_dirty(index);
  }
}

// A send that did not take everything: it was submitted in this turn's enter, so its bytes are
// still where they were.
static void fell_short(uint32_t index, int result) {
  struct connection *c = &connections[index];
  if (result < 0 && result != -EAGAIN) {
    start_closing(index);
    return;
  }
  size_t taken = result < 0 ? 0 : (size_t)result;
  c->rest.length = 0;
  bool kept = true;
  if (peer.http) kept = keep(&c->rest, peer.replies + taken, c->staged_bytes - taken);
  for (unsigned i = 0; !peer.http && i < c->message.msg_iovlen && kept; i++) {
    size_t length = c->ranges[i].iov_len;
    if (taken < length) {
      kept = keep(&c->rest, (char *)c->ranges[i].iov_base + taken, length - taken);
      taken = 0;
    } else {
      taken -= length;
    }
  }
  if (kept) stage_rest(index);
  else start_closing(index);
}

static void rest_sent(uint32_t index, int result) {
  struct connection *c = &connections[index];
  c->blocked = false;
  if (c->closing) {
    close_when_quiet(index);
  } else if (result != (int)c->rest.length) {
    start_closing(index);
  } else if (c->later.length > 0) {
    struct bytes sent = c->rest;
    c->rest = c->later;
    c->later = sent;
    c->later.length = 0;
    stage_rest(index);
  } else if (c->owed > 0) {
    mark_dirty(index);
  }
}

// One send per connection that has something to say.
static void stage_sends(void) {
  for (unsigned i = 0; i < dirty_count; i++) {
    struct connection *c = &connections[dirty[i]];
    c->dirty = false;
    if (!c->open || c->closing) continue;
    struct io_uring_sqe *sqe = stage(SEND, dirty[i]);
    sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
    sqe->msg_flags = MSG_WAITALL | MSG_DONTWAIT | MSG_NOSIGNAL;
    if (peer.http) {
      c->staged = c->owed < REPLY_COPIES ? c->owed : REPLY_COPIES;
      c->owed -= c->staged;
      c->staged_bytes = c->staged * peer.reply_bytes;
      sqe->opcode = IORING_OP_SEND;
      sqe->addr = (uint64_t)peer.replies;
      sqe->len = (unsigned)c->staged_bytes;
      continue;
    }
    c->message = (struct msghdr){.msg_iov = c->ranges, .msg_iovlen = c->count};
    if (c->count == 1) {
      sqe->opcode = IORING_OP_SEND;
      sqe->addr = (uint64_t)c->ranges[0].iov_base;
      sqe->len = (unsigned)c->ranges[0].iov_len;
    } else {
      sqe->opcode = IORING_OP_SENDMSG;
      sqe->addr = (uint64_t)&c->message;
      sqe->len = 1;
    }
    c->count = 0;
  }
  dirty_count = 0;
}

static void complete(int listener, const struct io_uring_cqe *cqe) {
  uint32_t index = (uint32_t)cqe->user_data;
  switch ((enum operation)(cqe->user_data >> 32)) {
    case ACCEPT:
      accepted(cqe->res);
      if (!(cqe->flags & IORING_CQE_F_MORE)) arm_accept(listener);
      break;
    case RECEIVE: received(index, cqe); break;
    case SEND: fell_short(index, cqe->res); break;
    case SEND_REST: rest_sent(index, cqe->res); break;
    case CLOSE: break;
  }
}

int main(int argc, char **argv) {
  int listener = peer_open(&peer, argc, argv);
  ring_open(&ring, 4096, 65536);
  ring_register_files(&ring, FILES);
  buffer_ring_open(&ring, &buffers, BUFFERS, BUFFER_BYTES);
  arm_accept(listener);
  for (;;) {
    stage_sends();
    unsigned freed = held_count;
    int rc = ring_enter(&ring, 1, -1);
    if (rc < 0) {
      fprintf(stderr, "io_uring_enter: %s\n", strerror(-rc));
      return 1;
    }
    peer_refresh_date(&peer);
    // Completions of short sends come before those of later receives: sends run at submission.
    unsigned head = *ring.cq_head, tail = __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE);
    for (; head != tail; head++) complete(listener, &ring.cqes[head & ring.cq_mask]);
    __atomic_store_n(ring.cq_head, head, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < freed; i++) buffer_return(&buffers, held[i]);
    memmove(held, held + freed, (held_count - freed) * sizeof *held);
    held_count -= freed;
    buffer_ring_publish(&buffers);
  }
}
