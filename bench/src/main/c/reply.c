#define _GNU_SOURCE
#include "reply.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "crc32.h"

static int fail(struct reply_parser *p, const char *why) {
  p->error = why;
  return -1;
}

static bool is_header(const char *line, size_t length, const char *name, size_t name_length) {
  return length > name_length && line[name_length] == ':' &&
         strncasecmp(line, name, name_length) == 0;
}

#define IS_HEADER(line, length, name) is_header(line, length, name, sizeof(name) - 1)

// Reads "HTTP/1.1 200 OK", then Content-Length and Transfer-Encoding; `head` ends with CRLFCRLF.
static int parse_head(struct reply_parser *p, bool head_request, const char *head, size_t length) {
  if (length < 16 || memcmp(head, "HTTP/1.1 ", 9) != 0) return fail(p, "no HTTP/1.1 status line");
  p->status = (head[9] - '0') * 100 + (head[10] - '0') * 10 + (head[11] - '0');
  if (p->status < 100 || p->status > 599) return fail(p, "bad status");
  bool chunked = false, sized = false;
  uint64_t content_length = 0;
  const char *end = head + length - 2;
  const char *line = (const char *)memchr(head, '\n', length) + 1;
  while (line < end) {
    const char *next = memchr(line, '\n', (size_t)(end - line) + 2);
    size_t n = (size_t)(next - line);
    if (IS_HEADER(line, n, "content-length")) {
      if (sized) return fail(p, "two Content-Length");
      char *stop;
      content_length = strtoull(line + 15, &stop, 10);
      if (*stop != '\r') return fail(p, "bad Content-Length");
      sized = true;
    } else if (IS_HEADER(line, n, "transfer-encoding")) {
      chunked = memmem(line, n, "chunked", 7) != NULL;
    } else if (IS_HEADER(line, n, "connection") && memmem(line, n, "close", 5) != NULL) {
      return fail(p, "Connection: close");
    }
    line = next + 1;
  }
  if (chunked && sized) return fail(p, "both Content-Length and chunked");
  bool bodyless = head_request || p->status == 304 || p->status == 204;
  if (!bodyless && !chunked && !sized) return fail(p, "no Content-Length");
  p->body_bytes = 0;
  p->crc = 0;
  p->remaining = bodyless ? 0 : content_length;
  p->line = 0;
  p->state = chunked && !bodyless ? REPLY_CHUNK_SIZE : REPLY_BODY;
  return 0;
}

// Takes the head, from `data` alone when it arrived in one piece.
static int feed_head(struct reply_parser *p, bool head_request, const char *data, size_t length,
                     size_t *used) {
  if (p->head_length == 0) {
    const char *end = memmem(data, length, "\r\n\r\n", 4);
    if (end != NULL) {
      *used = (size_t)(end - data) + 4;
      return parse_head(p, head_request, data, *used);
    }
  }
  size_t room = REPLY_HEAD_LIMIT - p->head_length;
  size_t take = length < room ? length : room;
  size_t kept = p->head_length;
  memcpy(p->head + kept, data, take);
  size_t from = kept < 3 ? 0 : kept - 3;
  const char *end = memmem(p->head + from, kept + take - from, "\r\n\r\n", 4);
  if (end == NULL) {
    if (take == room) return fail(p, "head too long");
    p->head_length += take;
    *used = take;
    return 0;
  }
  size_t total = (size_t)(end - p->head) + 4;
  *used = total - kept;
  p->head_length = 0;
  return parse_head(p, head_request, p->head, total);
}

static size_t take_body(struct reply_parser *p, const char *data, size_t length) {
  size_t take = length < p->remaining ? length : (size_t)p->remaining;
  if (p->want_crc) p->crc = crc32_update(p->crc, data, take);
  p->remaining -= take;
  p->body_bytes += take;
  return take;
}

// One byte of chunk framing: the size line, the CRLF after the data, or a trailer line.
static int chunk_byte(struct reply_parser *p, char c, bool *complete) {
  if (p->state == REPLY_CHUNK_END) {
    if (c != (p->line++ == 0 ? '\r' : '\n')) return fail(p, "chunk not ended by CRLF");
    if (c == '\n') {
      p->state = REPLY_CHUNK_SIZE;
      p->line = 0;
    }
    return 0;
  }
  if (c != '\n') {
    if (p->line >= REPLY_HEAD_LIMIT - 1) return fail(p, "chunk line too long");
    p->head[p->line++] = c;
    return 0;
  }
  if (p->line == 0 || p->head[p->line - 1] != '\r') return fail(p, "bare LF in chunk framing");
  size_t length = p->line - 1;
  p->line = 0;
  if (p->state == REPLY_TRAILER) {
    *complete = length == 0;
    return 0;
  }
  p->head[length] = 0;
  char *stop;
  p->remaining = strtoull(p->head, &stop, 16);
  if (stop == p->head || (*stop != 0 && *stop != ';')) return fail(p, "bad chunk size");
  p->state = p->remaining == 0 ? REPLY_TRAILER : REPLY_CHUNK_DATA;
  return 0;
}

int reply_feed(struct reply_parser *p, bool head_request, const char *data, size_t length,
               size_t *used) {
  size_t at = 0;
  bool complete = false;
  while (!complete) {
    if (p->state == REPLY_BODY) {
      at += take_body(p, data + at, length - at);
      if (p->remaining > 0) break;
      complete = true;
      continue;
    }
    if (at == length) break;
    int rc = 0;
    if (p->state == REPLY_HEAD) {
      size_t taken = 0;
      rc = feed_head(p, head_request, data + at, length - at, &taken);
      at += taken;
    } else if (p->state == REPLY_CHUNK_DATA) {
      at += take_body(p, data + at, length - at);
      if (p->remaining == 0) p->state = REPLY_CHUNK_END;
    } else {
      rc = chunk_byte(p, data[at++], &complete);
    }
    if (rc < 0) return -1;
  }
  *used = at;
  if (complete) p->state = REPLY_HEAD;
  return complete;
}
