package sluice.host.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import sluice.host.verdict.HandlerJudge;
import sluice.loop.verdict.Verdict;

/// Tests the verdict on the handlers of `sluice serve --demo`.
final class DemoVerdictTest {
  @Test
  void theGreetingHasABound() {
    Object greeting =
        Objects.requireNonNull(DemoHandlers.routes().getFirst().interruptlets()).get();
    Verdict verdict = new HandlerJudge().of(greeting.getClass());
    assertThat(verdict.kind()).isEqualTo(Verdict.Kind.VERIFIED);
    // The bound includes one scan and one copy of a query of 64 KiB.
    assertThat(verdict.bytecodes()).isBetween(60L << 16, 200L << 16);
    assertThat(verdict.bytes()).isLessThan(16 << 10);
  }
}
