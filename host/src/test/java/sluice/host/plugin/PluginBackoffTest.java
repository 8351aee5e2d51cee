package sluice.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Tests how long a plug-in stays ended before it is restarted.
final class PluginBackoffTest {
  @Test
  void itDoublesUpToAMostAndBeginsAnewAfterHealth() {
    PluginBackoff backoff = new PluginBackoff();
    List<Long> millis = new ArrayList<>();
    for (int i = 0; i < 11; i++) {
      millis.add(backoff.after(Duration.ofSeconds(59)).toMillis());
    }
    assertThat(millis)
        .containsExactly(
            100L, 200L, 400L, 800L, 1600L, 3200L, 6400L, 12800L, 25600L, 30000L, 30000L);
    assertThat(backoff.after(Duration.ofSeconds(60))).isEqualTo(PluginBackoff.FIRST);
    assertThat(backoff.after(Duration.ZERO)).isEqualTo(Duration.ofMillis(200));
    backoff.reset();
    assertThat(backoff.after(Duration.ZERO)).isEqualTo(PluginBackoff.FIRST);
  }
}
