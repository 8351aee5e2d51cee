// The least an NFSv3 server can do: frames RPC over TCP and UDP on epoll, and answers MOUNT, GETATTR,
// LOOKUP, ACCESS, READ, WRITE, CREATE and REMOVE of one file in memory, without looking at handles,
// names or credentials, and without keeping anything. The floor that servers are measured against.
// Usage: c_nfs PORT FILE-BYTES
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <signal.h>
#include <unistd.h>

#define MOST_BYTES ((1u << 20) + 65536)
#define IN_ROOM (4u << 20)
#define OUT_ROOM (8u << 20)
#define LAST_FRAGMENT 0x80000000u

struct connection {
  int fd;
  unsigned char *in, *out;
  size_t in_length, out_at, out_length;
  int waits_for_room;
};

static unsigned char *content;
static uint64_t file_bytes;
static int epoll_fd;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static uint32_t get32(const unsigned char *at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return ntohl(value);
}

static unsigned char *put32(unsigned char *at, uint32_t value) {
  value = htonl(value);
  memcpy(at, &value, 4);
  return at + 4;
}

static unsigned char *put64(unsigned char *at, uint64_t value) {
  return put32(put32(at, (uint32_t)(value >> 32)), (uint32_t)value);
}

static unsigned char *put_attributes(unsigned char *at) {
  at = put32(put32(put32(put32(put32(at, 1), 0100644), 1), 0), 0);
  at = put64(put64(at, file_bytes), file_bytes);
  at = put64(put64(put64(at, 0), 1), 2);
  for (uint32_t i = 0; i < 6; i++) at = put32(at, i);
  return at;
}

static unsigned char *put_handle(unsigned char *at) {
  at = put32(at, 32);
  memset(at, 7, 32);
  return at + 32;
}

static unsigned char *put_read(unsigned char *at, const unsigned char *arguments) {
  uint64_t offset = (uint64_t)get32(arguments) << 32 | get32(arguments + 4);
  uint64_t count = get32(arguments + 8);
  if (count > MOST_BYTES - 65536) count = MOST_BYTES - 65536;
  if (offset >= file_bytes) count = 0;
  else if (offset + count > file_bytes) count = file_bytes - offset;
  at = put_attributes(put32(put32(at, 0), 1));
  at = put32(put32(put32(at, (uint32_t)count), offset + count >= file_bytes), (uint32_t)count);
  memcpy(at, content + offset, count);
  memset(at + count, 0, (4 - count % 4) % 4);
  return at + ((count + 3) & ~3ul);
}

// Writes the reply to a call at `reply`; returns its length.
static size_t answer(const unsigned char *call, size_t length, unsigned char *reply) {
  if (length < 40) return 0;
  uint32_t program = get32(call + 12), procedure = get32(call + 20);
  size_t at = 32 + (size_t)((get32(call + 28) + 3) & ~3u);
  if (at + 8 > length) return 0;
  at += 8 + (size_t)((get32(call + at + 4) + 3) & ~3u);
  unsigned char *to = reply;
  memcpy(to, call, 4);
  to = put32(put32(put32(put32(put32(to + 4, 1), 0), 0), 0), 0);
  if (procedure == 0) return (size_t)(to - reply);
  if (program == 100005) {
    to = put32(put32(put_handle(put32(to, 0)), 1), 1);
    return (size_t)(to - reply);
  }
  if (at + 4 > length) return 0;
  const unsigned char *arguments = call + at + 4 + ((get32(call + at) + 3) & ~3u);
  if (arguments + (procedure >= 6 ? 12 : 0) > call + length) return 0;
  switch (procedure) {
    case 1: to = put_attributes(put32(to, 0)); break;
    case 3: to = put32(put_attributes(put32(put_handle(put32(to, 0)), 1)), 0); break;
    case 4: to = put32(put_attributes(put32(put32(to, 0), 1)), 0x3f); break;
    case 6: to = put_read(to, arguments); break;
    case 7:
      to = put_attributes(put32(put32(put32(to, 0), 0), 1));
      to = put64(put32(put32(to, get32(arguments + 8)), 2), 0);
      break;
    case 8: to = put_attributes(put32(put_handle(put32(put32(to, 0), 1)), 1));
      to = put32(put32(to, 0), 0);
      break;
    case 12: to = put32(put32(put32(to, 0), 0), 0); break;
    default: to = put32(to, 10004); break;
  }
  return (size_t)(to - reply);
}

static void watch(struct connection *c) {
  int waits = c->out_length > c->out_at;
  if (waits == c->waits_for_room) return;
  struct epoll_event e = {.events = EPOLLIN | (waits ? EPOLLOUT : 0), .data.ptr = c};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_MOD, c->fd, &e) != 0) die("epoll_ctl");
  c->waits_for_room = waits;
}

static void end(struct connection *c) {
  close(c->fd);
  free(c->in);
  free(c->out);
  free(c);
}

static void answer_records(struct connection *c) {
  size_t at = 0;
  while (c->in_length - at >= 4) {
    size_t length = get32(c->in + at) & ~LAST_FRAGMENT;
    if (c->in_length - at < 4 + length || c->out_length + MOST_BYTES + 4 > OUT_ROOM) break;
    size_t reply = answer(c->in + at + 4, length, c->out + c->out_length + 4);
    put32(c->out + c->out_length, LAST_FRAGMENT | (uint32_t)reply);
    c->out_length += 4 + reply;
    at += 4 + length;
  }
  memmove(c->in, c->in + at, c->in_length - at);
  c->in_length -= at;
}

static void serve(struct connection *c, uint32_t events) {
  if (events & EPOLLIN && c->in_length < IN_ROOM) {
    ssize_t n = read(c->fd, c->in + c->in_length, IN_ROOM - c->in_length);
    if (n == 0 || (n < 0 && errno != EAGAIN)) {
      end(c);
      return;
    }
    c->in_length += n > 0 ? (size_t)n : 0;
  }
  answer_records(c);
  while (c->out_at < c->out_length) {
    ssize_t n = write(c->fd, c->out + c->out_at, c->out_length - c->out_at);
    if (n < 0) break;
    c->out_at += (size_t)n;
  }
  if (c->out_at == c->out_length) c->out_at = c->out_length = 0;
  watch(c);
}

static void serve_datagrams(int fd) {
  static unsigned char call[65536], reply[MOST_BYTES];
  for (int i = 0; i < 64; i++) {
    struct sockaddr_in from;
    socklen_t from_length = sizeof from;
    ssize_t n = recvfrom(fd, call, sizeof call, 0, (struct sockaddr *)&from, &from_length);
    if (n < 0) return;
    size_t length = answer(call, (size_t)n, reply);
    if (length > 0) sendto(fd, reply, length, 0, (struct sockaddr *)&from, from_length);
  }
}

static void accept_one(int listener) {
  int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), one = 1;
  if (fd < 0) return;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  struct connection *c = calloc(1, sizeof *c);
  if (c == NULL) die("calloc");
  c->fd = fd;
  c->in = malloc(IN_ROOM);
  c->out = malloc(OUT_ROOM);
  if (c->in == NULL || c->out == NULL) die("malloc");
  struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &e) != 0) die("epoll_ctl");
}

static int bound(int type, int port) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1, room = 4 << 20;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (type == SOCK_DGRAM) {
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  }
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) die("bind");
  return fd;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  file_bytes = strtoull(argv[2], NULL, 10);
  content = malloc(file_bytes + 4);
  if (content == NULL) die("malloc");
  memset(content, 'n', file_bytes);
  static char tcp, udp;
  int listener = bound(SOCK_STREAM, atoi(argv[1])), datagrams = bound(SOCK_DGRAM, atoi(argv[1]));
  if (listen(listener, 512) != 0) die("listen");
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event e = {.events = EPOLLIN, .data.ptr = &tcp};
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listener, &e);
  e.data.ptr = &udp;
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, datagrams, &e);
  for (;;) {
    struct epoll_event events[64];
    int count = epoll_wait(epoll_fd, events, 64, -1);
    for (int i = 0; i < count; i++) {
      if (events[i].data.ptr == &tcp) accept_one(listener);
      else if (events[i].data.ptr == &udp) serve_datagrams(datagrams);
      else serve(events[i].data.ptr, events[i].events);
    }
  }
}
