// A load generator on io_uring: keeps connections busy (closed loop) or sends at intended times
// (open loop), checks every reply, and prints one JSON object about the measured window.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "histogram.h"
#include "load.h"
#include "reply.h"
#include "ring.h"
#include "tls.h"

#define ECHO_PHASES 4096       // distinct starting points in the echo pattern
#define REPLY_TIMEOUT_SECONDS 30
#define IDLE_BATCH 128         // idle connections that are opened together
#define PLAIN_BYTES 65536       // decrypted at a time
#define TAG_SEND 1             // low bit of a token; the rest is the connection's index

// A request on its way: when it was meant to leave, and which it is.
struct inflight {
  long intended;
  uint32_t request;
};

struct connection {
  int fd;
  uint32_t index;
  struct tls *tls;             // NULL: plain TCP
  bool sending;
  unsigned head, sent, tail;   // [head, sent) await replies, [sent, tail) are to be sent
  struct inflight *inflight;   // indexed modulo depth
  struct iovec *ranges;
  struct msghdr message;
  size_t sending_bytes;
  size_t echo_at;              // bytes of the current echo message received
  uint64_t served;             // replies in the window
  struct reply_parser parser;
};

struct load {
  struct options o;
  struct mix mix;
  char *pattern;               // echo bytes
  char *burst;                 // `depth` copies of the only request, or NULL
  struct ring ring;
  struct buffer_ring buffers;
  struct connection *connections;
  int *idle_fds;
  uint32_t cursor;             // in the mix's sequence
  uint32_t turn;               // connection the open loop tries next
  double next_intended;
  bool measuring, prolonged;
  uint64_t wire_bytes, body_bytes, status_class[6];
  struct histogram latency;
  struct histogram by_kind[KIND_LIMIT];
  struct snapshots snapshots;
};

static struct load L;

static size_t request_bytes(uint32_t request) {
  return L.o.echo_bytes > 0 ? L.o.echo_bytes : L.mix.requests[request].length;
}

// What connection `c` sends for `request`. Echo bytes differ by connection, so that a reply that
// went to the wrong one is noticed.
static const char *request_data(const struct connection *c, uint32_t request) {
  return L.o.echo_bytes > 0 ? L.pattern + (c->index * 8) % ECHO_PHASES
                            : L.mix.requests[request].bytes;
}

static int dial(void) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)L.o.port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
  // A reset instead of FIN leaves no TIME_WAIT behind.
  struct linger reset = {1, 0};
  if (fd < 0) load_fail("socket: %s", strerror(errno));
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    load_fail("connect to port %d: %s", L.o.port, strerror(errno));
  }
  return fd;
}

static void arm_receive(struct connection *c) {
  struct io_uring_sqe *sqe = ring_sqe(&L.ring);
  sqe->opcode = IORING_OP_RECV;
  sqe->fd = c->fd;
  sqe->ioprio = IORING_RECV_MULTISHOT;
  sqe->flags = IOSQE_BUFFER_SELECT;
  sqe->user_data = (uint64_t)c->index << 1;
}

// Puts one more request on a connection; connection_flush sends it.
static void issue(struct connection *c, long intended) {
  uint32_t request = 0;
  if (L.mix.sequence != NULL) request = L.mix.sequence[L.cursor++ & (SEQUENCE_LENGTH - 1)];
  c->inflight[c->tail++ % L.o.depth] = (struct inflight){intended, request};
}

// Encrypts all requests that are to be sent into the bytes of one send.
static void encrypt_requests(struct connection *c, struct io_uring_sqe *sqe, unsigned count) {
  if (L.burst != NULL) {
    tls_encrypt(c->tls, L.burst, request_bytes(0) * count);
  } else {
    for (unsigned i = 0; i < count; i++) {
      uint32_t request = c->inflight[(c->sent + i) % L.o.depth].request;
      tls_encrypt(c->tls, request_data(c, request), request_bytes(request));
    }
  }
  sqe->opcode = IORING_OP_SEND;
  sqe->addr = (uint64_t)tls_output(c->tls, &c->sending_bytes);
  sqe->len = (unsigned)c->sending_bytes;
}

static void connection_flush(struct connection *c) {
  unsigned count = c->tail - c->sent;
  if (c->sending || count == 0) return;
  struct io_uring_sqe *sqe = ring_sqe(&L.ring);
  sqe->fd = c->fd;
  sqe->msg_flags = MSG_WAITALL | MSG_NOSIGNAL;
  sqe->user_data = ((uint64_t)c->index << 1) | TAG_SEND;
  uint32_t first = c->inflight[c->sent % L.o.depth].request;
  if (c->tls != NULL) {
    encrypt_requests(c, sqe, count);
  } else if (count == 1 || L.burst != NULL) {
    sqe->opcode = IORING_OP_SEND;
    sqe->addr = (uint64_t)(count == 1 ? request_data(c, first) : L.burst);
    sqe->len = (unsigned)(request_bytes(first) * count);
    c->sending_bytes = sqe->len;
  } else {
    c->sending_bytes = 0;
    for (unsigned i = 0; i < count; i++) {
      uint32_t request = c->inflight[(c->sent + i) % L.o.depth].request;
      c->ranges[i] = (struct iovec){(void *)request_data(c, request), request_bytes(request)};
      c->sending_bytes += c->ranges[i].iov_len;
    }
    c->message = (struct msghdr){.msg_iov = c->ranges, .msg_iovlen = count};
    sqe->opcode = IORING_OP_SENDMSG;
    sqe->addr = (uint64_t)&c->message;
    sqe->len = 1;
  }
  // With one request in flight its reply proves that the send is over: no completion is needed.
  if (L.o.depth == 1) sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
  else c->sending = true;
  c->sent = c->tail;
}

static void check_reply(const struct connection *c, const struct request *want) {
  const struct reply_parser *p = &c->parser;
  if (p->status != want->status) {
    load_fail("connection %u: status %d instead of %d for %.*s", c->index, p->status, want->status,
              (int)strcspn(want->bytes, "\r"), want->bytes);
  }
  if (want->body_bytes >= 0 && p->body_bytes != (uint64_t)want->body_bytes) {
    load_fail("connection %u: %lu body bytes instead of %ld for %.*s", c->index, p->body_bytes,
              want->body_bytes, (int)strcspn(want->bytes, "\r"), want->bytes);
  }
  if (p->want_crc && want->has_crc && p->crc != want->crc) {
    load_fail("connection %u: wrong body (CRC %08x instead of %08x) for %.*s", c->index, p->crc,
              want->crc, (int)strcspn(want->bytes, "\r"), want->bytes);
  }
}

// Consumes up to one message of an echo. Returns 1 when it is complete.
static int feed_echo(struct connection *c, const char *data, size_t length, size_t *used) {
  size_t want = L.o.echo_bytes - c->echo_at;
  *used = length < want ? length : want;
  if (memcmp(data, request_data(c, 0) + c->echo_at, *used) != 0) {
    load_fail("connection %u: echoed bytes differ", c->index);
  }
  c->echo_at += *used;
  if (c->echo_at < L.o.echo_bytes) return 0;
  c->echo_at = 0;
  return 1;
}

// Consumes up to one HTTP reply. Returns 1 when it is complete and right.
static int feed_http(struct connection *c, const struct request *want, const char *data,
                     size_t length, size_t *used) {
  uint64_t before = c->parser.body_bytes;
  bool fresh = c->parser.state == REPLY_HEAD;
  int rc = reply_feed(&c->parser, want->head, data, length, used);
  if (rc < 0) load_fail("connection %u: malformed reply: %s", c->index, c->parser.error);
  if (L.measuring && (rc > 0 || c->parser.state != REPLY_HEAD)) {
    L.body_bytes += c->parser.body_bytes - (fresh ? 0 : before);
  }
  if (rc > 0) {
    check_reply(c, want);
    if (L.measuring) L.status_class[c->parser.status / 100]++;
  }
  return rc;
}

// Takes received bytes apart into replies; in a closed loop each is followed by a new request.
static void received(struct connection *c, const char *data, size_t length, long now) {
  if (L.measuring) L.wire_bytes += length;
  while (length > 0) {
    if (c->head == c->sent) load_fail("connection %u: bytes nobody asked for", c->index);
    struct inflight *in = &c->inflight[c->head % L.o.depth];
    size_t used;
    int complete = L.o.echo_bytes > 0
                       ? feed_echo(c, data, length, &used)
                       : feed_http(c, &L.mix.requests[in->request], data, length, &used);
    data += used;
    length -= used;
    if (!complete) continue;
    if (L.measuring) {
      histogram_record(&L.latency, now - in->intended);
      if (L.mix.kind_count > 1) {
        histogram_record(&L.by_kind[L.mix.requests[in->request].kind], now - in->intended);
      }
      c->served++;
    }
    c->head++;
    if (L.o.rate == 0) issue(c, now);
  }
  connection_flush(c);
}

// The same with encrypted bytes. Session tickets among them decrypt to nothing.
static void received_tls(struct connection *c, const char *data, size_t length, long now) {
  static char plain[PLAIN_BYTES];
  tls_input(c->tls, data, length);
  for (size_t n = tls_decrypt(c->tls, plain, sizeof plain); n > 0;) {
    received(c, plain, n, now);
    n = tls_decrypt(c->tls, plain, sizeof plain);
  }
}

// Open loop: sends every request whose time has come, as long as a connection has room. What finds
// no room keeps its intended time, so that waiting counts as latency.
static void issue_due(long now) {
  double interval = 1e9 / L.o.rate;
  while (L.next_intended <= (double)now) {
    struct connection *c = NULL;
    for (unsigned i = 0; i < L.o.connections && c == NULL; i++) {
      struct connection *candidate = &L.connections[L.turn++ % L.o.connections];
      if (candidate->tail - candidate->head < L.o.depth) c = candidate;
    }
    if (c == NULL) return;
    issue(c, (long)L.next_intended);
    connection_flush(c);
    L.next_intended += interval;
  }
}

static void complete_receive(struct connection *c, const struct io_uring_cqe *cqe, long now) {
  if (cqe->res > 0) {
    unsigned buffer = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
    if (c->tls != NULL) received_tls(c, buffer_at(&L.buffers, buffer), (size_t)cqe->res, now);
    else received(c, buffer_at(&L.buffers, buffer), (size_t)cqe->res, now);
    buffer_return(&L.buffers, buffer);
  } else if (cqe->res != -ENOBUFS) {
    load_fail("connection %u: %s", c->index,
              cqe->res == 0 ? "closed by the server" : strerror(-cqe->res));
  }
  if (!(cqe->flags & IORING_CQE_F_MORE)) arm_receive(c);
}

static void complete_send(struct connection *c, const struct io_uring_cqe *cqe) {
  if (cqe->res < 0 || (size_t)cqe->res != c->sending_bytes) {
    load_fail("connection %u: send: %s", c->index,
              cqe->res < 0 ? strerror(-cqe->res) : "short");
  }
  c->sending = false;
  connection_flush(c);
}

static void drain(long now) {
  unsigned head = *L.ring.cq_head;
  unsigned tail = __atomic_load_n(L.ring.cq_tail, __ATOMIC_ACQUIRE);
  for (; head != tail; head++) {
    const struct io_uring_cqe *cqe = &L.ring.cqes[head & L.ring.cq_mask];
    struct connection *c = &L.connections[cqe->user_data >> 1];
    if (cqe->user_data & TAG_SEND) complete_send(c, cqe);
    else complete_receive(c, cqe, now);
  }
  __atomic_store_n(L.ring.cq_head, head, __ATOMIC_RELEASE);
  buffer_ring_publish(&L.buffers);
}

// Turns the ring until `until`; returns the time it ended.
static long run_until(long until) {
  for (;;) {
    long now = now_nanos();
    if (now >= until) return now;
    long next = until;
    if (L.o.rate > 0) {
      issue_due(now);
      if (L.next_intended > (double)now && L.next_intended < (double)next) {
        next = (long)L.next_intended;
      }
    }
    unsigned ready = __atomic_load_n(L.ring.cq_tail, __ATOMIC_ACQUIRE) - *L.ring.cq_head;
    int rc = ring_enter(&L.ring, ready > 0 ? 0 : 1, next - now);
    if (rc < 0) load_fail("io_uring_enter: %s", strerror(-rc));
    drain(now_nanos());
  }
}

// The reply to the one request of an idle connection, from a blocking socket.
static void await_primed(struct connection *c) {
  static char buffer[65536];
  for (int complete = 0; !complete;) {
    ssize_t n = recv(c->fd, buffer, sizeof buffer, 0);
    if (n <= 0) load_fail("idle connection %u: no reply", c->index);
    for (size_t at = 0, used; at < (size_t)n && !complete; at += used) {
      complete = L.o.echo_bytes > 0
                     ? feed_echo(c, buffer + at, (size_t)n - at, &used)
                     : feed_http(c, &L.mix.requests[0], buffer + at, (size_t)n - at, &used);
    }
  }
}

// Idle connections have one request and its reply behind them. Several at a time: a server whose
// wait costs more with each connection would otherwise pay for every one alone.
static void open_idle(void) {
  struct connection *batch = calloc(IDLE_BATCH, sizeof *batch);
  struct timeval limit = {REPLY_TIMEOUT_SECONDS, 0};
  L.idle_fds = calloc(L.o.idle + 1, sizeof *L.idle_fds);
  if (batch == NULL || L.idle_fds == NULL) load_fail("out of memory");
  for (unsigned first = 0; first < L.o.idle; first += IDLE_BATCH) {
    unsigned count = L.o.idle - first < IDLE_BATCH ? L.o.idle - first : IDLE_BATCH;
    for (unsigned i = 0; i < count; i++) {
      struct connection *c = &batch[i];
      c->index = first + i;
      c->fd = L.idle_fds[c->index] = dial();
      setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
      size_t length = request_bytes(0);
      if (send(c->fd, request_data(c, 0), length, MSG_NOSIGNAL) != (ssize_t)length) {
        load_fail("idle: short send");
      }
    }
    for (unsigned i = 0; i < count; i++) await_primed(&batch[i]);
  }
  free(batch);
}

// An idle connection that the server closed would make its figure a lie.
static void check_idle(void) {
  for (unsigned i = 0; i < L.o.idle; i++) {
    struct pollfd p = {L.idle_fds[i], POLLIN, 0};
    if (poll(&p, 1, 0) != 0) load_fail("idle connection %u did not stay open and silent", i);
  }
}

static void open_connections(void) {
  L.connections = calloc(L.o.connections, sizeof *L.connections);
  if (L.connections == NULL) load_fail("out of memory");
  for (unsigned i = 0; i < L.o.connections; i++) {
    struct connection *c = &L.connections[i];
    c->index = i;
    c->fd = dial();
    if (L.o.tls) c->tls = tls_open(c->fd);
    c->inflight = calloc(L.o.depth, sizeof *c->inflight);
    c->ranges = calloc(L.o.depth, sizeof *c->ranges);
    c->parser.want_crc = L.o.check_crc;
    if (c->inflight == NULL || c->ranges == NULL) load_fail("out of memory");
    arm_receive(c);
  }
}

static void open_ring(void) {
  unsigned count = 256;
  while (count < 4 * L.o.connections && count < 8192) count *= 2;
  unsigned bytes = 65536;
  while ((size_t)count * bytes > 64u << 20) bytes /= 2;
  ring_open(&L.ring, 4096, 65536);
  buffer_ring_open(&L.ring, &L.buffers, count, bytes);
}

static void prepare_requests(void) {
  if (L.o.echo_bytes > 0) {
    size_t length = L.o.echo_bytes + ECHO_PHASES;
    L.pattern = malloc(length);
    if (L.pattern == NULL) load_fail("out of memory");
    uint64_t state = L.o.seed + 0x9E3779B97F4A7C15ULL;
    for (size_t i = 0; i < length; i++) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      L.pattern[i] = (char)(state >> 56);
    }
    return;
  }
  L.mix = mix_read(L.o.mix, L.o.seed);
  if (L.mix.count > 1) return;
  size_t length = L.mix.requests[0].length;
  L.burst = malloc(length * L.o.depth);
  if (L.burst == NULL) load_fail("out of memory");
  for (unsigned i = 0; i < L.o.depth; i++) {
    memcpy(L.burst + i * length, L.mix.requests[0].bytes, length);
  }
}

static void set_up_process(void) {
  struct rlimit files = {100000, 100000};
  if (setrlimit(RLIMIT_NOFILE, &files) != 0 && getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
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
  prctl(PR_SET_TIMERSLACK, 1UL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A server that hangs must not hang the harness: SIGALRM ends the process.
  alarm((unsigned)(L.o.warm_seconds + L.o.seconds) + 2 * REPLY_TIMEOUT_SECONDS + L.o.idle / 500);
}

static double cpu_seconds(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void print_kinds(void) {
  for (unsigned i = 0; i < L.mix.kind_count && L.mix.kind_count > 1; i++) {
    const struct histogram *h = &L.by_kind[i];
    const char *name = L.mix.kinds[i];
    if (h->count == 0) continue;
    printf("\"%s_requests\":%lu,\"%s_p50_us\":%.2f,\"%s_p99_us\":%.2f,", name, h->count, name,
           (double)histogram_quantile(h, 0.5) / 1e3, name,
           (double)histogram_quantile(h, 0.99) / 1e3);
  }
}

static void print_result(double seconds, double cpu) {
  unsigned unserved = 0;
  for (unsigned i = 0; i < L.o.connections; i++) unserved += L.connections[i].served == 0;
  const struct histogram *h = &L.latency;
  printf("{\"requests\":%lu,\"seconds\":%.6f,\"wire_bytes\":%lu,\"body_bytes\":%lu,"
         "\"client_cpu\":%.4f,\"unserved_connections\":%u,\"prolonged\":%d,",
         h->count, seconds, L.wire_bytes, L.body_bytes, cpu / seconds, unserved, L.prolonged);
  printf("\"p50_us\":%.2f,\"p99_us\":%.2f,\"p999_us\":%.2f,\"max_us\":%.2f,",
         (double)histogram_quantile(h, 0.5) / 1e3, (double)histogram_quantile(h, 0.99) / 1e3,
         (double)histogram_quantile(h, 0.999) / 1e3, (double)h->max / 1e3);
  printf("\"status_2xx\":%lu,\"status_3xx\":%lu,\"status_4xx\":%lu,", L.status_class[2],
         L.status_class[3], L.status_class[4]);
  print_kinds();
  snapshots_print(&L.snapshots);
  printf("}\n");
}

int main(int argc, char **argv) {
  L.o = options_parse(argc, argv);
  set_up_process();
  prepare_requests();
  open_idle();
  open_ring();
  open_connections();
  long now = now_nanos();
  L.next_intended = (double)now;
  for (unsigned i = 0; i < L.o.connections && L.o.rate == 0; i++) {
    for (unsigned k = 0; k < L.o.depth; k++) issue(&L.connections[i], now);
    connection_flush(&L.connections[i]);
  }
  run_until(now + (long)(L.o.warm_seconds * 1e9));
  window_signal(&L.o, "enable\n");
  snapshots_take(&L.snapshots, &L.o, false);
  double cpu = cpu_seconds();
  long start = now_nanos();
  L.measuring = true;
  long end = run_until(start + (long)(L.o.seconds * 1e9));
  long latest = end + REPLY_TIMEOUT_SECONDS * 1000000000L;
  while (L.latency.count == 0 && L.wire_bytes == 0 && end < latest) {
    end = run_until(end + PROLONG_NANOS);
    L.prolonged = true;
  }
  snapshots_take(&L.snapshots, &L.o, true);
  cpu = cpu_seconds() - cpu;
  window_signal(&L.o, "disable\n");
  if (L.latency.count == 0 && L.wire_bytes == 0) {
    load_fail("no reply in %.1f s of measuring", (double)(end - start) / 1e9);
  }
  check_idle();
  print_result((double)(end - start) / 1e9, cpu);
  return 0;
}
