package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Await;

/// Tests of the ways in which threads of a domain end, and of the resulting output.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class DomainThreadsTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  private Domain domain() throws Exception {
    PrintStream both = new PrintStream(printed, true, StandardCharsets.UTF_8);
    return Domain.create(
        Guests.config()
            .withStreams(new DomainConfig.Streams(InputStream.nullInputStream(), both, both)));
  }

  private static Thread start(Domain domain, String name) throws Exception {
    return domain.start(name, (Runnable) Guests.create(domain, "Endings$" + name));
  }

  @Test
  void whatTheApplicationThrowsIsPrintedInItsStream() throws Exception {
    try (Domain domain = domain()) {
      start(domain, "Throws").join();
    }
    assertThat(Guests.text(printed))
        .contains("Exception in thread \"Throws\"", "of the application", "Endings$Throws.run");
  }

  @Test
  void whatThrowsWhenItIsAskedForItsTextIsPrintedByItsClass() throws Exception {
    try (Domain domain = domain()) {
      start(domain, "ThrowsTheUnspeakable").join();
    }
    assertThat(Guests.text(printed))
        .isEqualToNormalizingNewlines(
            "Exception in thread \"ThrowsTheUnspeakable\" "
                + "sluice.domain.guest.Endings$ThrowsTheUnspeakable$Unspeakable\n");
  }

  @Test
  void whatTheEndThrowsIsNotPrinted() throws Exception {
    try (Domain domain = domain()) {
      Thread thread = start(domain, "SaysWhatInterrupts");
      Await.until("it to wait", () -> thread.getState() == Thread.State.TIMED_WAITING);
      domain.kill();
      assertThat(domain.awaitEnd(LONG)).isTrue();
    }
    assertThat(Guests.text(printed)).isEmpty();
  }

  /// Checks that an exception thrown because the domain ends is not reported as a problem.
  @Test
  void theEndIsNoProblemOfAMainClass() throws Exception {
    try (Domain domain = domain()) {
      Thread main = domain.run("sluice.domain.guest.Endings");
      Await.until("it to wait", () -> main.getState() == Thread.State.TIMED_WAITING);
      domain.kill();
      assertThat(domain.awaitEnd(LONG)).isTrue();
      assertThat(domain.problem()).isNull();
    }
    assertThat(Guests.text(printed)).isEmpty();
  }

  @Test
  void carriersOutliveHandlersThatThrow() throws Exception {
    try (Domain domain = domain()) {
      Thread thread = start(domain, "HandlersThrow");
      thread.join(LONG);
      assertThat(thread.isAlive()).as("waits for a virtual thread").isFalse();
      Await.until("it is printed", () -> Guests.text(printed).contains("a handler"));
    }
  }
}
