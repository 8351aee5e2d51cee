// A histogram of nanoseconds with 128 linear steps per power of two: values keep at least 7
// significant bits (0.8 %), as an HdrHistogram of two decimal digits does.
#ifndef SLUICE_HISTOGRAM_H
#define SLUICE_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_STEP_BITS 7
#define HISTOGRAM_SLOTS (64 << HISTOGRAM_STEP_BITS)

struct histogram {
  uint64_t count;
  uint64_t max;
  uint64_t slots[HISTOGRAM_SLOTS];
};

static inline unsigned histogram_slot(uint64_t value) {
  if (value < 1u << HISTOGRAM_STEP_BITS) return (unsigned)value;
  int exponent = 63 - __builtin_clzl(value);
  return ((unsigned)(exponent - HISTOGRAM_STEP_BITS + 1) << HISTOGRAM_STEP_BITS) +
         ((value >> (exponent - HISTOGRAM_STEP_BITS)) & ((1u << HISTOGRAM_STEP_BITS) - 1));
}

// The largest value that falls into a slot.
static inline uint64_t histogram_upper(unsigned slot) {
  if (slot < 1u << HISTOGRAM_STEP_BITS) return slot;
  int shift = (int)(slot >> HISTOGRAM_STEP_BITS) - 1;
  uint64_t step = (slot & ((1u << HISTOGRAM_STEP_BITS) - 1)) + (1u << HISTOGRAM_STEP_BITS);
  return ((step + 1) << shift) - 1;
}

static inline void histogram_record(struct histogram *h, int64_t value) {
  uint64_t v = value < 0 ? 0 : (uint64_t)value;
  h->slots[histogram_slot(v)]++;
  h->count++;
  if (v > h->max) h->max = v;
}

// The value that a share `quantile` (0 to 1) of all records does not exceed; 0 when empty.
static inline uint64_t histogram_quantile(const struct histogram *h, double quantile) {
  uint64_t want = (uint64_t)(quantile * (double)h->count + 0.999999), seen = 0;
  if (want == 0) want = 1;
  for (unsigned i = 0; i < HISTOGRAM_SLOTS; i++) {
    seen += h->slots[i];
    if (seen >= want) return histogram_upper(i) < h->max ? histogram_upper(i) : h->max;
  }
  return h->max;
}

#endif
