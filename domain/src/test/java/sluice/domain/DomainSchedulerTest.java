package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.domain.carrier.Carriers;
import sluice.domain.carrier.QueueTerms;
import sluice.domain.guest.Schedulers;
import sluice.domain.portal.CallPath;
import sluice.domain.portal.Portals;
import sluice.testbase.Await;

/// Tests of domains with a scheduler of their own.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class DomainSchedulerTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private static DomainConfig config(String scheduler) throws Exception {
    String type = Schedulers.class.getName() + "$" + scheduler;
    return Guests.config().withScheduling(Scheduling.DEFAULT.by(type));
  }

  /// Creates a domain on one processor, so that the order of execution is the order of the choices.
  private static Domain domain(String scheduler) throws Exception {
    String type = Schedulers.class.getName() + "$" + scheduler;
    return Domain.create(
        Guests.config()
            .withShared(Adds.class.getName())
            .withScheduling(Scheduling.DEFAULT.by(type).on(0)));
  }

  @SuppressWarnings("unchecked") // as the guest declares it
  private static List<String> events(Domain domain) throws Exception {
    return (List<String>)
        domain.loader().loadClass(Schedulers.class.getName()).getField("EVENTS").get(null);
  }

  private static Runnable task(Domain domain, String name) throws Exception {
    return (Runnable) Guests.create(domain, "Schedulers$" + name);
  }

  /// Starts threads with these names, from a thread that keeps the processor until all are started.
  private static void turns(Domain domain, String... names) throws Exception {
    Runnable turns = task(domain, "Turns");
    List<Thread> threads = new ArrayList<>();
    Thread first =
        domain.start(
            "0",
            () -> {
              for (String each : names) {
                Thread made = domain.serviceThread(each, turns);
                made.start();
                threads.add(made);
              }
            });
    assertThat(first.join(LONG)).isTrue();
    for (Thread each : threads) {
      assertThat(each.join(LONG)).isTrue();
    }
  }

  @Test
  void threadsRunInTheOrderOfTheScheduler() throws Exception {
    try (Domain domain = domain("RoundRobin")) {
      turns(domain, "c", "a", "b");
      assertThat(events(domain)).containsExactly("c", "a", "b", "c", "a", "b", "c", "a", "b");
    }
    try (Domain domain = domain("ByName")) {
      turns(domain, "c", "a", "b");
      assertThat(events(domain)).containsExactly("a", "a", "a", "b", "b", "b", "c", "c", "c");
    }
  }

  @Test
  void threadsThatWaitAndWakeEachOtherAllRun() throws Exception {
    try (Domain domain = Domain.create(config("RoundRobin"))) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        Thread thread =
            domain.serviceThread(
                "waits-" + i,
                () -> {
                  for (int round = 0; round < 500; round++) {
                    LockSupport.parkNanos(1_000);
                    threads.forEach(LockSupport::unpark);
                  }
                });
        threads.add(thread);
      }
      threads.forEach(Thread::start);
      for (Thread each : threads) {
        assertThat(each.join(LONG)).isTrue();
      }
    }
  }

  @Test
  void aThreadIsStoppedWhenItsSliceIsOver() throws Exception {
    try (Domain domain = domain("Slices")) {
      Thread spins = domain.serviceThread("spins", task(domain, "Spins"));
      spins.start();
      Runnable turns = task(domain, "Turns");
      Thread other = domain.serviceThread("other", turns);
      other.start();
      assertThat(other.join(LONG)).isTrue();
      assertThat(events(domain)).contains("interrupted", "other");
      domain.kill();
      assertThat(domain.awaitEnd(LONG)).isTrue();
    }
  }

  @Test
  void aStoppedThreadIsToldOfAndGoesOn() throws Exception {
    try (Domain domain = domain("Preempted");
        Domain neighbour =
            Domain.create(Guests.config().withScheduling(Scheduling.DEFAULT.on(0)))) {
      domain.serviceThread("spins", task(domain, "Spins")).start();
      Await.until(
          "a thread to be stopped for the sake of a neighbour",
          () -> {
            neighbour.serviceThread("polite", () -> LockSupport.parkNanos(1_000)).start();
            return events(domain).contains("preempted");
          });
      long before = count(domain);
      Await.until("the stopped thread to go on", () -> count(domain) > before + 1_000);
      assertThat(domain.alive()).isTrue();
    }
  }

  private static long count(Domain domain) throws Exception {
    String type = Schedulers.class.getName() + "$Spins";
    return ((AtomicLong) domain.loader().loadClass(type).getField("COUNT").get(null)).get();
  }

  /// A service that adds numbers, for portal calls.
  public interface Adds {
    int add(int number);
  }

  @Test
  void callsAreHeardByThoseThatAskForThem() throws Exception {
    try (Domain caller = domain("Calls");
        Domain service = domain("Calls");
        Domain silent = domain("RoundRobin")) {
      Portals portals = new Portals(CallPath.SERVICE);
      Adds adds = number -> number + 1;
      portals.register(service, "heard", Adds.class, adds, CallPath.SERVICE);
      portals.register(silent, "silent", Adds.class, (Adds) number -> number + 2, CallPath.SERVICE);
      int[] results = new int[2];
      Thread calls =
          caller.serviceThread(
              "calls",
              () -> {
                Adds heard = portals.lookup(caller, "heard", Adds.class).orElseThrow();
                // The first call may find a thread of the service that has not waited yet.
                results[0] = heard.add(heard.add(1));
                results[1] = portals.lookup(caller, "silent", Adds.class).orElseThrow().add(1);
              });
      calls.start();
      assertThat(calls.join(LONG)).isTrue();
      assertThat(results).containsExactly(3, 3);
      assertThat(events(caller)).hasSize(3).containsOnly("calling calls");
      assertThat(events(service)).contains("called");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Throwing", "Looping", "Forgetting", "Twice", "Unbounded"})
  void aSchedulerThatFailsHarmsItsDomainAlone(String scheduler) throws Exception {
    try (Domain domain = Domain.create(config(scheduler));
        Domain neighbour = Guests.domain()) {
      Thread waits = domain.serviceThread("waits", () -> LockSupport.parkNanos(1_000));
      waits.start();
      for (int i = 0; i < 50; i++) {
        Thread polite = neighbour.serviceThread("polite", () -> LockSupport.parkNanos(1_000));
        polite.start();
        assertThat(polite.join(LONG)).isTrue();
      }
      if (Set.of("Throwing", "Twice", "Unbounded").contains(scheduler)) {
        Await.until("its end", () -> !domain.alive());
        assertThat(domain.endReason()).startsWith("its scheduler failed: ");
      }
      domain.kill();
      assertThat(domain.awaitEnd(LONG)).isTrue();
    }
  }

  /// Checks `preempted`, during which the domain may exceed its budget.
  @Test
  void gatesDoNotHoldACarrier() throws Exception {
    Throttle throttle = new Throttle();
    throttle.close(true);
    try (Carriers carriers = new Carriers("held", 1)) {
      CountDownLatch passed = new CountDownLatch(1);
      carriers
          .queue("test", QueueTerms.DEFAULT, problem -> {})
          .execute(() -> {
            throttle.run();
            passed.countDown();
          });
      assertThat(passed.await(10, TimeUnit.SECONDS)).isTrue();
    } finally {
      throttle.close(false);
    }
  }

  @Test
  void whatIsWrongIsSaid() throws Exception {
    assertThat(reason("Unbounded"))
        .contains("the verifier finds no bound for ", "Unbounded.preempted, line ", "Fix:");
    assertThat(reason("Twice")).contains("cannot run. Why: it is not ready");
    assertThat(reason("Turns")).contains("is no scheduler. Why: it does not implement ");
    assertThat(reason("Nothing")).contains("ClassNotFoundException");
  }

  private static String reason(String scheduler) throws Exception {
    try (Domain domain = Domain.create(config(scheduler))) {
      try {
        domain.serviceThread("waits", () -> LockSupport.parkNanos(1_000)).start();
      } catch (DomainEnded e) {
        // The scheduler could not be created.
      }
      Await.until("its end", () -> !domain.alive());
      assertThat(domain.awaitEnd(LONG)).isTrue();
      return domain.endReason();
    }
  }
}
