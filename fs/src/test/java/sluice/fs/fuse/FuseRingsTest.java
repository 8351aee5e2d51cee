package sluice.fs.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tests the number of the kernel's queues, as derived from its list of processors.
@Timeout(60)
final class FuseRingsTest {
  @Test
  void eachPossibleProcessorHasAQueue() {
    assertThat(FuseRings.processors("0")).isEqualTo(1);
    assertThat(FuseRings.processors("0-1")).isEqualTo(2);
    assertThat(FuseRings.processors("0-3,8")).isEqualTo(5);
    assertThat(FuseRings.processors("0-3,8-11")).isEqualTo(8);
  }
}
