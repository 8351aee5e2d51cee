// Messages of bench vi over a socket of the kernel: "unix" or "socket" (loopback TCP), by calls that
// wait.
#include "c_vi.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char out[MOST_BYTES], in[MOST_BYTES];
static int listener = -1, fd = -1;

static void check(int result, const char *what) {
  if (result < 0) die(what, strerror(errno));
}

static int is_unix;

static void name(struct sockaddr_un *at, const char *place) {
  memset(at, 0, sizeof *at);
  at->sun_family = AF_UNIX;
  if (strlen(place) >= sizeof at->sun_path) die(place, "too long");
  strcpy(at->sun_path, place);
}

void end_open(int server, const char *provider, const char *place) {
  is_unix = !strcmp(provider, "unix");
  if (!server) return;
  struct sockaddr_un un;
  struct sockaddr_in in4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof in4;
  name(&un, place);
  listener = socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
  check(listener, "socket");
  if (is_unix) {
    check(bind(listener, (void *)&un, sizeof un), "bind");
  } else {
    check(bind(listener, (void *)&in4, sizeof in4), "bind");
    check(getsockname(listener, (void *)&in4, &length), "getsockname");
    FILE *file = fopen(place, "w"); // the port
    if (!file || fprintf(file, "%d\n", ntohs(in4.sin_port)) < 0 || fclose(file)) die(place, "port");
  }
  check(listen(listener, 1), "listen");
}

void end_meet(int server, const char *place) {
  int one = 1;
  if (server) {
    fd = accept(listener, NULL, NULL);
    check(fd, "accept");
  } else {
    fd = socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    check(fd, "socket");
    struct sockaddr_un un;
    struct sockaddr_in in4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    name(&un, place);
    if (!is_unix) {
      int port = 0;
      FILE *file = fopen(place, "r");
      if (!file || fscanf(file, "%d", &port) != 1) die(place, "port");
      fclose(file);
      in4.sin_port = htons((unsigned short)port);
    }
    check(connect(fd, is_unix ? (void *)&un : (void *)&in4, is_unix ? sizeof un : sizeof in4),
          "connect");
  }
  if (!is_unix) check(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one), "TCP_NODELAY");
}

char *end_room(void) {
  return out;
}

void end_send(size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t count = send(fd, out + done, bytes - done, MSG_NOSIGNAL);
    check((int)count, "send");
    done += (size_t)count;
  }
}

char *end_receive(size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t count = recv(fd, in + done, bytes - done, 0);
    check((int)count, "recv");
    if (count == 0) die("recv", "the peer has ended");
    done += (size_t)count;
  }
  return in;
}

void end_done(void) {}
