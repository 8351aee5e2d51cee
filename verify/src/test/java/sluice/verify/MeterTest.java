package sluice.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Checks that admitted code never executes more bytecodes than its bound, for any arguments.
@SuppressWarnings("NullAway") // a null fails the test
final class MeterTest {
  private static final int MAX_LENGTH = 40;
  private static final int RUNS = 400;

  @Test
  void admittedMethodsKeepToTheirBounds() throws Exception {
    long seed = Long.getLong("sluice.seed", System.nanoTime());
    System.out.println("seed " + seed + " (-Dsluice.seed)");
    RandomArguments arguments = new RandomArguments(new Random(seed), MAX_LENGTH);
    Map<String, byte[]> classes = Corpus.nest(Accepted.class);
    Verification found = Corpus.verify(classes, new Limits(MAX_LENGTH, 1_000_000_000));
    Meter.start(Long.MAX_VALUE); // the initializer of the class itself is in no bound
    Class<?> metered = Class.forName(Accepted.class.getName(), true, new Meter.Loader(classes));
    int tried = 0;
    for (Method method : metered.getDeclaredMethods()) {
      if (!Modifier.isStatic(method.getModifiers()) || method.isSynthetic()) {
        continue;
      }
      method.setAccessible(true);
      Bound bound = bound(found, method);
      long most = 0;
      for (int i = 0; i < RUNS; i++) {
        most = Math.max(most, run(method, arguments.of(method.getParameterTypes()), bound));
      }
      assertThat(most).as(method.getName()).isPositive().isLessThanOrEqualTo(bound.bytecodes());
      tried++;
    }
    assertThat(tried).isGreaterThan(40);
  }

  private static Bound bound(Verification found, Method method) {
    String start = method.getName() + "(";
    return found.verdicts().stream()
        .filter(v -> v.className().equals(Accepted.class.getName()))
        .filter(v -> v.method().startsWith(start))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no verdict on " + method))
        .bound();
  }

  /// Runs a method and returns the number of bytecodes executed. An exception thrown by the method
  /// counts as a normal end.
  private static long run(Method method, Object[] arguments, Bound bound) throws Exception {
    Meter.start(bound.bytecodes());
    try {
      method.invoke(null, arguments);
    } catch (InvocationTargetException e) {
      assertThat(e.getCause()).as(method.getName()).isNotInstanceOf(Meter.Exceeded.class);
    }
    return Meter.count();
  }
}
