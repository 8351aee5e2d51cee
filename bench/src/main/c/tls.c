// TLS by OpenSSL with memory on both sides. The certificate is not checked: the bench made it, and
// checking it belongs to the handshake, which is not measured.
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>

#include "load.h"
#include "tls.h"

struct tls {
  SSL *ssl;
  BIO *input, *output;  // owned by ssl
  char *encrypted;
  size_t capacity;
};

static void fail(const char *call) {
  char text[256] = "no reason given";
  unsigned long error = ERR_get_error();
  if (error != 0) ERR_error_string_n(error, text, sizeof text);
  load_fail("TLS: %s: %s", call, text);
}

static SSL_CTX *context(void) {
  static SSL_CTX *made;
  if (made != NULL) return made;
  made = SSL_CTX_new(TLS_client_method());
  if (made == NULL || SSL_CTX_set_min_proto_version(made, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(made, "TLS_AES_128_GCM_SHA256") != 1) {
    fail("SSL_CTX_new");
  }
  return made;
}

struct tls *tls_open(int fd) {
  struct tls *tls = calloc(1, sizeof *tls);
  if (tls == NULL) load_fail("out of memory");
  tls->ssl = SSL_new(context());
  if (tls->ssl == NULL || SSL_set_fd(tls->ssl, fd) != 1) fail("SSL_new");
  if (SSL_connect(tls->ssl) != 1) fail("SSL_connect");
  // The handshake reads record by record: nothing of what follows it has been taken.
  tls->input = BIO_new(BIO_s_mem());
  tls->output = BIO_new(BIO_s_mem());
  if (tls->input == NULL || tls->output == NULL) load_fail("out of memory");
  SSL_set_bio(tls->ssl, tls->input, tls->output);
  return tls;
}

void tls_encrypt(struct tls *tls, const char *data, size_t length) {
  size_t written;
  if (SSL_write_ex(tls->ssl, data, length, &written) != 1 || written != length) fail("SSL_write");
}

const char *tls_output(struct tls *tls, size_t *length) {
  size_t pending = BIO_ctrl_pending(tls->output);
  if (pending > tls->capacity) {
    tls->encrypted = realloc(tls->encrypted, pending);
    if (tls->encrypted == NULL) load_fail("out of memory");
    tls->capacity = pending;
  }
  if (BIO_read_ex(tls->output, tls->encrypted, pending, length) != 1) fail("BIO_read");
  return tls->encrypted;
}

void tls_input(struct tls *tls, const char *data, size_t length) {
  size_t written;
  if (BIO_write_ex(tls->input, data, length, &written) != 1 || written != length) fail("BIO_write");
}

size_t tls_decrypt(struct tls *tls, char *data, size_t capacity) {
  size_t got;
  if (SSL_read_ex(tls->ssl, data, capacity, &got) == 1) return got;
  int why = SSL_get_error(tls->ssl, 0);
  if (why == SSL_ERROR_ZERO_RETURN) load_fail("TLS: closed by the server");
  if (why != SSL_ERROR_WANT_READ) fail("SSL_read");
  return 0;
}
