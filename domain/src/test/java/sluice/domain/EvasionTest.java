package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.domain.translate.Refused;
import sluice.testbase.Await;

/// Tests with code that deliberately tries to outlive its domain, to exceed its budget, or to make
/// the host run it. Accidental misbehaviour is in [KillMatrixTest].
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class EvasionTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final long HEAD_START_MILLIS = 60;

  private static Runnable guest(Domain domain, String name) throws Exception {
    return (Runnable) Guests.create(domain, "Evasions$" + name);
  }

  /// The host reads the use of the domain, and another domain ends, while the code runs.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "IdleNamedPool",
        "IdleOwnPool",
        "IdlePoolBelow",
        "HashOfThread",
        "StateOfThread",
        "InterruptOfThread",
        "HandlerOfThread",
        "SettingOfHandler",
        "ThreadFromVirtual",
        "HostileIterator",
        "InitialValue",
        "ValueOfChild",
        "ChainOfFutures",
        "HandlerOfDeath",
        "ProxyThatLoops",
        "EndlessInitializer",
        "NestedCatch",
        "WalkerThatLoops",
        "ReadObjectThatLoops",
        "PinnedVirtual",
        "TextOfProblem",
      })
  void endsAndHoldsUpNeitherHostNorNeighbour(String name) throws Exception {
    try (Domain neighbour = Guests.domain();
        Domain domain = Guests.domain()) {
      domain.start(name, guest(domain, name));
      Thread.sleep(HEAD_START_MILLIS);
      assertThat(domain.stat().threads()).as("its threads").isPositive();
      Guests.start(neighbour, "EndlessPark");
      neighbour.kill();
      assertThat(neighbour.awaitEnd(LONG)).as("the end of a neighbour").isTrue();
      domain.kill();
      assertThat(domain.awaitEnd(LONG)).isTrue();
    }
  }

  private static boolean runsInTheJdk(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .filter(frame -> frame.getClassName().startsWith("java.util."))
        .anyMatch(frame -> List.of("anyMatch", "join").contains(frame.getMethodName()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"EndlessStream", "EndlessJoin"})
  void whatRunsInTheJdkAloneIsNotEnforced(String name) throws Exception {
    Domain domain = Guests.domain();
    Runnable guest = guest(domain, name);
    Thread thread = domain.start(name, guest);
    Await.until("code of the JDK", () -> runsInTheJdk(thread));
    domain.kill();
    assertThat(domain.awaitEnd(SHORT)).isFalse();
    Class<?> type = guest.getClass();
    String field = name.equals("EndlessStream") ? "RELEASED" : "NEVER";
    Object held = type.getField(field).get(null);
    if (held instanceof java.util.concurrent.atomic.AtomicBoolean released) {
      released.set(true);
    } else {
      ((java.util.concurrent.CompletableFuture<?>) held).cancel(false);
    }
    assertThat(domain.awaitEnd(LONG)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"LoaderBelow$Below", "InsideBelow$Below", "LevelBelow$Below"})
  void isRefusedWhenItIsLoaded(String name) throws Exception {
    try (Domain domain = Guests.domain()) {
      assertThatThrownBy(() -> domain.loader().loadClass("sluice.domain.guest.Evasions$" + name))
          .isInstanceOf(Refused.class)
          .hasMessageContaining("Why: ")
          .hasMessageContaining("Fix: ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HandleLoop", "HandleThatCatches", "OfLayers", "InheritedStatic"})
  void isRefusedWhenItIsCalled(String name) throws Exception {
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    try (Domain domain = Guests.domain()) {
      Runnable guest = guest(domain, name);
      assertThatThrownBy(() -> domain.call(Executors.callable(guest)))
          .isExactlyInstanceOf(SecurityException.class)
          .hasMessageContaining("Why: ")
          .hasMessageContaining("Fix: ");
    }
    assertThat(Thread.getDefaultUncaughtExceptionHandler()).isSameAs(before);
  }

  @Test
  void threadsThatAFactoryOfTheDomainMakesCount() throws Exception {
    Budget four = Budget.parse("threads=4");
    try (Domain domain = Domain.create(Guests.config().withBudget(four))) {
      Callable<?> bomb = (Callable<?>) Guests.create(domain, "Evasions$CachedBomb");
      assertThat(domain.call(bomb)).isEqualTo(4);
      assertThat(domain.stat().threads()).isEqualTo(4);
      domain.kill();
      assertThat(domain.awaitEnd(LONG)).isTrue();
    }
  }

  @Test
  void whatWouldBeParallelRunsInThreadsOfTheDomain() throws Exception {
    try (Domain domain = Guests.domain()) {
      Callable<?> parallel = (Callable<?>) Guests.create(domain, "Evasions$Parallel");
      Object[] seen = new Object[1];
      domain
          .start(
              "parallel",
              () -> {
                try {
                  seen[0] = parallel.call();
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              })
          .join();
      String group = " domain-" + domain.name();
      assertThat(seen[0])
          .isEqualTo(
              Set.of(
                  "list" + group,
                  "set" + group,
                  "support" + group,
                  "range" + group,
                  "future below" + group));
    }
  }

  @Test
  void streamsOfTheHostAreNeitherHeldNorClosed() throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream host = new PrintStream(printed, true, StandardCharsets.UTF_8);
    DomainConfig config =
        Guests.config()
            .withStreams(new DomainConfig.Streams(InputStream.nullInputStream(), host, host));
    for (String name : List.of("HoldsStream", "TextOfProblem")) {
      try (Domain domain = Domain.create(config)) {
        domain.start(name, guest(domain, name));
        Thread.sleep(HEAD_START_MILLIS);
        Thread printer = Thread.ofPlatform().daemon().start(() -> host.println("host " + name));
        printer.join(LONG);
        assertThat(Guests.text(printed)).contains("host " + name);
        domain.kill();
        assertThat(domain.awaitEnd(LONG)).isTrue();
      }
    }
    assertThat(Guests.text(printed)).contains("a trace of the guest");
    assertThat(host.checkError()).isFalse();
  }

  /// Checks that a domain's logger is not the host's of the same name, so that no code of the
  /// domain runs when the host logs.
  @Test
  void whatItPutsAtLoggersIsNotReachedByTheHost() throws Exception {
    Logger host = Logger.getLogger("sluice.shared");
    Logger root = Logger.getLogger("");
    Level level = root.getLevel();
    try (Domain domain = Guests.domain()) {
      Object guest = Guests.create(domain, "Evasions$HandlerOfLogger");
      assertThat(domain.call((Callable<?>) guest)).isEqualTo("true below sluice.shared of ");
      domain.start("logs", (Runnable) guest);
      host.log(Level.FINE, "of the host, in a thread of the host");
      for (Logger each : List.of(host, root, Logger.getGlobal())) {
        assertThat(each.getHandlers()).doesNotContain((Handler) guest);
        assertThat(each.getFilter()).isNull();
      }
      assertThat(root.getHandlers()).allSatisfy(each -> assertThat(each.getFilter()).isNull());
      assertThat(root.getLevel()).isEqualTo(level);
      assertThat(LogManager.getLogManager().getLogger("sluice.shared.below")).isNull();
      domain.kill();
      assertThat(domain.awaitEnd(LONG)).isTrue();
    }
  }

  /// Checks the JVM-wide table of levels: a domain neither adds a level nor finds another party's.
  @Test
  void levelsPassNothingBetweenDomainAndHost() throws Exception {
    Level host = new Level("HOST", 123) {};
    try (Domain domain = Guests.domain()) {
      Object guest = Guests.create(domain, "Evasions$ParsesLevels");
      assertThat(domain.call((Callable<?>) guest))
          .isEqualTo(
              List.of(
                  Level.WARNING,
                  Level.WARNING,
                  Level.INFO,
                  Level.INFO,
                  Level.ALL,
                  Level.ALL,
                  "Bad level \"8",
                  "Bad level \"G",
                  "Bad level \"H"));
      Runnable below = guest(domain, "LevelBelow");
      assertThatThrownBy(() -> domain.call(Executors.callable(below)))
          .isInstanceOf(Refused.class)
          .hasMessageContaining("Fix: use a level of the JDK");
      assertThatThrownBy(() -> Level.parse("GUEST")).isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(Level.parse("HOST")).isSameAs(host);
  }

  @Test
  void whatItLogsGoesToItsOwnStream() throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream err = new PrintStream(printed, true, StandardCharsets.UTF_8);
    DomainConfig.Streams streams =
        new DomainConfig.Streams(InputStream.nullInputStream(), err, err);
    try (Domain domain = Domain.create(Guests.config().withStreams(streams))) {
      domain.start("logs", guest(domain, "LogsPlainly")).join();
    }
    assertThat(Guests.text(printed)).contains("plain words of the guest");
  }
}
