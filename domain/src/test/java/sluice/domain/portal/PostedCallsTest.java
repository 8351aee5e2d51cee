package sluice.domain.portal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.domain.portal.PostedCalls.Posted;
import sluice.domain.portal.copy.CopyQuota;
import sluice.sys.threads.Uninterrupted;
import sluice.testbase.Await;

/// Tests of posted calls: bounds, one wake-up for many calls, late calls, ends.
@Timeout(200)
final class PostedCallsTest {
  private static final int THREADS = 3;
  private static final int EACH = 20_000;
  private static final int LATE_CALLS = 4_000;

  private final PlainParty server =
      new PlainParty("server", PostedCallsTest.class.getClassLoader(), CopyQuota.STANDARD);

  /// Adds its outcome to a queue.
  private static final class Told extends PostedCall<String> {
    private final Callable<String> work;
    private final BlockingQueue<String> told;

    Told(Callable<String> work, BlockingQueue<String> told) {
      this.work = work;
      this.told = told;
    }

    @Override
    protected String perform() throws Exception {
      return work.call();
    }

    @Override
    protected String failed(Throwable thrown) {
      return "threw " + thrown.getMessage();
    }

    @Override
    protected String unserved(RuntimeException why) {
      return "unserved " + why.getMessage();
    }

    @Override
    protected void settled(String known) {
      told.add(known);
    }
  }

  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

  private Told call(Callable<String> work) {
    return new Told(work, told);
  }

  private static void post(PostedCalls calls, Told call) {
    assertThat(calls.post(call)).isEqualTo(Posted.TAKEN);
    calls.wake();
  }

  private @Nullable String next() throws InterruptedException {
    return told.poll(Await.SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void oneWakeUpIsForAllThatIsPostedBefore() throws Exception {
    PostedCalls calls = new PostedCalls(server, "one", 4, 16);
    for (int i = 0; i < 10; i++) {
      String name = String.valueOf(i);
      assertThat(calls.post(call(() -> name))).isEqualTo(Posted.TAKEN);
    }
    assertThat(told).isEmpty();
    calls.wake();
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      all.add(next());
    }
    assertThat(all).containsExactlyInAnyOrder("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
  }

  @Test
  void aCallThatWaitsHoldsUpNoOther() throws Exception {
    PostedCalls calls = new PostedCalls(server, "wait", 4, 16);
    CyclicBarrier together = new CyclicBarrier(4);
    for (int i = 0; i < 4; i++) {
      Posted _ = calls.post(call(() -> "met " + (together.await() >= 0)));
    }
    calls.wake();
    for (int i = 0; i < 4; i++) {
      assertThat(next()).isEqualTo("met true");
    }
  }

  @Test
  void thereAreAsManyAtOnceAsDeclaredAndAsManyThatWait() throws Exception {
    PostedCalls calls = new PostedCalls(server, "bound", 2, 3);
    CountDownLatch gate = new CountDownLatch(1);
    AtomicInteger running = new AtomicInteger();
    Callable<String> work =
        () -> {
          int now = running.incrementAndGet();
          gate.await();
          running.decrementAndGet();
          return now <= 2 ? "fine" : "too many";
        };
    for (int i = 0; i < 5; i++) {
      post(calls, call(work));
    }
    Await.until("two calls", () -> running.get() == 2);
    assertThat(calls.post(call(work))).isEqualTo(Posted.FULL);
    assertThat(calls.load()).isEqualTo("2 calls run, 0 of them too long, and 3 wait");
    gate.countDown();
    for (int i = 0; i < 5; i++) {
      assertThat(next()).isEqualTo("fine");
    }
    PostedCalls strict = new PostedCalls(server, "strict", 1, 0);
    for (int i = 0; i < 1000; i++) { // the place is free when its outcome is told
      post(strict, call(() -> "one"));
      assertThat(next()).isEqualTo("one");
    }
  }

  @Test
  void aLateCallKeepsItsPlaceUntilItsThreadIsBack() throws Exception {
    PostedCalls calls = new PostedCalls(server, "late", 1, 1);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    AtomicInteger interrupts = new AtomicInteger();
    Told stubborn =
        call(() -> {
          begun.countDown();
          while (gate.getCount() > 0) {
            try {
              gate.await();
            } catch (InterruptedException e) {
              interrupts.incrementAndGet();
            }
          }
          return "too late";
        });
    post(calls, stubborn);
    begun.await();
    Told waits = call(() -> "not run");
    post(calls, waits);
    assertThat(stubborn.settleAs("late")).isTrue();
    assertThat(waits.settleAs("withdrawn")).isTrue();
    assertThat(waits.settleAs("again")).isFalse();
    assertThat(List.of(String.valueOf(next()), String.valueOf(next())))
        .containsExactly("late", "withdrawn");
    Await.until("the interrupt", () -> interrupts.get() == 1);
    assertThat(stubborn.isStillRunning()).isTrue();
    assertThat(waits.isStillRunning()).isFalse();
    assertThat(calls.load()).isEqualTo("1 calls run, 1 of them too long, and 0 wait");
    post(calls, call(() -> Thread.interrupted() ? "interrupted" : "next"));
    assertThat(calls.post(call(() -> ""))).isEqualTo(Posted.FULL);
    gate.countDown();
    assertThat(next()).isEqualTo("next");
    assertThat(stubborn.isStillRunning()).isFalse();
    assertThat(told).isEmpty();
  }

  @Test
  void whatIsOpenAtTheEndIsTold() throws Exception {
    PostedCalls calls = new PostedCalls(server, "end", 1, 8);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    post(
        calls,
        call(() -> {
          begun.countDown();
          Uninterrupted.await(gate::await);
          return "too late";
        }));
    begun.await();
    post(calls, call(() -> "not run"));
    server.end();
    assertThat(next()).isEqualTo("unserved party server ended");
    assertThat(next()).isEqualTo("unserved party server ended");
    assertThat(calls.post(call(() -> ""))).isEqualTo(Posted.ENDED);
    assertThat(calls.retire(1)).as("a thread is in a call").isFalse();
    gate.countDown();
  }

  @Test
  void aRetiredServiceEndsItsCallsAndTakesNoMore() throws Exception {
    PostedCalls calls = new PostedCalls(server, "retire", 2, 8);
    CountDownLatch gate = new CountDownLatch(1);
    for (int i = 0; i < 4; i++) {
      post(
          calls,
          call(() -> {
            gate.await();
            return "done";
          }));
    }
    assertThat(calls.retire(1_000_000)).isFalse();
    assertThat(calls.post(call(() -> ""))).isEqualTo(Posted.RETIRED);
    gate.countDown();
    assertThat(calls.retire(TimeUnit.SECONDS.toNanos(Await.SECONDS))).isTrue();
    for (int i = 0; i < 4; i++) {
      assertThat(next()).isEqualTo("done");
    }
    PostedCalls idle = new PostedCalls(server, "idle", 2, 8);
    assertThat(idle.retire(1)).isTrue();
  }

  @Test
  void whatACallThrowsIsTold() throws Exception {
    PostedCalls calls = new PostedCalls(server, "throw", 1, 8);
    post(
        calls,
        call(() -> {
          throw new IllegalStateException("out of luck");
        }));
    assertThat(next()).isEqualTo("threw out of luck");
    post(calls, call(() -> "goes on"));
    assertThat(next()).isEqualTo("goes on");
  }

  /// A party without threads.
  private record Poor() implements Party {
    @Override
    public String name() {
      return "poor";
    }

    @Override
    public ClassLoader loader() {
      return PostedCallsTest.class.getClassLoader();
    }

    @Override
    public boolean alive() {
      return true;
    }

    @Override
    public void onEnd(Runnable task) {}

    @Override
    public Thread serviceThread(String name, Runnable task) {
      throw new IllegalStateException("no thread");
    }
  }

  @Test
  void withoutAThreadCallsAreToldSo() throws Exception {
    PostedCalls calls = new PostedCalls(new Poor(), "poor", 1, 1);
    for (int i = 0; i < 5; i++) { // and keep no places
      post(calls, call(() -> "not run"));
      assertThat(next()).isEqualTo("unserved no thread");
    }
  }

  @Test
  void noCallIsLost() throws Exception {
    PostedCalls calls = new PostedCalls(server, "many", 4, 60);
    AtomicInteger refused = new AtomicInteger();
    List<Thread> posting = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      long seed = i;
      posting.add(
          Thread.ofPlatform()
              .start(() -> {
                SplittableRandom random = new SplittableRandom(seed);
                for (int each = 0; each < EACH; each++) {
                  long nanos = random.nextInt(8) == 0 ? random.nextLong(20_000) : 0;
                  Told call =
                      call(() -> {
                        LockSupport.parkNanos(nanos);
                        return "told";
                      });
                  Posted posted = calls.post(call);
                  if (posted == Posted.FULL) {
                    refused.incrementAndGet();
                    LockSupport.parkNanos(100_000);
                  } else if (random.nextInt(4) == 0) {
                    calls.wake();
                  }
                  if (random.nextInt(16) == 0) {
                    boolean _ = call.isSettled() || posted == Posted.FULL || call.settleAs("late");
                  }
                }
              }));
    }
    for (Thread each : posting) {
      each.join();
    }
    calls.wake();
    Await.until(
        "all that was taken to be told", () -> told.size() == THREADS * EACH - refused.get());
    assertThat(calls.retire(TimeUnit.SECONDS.toNanos(Await.SECONDS))).isTrue();
    assertThat(told).hasSize(THREADS * EACH - refused.get()).contains("told", "late");
  }

  @Test
  void aLateInterruptReachesNoOtherCall() throws Exception {
    int late = 0;
    int wrong = 0;
    try (ExecutorService others =
        Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      PostedCalls calls = new PostedCalls(new LateParty(others, new AtomicLong()), "probe", 1, 8);
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 0; i < LATE_CALLS; i++) {
        Told call =
            call(() -> {
              boolean found = Thread.interrupted();
              LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(40_000));
              return found ? "wrong" : "fine";
            });
        Posted posted = calls.post(call);
        calls.wake();
        LockSupport.parkNanos(random.nextLong(80_000));
        boolean _ = posted == Posted.FULL || call.settleAs("late");
        if (posted != Posted.FULL) {
          String known = String.valueOf(next());
          late += known.equals("late") ? 1 : 0;
          wrong += known.equals("wrong") ? 1 : 0;
        }
      }
    }
    assertThat(wrong).as("calls that another's interrupt reached").isZero();
    assertThat(late).as("calls that were interrupted").isPositive();
  }
}
