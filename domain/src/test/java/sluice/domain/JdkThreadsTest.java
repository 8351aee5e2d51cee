package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;

/// Tests of threads that the JDK starts for itself or for one of its objects while code of a domain
/// runs. A domain whose program is over must end and leave nothing in them. The guests are compiled
/// here, because they use modules that this module does not require.
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

  private static void run(Domain domain, String name, boolean isVirtual) throws Exception {
    Runnable guest = guest(domain, name);
    Throwable[] problem = new Throwable[1];
    Runnable task =
        () -> {
          try {
            guest.run();
          } catch (RuntimeException e) {
            problem[0] = e;
          }
        };
    if (isVirtual) {
      Thread thread = domain.serviceThread(name, task);
      assertThat(thread.isVirtual()).isTrue();
      thread.start();
      thread.join();
    } else {
      domain.start(name, task).join();
    }
    assertThat(problem[0]).isNull();
  }

  /// Runs a guest until its thread has ended, like `sluice domain run`, and then ends the domain.
  private static WeakReference<ClassLoader> ofEnded(String name, boolean isVirtual)
      throws Exception {
    Domain domain = domain("threads=16");
    run(domain, name, isVirtual);
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
    awaitCollection(ofEnded(name, false));
  }

  /// Checks the JDK's virtual threads that wait for the sockets of all virtual threads: they
  /// inherit the scheduler of the first thread that waits for a socket.
  @ParameterizedTest
  @ValueSource(strings = {"Delay", "Http", "Asynchronous", "Watch"})
  void aVirtualThreadOfADomainLeavesNothing(String name) throws Exception {
    awaitCollection(ofEnded(name, true));
  }

  private static void awaitCollection(WeakReference<ClassLoader> loader) throws IOException {
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

  /// Checks that an open server keeps its domain alive, as it keeps a JVM alive, and that the end
  /// stops the server and its client.
  @Test
  void clientsAndServersEndWithTheirDomain() throws Exception {
    Domain domain = domain("threads=16");
    run(domain, "OpenHttp", false);
    int port = domain.loader().loadClass("guest.CompiledGuest$Http").getField("port").getInt(null);
    Await.until("only a server that runs to be left", () -> domain.stat().threads() == 1);
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

  /// Checks handlers of channels. A write to a socket may complete at once, on the calling thread
  /// of the domain.
  @Test
  void handlersOfChannelsWithoutAGroupRunOnThreadsOfTheirDomain() throws Exception {
    Domain domain = domain("threads=16");
    domain.start("handlers", guest(domain, "Handlers"));
    Class<?> type = domain.loader().loadClass("guest.CompiledGuest$Handlers");
    CountDownLatch waits = (CountDownLatch) type.getField("WAITS").get(null);
    assertThat(waits.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat((List<?>) type.getField("GROUPS").get(null))
        .hasSize(10)
        .allMatch(group -> group.equals("domain-" + domain.name()));
    List<?> threads = List.copyOf((List<?>) type.getField("THREADS").get(null));
    domain.kill();
    assertThat(domain.awaitEnd(LONG)).isTrue();
    Await.until(
        "the threads of handlers to end",
        () -> threads.stream().noneMatch(each -> ((Thread) each).isAlive()));
  }

  private static boolean waitsForChannels(StackTraceElement[] stack) {
    return Arrays.stream(stack)
        .anyMatch(frame -> frame.getClassName().startsWith("sun.nio.ch.EPollPort"));
  }

  private static Set<Thread> waitForChannels() {
    Set<Thread> waiting = new HashSet<>();
    Thread.getAllStackTraces()
        .forEach((thread, stack) -> {
          if (waitsForChannels(stack)) {
            waiting.add(thread);
          }
        });
    return waiting;
  }

  /// Checks channel groups. Other tests of this JVM may have left a group's thread that belongs to
  /// no domain. The clients stay open, so that a group has waiting channels when the domain ends.
  @Test
  void threadsAndDescriptorsOfGroupsEndWithTheirDomain() throws Exception {
    Set<Thread> before = waitForChannels();
    List<Socket> clients = new ArrayList<>();
    try (Domain domain = domain("threads=16")) {
      var groups = (Callable<?>) CompiledGuests.create(domain, "Groups");
      for (Object port : (List<?>) domain.call(groups)) {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), (Integer) port);
        clients.add(client);
        assertThat(client.getInputStream().read()).isZero();
      }
      Set<Thread> now = waitForChannels();
      now.removeAll(before);
      assertThat(now).isNotEmpty(); // virtual threads of the domain wait for the other groups
      long polled = epolls() - 3;
      domain.kill();
      assertThat(domain.awaitEnd(LONG)).isTrue();
      Await.until("the threads of groups to end", () -> before.containsAll(waitForChannels()));
      Await.until("their descriptors to be closed", () -> epolls() <= polled);
    } finally {
      for (Socket client : clients) {
        client.close();
      }
    }
  }

  private static long epolls() {
    return OpenFiles.now().stream().filter(each -> each.toString().contains("[eventpoll]")).count();
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
