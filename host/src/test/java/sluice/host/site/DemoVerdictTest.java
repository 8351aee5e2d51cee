package sluice.host.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import sluice.host.verdict.HandlerJudge;
import sluice.loop.verdict.Verdict;

/// The verdict on the handlers of `sluice serve --demo`.
final class DemoVerdictTest {
  @Test
  void theGreetingHasABound() {
    Object greeting =
        Objects.requireNonNull(DemoHandlers.routes().getFirst().interruptlets()).get();
    Verdict verdict = new HandlerJudge().of(greeting.getClass());
    assertThat(verdict.kind()).isEqualTo(Verdict.Kind.VERIFIED);
    // A query of 64 KiB is looked through once and copied once.
    assertThat(verdict.bytecodes()).isBetween(60L << 16, 200L << 16);
    assertThat(verdict.bytes()).isLessThan(16 << 10);
  }
}
