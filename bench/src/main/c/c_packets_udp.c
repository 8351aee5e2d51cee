// Datagrams of bench xdp over sockets of the kernel: by recvmmsg and sendmmsg, and by io_uring.
#define _GNU_SOURCE
#include "c_packets.h"
#include "ring.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int fd = -1, ring_fd = -1; // of recvmmsg, of io_uring
static char memory[2 * BATCH][MOST_BYTES];
static struct sockaddr_in peers[BATCH];
static struct iovec parts[2 * BATCH];

static struct sockaddr_in at(const char *host, int port) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, host, &a.sin_addr);
  return a;
}

static int open_socket(int client, int port, int flags) {
  struct sockaddr_in own = at(client ? CLIENT : SERVER, port), server = at(SERVER, port);
  int fd = socket(AF_INET, SOCK_DGRAM | flags, 0);
  if (fd < 0 || bind(fd, (void *)&own, sizeof own)) die("bind");
  if (client && connect(fd, (void *)&server, sizeof server)) die("connect");
  for (int i = 0; i < 2 * BATCH; i++) parts[i] = (struct iovec){memory[i], MOST_BYTES};
  return fd;
}

// ---- recvmmsg ------------------------------------------------------------------------------------

static struct mmsghdr in[BATCH], out[BATCH];
static int staged;

static void mmsg_open(int client) {
  fd = open_socket(client, PORT, SOCK_NONBLOCK);
  staged = 0;
}

static void mmsg_flush(void) {
  int done = 0;
  while (done < staged) {
    int count = sendmmsg(fd, out + done, (unsigned)(staged - done), 0);
    if (count < 0 && errno != EAGAIN) die("sendmmsg");
    done += count > 0 ? count : 0;
  }
  staged = 0;
}

static int mmsg_take(int client) {
  for (int i = 0; i < BATCH; i++) {
    parts[i].iov_len = MOST_BYTES;
    in[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
    if (!client) {
      in[i].msg_hdr.msg_name = &peers[i];
      in[i].msg_hdr.msg_namelen = sizeof peers[i];
    }
  }
  int count = recvmmsg(fd, in, BATCH, MSG_DONTWAIT, NULL);
  if (count < 0) {
    if (errno != EAGAIN && errno != ECONNREFUSED) die("recvmmsg");
    return 0;
  }
  if (!client) {
    for (int i = 0; i < count; i++) {
      out[i] = in[i];
      parts[i].iov_len = in[i].msg_len;
    }
    staged = count;
    mmsg_flush();
  }
  return count;
}

static int mmsg_send(int bytes) {
  if (staged == BATCH) return 0;
  parts[BATCH + staged].iov_len = (size_t)bytes;
  out[staged].msg_hdr = (struct msghdr){.msg_iov = &parts[BATCH + staged], .msg_iovlen = 1};
  staged++;
  return 1;
}

static int mmsg_wait(void) {
  return wait_for(fd);
}

static void close_socket(void) {
  close(fd);
}

const struct packets packets_mmsg = {"c/recvmmsg", mmsg_open, mmsg_take,   mmsg_send,
                                     mmsg_flush,   mmsg_wait, close_socket};

// ---- io_uring ------------------------------------------------------------------------------------

// One receive serves all datagrams, each in a buffer that the kernel takes from a group: as many
// receives as buffers would all be woken for each datagram.
#define SENT 1ull // of a completion, with the buffer above: a send's
#define BUFFERS (4 * BATCH)
#define BUFFER_BYTES (MOST_BYTES + 64)

static struct ring ring;
static struct buffer_ring buffers;
static struct msghdr shape = {.msg_namelen = sizeof(struct sockaddr_in)};
static struct msghdr headers[BUFFERS];
static struct iovec echoes[BUFFERS];

static void stage_receive(void) {
  struct io_uring_sqe *sqe = ring_sqe(&ring);
  sqe->opcode = IORING_OP_RECVMSG;
  sqe->fd = ring_fd;
  sqe->addr = (uint64_t)&shape;
  sqe->len = 1;
  sqe->ioprio = IORING_RECV_MULTISHOT;
  sqe->flags = IOSQE_BUFFER_SELECT;
}

static void uring_open(int client) {
  if (ring_fd >= 0) return;
  ring_fd = open_socket(client, PORT + 1, 0);
  ring_open(&ring, 4 * BATCH, 16 * BATCH);
  buffer_ring_open(&ring, &buffers, BUFFERS, BUFFER_BYTES);
  stage_receive();
  if (ring_enter(&ring, 0, 0) < 0) die("io_uring_enter");
}

static void uring_flush(void) {
  int result = ring_enter(&ring, 0, 0);
  if (result < 0) {
    errno = -result;
    die("io_uring_enter");
  }
}

static void stage_echo(unsigned id) {
  struct io_uring_recvmsg_out *came = (void *)buffer_at(&buffers, id);
  char *name = (char *)(came + 1);
  struct io_uring_sqe *sqe = ring_sqe(&ring);
  echoes[id] = (struct iovec){name + shape.msg_namelen, came->payloadlen};
  headers[id] = (struct msghdr){.msg_name = name,
                                .msg_namelen = came->namelen,
                                .msg_iov = &echoes[id],
                                .msg_iovlen = 1};
  sqe->opcode = IORING_OP_SENDMSG;
  sqe->fd = ring_fd;
  sqe->addr = (uint64_t)&headers[id];
  sqe->len = 1;
  sqe->user_data = (uint64_t)id << 1 | SENT;
}

static int uring_take(int client) {
  int count = 0;
  uring_flush();
  unsigned head = *ring.cq_head, tail = __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE);
  for (; head != tail; head++) {
    struct io_uring_cqe *cqe = &ring.cqes[head & ring.cq_mask];
    if (cqe->user_data & SENT) {
      if (!client) buffer_return(&buffers, (unsigned)(cqe->user_data >> 1));
      continue;
    }
    if (cqe->res >= 0) {
      unsigned id = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
      count++;
      if (client) buffer_return(&buffers, id);
      else stage_echo(id);
    } else if (cqe->res != -ECONNREFUSED && cqe->res != -ENOBUFS) {
      errno = -cqe->res;
      die("recvmsg");
    }
    if (!(cqe->flags & IORING_CQE_F_MORE)) stage_receive();
  }
  __atomic_store_n(ring.cq_head, head, __ATOMIC_RELEASE);
  buffer_ring_publish(&buffers);
  if (count) uring_flush();
  return count;
}

static int uring_send(int bytes) {
  struct io_uring_sqe *sqe = ring_sqe(&ring);
  sqe->opcode = IORING_OP_SEND;
  sqe->fd = ring_fd;
  sqe->addr = (uint64_t)memory[BATCH];
  sqe->len = (unsigned)bytes;
  sqe->user_data = SENT;
  return 1;
}

static int uring_wait(void) {
  ring_enter(&ring, 1, WAIT_MILLIS * 1000000L);
  return *ring.cq_head != __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE);
}

// The ring's operations hold the socket longer than its descriptor: both stay for the next time.
static void uring_close(void) {}

const struct packets packets_uring = {"c/io_uring", uring_open,  uring_take, uring_send,
                                      uring_flush,  uring_wait, uring_close};
