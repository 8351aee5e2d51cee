// Datagrams of bench xdp over AF_XDP, by raw system calls: one queue, one socket, and a program that
// takes packets of IPv4 for our address. What an end of sluice/xdp does beyond it (ARP, checks of
// headers, checksums, copies) is left out: c/xdp is the floor. c/xdp-sums checks the checksums of
// what comes, and makes those of what it sends.
#include "c_packets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <net/if.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FRAME 2048
#define FRAMES 4096
#define RING 1024
#define FOR_SENDING 1024
#define HEADERS 42 // Ethernet, IPv4, UDP
#define TRIES 200

struct queue {
  uint32_t *producer, *consumer, *flags;
  char *entries;
  uint32_t mine; // what this side will publish
  void *map;
  size_t bytes;
};

static struct queue rx, tx, fill, done;
static char *umem;
static int fd, map_fd, program_fd, link_fd;
static uint64_t idle[FRAMES];
static unsigned idle_count;
static int sums;

static int bpf(int command, union bpf_attr *attr) {
  return (int)syscall(__NR_bpf, command, attr, sizeof *attr);
}

static struct bpf_insn insn(int code, int dst, int src, int off, int imm) {
  return (struct bpf_insn){.code = (uint8_t)code,
                           .dst_reg = (uint8_t)dst & 15,
                           .src_reg = (uint8_t)src & 15,
                           .off = (int16_t)off,
                           .imm = imm};
}

static void load_program(uint32_t address) {
  struct bpf_insn code[] = {
      insn(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0),
      insn(BPF_LDX | BPF_MEM | BPF_W, 2, 1, 0, 0),
      insn(BPF_LDX | BPF_MEM | BPF_W, 3, 1, 4, 0),
      insn(BPF_ALU64 | BPF_MOV | BPF_X, 4, 2, 0, 0),
      insn(BPF_ALU64 | BPF_ADD | BPF_K, 4, 0, 0, HEADERS),
      insn(BPF_JMP | BPF_JGT | BPF_X, 4, 3, 10, 0),
      insn(BPF_LDX | BPF_MEM | BPF_H, 5, 2, 12, 0),
      insn(BPF_JMP | BPF_JNE | BPF_K, 5, 0, 8, htons(0x0800)),
      insn(BPF_LDX | BPF_MEM | BPF_W, 5, 2, 30, 0),
      insn(BPF_JMP32 | BPF_JNE | BPF_K, 5, 0, 6, (int)address),
      insn(BPF_LDX | BPF_MEM | BPF_W, 2, 6, 16, 0),
      insn(BPF_LD | BPF_IMM | BPF_DW, 1, BPF_PSEUDO_MAP_FD, 0, map_fd),
      insn(0, 0, 0, 0, 0),
      insn(BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, XDP_PASS),
      insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_redirect_map),
      insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
      insn(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, XDP_PASS),
      insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
  };
  union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_XDP,
                         .insns = (uint64_t)code,
                         .insn_cnt = sizeof code / sizeof code[0],
                         .license = (uint64_t) "GPL"};
  program_fd = bpf(BPF_PROG_LOAD, &attr);
  if (program_fd < 0) die("BPF_PROG_LOAD");
}

static void open_queue(struct queue *q, const struct xdp_ring_offset *at, off_t page, size_t entry) {
  q->bytes = at->desc + RING * entry;
  char *m = mmap(NULL, q->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, page);
  if (m == MAP_FAILED) die("mmap of a ring");
  q->map = m;
  q->producer = (uint32_t *)(m + at->producer);
  q->consumer = (uint32_t *)(m + at->consumer);
  q->flags = (uint32_t *)(m + at->flags);
  q->entries = m + at->desc;
  q->mine = 0;
}

static uint64_t *address_of(struct queue *q, uint32_t index) {
  return (uint64_t *)q->entries + (index & (RING - 1));
}

static struct xdp_desc *desc_of(struct queue *q, uint32_t index) {
  return (struct xdp_desc *)q->entries + (index & (RING - 1));
}

static void refill(void) {
  uint32_t taken = __atomic_load_n(fill.consumer, __ATOMIC_ACQUIRE), before = fill.mine;
  while (idle_count > FOR_SENDING && fill.mine - taken < RING)
    *address_of(&fill, fill.mine++) = idle[--idle_count];
  if (fill.mine != before) __atomic_store_n(fill.producer, fill.mine, __ATOMIC_RELEASE);
}

static void reap(void) {
  uint32_t filled = __atomic_load_n(done.producer, __ATOMIC_ACQUIRE);
  if (filled == done.mine) return;
  while (done.mine != filled) idle[idle_count++] = *address_of(&done, done.mine++) / FRAME * FRAME;
  __atomic_store_n(done.consumer, done.mine, __ATOMIC_RELEASE);
}

static int again(int result) {
  if (result >= 0 || errno != EBUSY) return 0;
  usleep(5000); // the last owner is being taken down
  return 1;
}

static void xdp_open(int client) {
  unsigned device = if_nametoindex(client ? CLIENT_DEVICE : SERVER_DEVICE);
  uint32_t address = inet_addr(client ? OWN_CLIENT : OWN_SERVER);
  union bpf_attr attr = {.map_type = BPF_MAP_TYPE_XSKMAP,
                         .key_size = 4,
                         .value_size = 4,
                         .max_entries = 1};
  map_fd = bpf(BPF_MAP_CREATE, &attr);
  if (map_fd < 0) die("BPF_MAP_CREATE");
  load_program(address);
  umem = mmap(NULL, FRAME * FRAMES, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (umem == MAP_FAILED) die("frames");
  fd = socket(AF_XDP, SOCK_RAW, 0);
  struct xdp_umem_reg region = {.addr = (uint64_t)umem, .len = FRAME * FRAMES, .chunk_size = FRAME};
  if (fd < 0 || setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &region, sizeof region)) die("XDP_UMEM_REG");
  int size = RING;
  int rings[] = {XDP_RX_RING, XDP_TX_RING, XDP_UMEM_FILL_RING, XDP_UMEM_COMPLETION_RING};
  for (int i = 0; i < 4; i++)
    if (setsockopt(fd, SOL_XDP, rings[i], &size, sizeof size)) die("a ring");
  struct xdp_mmap_offsets at;
  socklen_t length = sizeof at;
  if (getsockopt(fd, SOL_XDP, XDP_MMAP_OFFSETS, &at, &length)) die("XDP_MMAP_OFFSETS");
  open_queue(&rx, &at.rx, XDP_PGOFF_RX_RING, sizeof(struct xdp_desc));
  open_queue(&tx, &at.tx, XDP_PGOFF_TX_RING, sizeof(struct xdp_desc));
  open_queue(&fill, &at.fr, XDP_UMEM_PGOFF_FILL_RING, sizeof(uint64_t));
  open_queue(&done, &at.cr, XDP_UMEM_PGOFF_COMPLETION_RING, sizeof(uint64_t));
  for (idle_count = 0; idle_count < FRAMES; idle_count++) idle[idle_count] = idle_count * FRAME;
  refill();
  struct sockaddr_xdp to = {.sxdp_family = AF_XDP,
                            .sxdp_ifindex = device,
                            .sxdp_flags = XDP_COPY | XDP_USE_NEED_WAKEUP};
  int result = -1;
  for (int i = 0; i < TRIES; i++)
    if (!again(result = bind(fd, (void *)&to, sizeof to))) break;
  if (result) die("bind of AF_XDP");
  uint32_t key = 0, value = (uint32_t)fd;
  memset(&attr, 0, sizeof attr);
  attr.map_fd = (uint32_t)map_fd;
  attr.key = (uint64_t)&key;
  attr.value = (uint64_t)&value;
  if (bpf(BPF_MAP_UPDATE_ELEM, &attr)) die("BPF_MAP_UPDATE_ELEM");
  memset(&attr, 0, sizeof attr);
  attr.link_create.prog_fd = (uint32_t)program_fd;
  attr.link_create.target_ifindex = device;
  attr.link_create.attach_type = BPF_XDP;
  attr.link_create.flags = XDP_FLAGS_SKB_MODE; // as ours on a virtual interface
  for (int i = 0; i < TRIES; i++)
    if (!again(link_fd = bpf(BPF_LINK_CREATE, &attr))) break;
  if (link_fd < 0) die("BPF_LINK_CREATE");
}

static void xdp_flush(void) {
  __atomic_store_n(tx.producer, tx.mine, __ATOMIC_RELEASE);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (int i = 0; i < 64 && __atomic_load_n(tx.consumer, __ATOMIC_ACQUIRE) != tx.mine; i++) {
    if (!(__atomic_load_n(tx.flags, __ATOMIC_RELAXED) & XDP_RING_NEED_WAKEUP)) return;
    sendto(fd, NULL, 0, MSG_DONTWAIT, NULL, 0);
    reap();
  }
}

// The sum of RFC 1071, in the order of the memory's bytes.
static uint32_t folded(uint64_t sum) {
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return (uint32_t)((sum & 0xffff) + (sum >> 16));
}

static uint64_t sum_of(const char *at, size_t bytes) {
  uint64_t even = 0, odd = 0, word;
  for (; bytes >= 8; at += 8, bytes -= 8) {
    memcpy(&word, at, 8);
    even += word & 0xffffffff;
    odd += word >> 32;
  }
  word = 0;
  memcpy(&word, at, bytes);
  return even + odd + (word & 0xffffffff) + (word >> 32);
}

// Of a datagram with its pseudo-header.
static uint32_t udp_sum(const char *frame) {
  uint16_t length;
  memcpy(&length, frame + 38, 2);
  return folded(sum_of(frame + 26, 8) + htons(17) + length + sum_of(frame + 34, ntohs(length)));
}

static int sums_are_right(const char *frame, uint32_t bytes) {
  uint16_t length;
  memcpy(&length, frame + 38, 2);
  return bytes >= HEADERS && (uint32_t)ntohs(length) + 34 <= bytes &&
         folded(sum_of(frame + 14, 20)) == 0xffff && udp_sum(frame) == 0xffff;
}

static void make_sums(char *frame) {
  uint16_t none = 0, sum;
  memcpy(frame + 24, &none, 2);
  sum = (uint16_t)~folded(sum_of(frame + 14, 20));
  memcpy(frame + 24, &sum, 2);
  memcpy(frame + 40, &none, 2);
  sum = (uint16_t)~udp_sum(frame);
  if (!sum) sum = 0xffff;
  memcpy(frame + 40, &sum, 2);
}

static void put(uint64_t frame, uint32_t bytes) {
  *desc_of(&tx, tx.mine++) = (struct xdp_desc){.addr = frame, .len = bytes};
}

static void swap(char *a, char *b, size_t bytes) {
  char t[6];
  memcpy(t, a, bytes);
  memcpy(a, b, bytes);
  memcpy(b, t, bytes);
}

static int xdp_take(int client) {
  reap();
  uint32_t filled = __atomic_load_n(rx.producer, __ATOMIC_ACQUIRE);
  int count = 0;
  for (; rx.mine != filled; rx.mine++) {
    struct xdp_desc *desc = desc_of(&rx, rx.mine);
    char *frame = umem + desc->addr;
    int ours = frame[23] == 17 && frame[36] == 0 && frame[37] == PORT &&
               (!sums || sums_are_right(frame, desc->len));
    count += ours;
    if (!client && ours) { // the sums stay right
      swap(frame, frame + 6, 6);
      swap(frame + 26, frame + 30, 4);
      swap(frame + 34, frame + 36, 2);
      if (sums) make_sums(frame);
      put(desc->addr, desc->len);
    } else {
      idle[idle_count++] = desc->addr / FRAME * FRAME;
    }
  }
  __atomic_store_n(rx.consumer, rx.mine, __ATOMIC_RELEASE);
  refill();
  if (__atomic_load_n(fill.flags, __ATOMIC_RELAXED) & XDP_RING_NEED_WAKEUP)
    recvfrom(fd, NULL, 0, MSG_DONTWAIT, NULL, NULL);
  if (!client && count) xdp_flush();
  return count;
}

static int xdp_send(int bytes) {
  if (tx.mine - __atomic_load_n(tx.consumer, __ATOMIC_ACQUIRE) >= RING || !idle_count) return 0;
  uint64_t at = idle[--idle_count];
  unsigned char *f = (unsigned char *)umem + at;
  uint32_t own = inet_addr(OWN_CLIENT), peer = inet_addr(OWN_SERVER), sum = 0;
  static const unsigned char start[14] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0};
  memset(f, 0, HEADERS);
  memcpy(f, start, sizeof start);
  uint16_t ip = htons((uint16_t)(bytes + 28)), udp = htons((uint16_t)(bytes + 8));
  f[14] = 0x45;
  memcpy(f + 16, &ip, 2);
  f[22] = 64;
  f[23] = 17;
  memcpy(f + 26, &own, 4);
  memcpy(f + 30, &peer, 4);
  for (int i = 14; i < 34; i += 2) sum += (uint32_t)(f[i] << 8 | f[i + 1]);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = ~((sum & 0xffff) + (sum >> 16));
  f[24] = (unsigned char)(sum >> 8);
  f[25] = (unsigned char)sum;
  f[35] = f[37] = PORT;
  memcpy(f + 38, &udp, 2);
  if (sums) make_sums((char *)f);
  put(at, (uint32_t)bytes + HEADERS);
  return 1;
}

static int xdp_wait(void) {
  return wait_for(fd);
}

static void xdp_close(void) {
  close(link_fd);
  close(program_fd);
  close(map_fd);
  close(fd);
  for (struct queue *q[] = {&rx, &tx, &fill, &done}, **each = q; each < q + 4; each++)
    munmap((*each)->map, (*each)->bytes);
  munmap(umem, FRAME * FRAMES);
}

static void plain_open(int client) {
  sums = 0;
  xdp_open(client);
}

static void sums_open(int client) {
  sums = 1;
  xdp_open(client);
}

const struct packets packets_xdp = {"c/xdp",   plain_open, xdp_take, xdp_send,
                                    xdp_flush, xdp_wait,   xdp_close};
const struct packets packets_sums = {"c/xdp-sums", sums_open, xdp_take, xdp_send,
                                     xdp_flush,    xdp_wait,  xdp_close};
