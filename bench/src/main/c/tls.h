// TLS for the load generator's connections. Everything runs on one thread.
#ifndef SLUICE_TLS_H
#define SLUICE_TLS_H

#include <stddef.h>

struct tls;

// Completes a TLS 1.3 handshake with AES-128-GCM on a connected blocking socket. What follows goes
// through memory only: the caller moves the encrypted bytes. Ends the process on failure.
struct tls *tls_open(int fd);

// Encrypts plain bytes to the end of what tls_output returns.
void tls_encrypt(struct tls *tls, const char *data, size_t length);

// The encrypted bytes since the last call; valid until the next tls_encrypt after it.
const char *tls_output(struct tls *tls, size_t *length);

// Takes received bytes; tls_decrypt then returns the plain ones piece by piece, 0 when more are
// needed.
void tls_input(struct tls *tls, const char *data, size_t length);
size_t tls_decrypt(struct tls *tls, char *data, size_t capacity);

#endif
