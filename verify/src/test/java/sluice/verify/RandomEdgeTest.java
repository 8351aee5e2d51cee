package sluice.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Runs the verifier on random programs whose work is outside of the called method. JDK methods
/// cost nothing here, neither in the bound nor in the meter, so that their estimates cannot hide an
/// error.
final class RandomEdgeTest {
  private static final int PROGRAMS = Integer.getInteger("sluice.programs", 1_500);
  private static final int LOADS = 2; // initializers run once in each
  private static final int RUNS = 4;
  private static final int MAX_LENGTH = 24;
  private static final long AT_MOST = 100_000; // so that metering ends soon

  @Test
  void noAdmittedProgramExceedsItsBound() throws Exception {
    long seed = Long.getLong("sluice.seed", System.nanoTime());
    System.out.println("seed " + seed + " (-Dsluice.seed)");
    CostTable costs = Corpus.withoutWork();
    int admitted = 0;
    int beside = 0;
    for (int i = 0; i < PROGRAMS; i++) {
      Random random = new Random(seed + i);
      Map<String, byte[]> classes = RandomEdge.of(random);
      Component component = Corpus.component(classes);
      assertThat(component.unreadable()).isEmpty();
      MethodVerdict verdict =
          Verifier.verify(component, costs, new Limits(MAX_LENGTH, AT_MOST)).verdicts().getFirst();
      Refusal refusal = verdict.refusal();
      assertThat(refusal == null ? null : refusal.reason())
          .as("seed %d + %d: %s", seed, i, refusal)
          .isNotIn(Reason.MALFORMED, Reason.TOO_LARGE);
      Bound bound = verdict.bound();
      if (bound != null) {
        admitted++;
        for (int load = 0; load < LOADS; load++) {
          beside += meter(classes, bound, new RandomArguments(random, MAX_LENGTH), seed, i) ? 1 : 0;
        }
      }
    }
    System.out.println(admitted + " of " + PROGRAMS + " admitted, initializers ran in " + beside);
    assertThat(admitted).isGreaterThan(PROGRAMS / 10);
    assertThat(beside).isGreaterThan(PROGRAMS / 20);
  }

  /// Runs a program under the meter and returns true if an initializer ran.
  private static boolean meter(
      Map<String, byte[]> classes, Bound bound, RandomArguments arguments, long seed, int number)
      throws Exception {
    Meter.Loader loader = new Meter.Loader(classes);
    Class<?> loaded;
    Meter.start(1_000_000);
    try {
      loaded = Class.forName(RandomEdge.PACKAGE + "Main", true, loader);
    } catch (LinkageError | Meter.Exceeded e) {
      return false; // its own initializer fails or does not end, which the bound leaves out
    }
    Method method = loaded.getMethod("run", int.class, int.class, byte[].class, String.class);
    boolean beside = false;
    for (int run = 0; run < RUNS; run++) {
      Meter.start(bound.bytecodes());
      try {
        method.invoke(null, arguments.of(method.getParameterTypes()));
      } catch (InvocationTargetException e) {
        assertThat(e.getCause()).isNotInstanceOf(VerifyError.class);
      }
      Meter.runFinalizers();
      beside |= Meter.initializers() > 0;
      assertThat(Meter.count())
          .as("seed %d + %d", seed, number)
          .isLessThanOrEqualTo(bound.bytecodes());
    }
    return beside;
  }
}
