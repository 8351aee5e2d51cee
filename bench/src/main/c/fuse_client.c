// Asks a mounted file system one thing after another, past the kernel's caches.
//
//   fuse_client stat|BYTES FILE SECONDS    prints operations, seconds
//
// stat: the attributes of an open file (AT_STATX_FORCE_SYNC); BYTES: so many, a multiple of 4096, at
// random places that are multiples of them (O_DIRECT).
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define MOST_BYTES (1 << 20)
#define BATCH 64

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char *what) {
  perror(what);
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s stat|BYTES FILE SECONDS\n", argv[0]);
    return 2;
  }
  int reads = strcmp(argv[1], "stat") != 0;
  long bytes = reads ? atol(argv[1]) : PAGE;
  if (bytes <= 0 || bytes > MOST_BYTES || bytes % PAGE != 0) {
    fprintf(stderr, "%s: not a multiple of %d up to %d\n", argv[1], PAGE, MOST_BYTES);
    return 2;
  }
  double seconds = atof(argv[3]);
  int fd = open(argv[2], O_RDONLY | (reads ? O_DIRECT : 0));
  struct stat st;
  if (fd < 0 || fstat(fd, &st) != 0) die(argv[2]);
  uint64_t pieces = (uint64_t)st.st_size / (uint64_t)bytes, random = 88172645463325252u;
  char *piece = aligned_alloc(PAGE, (size_t)bytes);
  if (piece == NULL || pieces == 0) die("nothing to read");
  uint64_t done = 0;
  double start = now(), end;
  do {
    for (int i = 0; i < BATCH; i++) {
      if (reads) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        off_t at = (off_t)(random % pieces) * bytes;
        if (pread(fd, piece, (size_t)bytes, at) != bytes) die("pread");
      } else {
        struct statx answer;
        if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &answer) != 0) {
          die("statx");
        }
      }
    }
    done += BATCH;
    end = now();
  } while (end - start < seconds);
  printf("%llu %.6f\n", (unsigned long long)done, end - start);
  return 0;
}
