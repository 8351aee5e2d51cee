package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.domain.guest.HoldUps;
import sluice.domain.guest.HoldUpsOfTheJdk;
import sluice.domain.guest.HoldUpsOfThreads;
import sluice.domain.inside.Inside;
import sluice.testbase.Await;

/// Tests with programs that block the host or another domain wherever the host touches their
/// objects. They must delay neither the end of their domain or its neighbours nor the enforcement
/// of budgets.
@Timeout(value = 240, unit = TimeUnit.SECONDS)
final class HoldUpTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  /// The time limit of a step; a step that is blocked never returns.
  private static final Duration IN_TIME = Duration.ofSeconds(60);

  /// The time limit of a kill, which takes some 15 ms on a machine that is not overloaded. One of
  /// [#MOST_KILLS] attempts has to meet it.
  private static final Duration KILL = Duration.ofMillis(100);

  private static final int MOST_KILLS = 20;

  private static final String SERVICES = "HoldUpServices";

  /// The semaphores for which programs of [#SERVICES] wait.
  private static final List<Semaphore> HELD = new ArrayList<>();

  @TempDir static Path classes = Path.of(".");

  @BeforeAll
  static void compile() throws IOException {
    CompiledGuests.compile(classes, SERVICES);
  }

  /// Creates a domain in which the trap of a program is set.
  @FunctionalInterface
  private interface Trapped {
    Domain start() throws Exception;
  }

  static List<String> programs() {
    return Stream.of(HoldUps.class, HoldUpsOfTheJdk.class, HoldUpsOfThreads.class)
        .flatMap(type -> Arrays.stream(type.getDeclaredClasses()))
        .filter(type -> Runnable.class.isAssignableFrom(type))
        .filter(type -> java.lang.reflect.Modifier.isPublic(type.getModifiers()))
        .map(type -> type.getName().substring(type.getPackageName().length() + 1))
        .filter(name -> !name.endsWith("PoliteBean"))
        .sorted()
        .toList();
  }

  @Test
  void thereAreFortyOfThem() {
    assertThat(programs()).hasSizeGreaterThanOrEqualTo(40);
  }

  private static void awaitTrap(Class<?> type) throws Exception {
    CountDownLatch set = (CountDownLatch) type.getField("SET").get(null);
    assertThat(set.await(60, TimeUnit.SECONDS)).as("the trap is set").isTrue();
  }

  private static Class<?> traps(Domain domain) throws Exception {
    return domain.loader().loadClass(HoldUps.class.getName());
  }

  private static Domain trapped(String name) throws Exception {
    Domain domain = Guests.domain();
    domain.start(name, guest(domain, name));
    awaitTrap(traps(domain));
    return domain;
  }

  private static Domain trappedService(String name) throws Exception {
    Domain domain = Domain.create(CompiledGuests.config(classes));
    Object guest = CompiledGuests.create(domain, SERVICES, name);
    Class<?> type = domain.loader().loadClass("guest." + SERVICES);
    HELD.add((Semaphore) type.getField("NONE").get(null));
    domain.start(name, (Runnable) guest);
    awaitTrap(type);
    return domain;
  }

  /// Releases threads of the JDK that wait at the end of their domain.
  @AfterEach
  void release() throws Exception {
    if (!HELD.isEmpty()) {
      HELD.forEach(each -> each.release(1_000));
      HELD.clear();
      Await.until(
          "the threads of servers to end",
          () ->
              Thread.getAllStackTraces().keySet().stream()
                  .noneMatch(thread -> thread.getName().equals("HTTP-Dispatcher")));
    }
  }

  private static Runnable guest(Domain domain, String name) throws Exception {
    return (Runnable) Guests.create(domain, name);
  }

  /// Runs a step in a thread of its own, so that a blocked step fails the test instead of hanging
  /// it.
  private static <T> T inTime(String what, Callable<T> step) throws Exception {
    FutureTask<T> task = new FutureTask<>(step);
    Thread.ofPlatform().daemon().name(what).start(task);
    return task.get(IN_TIME.toSeconds(), TimeUnit.SECONDS);
  }

  /// Kills a domain.
  ///
  /// @return the time that the call took
  private static Duration kill(String what, Domain domain) throws Exception {
    Duration time =
        inTime(
            "kill of " + what,
            () -> {
              long begin = System.nanoTime();
              domain.kill();
              return Duration.ofNanos(System.nanoTime() - begin);
            });
    assertThat(domain.alive()).isFalse();
    return time;
  }

  /// Kills further domains with the same trap until one kill has returned in time. A kill that
  /// waits for the domain never does, while the load of the machine varies.
  private static void killsAtOnce(Duration first, Trapped another) throws Exception {
    List<Duration> times = new ArrayList<>(List.of(first));
    while (times.size() < MOST_KILLS && times.getLast().compareTo(KILL) > 0) {
      Domain domain = another.start();
      times.add(kill("another", domain));
    }
    assertThat(times.getLast()).as("kills took " + times).isLessThanOrEqualTo(KILL);
  }

  private static Domain polite() throws Exception {
    Domain domain = Guests.domain();
    domain.start("polite", guest(domain, "HoldUpsOfTheJdk$PoliteBean"));
    awaitTrap(traps(domain));
    return domain;
  }

  /// Checks that the warden notices a domain over its budget, which it cannot do without samples.
  private static void budgetsCount() throws Exception {
    Budget little = Budget.parse("cpu=5%");
    try (Domain domain = Domain.create(Guests.config().withBudget(little))) {
      Guests.start(domain, "EndlessLoop");
      Await.until("the loop to be held", domain::isHeld);
      domain.kill();
      assertThat(domain.awaitEnd(LONG)).as("the end of a domain that was held").isTrue();
    }
  }

  /// Checks the threads that exist once per JVM and also serve the host.
  private static void threadsOfTheJvmGoOn() throws Exception {
    inTime(
        "a delay",
        () -> new CompletableFuture<>().completeOnTimeout("", 1, TimeUnit.MILLISECONDS).get());
    inTime("the common pool", () -> CompletableFuture.supplyAsync(() -> "").get());
    inTime(
        "a virtual thread",
        () -> {
          Thread.startVirtualThread(() -> {}).join();
          return true;
        });
    inTime(
        "a logger",
        () -> {
          System.getLogger("host").log(System.Logger.Level.WARNING, "the host logs");
          return true;
        });
  }

  @ParameterizedTest
  @MethodSource("programs")
  void holdsUpNeitherHostNorNeighbours(String name) throws Exception {
    holdsUpNothing(name, () -> trapped(name));
  }

  static List<String> services() throws Exception {
    String prefix = SERVICES + "$";
    try (Stream<Path> files = Files.list(classes.resolve("guest"))) {
      return files
          .map(file -> file.getFileName().toString().replace(".class", ""))
          .filter(name -> name.startsWith(prefix) && name.indexOf('$', prefix.length()) < 0)
          .map(name -> name.substring(prefix.length()))
          .filter(name -> name.matches("(Server|Client|Group|Watch|Many|Monitor).*"))
          .sorted()
          .toList();
    }
  }

  /// Checks JDK servers, clients, channel groups and watch services, whose close runs code of the
  /// domain or waits for it.
  @ParameterizedTest
  @MethodSource("services")
  void theCloseOfAServiceHoldsUpNothing(String name) throws Exception {
    holdsUpNothing(name, () -> trappedService(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"GroupWhoseExecutorWaits", "GroupOfAProvider", "WatchThatWaits"})
  void aServiceThatDoesNotCloseIsNamed(String name) throws Exception {
    Domain domain = trappedService(name);
    domain.kill();
    assertThat(domain.awaitEnd(LONG)).isTrue();
    assertThat(domain.stat().late()).contains("service");
    release();
    Await.until("the closer to end", () -> domain.stat().late().isEmpty());
  }

  /// Checks a domain whose only thread may end before the killing thread has collected everything
  /// that ends with it.
  @Test
  void aDomainEndsAfterAllThatEndsWithIt() throws Exception {
    Budget sampled = Budget.parse("alloc=1000GB/s"); // the warden looks from the start
    Domain domain = Domain.create(Guests.config().withBudget(sampled));
    Guests.start(domain, "EndlessPark");
    Class<?> type = domain.loader().loadClass("sluice.domain.guest.Misbehaviour$EndlessPark");
    AtomicBoolean endedBefore = new AtomicBoolean();
    Inside.home(type)
        .opened(
            new ServerSocket() {
              @Override
              public boolean isClosed() { // asked by the killing thread
                try {
                  endedBefore.set(domain.awaitEnd(Duration.ofSeconds(1)));
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
                return false;
              }
            });
    domain.kill();
    assertThat(endedBefore).isFalse();
    assertThat(domain.awaitEnd(LONG)).isTrue();
  }

  private static void holdsUpNothing(String name, Trapped trapped) throws Exception {
    try (Domain first = polite();
        Domain second = polite();
        Domain domain = trapped.start()) {
      killsAtOnce(holdsUpNothing(name, domain, first, second), trapped);
    }
  }

  private static Duration holdsUpNothing(String name, Domain domain, Domain first, Domain second)
      throws Exception {
    assertThat(inTime("stat", domain::stat).state()).isEqualTo("alive");
    threadsOfTheJvmGoOn();
    kill("a neighbour", first);
    assertThat(first.awaitEnd(LONG)).as("the end of a neighbour").isTrue();
    budgetsCount();
    Duration time = kill(name, domain);
    inTime("stat after the end", domain::stat);
    kill("another neighbour", second);
    assertThat(second.awaitEnd(LONG)).as("the end of another neighbour").isTrue();
    assertThat(domain.awaitEnd(LONG)).as("the end of %s", name).isTrue();
    budgetsCount();
    threadsOfTheJvmGoOn();
    assertThat(inTime("stat at last", domain::stat).state()).isEqualTo("ended");
    return time;
  }

  /// Checks a value that code of the domain has left in a thread of the host, which then ends the
  /// domain.
  @Test
  void aValueInTheThreadThatKillsIsNotInherited() throws Exception {
    Domain domain = Guests.domain();
    Domain neighbour = polite();
    Callable<?> guest = (Callable<?>) Guests.create(domain, "HoldUpsOfTheJdk$InheritableValue");
    inTime(
        "a thread with a value of the guest",
        () -> {
          domain.call(guest);
          neighbour.start("of the host", () -> {}).join();
          domain.kill();
          neighbour.kill();
          return true;
        });
    assertThat(domain.awaitEnd(LONG)).isTrue();
    assertThat(neighbour.awaitEnd(LONG)).isTrue();
  }

  @Test
  void whatIsLateIsNamedUntilItEnds() throws Exception {
    try (Domain domain = Guests.domain()) {
      Thread waits = domain.start("late", guest(domain, "HoldUps$ChannelThatWaits"));
      awaitTrap(traps(domain));
      assertThat(domain.stat().late()).isEmpty();
      domain.aside(waits::interrupt);
      Await.until("it to be late", () -> !domain.stat().late().isEmpty());
      domain.kill();
      assertThat(domain.awaitEnd(LONG)).isTrue();
      assertThat(domain.stat().late()).isNotEmpty().containsOnly("interrupt");
      ((Semaphore) traps(domain).getField("NONE").get(null)).release();
      Await.until("the closer to end", () -> domain.stat().late().isEmpty());
    }
  }

  @Test
  void anInterruptAsideHoldsNoOtherThread() throws Exception {
    Domain domain = Guests.domain();
    Thread waits = domain.start("waits", guest(domain, "HoldUps$ChannelThatLoops"));
    awaitTrap(traps(domain));
    inTime(
        "an interrupt",
        () -> {
          domain.aside(waits::interrupt);
          return true;
        });
    Await.until("it to be late", () -> domain.stat().late().equals(List.of("interrupt")));
    kill("ChannelThatLoops", domain);
    assertThat(domain.awaitEnd(LONG)).isTrue();
    Await.until("the loop to end", () -> domain.stat().late().isEmpty());
  }
}
