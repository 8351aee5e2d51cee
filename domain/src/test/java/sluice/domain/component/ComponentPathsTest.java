package sluice.domain.component;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.domain.DomainConfig;
import sluice.domain.portal.CallPath;

/// Tests of the thread that runs a service between components, chosen by configuration and by the
/// verifier's verdict.
@Timeout(60)
final class ComponentPathsTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private static final String API =
      "package count; public interface Counter { int next(int by); Thread where(); }";
  private static final String BOUNDED_API =
      "package count; public interface Counter { int next(int by); }";
  private static final String BOUNDED =
      """
      package count.impl;
      public class Plain implements count.Counter {
        private int sum;
        public int next(int by) { sum += by; return sum; }
      }
      """;
  private static final String ENDLESS =
      """
      package count.impl;
      public class Plain implements count.Counter {
        public int next(int by) { while (by != 0) { by++; by++; } return by; }
      }
      """;
  private static final String LONG =
      """
      package count.impl;
      public class Plain implements count.Counter {
        private int sum;
        public int next(int by) { for (int i = 0; i < 100_000; i++) { sum += by; } return sum; }
      }
      """;
  private static final String INHERITED =
      """
      package count.impl;
      public class Plain extends Base { }
      class Base implements count.Counter {
        private int sum;
        public int next(int by) { sum += by; return sum; }
      }
      """;
  private static final String WHERE =
      """
      package count.impl;
      public class Plain implements count.Counter {
        private int sum;
        public int next(int by) { sum += by; return sum; }
        public Thread where() { return Thread.currentThread(); }
      }
      """;
  private static final String CALLER =
      """
      package call;
      public class Caller implements java.util.concurrent.Callable<String> {
        private final count.Counter counter;
        public Caller(count.Counter counter) { this.counter = counter; }
        public String call() { counter.next(2); return "" + counter.next(3); }
      }
      """;

  @TempDir Path directory;
  private final List<AutoCloseable> open = new ArrayList<>();
  private @Nullable Shelf shelf;

  @BeforeEach
  void shelf() {
    shelf = new Shelf(directory);
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  private static Placement place(String domain, String component) {
    return new Placement(
        DomainConfig.of(domain + "-" + NUMBERS.incrementAndGet()), List.of(component));
  }

  private String answer(String api, String implementation, CallPath path) throws Exception {
    Shelf on = shelf == null ? new Shelf(directory) : shelf;
    Path apiJar = on.jar("api", List.of(), api);
    Path counter = on.jar("counter", List.of(apiJar), implementation);
    Path caller = on.jar("caller", List.of(apiJar), CALLER);
    List<Component> all =
        List.of(
            Component.library("api", List.of(apiJar)),
            new Component(
                "counter",
                List.of(counter),
                List.of("api"),
                List.of(),
                new Provided("count.Counter", path, 1),
                "count.impl.Plain"),
            new Component(
                "caller",
                List.of(caller),
                List.of("api"),
                List.of("count.Counter"),
                null,
                "call.Caller"));
    Placement callers = place("caller", "caller");
    Placement counters = place("counter", "counter");
    ComponentHost host =
        ComponentHost.start(ComponentGraph.of(all), List.of(counters, callers), LIMIT);
    open.add(host);
    Object object = host.objectOf(callers.config().name(), "caller");
    String answer = (String) object.getClass().getMethod("call").invoke(object);
    if (path != CallPath.SERVICE) {
      assertThatThrownBy(() -> host.replace(counters.config().name()))
          .isInstanceOf(ComponentRefused.class)
          .hasMessageContaining("path = \"service\"");
    }
    return answer;
  }

  @Test
  void allPathsAnswerAlike() throws Exception {
    for (CallPath path : CallPath.values()) {
      assertThat(answer(BOUNDED_API, BOUNDED, path)).as("%s", path).isEqualTo("5");
    }
  }

  @Test
  void aMethodOfASuperclassIsVerifiedToo() throws Exception {
    assertThat(answer(BOUNDED_API, INHERITED, CallPath.FAST)).isEqualTo("5");
  }

  @Test
  void fastIsRefusedWithTheMethodThatHasNoBound() {
    assertThatThrownBy(() -> answer(BOUNDED_API, ENDLESS, CallPath.FAST))
        .isInstanceOf(ComponentRefused.class)
        .hasMessageContainingAll(
            "component counter, path = \"fast\"", "count.impl.Plain.next, line 3", "Fix: path =");
    assertThatThrownBy(() -> answer(BOUNDED_API, LONG, CallPath.FAST))
        .isInstanceOf(ComponentRefused.class)
        .hasMessageContainingAll("bytecodes", "at most 20000");
  }

  /// Checks a call that the verifier refuses because it does not know that portals pass no threads.
  @Test
  void oneMethodWithoutABoundRefusesTheService() {
    assertThatThrownBy(() -> answer(API, WHERE, CallPath.FAST))
        .isInstanceOf(Exception.class)
        .hasMessageContaining("where");
  }

  @Test
  void theNumberOfCallsIsOfServicesWithThreads() {
    assertThatThrownBy(() -> new Provided("a.B", CallPath.DIRECT, 2)).hasMessageContaining("Fix: ");
    assertThatThrownBy(() -> new Provided("a.B", CallPath.SERVICE, 0))
        .hasMessageContaining("1 to 1024");
  }
}
