package sluice.vi;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/// The contract of `ring` where there is no io_uring.
@ParameterizedClass
@ValueSource(strings = {"epoll", "jdk"})
final class RingEnginesViTest extends RingViTest {
  private final String engine;

  RingEnginesViTest(String engine) {
    this.engine = engine;
  }

  @BeforeEach
  void choose() {
    System.setProperty("sluice.vi.ring", engine);
  }

  @AfterEach
  void forget() {
    System.clearProperty("sluice.vi.ring");
  }
}
