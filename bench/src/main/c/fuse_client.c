// Asks a mounted file system one thing after another, past the kernel's caches.
//
//   fuse_client stat|read FILE SECONDS    prints operations, seconds
//
// stat: the attributes of an open file (AT_STATX_FORCE_SYNC); read: 4 KiB at random places
// (O_DIRECT).
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PIECE 4096
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
    fprintf(stderr, "usage: %s stat|read FILE SECONDS\n", argv[0]);
    return 2;
  }
  int reads = strcmp(argv[1], "read") == 0;
  double seconds = atof(argv[3]);
  int fd = open(argv[2], O_RDONLY | (reads ? O_DIRECT : 0));
  struct stat st;
  if (fd < 0 || fstat(fd, &st) != 0) die(argv[2]);
  uint64_t pieces = (uint64_t)st.st_size / PIECE, random = 88172645463325252u;
  char *piece = aligned_alloc(PIECE, PIECE);
  if (piece == NULL || pieces == 0) die("nothing to read");
  uint64_t done = 0;
  double start = now(), end;
  do {
    for (int i = 0; i < BATCH; i++) {
      if (reads) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        if (pread(fd, piece, PIECE, (off_t)(random % pieces * PIECE)) != PIECE) die("pread");
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
