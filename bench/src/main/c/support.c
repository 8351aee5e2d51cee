// The load generator's options, request mix and snapshots.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "load.h"

#define SNAPSHOT_BYTES 4096
#define ACK_TIMEOUT_MILLIS 5000

long now_nanos(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

void load_fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "load: ");
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
  va_end(args);
  exit(2);
}

static const struct option LONG_OPTIONS[] = {
    {"port", required_argument, 0, 'p'},     {"connections", required_argument, 0, 'c'},
    {"depth", required_argument, 0, 'd'},    {"idle", required_argument, 0, 'i'},
    {"echo", required_argument, 0, 'e'},     {"mix", required_argument, 0, 'm'},
    {"warm", required_argument, 0, 'w'},     {"time", required_argument, 0, 't'},
    {"rate", required_argument, 0, 'r'},     {"seed", required_argument, 0, 's'},
    {"crc", no_argument, 0, 'C'},            {"realtime", no_argument, 0, 'R'},
    {"cpu", required_argument, 0, 'u'},      {"window-fifo", required_argument, 0, 'f'},
    {"snapshot", required_argument, 0, 'S'}, {"window-ack", required_argument, 0, 'a'},
    {"tls", no_argument, 0, 'T'},            {"nfs", required_argument, 0, 'N'},
    {"export", required_argument, 0, 'x'},   {"file", required_argument, 0, 'F'},
    {"mount-port", required_argument, 0, 'M'}, {"record", required_argument, 0, 'b'},
    {"stable", no_argument, 0, 'y'},         {"udp", no_argument, 0, 'U'},
    {"slice", required_argument, 0, 'l'},      {"host", required_argument, 0, 'h'},
    {0, 0, 0, 0},
};

static double number(const char *name, double low, double high) {
  char *end;
  double v = strtod(optarg, &end);
  if (*end != 0 || end == optarg || v < low || v > high) {
    load_fail("--%s must be %g to %g: %s", name, low, high, optarg);
  }
  return v;
}

struct options options_parse(int argc, char **argv) {
  struct options o = {.connections = 1, .depth = 1, .seconds = 1, .seed = 1, .cpu = -1,
                      .host = "127.0.0.1"};
  int c, index = 0;
  while ((c = getopt_long(argc, argv, "", LONG_OPTIONS, &index)) != -1) {
    const char *name = LONG_OPTIONS[index].name;
    switch (c) {
      case 'p': o.port = (int)number(name, 1, 65535); break;
      case 'c': o.connections = (unsigned)number(name, 1, 60000); break;
      case 'd': o.depth = (unsigned)number(name, 1, 256); break;
      case 'i': o.idle = (unsigned)number(name, 0, 60000); break;
      case 'e': o.echo_bytes = (unsigned)number(name, 1, 1 << 20); break;
      case 'm': o.mix = optarg; break;
      case 'w': o.warm_seconds = number(name, 0, 3600); break;
      case 't': o.seconds = number(name, 0.01, 3600); break;
      case 'r': o.rate = number(name, 1, 1e8); break;
      case 's': o.seed = (uint64_t)number(name, 0, 1e15); break;
      case 'T': o.tls = true; break;
      case 'C': o.check_crc = true; break;
      case 'R': o.realtime = true; break;
      case 'u': o.cpu = (int)number(name, 0, 1023); break;
      case 'N': o.nfs = optarg; break;
      case 'x': o.export = optarg; break;
      case 'F': o.file = optarg; break;
      case 'M': o.mount_port = (int)number(name, 1, 65535); break;
      case 'b': o.record_bytes = (unsigned)number(name, 1, 4 << 20); break;
      case 'y': o.stable = true; break;
      case 'U': o.udp = true; break;
      case 'h': o.host = optarg; break;
      case 'l': o.slice_millis = (unsigned)number(name, 1, 10000); break;
      case 'f': o.window_fifo = optarg; break;
      case 'a': o.window_ack = optarg; break;
      case 'S':
        if (o.snapshot_count == SNAPSHOT_LIMIT) load_fail("at most 8 --snapshot");
        o.snapshots[o.snapshot_count++] = optarg;
        break;
      default: load_fail("unknown option");
    }
  }
  if (o.port == 0) load_fail("--port is missing");
  if (o.nfs != NULL) {
    if (o.export == NULL) load_fail("--export is missing");
    if (o.udp && o.record_bytes > 60000) load_fail("no datagram holds %u bytes", o.record_bytes);
    return o;
  }
  if ((o.mix == NULL) == (o.echo_bytes == 0)) load_fail("give one of --echo and --mix");
  if (o.tls && (o.idle > 0 || o.echo_bytes > 0)) load_fail("--tls is for busy HTTP connections");
  return o;
}

static char *read_file(const char *path, size_t *length) {
  FILE *f = fopen(path, "rb");
  if (f == NULL) load_fail("%s: %s", path, strerror(errno));
  size_t capacity = 1 << 20, n = 0;
  char *bytes = malloc(capacity);
  while (bytes != NULL) {
    size_t got = fread(bytes + n, 1, capacity - n, f);
    if (got == 0) break;
    n += got;
    if (n == capacity) bytes = realloc(bytes, capacity *= 2);
  }
  if (bytes == NULL) load_fail("out of memory");
  fclose(f);
  bytes[n] = 0;
  *length = n;
  return bytes;
}

// xorshift64*: enough for drawing requests, the same on every machine.
static double draw(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (double)((*state * 0x2545F4914F6CDD1DULL) >> 11) / 9007199254740992.0;
}

static void draw_sequence(struct mix *m, uint64_t seed) {
  double *sums = malloc(m->count * sizeof *sums), total = 0;
  m->sequence = malloc(SEQUENCE_LENGTH * sizeof *m->sequence);
  if (sums == NULL || m->sequence == NULL) load_fail("out of memory");
  for (unsigned i = 0; i < m->count; i++) sums[i] = total += m->requests[i].weight;
  uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
  for (unsigned i = 0; i < SEQUENCE_LENGTH; i++) {
    double at = draw(&state) * total;
    unsigned low = 0, high = m->count - 1;
    while (low < high) {
      unsigned middle = (low + high) / 2;
      if (sums[middle] > at) high = middle;
      else low = middle + 1;
    }
    m->sequence[i] = low;
  }
  free(sums);
}

static unsigned kind_index(struct mix *m, const char *name) {
  for (unsigned i = 0; i < m->kind_count; i++) {
    if (strcmp(m->kinds[i], name) == 0) return i;
  }
  if (m->kind_count == KIND_LIMIT) load_fail("more than %d kinds of requests", KIND_LIMIT);
  strcpy(m->kinds[m->kind_count], name);
  return m->kind_count++;
}

struct mix mix_read(const char *path, uint64_t seed) {
  struct mix m = {0};
  size_t length;
  char *at = read_file(path, &length), *end = at + length;
  unsigned capacity = 0;
  while (at < end) {
    if (m.count == capacity) {
      capacity = capacity == 0 ? 64 : capacity * 2;
      m.requests = realloc(m.requests, capacity * sizeof *m.requests);
      if (m.requests == NULL) load_fail("out of memory");
    }
    struct request *r = &m.requests[m.count];
    long long crc;
    int used = 0, head;
    char kind[KIND_NAME_BYTES];
    if (sscanf(at, "%lf %zu %d %ld %lld %d %15[a-z]%n", &r->weight, &r->length, &r->status,
               &r->body_bytes, &crc, &head, kind, &used) != 7 ||
        at[used] != '\n' || (size_t)(end - at - used - 1) < r->length + 1 ||
        at[used + 1 + r->length] != '\n') {
      load_fail("%s: request %u is malformed", path, m.count);
    }
    r->bytes = at + used + 1;
    r->crc = (uint32_t)crc;
    r->has_crc = crc >= 0;
    r->head = head != 0;
    r->kind = kind_index(&m, kind);
    at += used + r->length + 2;
    m.count++;
  }
  if (m.count == 0) load_fail("%s: no requests", path);
  draw_sequence(&m, seed);
  return m;
}

static char *read_start(const char *path) {
  char *text = calloc(1, SNAPSHOT_BYTES + 1);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (text == NULL) load_fail("out of memory");
  if (fd >= 0) {
    ssize_t n = read(fd, text, SNAPSHOT_BYTES);
    text[n < 0 ? 0 : n] = 0;
    close(fd);
  }
  return text;
}

void snapshots_take(struct snapshots *s, const struct options *o, bool after) {
  if (after) {
    for (unsigned i = 0; i < s->count; i++) s->items[i].after = read_start(s->items[i].path);
    return;
  }
  glob_t found = {0};
  for (unsigned i = 0; i < o->snapshot_count; i++) {
    if (glob(o->snapshots[i], i == 0 ? 0 : GLOB_APPEND, NULL, &found) != 0) {
      load_fail("--snapshot %s: no such file", o->snapshots[i]);
    }
  }
  s->count = (unsigned)found.gl_pathc;
  s->items = calloc(s->count + 1, sizeof *s->items);
  if (s->items == NULL) load_fail("out of memory");
  for (unsigned i = 0; i < s->count; i++) {
    s->items[i].path = found.gl_pathv[i];
    s->items[i].before = read_start(found.gl_pathv[i]);
  }
}

static void print_string(const char *text) {
  putchar('"');
  for (; *text != 0; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') printf("\\%c", c);
    else if (c < 32) printf("\\u%04x", c);
    else putchar(c);
  }
  putchar('"');
}

void snapshots_print(const struct snapshots *s) {
  printf("\"snapshots\":[");
  for (unsigned i = 0; i < s->count; i++) {
    printf("%s{\"file\":", i == 0 ? "" : ",");
    print_string(s->items[i].path);
    printf(",\"before\":");
    print_string(s->items[i].before);
    printf(",\"after\":");
    print_string(s->items[i].after);
    printf("}");
  }
  printf("]");
}

void window_signal(const struct options *o, const char *word) {
  if (o->window_fifo == NULL) return;
  int fd = open(o->window_fifo, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 || write(fd, word, strlen(word)) < 0) {
    load_fail("--window-fifo %s: %s", o->window_fifo, strerror(errno));
  }
  close(fd);
  if (o->window_ack == NULL) return;
  struct pollfd ack = {open(o->window_ack, O_RDONLY | O_CLOEXEC | O_NONBLOCK), POLLIN, 0};
  char answer[16];
  if (ack.fd < 0 || poll(&ack, 1, ACK_TIMEOUT_MILLIS) != 1 ||
      read(ack.fd, answer, sizeof answer) <= 0) {
    load_fail("--window-ack %s: no answer", o->window_ack);
  }
  close(ack.fd);
}
