package sluice.loop.turn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Two lines for each pause that lasts.
final class AcceptPauseTest {
  private static final long SECOND = 1_000_000_000L;

  private long now = SECOND;
  private final LoopTasks tasks = new LoopTasks("loop", () -> {}, () -> now, () -> {});
  private final List<String> lines = new ArrayList<>();
  private final AcceptPause pause = new AcceptPause("loop", tasks, lines::add);

  private void pass(long nanos) {
    now += nanos;
    tasks.runDue(now);
  }

  @Test
  void aPauseThatLastsHasALineAndItsEndHasOne() {
    pause.begins();
    assertThat(lines).isEmpty();
    pause.lasts(0);
    pause.lasts(0);
    assertThat(lines)
        .singleElement()
        .asString()
        .startsWith("loop accepts no more clients")
        .contains("RLIMIT_NOFILE", "Fix: raise the limit", "LimitNOFILE=");
    pause.ends();
    pass(2 * SECOND);
    assertThat(lines).hasSize(2);
    assertThat(lines.getLast()).isEqualTo("loop accepts clients again");
    pass(10 * SECOND);
    assertThat(lines).hasSize(2);
  }

  @Test
  void theLimitOfConnectionsIsNamed() {
    pause.begins();
    pause.lasts(7);
    assertThat(lines).singleElement().asString().contains("all 7 connections");
  }

  @Test
  void aShortPauseHasNone() {
    pause.begins();
    pause.ends();
    pass(2 * SECOND);
    pause.lasts(0);
    assertThat(lines).isEmpty();
  }

  @Test
  void pausesThatFollowFastAreOne() {
    for (int i = 0; i < 100; i++) {
      pause.begins();
      pause.lasts(0);
      pause.ends();
      pass(SECOND / 2);
    }
    assertThat(lines).hasSize(1);
    pass(SECOND);
    assertThat(lines).hasSize(2);
  }
}
