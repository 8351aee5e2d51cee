#define _GNU_SOURCE
#include "peer.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DATE_BYTES 29  // "Sun, 06 Nov 1994 08:49:37 GMT"

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void format_date(char *text, time_t second) {
  struct tm tm;
  gmtime_r(&second, &tm);
  strftime(text, DATE_BYTES + 1, "%a, %d %b %Y %H:%M:%S GMT", &tm);
}

// Prepares the reply for one file, with the headers a static server sends.
static void prepare_reply(struct peer *peer, const char *path) {
  FILE *f = fopen(path, "rb");
  struct stat st;
  if (f == NULL || fstat(fileno(f), &st) != 0) die(path);
  char head[512], modified[DATE_BYTES + 1], date[DATE_BYTES + 1];
  format_date(modified, st.st_mtime);
  format_date(date, time(NULL));
  int head_bytes = snprintf(head, sizeof head,
                            "HTTP/1.1 200 OK\r\nServer: c\r\nDate: %s\r\n"
                            "Content-Type: text/plain\r\nContent-Length: %ld\r\n"
                            "Last-Modified: %s\r\nETag: \"%lx-%lx\"\r\n\r\n",
                            date, (long)st.st_size, modified, (long)st.st_mtime,
                            (long)st.st_size);
  peer->reply_bytes = (size_t)head_bytes + (size_t)st.st_size;
  peer->date_offset = (size_t)(strstr(head, "Date: ") - head) + 6;
  peer->replies = malloc(peer->reply_bytes * REPLY_COPIES);
  if (peer->replies == NULL) die("malloc");
  memcpy(peer->replies, head, (size_t)head_bytes);
  if (fread(peer->replies + head_bytes, 1, (size_t)st.st_size, f) != (size_t)st.st_size) {
    die(path);
  }
  fclose(f);
  for (size_t i = 1; i < REPLY_COPIES; i++) {
    memcpy(peer->replies + i * peer->reply_bytes, peer->replies, peer->reply_bytes);
  }
}

int peer_open(struct peer *peer, int argc, char **argv) {
  if (argc < 3 || (strcmp(argv[2], "http") == 0 && argc < 4)) {
    fprintf(stderr, "usage: %s PORT echo | %s PORT http FILE\n", argv[0], argv[0]);
    exit(1);
  }
  peer->port = atoi(argv[1]);
  peer->http = strcmp(argv[2], "http") == 0;
  if (peer->http) prepare_reply(peer, argv[3]);
  signal(SIGPIPE, SIG_IGN);
  struct rlimit files = {100000, 100000};
  if (setrlimit(RLIMIT_NOFILE, &files) != 0 && getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)peer->port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
  if (fd < 0) die("socket");
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) die("bind");
  if (listen(fd, 4096) != 0) die("listen");
  return fd;
}

void peer_refresh_date(struct peer *peer) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (!peer->http || now.tv_sec == peer->date_second) return;
  peer->date_second = now.tv_sec;
  char date[DATE_BYTES + 1];
  format_date(date, now.tv_sec);
  for (size_t i = 0; i < REPLY_COPIES; i++) {
    memcpy(peer->replies + i * peer->reply_bytes + peer->date_offset, date, DATE_BYTES);
  }
}

unsigned requests_ended(struct request_scan *scan, const char *data, size_t length) {
  static const char END[] = "\r\n\r\n";
  unsigned count = 0;
  const char *end = data + length;
  while (data < end) {
    if (scan->matched == 0) {
      data = memchr(data, '\r', (size_t)(end - data));
      if (data == NULL) break;
    }
    char c = *data++;
    if (c == END[scan->matched]) scan->matched++;
    else scan->matched = c == '\r';
    if (scan->matched == 4) {
      count++;
      scan->matched = 0;
    }
  }
  return count;
}
