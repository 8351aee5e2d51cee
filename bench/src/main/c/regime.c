/* How fast the machine is just now: the lower quartile of the times of small fixed pieces of the work that servers
 * do, messages over a loopback connection and a walk through memory, in nanoseconds. Runs for a few
 * milliseconds on the processor that it is started on; what the kernel still does for the last load
 * (closed connections, freed memory) delays some of the pieces. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PIECES = 41, MESSAGES = 40, MEMORY = 256 * 1024 };

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void connect_both(int ends[2]) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int one = 1;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) < 0 ||
      listen(listener, 1) < 0 || getsockname(listener, (struct sockaddr *)&address, &length) < 0)
    fail("listen");
  ends[0] = socket(AF_INET, SOCK_STREAM, 0);
  if (ends[0] < 0 || connect(ends[0], (struct sockaddr *)&address, length) < 0) fail("connect");
  ends[1] = accept(listener, NULL, NULL);
  if (ends[1] < 0) fail("accept");
  setsockopt(ends[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  close(listener);
}

static uint64_t piece(int ends[2], volatile uint64_t *memory) {
  char message[64];
  memset(message, 'x', sizeof message);
  uint64_t start = now();
  for (int i = 0; i < MESSAGES; i++) {
    if (send(ends[0], message, sizeof message, 0) != sizeof message) fail("send");
    if (recv(ends[1], message, sizeof message, MSG_WAITALL) != sizeof message) fail("recv");
  }
  for (size_t i = 0; i < MEMORY / sizeof *memory; i += 8) memory[i]++;
  return now() - start;
}

static int ascending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

int main(void) {
  int ends[2];
  uint64_t times[PIECES];
  uint64_t *memory = calloc(1, MEMORY);
  if (!memory) fail("calloc");
  connect_both(ends);
  piece(ends, memory); /* its pages and its code are there now */
  for (int i = 0; i < PIECES; i++) times[i] = piece(ends, memory);
  qsort(times, PIECES, sizeof *times, ascending);
  printf("%llu\n", (unsigned long long)times[PIECES / 4]);
  return 0;
}
