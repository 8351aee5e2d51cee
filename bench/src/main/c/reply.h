// An incremental parser of HTTP/1.1 replies: it finds where each reply ends and checks its form.
#ifndef SLUICE_REPLY_H
#define SLUICE_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPLY_HEAD_LIMIT 8192

enum reply_state {
  REPLY_HEAD,
  REPLY_BODY,
  REPLY_CHUNK_SIZE,
  REPLY_CHUNK_DATA,
  REPLY_CHUNK_END,
  REPLY_TRAILER
};

struct reply_parser {
  enum reply_state state;
  bool want_crc;
  int status;
  uint32_t crc;           // CRC-32 of the body so far, when want_crc
  uint64_t body_bytes;    // of this reply, without chunk framing
  uint64_t remaining;     // of the body or of the current chunk
  size_t line;            // bytes of the current chunk-size or trailer line
  size_t head_length;     // bytes kept in head
  char head[REPLY_HEAD_LIMIT];
  const char *error;      // why reply_feed failed
};

// Consumes bytes up to the end of one reply. `head_request` means that no body follows.
// Returns 1 when a reply is complete (status, body_bytes and crc are valid until the next call),
// 0 when more bytes are needed, -1 when the reply is malformed (see error).
int reply_feed(struct reply_parser *p, bool head_request, const char *data, size_t length,
               size_t *used);

#endif
