// One end of bench xdp in C, in the network namespace of that end. Obeys lines, as PacketMain does:
// "echo SYSTEM WAY" and "end" at the server, "measure SYSTEM WAY BYTES WINDOW MILLIS" at the client.
// The way is "spin" or "wait": what an end does when nothing has come.
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

static const struct packets *const all[] = {&packets_xdp, &packets_sums, &packets_mmsg,
                                            &packets_uring};
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

int wait_for(int fd) {
  struct pollfd in = {.fd = fd, .events = POLLIN};
  return poll(&in, 1, WAIT_MILLIS) > 0;
}

static int said_more(void) {
  struct pollfd in = {.fd = 0, .events = POLLIN};
  return poll(&in, 1, 0) != 0;
}

static void echo(const struct packets *how, int waits) {
  how->open(0);
  printf("ok echoing\n");
  fflush(stdout);
  for (int ended = 0; !ended; ended = said_more()) // "end"
    for (int i = 0; i < LOOKS; i++)
      if (!how->take(0) && waits && !how->wait()) break;
  how->close();
}

static long exchange(const struct packets *how, int waits, int bytes, int window, int64_t nanos,
                     int *count) {
  long came = 0, sent = 0;
  int64_t start = now(), last = start;
  *count = 0;
  while (last - start < nanos) {
    while (sent - came < window && how->send(bytes)) sent++;
    how->flush();
    int64_t begin = now();
    int got = 0;
    for (long turn = 1; !(got = how->take(1)); turn++) {
      int asleep = waits && !how->wait();
      if ((asleep || turn % LOOKS == 0) && now() - begin > LOST_NANOS) break;
    }
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

// Nanoseconds that all processors were busy: user, nice, system, irq and softirq.
static double machine_busy(void) {
  long long user, nice, system, idle, iowait, irq, softirq;
  FILE *f = fopen("/proc/stat", "r");
  if (!f || fscanf(f, "cpu %lld %lld %lld %lld %lld %lld %lld", &user, &nice, &system, &idle,
                   &iowait, &irq, &softirq) != 7)
    die("/proc/stat");
  fclose(f);
  return (double)(user + nice + system + irq + softirq) * 1e9 / (double)sysconf(_SC_CLK_TCK);
}

static void measure(const struct packets *how, int waits, int bytes, int window, int64_t nanos) {
  int count;
  how->open(1);
  exchange(how, waits, bytes, window, nanos / 4, &count);
  double busy = machine_busy();
  int64_t start = now();
  long came = exchange(how, waits, bytes, window, nanos, &count);
  double took = (double)(now() - start);
  busy = machine_busy() - busy;
  how->close();
  if (!came) {
    printf("error nothing came back\n");
    return;
  }
  printf("ok rps=%.1f machine_ns_per_req=%.3f", came / took * 1e9, busy / (double)came);
  if (window > 1) {
    printf(" ns_per_record=%.3f\n", took / (double)came);
    return;
  }
  if (count > MOST_TRIPS) count = MOST_TRIPS;
  qsort(trips, (size_t)count, sizeof trips[0], compare);
  printf(" p50_us=%.3f p99_us=%.3f\n", trips[count / 2] / 1e3,
         trips[(size_t)count * 99 / 100] / 1e3);
}

int main(void) {
  char line[256], name[64], way[8];
  int bytes, window;
  long millis;
  setvbuf(stdin, NULL, _IONBF, 0); // so that poll(2) sees what has not been read
  printf("ready\n");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "echo %63s %7s", name, way) == 2) {
      echo(named(name), !strcmp(way, "wait"));
    } else if (sscanf(line, "measure %63s %7s %d %d %ld", name, way, &bytes, &window, &millis) == 5) {
      measure(named(name), !strcmp(way, "wait"), bytes, window, millis * 1000000LL);
    } else {
      printf("ok ended\n");
    }
    fflush(stdout);
  }
  return 0;
}
