package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static sluice.testkit.PollerContractRig.IN;
import static sluice.testkit.PollerContractRig.SECONDS;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import sluice.loop.poller.Poller;
import sluice.loop.poller.PollerEvents;
import sluice.testbase.Await;
import sluice.testkit.PollerContractRig.Member;

/// Tests of several threads that use one poller, for worlds with real threads.
interface PollerContractThreads {
  PollerContractRig rig();

  /// Starts a thread that waits without limit until `done`, and counts reports.
  private Thread waiter(AtomicBoolean done, AtomicInteger reports) {
    PollerEvents events = new PollerEvents(16);
    return Thread.ofPlatform()
        .name("waiter")
        .start(() -> {
          while (!done.get()) {
            reports.addAndGet(rig().poller.await(events, 16, -1));
          }
        });
  }

  private static void awaitBlocked(Thread thread) throws InterruptedException {
    // A thread in a system call is RUNNABLE; it is only visible that it is alive.
    for (int i = 0; i < 20 && thread.isAlive(); i++) {
      TimeUnit.MILLISECONDS.sleep(2);
    }
  }

  @Test
  default void nobodyBlocksBehindTheOneThatWaits() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    AtomicInteger reports = new AtomicInteger();
    Thread waiter = waiter(done, reports);
    awaitBlocked(waiter);
    for (int i = 0; i < 200; i++) { // would hang forever
      Member member = rig().member(IN);
      rig().poller.disable(member.handle());
      rig().poller.enable(member.handle());
      rig().poller.modify(member.handle(), 0);
      rig().poller.remove(member.handle());
      member.subject().close();
    }
    done.set(true);
    rig().poller.wakeup();
    waiter.join();
    assertThat(reports.get()).isZero();
  }

  @Test
  default void onlyOneThreadAwaitsAtATime() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    Thread waiter =
        Thread.ofPlatform()
            .start(() -> {
              PollerEvents own = new PollerEvents(1);
              while (!done.get()) {
                try {
                  rig().poller.await(own, 1, -1);
                } catch (IllegalStateException otherWasFirst) {
                  LockSupport.parkNanos(1); // there may be only one processor
                }
              }
            });
    PollerEvents events = new PollerEvents(1);
    long end = System.nanoTime() + 30 * SECONDS;
    Throwable refused = null;
    while (refused == null && System.nanoTime() < end) {
      try {
        rig().poller.await(events, 1, 0);
      } catch (IllegalStateException e) {
        refused = e;
      }
    }
    assertThat(refused).hasMessageContaining("one thread at a time");
    done.set(true);
    rig().poller.wakeup();
    waiter.join();
    assertThat(rig().now()).isEmpty();
  }

  /// Checks threads that wait one after the other, each ending before the next one: what the first
  /// one armed must not be lost.
  @Test
  default void anyThreadAwaitsAfterAnother() throws Exception {
    Member member = rig().member(IN);
    Member once = rig().member(IN | Poller.AUTO_DISABLE);
    List<String> seen = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      PollerEvents events = new PollerEvents(8);
      Thread.Builder builder = i % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
      builder.start(() -> rig().poller.await(events, 8, 1_000_000)).join(); // arms, then ends
      rig().poller.enable(once.handle());
      member.readable(true);
      once.readable(true);
      Thread other =
          builder.start(() -> {
            int count = 0;
            while (count < 2) {
              count += rig().poller.await(events, 8, 30 * SECONDS);
              for (int k = 0; k < events.count(); k++) {
                if (events.handle(k) == member.handle()) {
                  rig().poller.disable(member.handle());
                }
              }
            }
            seen.add("both");
          });
      other.join();
      member.readable(false);
      once.readable(false);
      rig().poller.enable(member.handle());
      assertThat(rig().now()).isEmpty();
    }
    assertThat(seen).hasSize(6);
  }

  @Test
  default void closeEndsAWait() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    AtomicInteger result = new AtomicInteger(-1);
    PollerEvents events = new PollerEvents(1);
    Thread waiter =
        Thread.ofPlatform()
            .start(() -> {
              begun.countDown();
              try {
                result.set(rig().poller.await(events, 1, -1));
              } catch (IllegalStateException closedBefore) {
                result.set(0);
              }
            });
    begun.await();
    awaitBlocked(waiter);
    rig().poller.close();
    waiter.join();
    assertThat(result.get()).isZero();
    assertThatThrownBy(() -> rig().poller.await(events, 1, 0)).hasMessageContaining("closed");
  }

  /// Checks that every wake-up ends a wait, whenever it comes.
  @Test
  default void noWakeupIsLost() throws Exception {
    AtomicInteger waits = new AtomicInteger();
    int rounds = 2_000;
    PollerEvents events = new PollerEvents(1);
    Thread waiter =
        Thread.ofPlatform()
            .start(() -> {
              for (int i = 0; i < rounds; i++) {
                rig().poller.await(events, 1, -1);
                waits.incrementAndGet();
              }
            });
    for (int i = 0; i < rounds; i++) {
      rig().poller.wakeup();
      Await await = new Await();
      while (waits.get() <= i) {
        await.check("the end of wait " + i);
        LockSupport.parkNanos(1); // there may be only one processor
      }
    }
    waiter.join();
    assertThat(waits.get()).isEqualTo(rounds);
  }

  /// Checks threads that add, toggle and remove their own entries while another one waits: each
  /// event reaches the right thread, and no thread waits forever.
  @Test
  default void changesFromManyThreadsDuringWaits() throws Exception {
    int workers = 4;
    int rounds = 300;
    AtomicBoolean done = new AtomicBoolean();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    var delivered = new ConcurrentHashMap<Long, Integer>();
    PollerEvents events = new PollerEvents(3);
    Thread waiter =
        Thread.ofPlatform()
            .start(() -> {
              while (!done.get()) {
                int count = rig().poller.await(events, 3, -1);
                for (int i = 0; i < count; i++) {
                  delivered.merge(events.handle(i), 1, Integer::sum);
                }
              }
            });
    List<PollerContractWorld.Subject> subjects = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      subjects.add(rig().world.subject());
    }
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      var subject = subjects.get(i);
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  for (int round = 0; round < rounds; round++) {
                    onceThrough(subject, delivered, round);
                  }
                } catch (Throwable e) { // reported below, on the test's thread
                  failure.compareAndSet(null, e);
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    done.set(true);
    rig().poller.wakeup();
    waiter.join();
    assertThat(failure.get()).isNull();
    assertThat(rig().poller.size()).isZero();
  }

  private void onceThrough(
      PollerContractWorld.Subject subject, Map<Long, Integer> delivered, int round)
      throws IOException {
    subject.readable(round % 2 == 0);
    Poller poller = rig().poller;
    long handle = poller.add(subject.fd(), IN | Poller.AUTO_DISABLE);
    subject.readable(true);
    awaitReports(delivered, handle, 1);
    poller.enable(handle);
    awaitReports(delivered, handle, 2);
    poller.modify(handle, IN | Poller.AUTO_DISABLE);
    poller.disable(handle);
    poller.enable(handle);
    awaitReports(delivered, handle, 3);
    poller.remove(handle);
    if (delivered.getOrDefault(handle, 0) != 3) {
      throw new AssertionError("reported " + delivered.get(handle) + " times, three were due");
    }
    subject.readable(false);
  }

  private static void awaitReports(Map<Long, Integer> delivered, long handle, int wanted) {
    long end = System.nanoTime() + 60 * SECONDS;
    while (delivered.getOrDefault(handle, 0) < wanted) {
      if (System.nanoTime() > end) {
        throw new AssertionError("report " + wanted + " of " + handle + " never came");
      }
      LockSupport.parkNanos(1); // there may be only one processor
    }
  }
}
