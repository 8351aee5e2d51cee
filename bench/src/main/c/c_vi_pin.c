// What the kernel takes to pin memory for a device and to let it go, for bench vi.
//
//   c_vi_pin mlock|io_uring
//
// Says "ready", then obeys lines "register BYTES MILLIS" and answers "ok ns_per_call=N".
#include <errno.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MOST (1 << 16)

static double times[MOST];

static void die(const char *what) {
  perror(what);
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

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  int ring = -1;
  if (!strcmp(argv[1], "io_uring")) {
    struct io_uring_params parameters = {0};
    ring = (int)syscall(SYS_io_uring_setup, 8, &parameters);
    if (ring < 0) die("io_uring_setup");
  }
  puts("ready");
  char line[100];
  size_t bytes;
  long millis;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "register %zu %ld", &bytes, &millis) != 2) return 2;
    void *memory =
        mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) die("mmap");
    memset(memory, 1, bytes);
    struct iovec vector = {memory, bytes};
    int count = 0;
    int64_t begin = now(), before = begin;
    while (before - begin < millis * 1000000LL && count < MOST) {
      if (ring < 0) {
        if (mlock(memory, bytes) || munlock(memory, bytes)) die("mlock");
      } else if (syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &vector, 1) ||
                 syscall(SYS_io_uring_register, ring, IORING_UNREGISTER_BUFFERS, 0, 0)) {
        die("io_uring_register");
      }
      int64_t after = now();
      times[count++] = (double)(after - before);
      before = after;
    }
    munmap(memory, bytes);
    qsort(times, (size_t)count, sizeof times[0], compare);
    printf("ok ns_per_call=%.3f\n", times[count / 2]);
  }
  return 0;
}
