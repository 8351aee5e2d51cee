// One end of bench vi in C.
//
//   c_vi server|client PROVIDER PLACE
//
// Says "ready", then obeys lines: "rtt BYTES MILLIS" and "stream BYTES MILLIS". The client answers
// "ok ns_per_call=N mb_per_s=N", the server "ok". The first byte of a message tells the last one.
#include "c_vi.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_BATCHES (1 << 20)
#define BATCH 32

static double batches[MOST_BATCHES];

void die(const char *what, const char *why) {
  fprintf(stderr, "c_vi: %s: %s\n", what, why);
  exit(1);
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void answer(int count, size_t bytes) {
  qsort(batches, (size_t)count, sizeof batches[0], compare);
  double median = batches[count / 2];
  printf("ok ns_per_call=%.3f mb_per_s=%.3f\n", median, bytes * 1e3 / median);
}

// Messages between two answers of a stream.
static int group(size_t bytes) {
  return bytes >= 256 << 10 ? 8 : 64;
}

static void send_one(size_t bytes, int last) {
  char *room = end_room();
  room[0] = (char)last;
  end_send(bytes);
}

static int receive_one(size_t bytes) {
  int last = end_receive(bytes)[0];
  end_done();
  return last;
}

static void ask_round_trips(size_t bytes, int64_t nanos) {
  int count = 0;
  int64_t begin = now(), before = begin;
  while (before - begin < nanos && count < MOST_BATCHES) {
    for (int i = 0; i < BATCH; i++) {
      send_one(bytes, 0);
      receive_one(bytes);
    }
    int64_t after = now();
    batches[count++] = (double)(after - before) / BATCH;
    before = after;
  }
  send_one(bytes, 1);
  receive_one(bytes);
  send_one(4, 1);
  answer(count, bytes);
}

// Waits for one message more behind the last answer: a long one moves only while its sender polls,
// on some systems.
static void answer_round_trips(size_t bytes) {
  int last;
  do {
    last = end_receive(bytes)[0];
    send_one(bytes, last);
    end_done();
  } while (!last);
  receive_one(4);
  puts("ok served=1");
}

// Two groups are under way, so that the stream has no gaps.
static void ask_stream(size_t bytes, int64_t nanos) {
  int count = 0, waiting = 0, many = group(bytes);
  int64_t begin = now(), before = 0;
  while ((before == 0 || before - begin < nanos) && count < MOST_BATCHES) {
    for (int i = 0; i < many; i++) send_one(bytes, 0);
    if (++waiting == 2) {
      receive_one(4);
      waiting--;
      int64_t after = now();
      if (before != 0) batches[count++] = (double)(after - before) / many;
      before = after;
    }
  }
  send_one(bytes, 1);
  for (; waiting >= 0; waiting--) receive_one(4);
  if (count == 0) die("stream", "the window is too short");
  answer(count, bytes);
}

static void answer_stream(size_t bytes) {
  int last, count = 0, many = group(bytes);
  do {
    last = receive_one(bytes);
    if (last || ++count % many == 0) send_one(4, 0);
  } while (!last);
  puts("ok served=1");
}

int main(int argc, char **argv) {
  if (argc != 4) die("usage", "c_vi server|client PROVIDER PLACE");
  setvbuf(stdout, NULL, _IOLBF, 0);
  int server = argv[1][0] == 's';
  end_open(server, argv[2], argv[3]);
  if (!server) end_meet(server, argv[3]);
  puts("ready");
  if (server) end_meet(server, argv[3]);
  char line[100], kind[20];
  size_t bytes;
  long millis;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "%19s %zu %ld", kind, &bytes, &millis) != 3 || bytes < 4 || bytes > MOST_BYTES)
      die("command", line);
    int trips = !strcmp(kind, "rtt");
    if (server)
      trips ? answer_round_trips(bytes) : answer_stream(bytes);
    else
      trips ? ask_round_trips(bytes, millis * 1000000LL) : ask_stream(bytes, millis * 1000000LL);
  }
  return 0;
}
