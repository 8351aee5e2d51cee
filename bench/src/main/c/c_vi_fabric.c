// Messages of bench vi over libfabric, with the calls that the devices ofi-shm and ofi-tcp make: an
// endpoint for reliable tagged messages, one completion queue, registered memory.
#include "c_vi.h"

#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TAG 7
#define COMPLETIONS 16

static struct fid_domain *domain;
static struct fid_ep *endpoint;
static struct fid_cq *queue;
static struct fid_av *addresses;
static fi_addr_t peer;
static char *memory;
static void *key;
static struct fi_context2 contexts[2 * WINDOW]; // receives, then sends

// Completed receives in their order, and sends that have not completed.
static int arrived[WINDOW], first, many, current, sending, next_send;

static void check(long result, const char *what) {
  if (result < 0) die(what, fi_strerror((int)-result));
}

static char *place_of(int slot) {
  return memory + (size_t)slot * MOST_BYTES;
}

static void progress(void) {
  struct fi_cq_msg_entry entries[COMPLETIONS];
  ssize_t count = fi_cq_read(queue, entries, COMPLETIONS);
  if (count == -FI_EAVAIL) {
    struct fi_cq_err_entry error = {0};
    fi_cq_readerr(queue, &error, 0);
    die("completion", fi_strerror(error.err));
  }
  if (count == -FI_EAGAIN) return;
  check(count, "fi_cq_read");
  for (int i = 0; i < count; i++) {
    int slot = (int)((struct fi_context2 *)entries[i].op_context - contexts);
    if (slot < WINDOW)
      arrived[(first + many++) % WINDOW] = slot;
    else
      sending--;
  }
}

static void post_receive(int slot) {
  long result;
  while ((result = fi_trecv(endpoint, place_of(slot), MOST_BYTES, key, FI_ADDR_UNSPEC, TAG, 0,
                            &contexts[slot])) == -FI_EAGAIN)
    progress();
  check(result, "fi_trecv");
}

static void say_address(int server, const char *place) {
  char name[256], part[512], whole[512];
  size_t length = sizeof name;
  check(fi_getname(&endpoint->fid, name, &length), "fi_getname");
  snprintf(part, sizeof part, "%s.%d.part", place, server);
  snprintf(whole, sizeof whole, "%s.%d", place, server);
  FILE *file = fopen(part, "w");
  if (!file || fwrite(name, 1, length, file) != length || fclose(file) || rename(part, whole))
    die(whole, "cannot be written");
}

static void *rest(void *nothing) {
  for (;;) pause();
  return nothing;
}

// "shm" or "tcp"; behind a comma "threads" for a second thread that sleeps. In a program of one
// thread the locks of the C library are no atomic operations; a JVM always has several threads.
void end_open(int server, const char *words, const char *place) {
  int internet = !strncmp(words, "tcp", 3);
  const char *provider = internet ? "tcp" : "shm";
  pthread_t second;
  if (strstr(words, ",threads") && pthread_create(&second, NULL, rest, NULL))
    die("pthread_create", "refused");
  struct fi_info *hints = fi_allocinfo(), *info;
  hints->caps = FI_TAGGED;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->fabric_attr->prov_name = strdup(provider);
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->tx_attr->msg_order = hints->rx_attr->msg_order = FI_ORDER_SAS;
  hints->tx_attr->size = hints->rx_attr->size = 2 * WINDOW;
  check(fi_getinfo(FI_VERSION(1, 17), internet ? "127.0.0.1" : NULL, NULL,
                   internet ? FI_SOURCE : 0, hints, &info),
        "fi_getinfo");
  struct fid_fabric *fabric;
  struct fi_cq_attr completions = {.size = 4 * WINDOW, .format = FI_CQ_FORMAT_MSG};
  struct fi_av_attr table = {.type = FI_AV_TABLE, .count = 1};
  check(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
  check(fi_domain(fabric, info, &domain, NULL), "fi_domain");
  check(fi_cq_open(domain, &completions, &queue, NULL), "fi_cq_open");
  check(fi_av_open(domain, &table, &addresses, NULL), "fi_av_open");
  check(fi_endpoint(domain, info, &endpoint, NULL), "fi_endpoint");
  check(fi_ep_bind(endpoint, &addresses->fid, 0), "fi_ep_bind");
  check(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
  check(fi_enable(endpoint), "fi_enable");
  size_t bytes = 2 * WINDOW * (size_t)MOST_BYTES;
  if (posix_memalign((void **)&memory, 4096, bytes)) die("memory", "none");
  memset(memory, 0, bytes);
  struct fid_mr *region;
  check(fi_mr_reg(domain, memory, bytes, FI_SEND | FI_RECV, 0, 1, 0, &region, NULL), "fi_mr_reg");
  key = fi_mr_desc(region);
  say_address(server, place);
}

void end_meet(int server, const char *place) {
  char name[256] = {0}, whole[512];
  snprintf(whole, sizeof whole, "%s.%d", place, !server);
  while (access(whole, R_OK)) usleep(1000);
  FILE *file = fopen(whole, "r");
  if (!file || fread(name, 1, sizeof name, file) == 0) die(whole, "cannot be read");
  fclose(file);
  if (fi_av_insert(addresses, name, 1, &peer, 0, NULL) != 1) die("fi_av_insert", "refused");
  for (int i = 0; i < WINDOW; i++) post_receive(i);
}

char *end_room(void) {
  while (sending == WINDOW) progress();
  return place_of(WINDOW + next_send);
}

// Sends complete in their order here, so that the slot of the oldest is free.
void end_send(size_t bytes) {
  int slot = WINDOW + next_send;
  long result;
  while ((result = fi_tsend(endpoint, place_of(slot), bytes, key, peer, TAG, &contexts[slot])) ==
         -FI_EAGAIN)
    progress();
  check(result, "fi_tsend");
  sending++;
  next_send = (next_send + 1) % WINDOW;
}

char *end_receive(size_t bytes) {
  (void)bytes;
  while (many == 0) progress();
  current = arrived[first];
  first = (first + 1) % WINDOW;
  many--;
  return place_of(current);
}

void end_done(void) {
  post_receive(current);
}
