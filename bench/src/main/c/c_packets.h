// What a way of passing datagrams offers to c_packets.c. One thread.
#ifndef C_PACKETS_H
#define C_PACKETS_H

#define PORT 7
#define SERVER_DEVICE "xsA"
#define CLIENT_DEVICE "xsB"
// Of the kernel: the server's and the client's.
#define SERVER "10.11.0.1"
#define CLIENT "10.11.0.2"
// Of those that own an address.
#define OWN_SERVER "10.11.0.11"
#define OWN_CLIENT "10.11.0.12"
#define MOST_BYTES 2048
#define BATCH 32
#define WAIT_MILLIS 10

struct packets {
  const char *name;
  void (*open)(int client);
  // Takes what has come, and says how many. The server sends each back.
  int (*take)(int client);
  // Stages one datagram for the server; flush sends what is staged. 0: no room now.
  int (*send)(int bytes);
  void (*flush)(void);
  // Sleeps until something has come, for a hundredth of a second at most. 0: nothing has.
  int (*wait)(void);
  void (*close)(void);
};

extern const struct packets packets_xdp, packets_sums, packets_mmsg, packets_uring;

_Noreturn void die(const char *what);
// Sleeps until a descriptor is readable, as `wait` above.
int wait_for(int fd);
#endif
