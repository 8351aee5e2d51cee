// The C peer on epoll: one thread, level-triggered, one recv and one send per readiness.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "peer.h"

#define EVENTS 512
#define RECEIVE_BYTES (64 << 10)

struct connection {
  int fd;
  struct request_scan scan;
  unsigned owed;        // HTTP replies not sent yet
  size_t reply_sent;    // bytes of the first of them already sent
  char *rest;           // echo bytes the socket did not take
  size_t rest_at, rest_bytes;
};

static struct peer peer;
static int poll_fd;
static char buffer[RECEIVE_BYTES];

static void watch(struct connection *c, unsigned events, int op) {
  struct epoll_event e = {.events = events, .data.ptr = c};
  if (epoll_ctl(poll_fd, op, c->fd, &e) != 0) perror("epoll_ctl");
}

static void drop(struct connection *c) {
  close(c->fd);
  free(c->rest);
  free(c);
}

// Returns bytes taken, 0 when the socket is full, -1 when the connection is gone.
static ssize_t send_now(struct connection *c, const char *data, size_t length) {
  ssize_t n = send(c->fd, data, length, MSG_NOSIGNAL);
  return n < 0 && errno == EAGAIN ? 0 : n;
}

// Sends what is owed. Returns false when the connection is gone.
static bool pump_http(struct connection *c) {
  while (c->owed > 0) {
    unsigned count = c->owed < REPLY_COPIES ? c->owed : REPLY_COPIES;
    size_t length = count * peer.reply_bytes - c->reply_sent;
    ssize_t n = send_now(c, peer.replies + c->reply_sent, length);
    if (n < 0) return false;
    size_t done = c->reply_sent + (size_t)n;
    c->owed -= (unsigned)(done / peer.reply_bytes);
    c->reply_sent = done % peer.reply_bytes;
    if ((size_t)n < length) {
      watch(c, EPOLLOUT, EPOLL_CTL_MOD);
      return true;
    }
  }
  return true;
}

static bool echo(struct connection *c, const char *data, size_t length) {
  ssize_t n = send_now(c, data, length);
  if (n < 0) return false;
  if ((size_t)n == length) return true;
  c->rest_bytes = length - (size_t)n;
  c->rest_at = 0;
  c->rest = realloc(c->rest, c->rest_bytes);
  if (c->rest == NULL) return false;
  memcpy(c->rest, data + n, c->rest_bytes);
  watch(c, EPOLLOUT, EPOLL_CTL_MOD);
  return true;
}

static bool readable(struct connection *c) {
  ssize_t n = recv(c->fd, buffer, sizeof buffer, 0);
  if (n <= 0) return n < 0 && errno == EAGAIN;
  if (!peer.http) return echo(c, buffer, (size_t)n);
  c->owed += requests_ended(&c->scan, buffer, (size_t)n);
  return pump_http(c);
}

static bool writable(struct connection *c) {
  if (peer.http) {
    if (!pump_http(c)) return false;
    if (c->owed > 0) return true;
  } else {
    ssize_t n = send_now(c, c->rest + c->rest_at, c->rest_bytes - c->rest_at);
    if (n < 0) return false;
    c->rest_at += (size_t)n;
    if (c->rest_at < c->rest_bytes) return true;
  }
  watch(c, EPOLLIN, EPOLL_CTL_MOD);
  return true;
}

static void accept_all(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    struct connection *c = calloc(1, sizeof *c);
    if (c == NULL) {
      close(fd);
      return;
    }
    c->fd = fd;
    watch(c, EPOLLIN, EPOLL_CTL_ADD);
  }
}

int main(int argc, char **argv) {
  int listener = peer_open(&peer, argc, argv);
  poll_fd = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event accepting = {.events = EPOLLIN, .data.ptr = NULL};
  if (poll_fd < 0 || epoll_ctl(poll_fd, EPOLL_CTL_ADD, listener, &accepting) != 0) {
    perror("epoll");
    return 1;
  }
  for (;;) {
    struct epoll_event events[EVENTS];
    int count = epoll_wait(poll_fd, events, EVENTS, -1);
    peer_refresh_date(&peer);
    for (int i = 0; i < count; i++) {
      struct connection *c = events[i].data.ptr;
      if (c == NULL) accept_all(listener);
      else if (!(events[i].events & EPOLLOUT ? writable(c) : readable(c))) drop(c);
    }
  }
}
