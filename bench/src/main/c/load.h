// What the parts of the load generator share. Everything runs on one thread.
#ifndef SLUICE_LOAD_H
#define SLUICE_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SNAPSHOT_LIMIT 8

struct options {
  int port;
  unsigned connections;
  unsigned depth;          // requests in flight on each connection
  unsigned idle;           // further connections: one request each, then silence
  unsigned echo_bytes;     // echo messages of this size; 0 means HTTP
  const char *mix;         // file of HTTP requests
  double warm_seconds;
  double seconds;
  double rate;             // open loop: requests per second over all connections; 0: closed loop
  uint64_t seed;
  bool check_crc;
  bool tls;                // TLS on the busy connections
  bool realtime;
  int cpu;                 // -1: not pinned
  const char *nfs;         // an NFS operation; NULL: HTTP or echo
  const char *export;      // what is mounted
  const char *file;        // in its root; NULL: none
  int mount_port;          // 0: that of NFS
  unsigned record_bytes;   // of a read or write
  bool stable;             // writes are on the device before their answer
  bool udp;
  const char *host;        // of NFS
  unsigned slice_millis;   // replies are also counted by slices of the window; 0: not
  const char *window_fifo; // gets "enable" and "disable" at the ends of the measured window
  const char *window_ack;  // answers each of them
  const char *snapshots[SNAPSHOT_LIMIT];  // file patterns, read at the ends of the window
  unsigned snapshot_count;
};

// One request of the mix and what its reply must be.
struct request {
  const char *bytes;
  size_t length;
  double weight;
  int status;
  int64_t body_bytes;      // -1: any
  uint32_t crc;
  bool has_crc;
  bool head;               // HEAD: the reply has no body
  unsigned kind;           // index of its name in the mix
};

#define KIND_LIMIT 4
#define KIND_NAME_BYTES 16

#define SEQUENCE_LENGTH (1u << 16)

struct mix {
  struct request *requests;
  unsigned count;
  uint32_t *sequence;      // SEQUENCE_LENGTH draws by weight, replayed in a circle
  char kinds[KIND_LIMIT][KIND_NAME_BYTES];
  unsigned kind_count;     // latencies of each kind are told besides, where there are several
};

// A window without any reply goes on until there is one, in such steps.
#define PROLONG_NANOS 10000000L

// The text of snapshot files at both ends of the window.
struct snapshot {
  char *path;
  char *before;
  char *after;
};

struct snapshots {
  struct snapshot *items;
  unsigned count;
};

struct options options_parse(int argc, char **argv);

// Reads requests: for each a line "weight length status body-bytes crc head kind" (crc and
// body-bytes -1 when unknown, head 0 or 1, kind a word), then `length` bytes and a newline.
struct mix mix_read(const char *path, uint64_t seed);

void snapshots_take(struct snapshots *s, const struct options *o, bool after);
void snapshots_print(const struct snapshots *s);

// Tells who counts that the window begins or ends, and waits until it has understood.
void window_signal(const struct options *o, const char *word);

// Ends the process with status 2 and a message: the run is worthless.
__attribute__((noreturn, format(printf, 1, 2))) void load_fail(const char *format, ...);

long now_nanos(void);

#endif
