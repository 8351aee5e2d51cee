// The C peer of `sluice bench iozone`: pread(2) and pwrite(2) on a file in the folder that is its
// argument, with a buffer from malloc(3), or with one that begins at a page if there is a second
// argument. One command a line on standard input: OPERATION FILE_BYTES RECORD_BYTES MILLIS SYNC;
// the answer is "ok NANOSECONDS CPU_NANOSECONDS", each per record, or "error WHAT". The same passes
// as IozoneMain.java.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 16 << 20, KEEP = 64 << 20, FILES = 64, FEWEST_BYTES = 4 << 20 };
enum { MOST_BYTES = 512 << 10 };

static char paths[FILES][4096];
static char *buffer;
static int fd = -1;
static long prepared;
static long cpu;
static const char *failure;

static long clock_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

static long now(void) {
  return clock_of(CLOCK_MONOTONIC);
}

static long cpu_now(void) {
  return clock_of(CLOCK_THREAD_CPUTIME_ID);
}

static int must(int good, const char *what) {
  if (!good && !failure) {
    failure = what;
  }
  return good;
}

static void create(long index) {
  fd = open(paths[index], O_CREAT | O_EXCL | O_RDWR, 0644);
  must(fd >= 0, "open");
}

static void shut(void) {
  if (fd >= 0) {
    must(close(fd) == 0, "close");
    fd = -1;
  }
}

static void put(long file, long record) {
  for (long at = 0; at < file; at += record) {
    must(pwrite(fd, buffer, record, at) == record, "pwrite");
  }
}

static void get(long file, long record) {
  for (long at = 0; at < file; at += record) {
    must(pread(fd, buffer, record, at) == record, "pread");
  }
}

static void drop(void) {
  shut();
  prepared = 0;
  for (long i = 0; i < FILES; i++) {
    must(unlink(paths[i]) == 0 || errno == ENOENT, "unlink");
  }
}

// A file of that length, open, stable and checked.
static void prepare(long file) {
  if (prepared != file) {
    drop();
    create(0);
    long record = file < 1 << 20 ? file : 1 << 20;
    for (long at = 0; at < file; at += record) {
      memcpy(buffer, &at, sizeof at);
      must(pwrite(fd, buffer, record, at) == record, "pwrite");
    }
    must(fsync(fd) == 0, "fsync");
    for (long at = 0; at < file; at += record) {
      must(pread(fd, buffer, record, at) == record && memcmp(buffer, &at, sizeof at) == 0,
           "other bytes were read than written");
    }
    prepared = file;
  }
  if (fd < 0) {
    fd = open(paths[0], O_RDWR);
    must(fd >= 0, "open");
  }
}

static void sync_if(int wanted) {
  if (wanted) {
    must(fsync(fd) == 0, "fsync");
  }
}

static void pass(const char *operation, long file, long record, int sync, long index) {
  if (strcmp(operation, "write") == 0) {
    create(index);
    put(file, record);
    sync_if(sync);
    shut();
  } else if (strcmp(operation, "extend") == 0) {
    put(file, record);
    sync_if(sync);
    must(ftruncate(fd, 0) == 0, "ftruncate");
  } else if (strcmp(operation, "rewrite") == 0) {
    put(file, record);
    sync_if(sync);
  } else if (strcmp(operation, "read") == 0) {
    fd = open(paths[0], O_RDWR);
    must(fd >= 0, "open");
    get(file, record);
    shut();
  } else {
    get(file, record);
  }
}

static double measure(const char *operation, long file, long record, long millis, int sync) {
  int first = strcmp(operation, "write") == 0;
  int extend = strcmp(operation, "extend") == 0;
  if (first || extend) {
    drop();
    if (extend) {
      create(0);
    }
  } else {
    prepare(file);
    if (strcmp(operation, "read") == 0) {
      shut();
    }
  }
  long records = file / record;
  long together = !first && FEWEST_BYTES / record > FILES ? FEWEST_BYTES / record : FILES;
  long batch = records < together && !sync ? together / records : 1;
  if (first && batch > MOST_BYTES / file) {
    batch = file < MOST_BYTES ? MOST_BYTES / file : 1;
  }
  long end = now() + millis * 1000000L;
  long nanos = 0;
  long passes = 0;
  cpu = 0;
  while (!failure && (passes == 0 || now() < end)) {
    long cpu_begin = cpu_now();
    long begin = now();
    for (long i = 0; i < batch; i++) {
      pass(operation, file, record, sync, i);
    }
    nanos += now() - begin;
    cpu += cpu_now() - cpu_begin;
    passes += batch;
    for (long i = 0; first && i < batch; i++) {
      must(unlink(paths[i]) == 0, "unlink");
    }
  }
  if (failure || extend || file > KEEP) {
    drop();
  }
  cpu /= passes * records;
  return (double)nanos / ((double)passes * records);
}

int main(int count, char **arguments) {
  if (count < 2) {
    return 2;
  }
  if (count == 2) {
    buffer = malloc(BUFFER);
  } else if (posix_memalign((void **)&buffer, 4096, BUFFER) != 0) {
    buffer = NULL;
  }
  if (!buffer) {
    return 2;
  }
  memset(buffer, 5, BUFFER);
  for (int i = 0; i < FILES; i++) {
    snprintf(paths[i], sizeof paths[i], "%s/iozone.%d", arguments[1], i);
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  puts("ready");
  char operation[16];
  long file;
  long record;
  long millis;
  int sync;
  while (scanf("%15s %ld %ld %ld %d", operation, &file, &record, &millis, &sync) == 5) {
    failure = NULL;
    if (record <= 0 || record > BUFFER || file < record || file % record != 0) {
      puts("error impossible sizes");
      continue;
    }
    double nanos = measure(operation, file, record, millis, sync);
    if (failure) {
      printf("error %s: %s\n", failure, strerror(errno));
    } else {
      printf("ok %.3f %ld\n", nanos, cpu);
    }
  }
  drop();
  return 0;
}
