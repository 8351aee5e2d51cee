package sluice.acceptance.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What becomes of checks that fail now and then.
class ServerAttemptsTest {
  private final List<Integer> made = new ArrayList<>();
  private final ByteArrayOutputStream told = new ByteArrayOutputStream();
  private final PrintStream log = new PrintStream(told, true, StandardCharsets.UTF_8);

  private void run(Integer... fails) throws Exception {
    ServerAttempts.run(
        "a check",
        attempt -> {
          made.add(attempt);
          if (Arrays.asList(fails).contains(attempt)) {
            throw new AssertionError("failure " + attempt);
          }
        },
        log);
  }

  @Test
  void whatPassesIsTriedOnce() throws Exception {
    run();
    assertThat(made).containsExactly(1);
    assertThat(told.size()).isZero();
  }

  @Test
  void oneFailureOfThreeIsNone() {
    assertThatCode(() -> run(1)).doesNotThrowAnyException();
    assertThat(made).containsExactly(1, 2, 3);
    assertThat(told.toString(StandardCharsets.UTF_8))
        .contains("failure 1")
        .endsWith("\nintermittent: once of three times: a check\n");
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "1, 3"})
  void twoOfThreeAreAFailure(int first, int second) {
    AssertionError failure = catchThrowableOfType(AssertionError.class, () -> run(first, second));
    assertThat(failure).hasMessage("failure " + second);
    assertThat(failure.getSuppressed()).hasSize(1);
    assertThat(failure.getSuppressed()[0]).hasMessage("failure " + first);
    assertThat(made.getLast()).isEqualTo(second);
    assertThat(told.toString(StandardCharsets.UTF_8)).doesNotContain("intermittent");
  }

  @Test
  void aWrongByteIsAFailureAtOnce() {
    AssertionError failure =
        catchThrowableOfType(
            AssertionError.class,
            () ->
                ServerAttempts.run(
                    "a check",
                    attempt -> {
                      made.add(attempt);
                      throw new AssertionError("Jetty: " + LoadLaunch.WRONG + " at 7");
                    },
                    log));
    assertThat(failure).hasMessageContaining(LoadLaunch.WRONG);
    assertThat(made).containsExactly(1);
  }
}
