// CRC-32 as in gzip and java.util.zip.CRC32, eight bytes at a time.
#ifndef SLUICE_CRC32_H
#define SLUICE_CRC32_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint32_t crc32_table[8][256];

static inline void crc32_init(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = (c >> 1) ^ (0xEDB88320u & -(c & 1));
    crc32_table[0][i] = c;
  }
  for (uint32_t i = 0; i < 256; i++) {
    for (int t = 1; t < 8; t++) {
      uint32_t c = crc32_table[t - 1][i];
      crc32_table[t][i] = (c >> 8) ^ crc32_table[0][c & 255];
    }
  }
}

// Continues from `crc` (0 at the beginning). Little-endian machines only, as are all we run on.
static inline uint32_t crc32_update(uint32_t crc, const char *data, size_t length) {
  if (crc32_table[0][1] == 0) crc32_init();
  const unsigned char *p = (const unsigned char *)data;
  uint32_t c = ~crc;
  for (; length >= 8; length -= 8, p += 8) {
    uint64_t v;
    memcpy(&v, p, 8);
    v ^= c;
    c = 0;
    for (int t = 0; t < 8; t++) c ^= crc32_table[7 - t][(v >> (8 * t)) & 255];
  }
  while (length-- > 0) c = (c >> 8) ^ crc32_table[0][(c ^ *p++) & 255];
  return ~c;
}

#endif
