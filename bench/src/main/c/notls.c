// The load generator without OpenSSL: it opens no TLS connection, so the rest is never called.
#include "load.h"
#include "tls.h"

struct tls *tls_open(int fd) {
  load_fail("--tls for socket %d: built without OpenSSL", fd);
}

void tls_encrypt(struct tls *tls, const char *data, size_t length) {
  load_fail("no TLS: %p %p %zu", (void *)tls, (const void *)data, length);
}

const char *tls_output(struct tls *tls, size_t *length) {
  load_fail("no TLS: %p %p", (void *)tls, (void *)length);
}

void tls_input(struct tls *tls, const char *data, size_t length) {
  tls_encrypt(tls, data, length);
}

size_t tls_decrypt(struct tls *tls, char *data, size_t capacity) {
  load_fail("no TLS: %p %p %zu", (void *)tls, (void *)data, capacity);
}
