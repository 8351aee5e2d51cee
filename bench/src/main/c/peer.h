// What the two C peers share: the listening socket, the prepared HTTP reply, and finding the ends
// of requests. The HTTP side parses nothing but the blank line, so it is a lower bound on the work
// of any server.
#ifndef SLUICE_PEER_H
#define SLUICE_PEER_H

#include <stdbool.h>
#include <stddef.h>

#define REPLY_COPIES 64  // pipelined replies that leave in one send

struct peer {
  int port;
  bool http;
  char *replies;        // REPLY_COPIES times the same reply, back to back
  size_t reply_bytes;
  size_t date_offset;   // of the Date value in a reply
  long date_second;     // that the replies carry
};

// Position in "\r\n\r\n", kept per connection: a blank line may come in pieces.
struct request_scan {
  unsigned char matched;
};

// Reads "PORT echo" or "PORT http FILE" and opens a non-blocking listener on 127.0.0.1.
int peer_open(struct peer *peer, int argc, char **argv);

// Brings the Date header up to date; costs a clock read (no system call) when it is.
void peer_refresh_date(struct peer *peer);

// Counts the requests that end in these bytes.
unsigned requests_ended(struct request_scan *scan, const char *data, size_t length);

#endif
