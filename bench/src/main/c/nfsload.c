// A load generator for NFSv3 over TCP or UDP, on epoll: keeps calls in flight on each connection
// (closed loop), checks every reply's header and status, and prints one JSON object about the
// measured window. It has asked for the mount, and for the file, before the load begins.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "histogram.h"
#include "load.h"

#define PROGRAM_MOUNT 100005
#define PROGRAM_NFS 100003
#define LAST_FRAGMENT 0x80000000u
#define ANSWER_SECONDS 30       // a call without answer for so long ends the run
#define RESEND_NANOS 500000000L // a datagram without answer for so long is sent again
#define CALL_ROOM 512           // bytes of a call without content
#define REPLY_ROOM 2048         // bytes of a reply without content
#define HANDLE_BYTES 64
#define XID_NANOS 4096          // the clock gives first xids, so that no run repeats another's

enum { GETATTR = 1, LOOKUP = 3, ACCESS = 4, READ = 6, WRITE = 7, CREATE = 8, REMOVE = 12 };

struct operation {
  const char *name;
  int procedure;                // the first of a call, when it has two
};

static const struct operation OPERATIONS[] = {
    {"null", 0},     {"getattr", GETATTR}, {"lookup", LOOKUP},   {"access", ACCESS},
    {"read", READ},  {"write", WRITE},     {"metadata", CREATE}, {NULL, 0},
};

struct handle {
  uint32_t length;
  unsigned char bytes[HANDLE_BYTES];
};

// A call on its way. Its xid ends with its connection's place for it, and is never used again: a
// server may take a call with a known xid for one that was sent twice.
struct flight {
  long started, sent;
  uint32_t xid;
  int procedure;
  uint64_t sequence;
};

struct connection {
  int fd;
  unsigned index;
  uint32_t calls;               // the next xid without the place
  struct flight *flights;
  unsigned char *in, *out;
  size_t in_length, in_room, out_at, out_length, out_room;
  bool waits_for_room;
  uint64_t served;
};

struct buffer {
  unsigned char *at;
};

// Replies by the time of their arrival, counted once a turn and never per reply.
struct slices {
  uint64_t *counts, counted;
  unsigned count, room;
  long nanos, end;
};

static struct {
  struct options o;
  int procedure;
  unsigned place_bits;
  struct slices slices;
  struct handle directory, file;
  uint64_t records, next_record, names;
  struct connection *connections;
  int epoll;
  unsigned char *content;
  bool measuring, prolonged;
  uint64_t body_bytes, resent;
  struct histogram latency;
  struct snapshots snapshots;
} L;

// ---- XDR ----------------------------------------------------------------------------------------

static void put32(struct buffer *b, uint32_t value) {
  value = htonl(value);
  memcpy(b->at, &value, 4);
  b->at += 4;
}

static void put64(struct buffer *b, uint64_t value) {
  put32(b, (uint32_t)(value >> 32));
  put32(b, (uint32_t)value);
}

static void put_bytes(struct buffer *b, const void *bytes, uint32_t length) {
  put32(b, length);
  memcpy(b->at, bytes, length);
  memset(b->at + length, 0, (4 - length % 4) % 4);
  b->at += (length + 3) & ~3u;
}

static void put_handle(struct buffer *b, const struct handle *h) {
  put_bytes(b, h->bytes, h->length);
}

static uint32_t get32(const unsigned char *at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return ntohl(value);
}

// The header of a call by AUTH_SYS, uid and gid 0.
static void put_header(struct buffer *b, uint32_t xid, uint32_t program, uint32_t procedure) {
  put32(b, xid);
  put32(b, 0);
  put32(b, 2);
  put32(b, program);
  put32(b, 3);
  put32(b, procedure);
  put32(b, 1);
  put32(b, 28);
  put32(b, 0);
  put_bytes(b, "bench", 5);
  put32(b, 0);
  put32(b, 0);
  put32(b, 0);
  put32(b, 0);
  put32(b, 0);
}

// ---- sockets ------------------------------------------------------------------------------------

// Servers may insist on ports that only root can have.
static void bind_reserved(int fd) {
  static int port = 640;
  for (int i = 0; i < 380; i++) {
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    port = port >= 1022 ? 640 : port + 1;
    if (bind(fd, (struct sockaddr *)&own, sizeof own) == 0) return;
  }
}

static int dial(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = inet_addr(L.o.host)};
  int fd = socket(AF_INET, (L.o.udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0), one = 1;
  int room = 4 << 20;
  struct linger reset = {1, 0};
  struct timeval limit = {ANSWER_SECONDS, 0};
  if (fd < 0) load_fail("socket: %s", strerror(errno));
  if (L.o.udp) {
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  } else {
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  }
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (geteuid() == 0) bind_reserved(fd);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    load_fail("connect to port %d: %s", port, strerror(errno));
  }
  return fd;
}

static void read_fully(int fd, void *into, size_t length) {
  if (length > 0 && recv(fd, into, length, MSG_WAITALL) != (ssize_t)length) {
    load_fail("no answer to a first call");
  }
}

// One call on its own, for what has to be known before the load. Returns the place of its results.
static const unsigned char *ask(int fd, unsigned char *call, struct buffer *b) {
  static unsigned char reply[65536];
  size_t length = (size_t)(b->at - call) - 4, got = 0;
  if (L.o.udp) {
    ssize_t n = -1;
    errno = ECONNREFUSED;  // a server that accepts connections may be about to bind its other socket
    for (int tries = 0; n < 0 && errno == ECONNREFUSED && tries < 100 * ANSWER_SECONDS; tries++) {
      if (tries > 0) usleep(10000);
      if (send(fd, call + 4, length, 0) == (ssize_t)length) n = recv(fd, reply, sizeof reply, 0);
    }
    if (n < 28) load_fail("no answer to a first call: %s", n < 0 ? strerror(errno) : "too short");
  } else {
    uint32_t mark = htonl(LAST_FRAGMENT | (uint32_t)length);
    memcpy(call, &mark, 4);
    if (send(fd, call, length + 4, MSG_NOSIGNAL) != (ssize_t)length + 4) load_fail("short send");
    do {
      read_fully(fd, &mark, 4);
      mark = ntohl(mark);
      size_t fragment = mark & ~LAST_FRAGMENT;
      if (got + fragment > sizeof reply) load_fail("a first answer is too long");
      read_fully(fd, reply + got, fragment);
      got += fragment;
    } while (!(mark & LAST_FRAGMENT));
  }
  if (get32(reply + 8) != 0 || get32(reply + 20) != 0) load_fail("a first call was not accepted");
  if (get32(reply + 24) != 0) load_fail("a first call: status %u", get32(reply + 24));
  return reply + 28;
}

static void take_handle(struct handle *h, const unsigned char *from) {
  h->length = get32(from);
  if (h->length > HANDLE_BYTES) load_fail("a file handle of %u bytes", h->length);
  memcpy(h->bytes, from + 4, h->length);
}

// Mounts, and looks the file up.
static void prepare(void) {
  static unsigned char call[4096];
  struct buffer b = {call + 4};
  uint32_t xid = (uint32_t)(now_nanos() / XID_NANOS);
  int fd = dial(L.o.mount_port != 0 ? L.o.mount_port : L.o.port);
  put_header(&b, xid++, PROGRAM_MOUNT, 1);
  put_bytes(&b, L.o.export, (uint32_t)strlen(L.o.export));
  take_handle(&L.directory, ask(fd, call, &b));
  close(fd);
  L.records = 1;
  if (L.o.file == NULL) return;
  fd = dial(L.o.port);
  b.at = call + 4;
  put_header(&b, xid++, PROGRAM_NFS, LOOKUP);
  put_handle(&b, &L.directory);
  put_bytes(&b, L.o.file, (uint32_t)strlen(L.o.file));
  take_handle(&L.file, ask(fd, call, &b));
  b.at = call + 4;
  put_header(&b, xid++, PROGRAM_NFS, GETATTR);
  put_handle(&b, &L.file);
  const unsigned char *attributes = ask(fd, call, &b);
  uint64_t size = (uint64_t)get32(attributes + 20) << 32 | get32(attributes + 24);
  if (L.o.record_bytes > 0 && size >= L.o.record_bytes) L.records = size / L.o.record_bytes;
  close(fd);
}

// ---- calls --------------------------------------------------------------------------------------

static void put_name(struct buffer *b, const struct connection *c, uint64_t sequence) {
  char name[64];
  int length = snprintf(name, sizeof name, "bench-%u-%lu", c->index, sequence);
  put_bytes(b, name, (uint32_t)length);
}

static void put_arguments(struct buffer *b, const struct connection *c, const struct flight *f) {
  switch (f->procedure) {
    case GETATTR: put_handle(b, &L.file); break;
    case ACCESS:
      put_handle(b, &L.file);
      put32(b, 0x3f);
      break;
    case LOOKUP:
      put_handle(b, &L.directory);
      put_bytes(b, L.o.file, (uint32_t)strlen(L.o.file));
      break;
    case READ:
      put_handle(b, &L.file);
      put64(b, f->sequence % L.records * L.o.record_bytes);
      put32(b, L.o.record_bytes);
      break;
    case WRITE:
      put_handle(b, &L.file);
      put64(b, f->sequence % L.records * L.o.record_bytes);
      put32(b, L.o.record_bytes);
      put32(b, L.o.stable ? 2 : 0);
      put_bytes(b, L.content, L.o.record_bytes);
      break;
    case CREATE:
      put_handle(b, &L.directory);
      put_name(b, c, f->sequence);
      put32(b, 0);                 // unchecked
      put32(b, 1);                 // mode
      put32(b, 0666);              // what go-nfs makes; it cannot change it
      for (int i = 0; i < 5; i++) put32(b, 0);
      break;
    case REMOVE:
      put_handle(b, &L.directory);
      put_name(b, c, f->sequence);
      break;
    default: break;
  }
}

static void watch(struct connection *c, bool for_room) {
  struct epoll_event e = {.events = EPOLLIN | (for_room ? EPOLLOUT : 0), .data.ptr = c};
  if (epoll_ctl(L.epoll, EPOLL_CTL_MOD, c->fd, &e) != 0) load_fail("epoll_ctl");
  c->waits_for_room = for_room;
}

static void flush(struct connection *c) {
  while (c->out_at < c->out_length) {
    ssize_t n = send(c->fd, c->out + c->out_at, c->out_length - c->out_at, MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) load_fail("connection %u: send: %s", c->index, strerror(errno));
    c->out_at += (size_t)n;
  }
  if (c->out_at == c->out_length) c->out_at = c->out_length = 0;
  if (c->waits_for_room != (c->out_length > 0)) watch(c, c->out_length > 0);
}

// Puts the call of a flight on its way; over TCP, flush sends it.
static void transmit(struct connection *c, unsigned place, long now) {
  struct flight *f = &c->flights[place];
  if (c->out_room - c->out_length < CALL_ROOM + L.o.record_bytes) {
    memmove(c->out, c->out + c->out_at, c->out_length - c->out_at);
    c->out_length -= c->out_at;
    c->out_at = 0;
  }
  unsigned char *start = c->out + c->out_length;
  struct buffer b = {start + 4};
  put_header(&b, f->xid, PROGRAM_NFS, (uint32_t)f->procedure);
  put_arguments(&b, c, f);
  size_t length = (size_t)(b.at - start);
  f->sent = now;
  if (L.o.udp) {
    if (send(c->fd, start + 4, length - 4, 0) < 0 && errno != EAGAIN && errno != ECONNREFUSED) {
      load_fail("connection %u: send: %s", c->index, strerror(errno));
    }
    return;
  }
  uint32_t mark = htonl(LAST_FRAGMENT | (uint32_t)(length - 4));
  memcpy(start, &mark, 4);
  c->out_length += length;
}

static void issue(struct connection *c, unsigned place, long now) {
  struct flight *f = &c->flights[place];
  bool second = L.procedure == CREATE && f->procedure == CREATE;
  f->procedure = second ? REMOVE : L.procedure;
  if (!second) f->sequence = L.next_record++;
  f->xid = c->calls++ << L.place_bits | place;
  f->started = now;
  transmit(c, place, now);
}

// Checks a reply and puts the next call in its place.
static void answered(struct connection *c, const unsigned char *reply, size_t length, long now) {
  if (length < 24) load_fail("connection %u: a reply of %zu bytes", c->index, length);
  uint32_t xid = get32(reply), place = xid & ((1u << L.place_bits) - 1);
  if (place >= L.o.depth || get32(reply + 4) != 1) load_fail("connection %u: no reply", c->index);
  struct flight *f = &c->flights[place];
  if (xid != f->xid) {
    if (L.o.udp) return;  // to a call that was sent twice
    load_fail("connection %u: a reply to no call", c->index);
  }
  if (get32(reply + 8) != 0 || get32(reply + 20) != 0) {
    load_fail("connection %u: a call was not accepted", c->index);
  }
  uint32_t status = f->procedure == 0 || length < 28 ? 0 : get32(reply + 24);
  bool again = L.o.udp && L.resent > 0 && f->procedure == REMOVE && status == 2;
  if (status != 0 && !again) {
    load_fail("connection %u: procedure %d: status %u", c->index, f->procedure, status);
  }
  if (L.measuring) {
    histogram_record(&L.latency, now - f->started);
    c->served++;
    if (f->procedure == READ) {
      size_t at = 32 + (get32(reply + 28) != 0 ? 84u : 0);
      L.body_bytes += length >= at + 4 ? get32(reply + at) : 0;
    } else if (f->procedure == WRITE) {
      L.body_bytes += L.o.record_bytes;
    }
  }
  issue(c, place, now);
}

// Takes whole records from the front of what was received.
static void take_records(struct connection *c) {
  size_t at = 0;
  while (c->in_length - at >= 4) {
    uint32_t mark = get32(c->in + at);
    size_t length = mark & ~LAST_FRAGMENT;
    if (4 + length > c->in_room) load_fail("connection %u: a reply of %zu bytes", c->index, length);
    if (c->in_length - at < 4 + length) break;
    if (!(mark & LAST_FRAGMENT)) {          // joins it to the next fragment
      if (c->in_length - at < 8 + length) break;
      uint32_t next = get32(c->in + at + 4 + length);
      uint32_t joined = htonl((next & LAST_FRAGMENT) | (uint32_t)(length + (next & ~LAST_FRAGMENT)));
      memmove(c->in + at + 8, c->in + at + 4, length);
      at += 4;
      memcpy(c->in + at, &joined, 4);
      continue;
    }
    answered(c, c->in + at + 4, length, now_nanos());
    at += 4 + length;
  }
  memmove(c->in, c->in + at, c->in_length - at);
  c->in_length -= at;
}

static void receive(struct connection *c) {
  for (;;) {
    ssize_t n = recv(c->fd, c->in + c->in_length, c->in_room - c->in_length, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || (L.o.udp && errno == ECONNREFUSED))) return;
    if (n < 0) load_fail("connection %u: %s", c->index, strerror(errno));
    if (L.o.udp) {
      answered(c, c->in, (size_t)n, now_nanos());
      continue;
    }
    if (n == 0) load_fail("connection %u: closed by the server", c->index);
    c->in_length += (size_t)n;
    take_records(c);
    flush(c);
    return;
  }
}

// Sends again what has had no answer for long: datagrams get lost.
static void send_again(long now) {
  for (unsigned i = 0; i < L.o.connections; i++) {
    struct connection *c = &L.connections[i];
    for (unsigned place = 0; place < L.o.depth; place++) {
      struct flight *f = &c->flights[place];
      if (now - f->started > ANSWER_SECONDS * 1000000000L) {
        load_fail("connection %u: no answer for %d s", i, ANSWER_SECONDS);
      }
      if (L.o.udp && now - f->sent > RESEND_NANOS) {
        L.resent++;
        transmit(c, place, now);
      }
    }
  }
}

static void slices_open(long start) {
  if (L.o.slice_millis == 0) return;
  struct slices *s = &L.slices;
  s->nanos = L.o.slice_millis * 1000000L;
  s->end = start + s->nanos;
  s->room = (unsigned)(L.o.seconds * 1e3 / L.o.slice_millis);
  s->counts = calloc(s->room + 1, sizeof *s->counts);
  if (s->counts == NULL) load_fail("out of memory");
}

// Ends the slices that are over. What came since the last turn counts for the first of them.
static void slices_advance(long now) {
  struct slices *s = &L.slices;
  while (s->count < s->room && now >= s->end) {
    s->counts[s->count++] = L.latency.count - s->counted;
    s->counted = L.latency.count;
    s->end += s->nanos;
  }
}

static void slices_print(long start) {
  printf("\"start_ms\":%.3f,\"slice_ms\":%u,\"slices\":[", (double)start / 1e6, L.o.slice_millis);
  for (unsigned i = 0; i < L.slices.count; i++) {
    printf("%s%lu", i == 0 ? "" : ",", L.slices.counts[i]);
  }
  printf("],");
}

static long run_until(long until) {
  struct epoll_event events[64];
  long checked = now_nanos();
  for (;;) {
    long now = now_nanos();
    if (L.measuring) slices_advance(now);
    if (now >= until) return now;
    if (now - checked > RESEND_NANOS / 2) {
      checked = now;
      send_again(now);
    }
    long left = (until - now) / 1000000 + 1;
    int count = epoll_wait(L.epoll, events, 64, left < 100 ? (int)left : 100);
    for (int i = 0; i < count; i++) {
      struct connection *c = events[i].data.ptr;
      if (events[i].events & EPOLLOUT) flush(c);
      if (events[i].events & ~(uint32_t)EPOLLOUT) receive(c);
    }
  }
}

// ---- the run ------------------------------------------------------------------------------------

static void open_connections(void) {
  while (1u << L.place_bits < L.o.depth) L.place_bits++;
  L.epoll = epoll_create1(EPOLL_CLOEXEC);
  L.connections = calloc(L.o.connections, sizeof *L.connections);
  L.content = calloc(1, L.o.record_bytes + 4);
  if (L.epoll < 0 || L.connections == NULL || L.content == NULL) load_fail("out of memory");
  memset(L.content, 'n', L.o.record_bytes);
  for (unsigned i = 0; i < L.o.connections; i++) {
    struct connection *c = &L.connections[i];
    size_t replies = L.procedure == READ ? L.o.record_bytes + REPLY_ROOM : REPLY_ROOM;
    c->index = i;
    c->calls = (uint32_t)(now_nanos() / XID_NANOS);
    c->fd = dial(L.o.port);
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    c->in_room = replies * 4 < 262144 ? 262144 : replies * 4;
    c->out_room = (CALL_ROOM + (size_t)L.o.record_bytes) * (L.o.depth + 2);
    c->in = malloc(c->in_room);
    c->out = malloc(c->out_room);
    c->flights = calloc(L.o.depth, sizeof *c->flights);
    if (c->in == NULL || c->out == NULL || c->flights == NULL) load_fail("out of memory");
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
    if (epoll_ctl(L.epoll, EPOLL_CTL_ADD, c->fd, &e) != 0) load_fail("epoll_ctl");
  }
}

static void set_up_process(void) {
  if (L.o.cpu >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)L.o.cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) load_fail("--cpu %d: no such CPU", L.o.cpu);
  }
  struct sched_param fifo = {.sched_priority = 1};
  if (L.o.realtime && sched_setscheduler(0, SCHED_FIFO, &fifo) != 0) {
    load_fail("--realtime: %s (needs CAP_SYS_NICE)", strerror(errno));
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  alarm((unsigned)(L.o.warm_seconds + L.o.seconds) + 3 * ANSWER_SECONDS);
  for (const struct operation *each = OPERATIONS; each->name != NULL; each++) {
    if (strcmp(each->name, L.o.nfs) == 0) {
      L.procedure = each->procedure;
      return;
    }
  }
  load_fail("--nfs %s: no such operation", L.o.nfs);
}

static double cpu_seconds(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void print_result(long start, long end, double cpu) {
  double seconds = (double)(end - start) / 1e9;
  const struct histogram *h = &L.latency;
  unsigned unserved = 0;
  for (unsigned i = 0; i < L.o.connections; i++) unserved += L.connections[i].served == 0;
  printf("{\"requests\":%lu,\"seconds\":%.6f,\"wire_bytes\":%lu,\"body_bytes\":%lu,"
         "\"client_cpu\":%.4f,\"unserved_connections\":%u,\"resent\":%lu,\"prolonged\":%d,",
         h->count, seconds, L.body_bytes, L.body_bytes, cpu / seconds, unserved, L.resent,
         L.prolonged);
  printf("\"p50_us\":%.2f,\"p99_us\":%.2f,\"p999_us\":%.2f,\"max_us\":%.2f,",
         (double)histogram_quantile(h, 0.5) / 1e3, (double)histogram_quantile(h, 0.99) / 1e3,
         (double)histogram_quantile(h, 0.999) / 1e3, (double)h->max / 1e3);
  if (L.o.slice_millis > 0) slices_print(start);
  snapshots_print(&L.snapshots);
  printf("}\n");
}

int main(int argc, char **argv) {
  L.o = options_parse(argc, argv);
  if (L.o.nfs == NULL) load_fail("--nfs is missing");
  set_up_process();
  prepare();
  open_connections();
  long now = now_nanos();
  // The last names of a run stay in the directory; the next one makes others.
  if (L.procedure == CREATE) L.next_record = (uint64_t)(now / XID_NANOS);
  for (unsigned i = 0; i < L.o.connections; i++) {
    for (unsigned place = 0; place < L.o.depth; place++) issue(&L.connections[i], place, now);
    flush(&L.connections[i]);
  }
  run_until(now + (long)(L.o.warm_seconds * 1e9));
  window_signal(&L.o, "enable\n");
  snapshots_take(&L.snapshots, &L.o, false);
  double cpu = cpu_seconds();
  long start = now_nanos();
  slices_open(start);
  L.measuring = true;
  long end = run_until(start + (long)(L.o.seconds * 1e9));
  long latest = end + ANSWER_SECONDS * 1000000000L;
  while (L.latency.count == 0 && L.o.slice_millis == 0 && end < latest) {
    end = run_until(end + PROLONG_NANOS);
    L.prolonged = true;
  }
  snapshots_take(&L.snapshots, &L.o, true);
  cpu = cpu_seconds() - cpu;
  window_signal(&L.o, "disable\n");
  if (L.latency.count == 0) {
    load_fail("no reply in %.1f s of measuring", (double)(end - start) / 1e9);
  }
  print_result(start, end, cpu);
  return 0;
}
