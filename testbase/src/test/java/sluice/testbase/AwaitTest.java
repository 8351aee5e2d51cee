package sluice.testbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class AwaitTest {
  private final AtomicInteger asked = new AtomicInteger();

  /// The method declares no exception: neither kind of wait makes its caller do so.
  @Test
  void asksUntilItIsSo() {
    Await.until("three", () -> asked.incrementAndGet() == 3);
    assertThat(asked).hasValue(3);
    Await.untilAsserted(() -> assertThat(asked.incrementAndGet()).isEqualTo(6));
    assertThat(asked).hasValue(6);
  }

  @Test
  void aFailingQuestionEndsTheWait() {
    assertThatThrownBy(() -> Await.until("a file", this::fail)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> Await.untilAsserted(this::fail)).isInstanceOf(IOException.class);
    assertThat(asked).hasValue(2);
  }

  private boolean fail() throws IOException {
    asked.incrementAndGet();
    throw new IOException("no file");
  }

  @Test
  void anInterruptEndsTheWait() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> Await.until("a wonder", () -> false))
        .isInstanceOf(AssertionError.class)
        .hasMessage("interrupted while waiting for: a wonder");
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void timeEndsTheWait() {
    Await over = new Await(-1);
    assertThatThrownBy(() -> over.pause("a wonder"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("did not come within")
        .hasMessageEndingWith(": a wonder");
  }

  @Test
  void theLastAssertionIsTheOneThatIsTold() {
    Await shortOne = new Await(TimeUnit.MILLISECONDS.toNanos(20));
    assertThatThrownBy(() ->
            shortOne.awaitAsserted(
                () -> assertThat(asked.incrementAndGet()).as("count").isNegative()))
        .isInstanceOf(AssertionError.class)
        .satisfies(thrown -> assertThat(thrown.getMessage()).contains("count", asked.toString()));
  }
}
