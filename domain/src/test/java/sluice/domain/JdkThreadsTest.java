package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;

/// Threads that the JDK starts for itself, or for an object of its own, while code of a domain
/// runs: a domain whose program is over ends, and nothing of it stays in them. The guests are
/// compiled here, because they use modules that this one does not require.
@Timeout(300)
final class JdkThreadsTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String ROOT = "java.util.prefs.userRoot";

  @TempDir static Path classes = Path.of(".");

  @BeforeAll
  static void compile() throws IOException {
    CompiledGuests.compile(classes);
    System.setProperty(ROOT, classes.resolve("prefs").toString());
  }

  @AfterAll
  static void restore() {
    System.clearProperty(ROOT);
  }

  private static Domain domain(String budget) throws IOException {
    return Domain.create(CompiledGuests.config(classes).withBudget(Budget.parse(budget)));
  }

  private static Runnable guest(Domain domain, String name) throws Exception {
    return (Runnable) CompiledGuests.create(domain, name);
  }

  private static void run(Domain domain, String name) throws Exception {
    Runnable guest = guest(domain, name);
    Throwable[] problem = new Throwable[1];
    domain
        .start(
            name,
            () -> {
              try {
                guest.run();
              } catch (RuntimeException e) {
                problem[0] = e;
              }
            })
        .join();
    assertThat(problem[0]).isNull();
  }

  /// Runs until its thread has ended, as `sluice domain run` waits for it, and is ended then.
  private static WeakReference<ClassLoader> ofEnded(String name) throws Exception {
    Domain domain = domain("threads=16");
    run(domain, name);
    Await.until("no thread of the domain to be left", () -> domain.stat().threads() == 0);
    domain.close();
    assertThat(domain.awaitEnd(LONG)).as("the end of " + name).isTrue();
    assertThat(Thread.getAllStackTraces().keySet())
        .as("no thread has its loader as context")
        .noneMatch(thread -> thread.getContextClassLoader() == domain.loader());
    return new WeakReference<>(domain.loader());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Delay",
        "OrTimeout",
        "Publisher",
        "Http",
        "Prefs",
        "Jmx",
        "Asynchronous",
        "Watch",
        "Swing"
      })
  void aHarmlessDomainEndsAndLeavesNothing(String name) throws Exception {
    WeakReference<ClassLoader> loader = ofEnded(name);
    Await.until(
        "the classes to be collected",
        () -> {
          System.gc();
          if (loader.get() != null) {
            try (Domain next = Guests.domain()) {
              next.kill(); // takes out what a collection has cleared, see SerialCaches
            }
          }
          return loader.get() == null;
        });
  }

  private static List<String> threads(String part) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.contains(part))
        .toList();
  }

  /// An open server keeps its domain, as it keeps a JVM; the end stops it, and its client too.
  @Test
  void clientsAndServersEndWithTheirDomain() throws Exception {
    Domain domain = domain("threads=16");
    run(domain, "OpenHttp");
    int port = domain.loader().loadClass("guest.CompiledGuest$Http").getField("port").getInt(null);
    assertThat(domain.stat().threads()).as("a server that runs").isEqualTo(1);
    assertThat(threads("HTTP-Dispatcher")).hasSize(1);
    domain.kill();
    assertThat(domain.awaitEnd(LONG)).isTrue();
    Await.until("their threads to end", () -> threads("HTTP-Dispatcher").isEmpty());
    Await.until("their threads to end", () -> threads("SelectorManager").isEmpty());
    try (ServerSocket free = new ServerSocket()) {
      free.setReuseAddress(true);
      free.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }
  }

  @Test
  void theThreadOfAServerCounts() throws Exception {
    try (Domain domain = domain("threads=1")) {
      Runnable guest = guest(domain, "OpenHttp");
      Throwable[] problem = new Throwable[1];
      domain
          .start(
              "one",
              () -> {
                try {
                  guest.run();
                } catch (RuntimeException e) {
                  problem[0] = e;
                }
              })
          .join();
      assertThat(problem[0]).hasRootCauseInstanceOf(IllegalStateException.class);
      assertThat(problem[0]).rootCause().hasMessageContaining("its budget is 1 threads");
    }
  }
}
