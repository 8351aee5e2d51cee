// One end of bench xdp in C, in the network namespace of that end. Obeys lines, as PacketMain does:
// "echo SYSTEM" and "end" at the server, "measure SYSTEM BYTES WINDOW MILLIS" at the client.
#include "c_packets.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_TRIPS (1 << 20)
#define LOST_NANOS 200000000LL
#define LOOKS 1024 // turns between two looks at standard input

static const struct packets *const all[] = {&packets_xdp, &packets_mmsg, &packets_uring};
static uint32_t trips[MOST_TRIPS];

void die(const char *what) {
  fprintf(stderr, "c_packets: %s: %s\n", what, strerror(errno));
  printf("error %s: %s\n", what, strerror(errno));
  fflush(stdout);
  exit(1);
}

static const struct packets *named(const char *name) {
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (!strcmp(all[i]->name, name)) return all[i];
  errno = EINVAL;
  die(name);
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static int said_more(void) {
  struct pollfd in = {.fd = 0, .events = POLLIN};
  return poll(&in, 1, 0) != 0;
}

static void echo(const struct packets *how) {
  how->open(0);
  printf("ok echoing\n");
  fflush(stdout);
  do
    for (int i = 0; i < LOOKS; i++) how->take(0);
  while (!said_more()); // "end"
  how->close();
}

static long exchange(const struct packets *how, int bytes, int window, int64_t nanos, int *count) {
  long came = 0, sent = 0;
  int64_t start = now(), last = start;
  *count = 0;
  while (last - start < nanos) {
    while (sent - came < window && how->send(bytes)) sent++;
    how->flush();
    int64_t begin = now();
    int got = 0;
    for (long turn = 1; !(got = how->take(1)); turn++)
      if (turn % LOOKS == 0 && now() - begin > LOST_NANOS) break;
    came += got;
    int64_t after = now();
    if (!got) {
      sent = came;
    } else if (window == 1) {
      trips[(*count)++ % MOST_TRIPS] = (uint32_t)(after - last);
    }
    last = after;
  }
  return came;
}

static void measure(const struct packets *how, int bytes, int window, int64_t nanos) {
  int count;
  how->open(1);
  exchange(how, bytes, window, nanos / 4, &count);
  int64_t start = now();
  long came = exchange(how, bytes, window, nanos, &count);
  double took = (double)(now() - start);
  how->close();
  if (window > 1) {
    printf("ok ns_per_record=%.3f\n", took / (came ? came : 1));
    return;
  }
  if (count > MOST_TRIPS) count = MOST_TRIPS;
  if (!count) {
    printf("error nothing came back\n");
    return;
  }
  qsort(trips, (size_t)count, sizeof trips[0], compare);
  printf("ok p50_us=%.3f p99_us=%.3f\n", trips[count / 2] / 1e3,
         trips[(size_t)count * 99 / 100] / 1e3);
}

int main(void) {
  char line[256], name[64];
  int bytes, window;
  long millis;
  setvbuf(stdin, NULL, _IONBF, 0); // so that poll(2) sees what has not been read
  printf("ready\n");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "echo %63s", name) == 1) {
      echo(named(name));
    } else if (sscanf(line, "measure %63s %d %d %ld", name, &bytes, &window, &millis) == 4) {
      measure(named(name), bytes, window, millis * 1000000LL);
    } else {
      printf("ok ended\n");
    }
    fflush(stdout);
  }
  return 0;
}
