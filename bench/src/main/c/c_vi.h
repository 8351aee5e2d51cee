// What a way of passing messages offers to c_vi.c. One connection for each process.
#ifndef C_VI_H
#define C_VI_H
#include <stddef.h>

#define MOST_BYTES (1 << 20)
#define WINDOW 16

// Prepares to be met at a place, and says so (the server), or to meet the server.
void end_open(int server, const char *provider, const char *place);

// Waits until the two have met.
void end_meet(int server, const char *place);

// Room for the next message.
char *end_room(void);

// Sends what is in the room.
void end_send(size_t bytes);

// Waits for a message of this length. It stays until end_done.
char *end_receive(size_t bytes);

void end_done(void);

void die(const char *what, const char *why);
#endif
