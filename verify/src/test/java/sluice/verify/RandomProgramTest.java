package sluice.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Runs the verifier on random programs and meters the admitted ones on random arguments and at the
/// ends of the range. A failing seed is printed with the number of the program.
final class RandomProgramTest {
  private static final int PROGRAMS = Integer.getInteger("sluice.programs", 3_000);
  private static final int RUNS = 40;
  private static final int MAX_LENGTH = 24;
  private static final long AT_MOST = 300_000; // so that metering ends soon

  @Test
  void noAdmittedProgramExceedsItsBound() throws Exception {
    long seed = Long.getLong("sluice.seed", System.nanoTime());
    System.out.println("seed " + seed + " (-Dsluice.seed)");
    int admitted = 0;
    int looping = 0;
    for (int i = 0; i < PROGRAMS; i++) {
      Random random = new Random(seed + i);
      Map<String, byte[]> classes = Map.of("sluice.verify.Generated", RandomProgram.of(random));
      MethodVerdict verdict =
          Corpus.verify(classes, new Limits(MAX_LENGTH, AT_MOST)).verdicts().getFirst();
      Refusal refusal = verdict.refusal();
      assertThat(refusal == null ? null : refusal.reason())
          .as("seed %d + %d", seed, i)
          .isNotIn(Reason.MALFORMED, Reason.TOO_LARGE);
      Bound bound = verdict.bound();
      if (bound != null) {
        admitted++;
        looping += bound.bytecodes() > verdict.size() ? 1 : 0;
        meter(classes, bound, new RandomArguments(random, MAX_LENGTH), seed + " + " + i);
      }
    }
    System.out.println(admitted + " of " + PROGRAMS + " admitted, " + looping + " with loops");
    assertThat(looping).isGreaterThan(PROGRAMS / 20);
  }

  private static void meter(
      Map<String, byte[]> classes, Bound bound, RandomArguments arguments, String seed)
      throws Exception {
    Class<?> loaded = new Meter.Loader(classes).loadClass("sluice.verify.Generated");
    Method method = loaded.getMethod("run", int.class, int.class, byte[].class);
    for (int run = 0; run < RUNS; run++) {
      Meter.start(bound.bytecodes());
      try {
        method.invoke(null, arguments.of(method.getParameterTypes()));
      } catch (InvocationTargetException e) {
        // An exception thrown by the program counts as a normal end.
      }
      assertThat(Meter.count()).as("seed %s", seed).isLessThanOrEqualTo(bound.bytecodes());
    }
  }
}
