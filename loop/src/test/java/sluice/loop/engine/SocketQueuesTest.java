package sluice.loop.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SocketQueuesTest {
  @Test
  void theLimitsOfTheSystemAreRead() {
    // no system in use has less than a quarter megabyte, or more than a gigabyte
    assertThat(SocketQueues.MOST_BYTES).isBetween((1L << 20) + (1 << 18), 1L << 30);
  }
}
