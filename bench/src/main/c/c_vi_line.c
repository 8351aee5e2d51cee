// Messages of bench vi through memory of two processes, with nothing but what must be: one cache line
// goes over with a short message, and the receiver reads in place. No VI has less to do; it is the
// floor of the machine for messages that are polled for.
#include "c_vi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define INLINE_BYTES 56

struct slot {
  _Atomic uint64_t sequence; // of the message that is here, written last
  char small[INLINE_BYTES];
  char big[MOST_BYTES];
};

struct direction {
  _Alignas(128) _Atomic uint64_t consumed;
  _Alignas(128) struct slot slots[WINDOW];
};

static struct direction *out, *in;
static uint64_t sent, received;
static uint64_t consumed; // of what was sent, when it was looked at last
static char room[MOST_BYTES];

static inline void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void end_open(int server, const char *provider, const char *place) {
  (void)provider;
  char part[512];
  size_t bytes = 2 * sizeof(struct direction);
  snprintf(part, sizeof part, "%s.part", place);
  int fd;
  if (server) {
    fd = open(part, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)bytes)) die(part, strerror(errno));
  } else {
    while ((fd = open(place, O_RDWR)) < 0) usleep(1000);
  }
  struct direction *both =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
  if (both == MAP_FAILED) die("mmap", strerror(errno));
  close(fd);
  if (server && rename(part, place)) die(place, strerror(errno));
  out = both + !server;
  in = both + server;
}

void end_meet(int server, const char *place) {
  if (!server) unlink(place);
}

char *end_room(void) {
  return room;
}

void end_send(size_t bytes) {
  struct slot *slot = &out->slots[sent % WINDOW];
  while (sent - consumed >= WINDOW)
    if (sent - (consumed = atomic_load_explicit(&out->consumed, memory_order_acquire)) >= WINDOW)
      relax();
  memcpy(bytes <= INLINE_BYTES ? slot->small : slot->big, room, bytes);
  atomic_store_explicit(&slot->sequence, ++sent, memory_order_release);
}

char *end_receive(size_t bytes) {
  struct slot *slot = &in->slots[received % WINDOW];
  while (atomic_load_explicit(&slot->sequence, memory_order_acquire) != received + 1) relax();
  return bytes <= INLINE_BYTES ? slot->small : slot->big;
}

void end_done(void) {
  atomic_store_explicit(&in->consumed, ++received, memory_order_release);
}
