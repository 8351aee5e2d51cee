package sluice.domain.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.domain.portal.copy.CopyQuota;
import sluice.testbase.Await;

/// Tests of services that run several calls at once.
@Timeout(60)
final class SeveralCallsPortalTest {
  private static final ClassLoader SHARED = SeveralCallsPortalTest.class.getClassLoader();
  private static final int CALLS = 3;

  /// A service for the tests.
  public interface Meeting {
    /// Waits until so many calls have arrived.
    void meet() throws Exception;

    /// Waits for the gate.
    int pass(int number) throws InterruptedException;
  }

  private static final class Place implements Meeting {
    final CyclicBarrier barrier = new CyclicBarrier(CALLS);
    final CountDownLatch gate = new CountDownLatch(1);
    private int now;
    private int most;

    @Override
    public void meet() throws Exception {
      barrier.await();
    }

    @Override
    public int pass(int number) throws InterruptedException {
      count(1);
      gate.await();
      count(-1);
      return number;
    }

    private synchronized void count(int change) {
      now += change;
      most = Math.max(most, now);
    }

    synchronized int now() {
      return now;
    }

    synchronized int most() {
      return most;
    }
  }

  private final PlainParty server = new PlainParty("server", SHARED, CopyQuota.STANDARD);
  private final PlainParty client = new PlainParty("client", SHARED, CopyQuota.STANDARD);
  private final Portals portals = new Portals(CallPath.SERVICE);
  private final Place place = new Place();

  private Meeting portal(int calls) {
    portals.register(server, "place", Meeting.class, place, CallPath.SERVICE, calls);
    return portals.lookup(client, "place", Meeting.class).orElseThrow();
  }

  private static FutureTask<Integer> start(Meeting portal, int number) {
    FutureTask<Integer> task = new FutureTask<>(() -> portal.pass(number));
    Thread.ofVirtual().start(task);
    return task;
  }

  @Test
  void asManyRunAtOnceAsAreDeclaredAndOthersWait() throws Exception {
    Meeting portal = portal(CALLS);
    List<FutureTask<Integer>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.add(start(portal, i));
    }
    Await.until("calls to run", () -> place.now() == CALLS);
    Thread.sleep(20);
    place.gate.countDown();
    for (int i = 0; i < 20; i++) {
      assertThat(all.get(i).get()).isEqualTo(i);
    }
    assertThat(place.most()).isEqualTo(CALLS);
  }

  @Test
  void callsThatWaitForEachOtherEnd() throws Exception {
    Meeting portal = portal(CALLS);
    for (int round = 0; round < 200; round++) {
      List<FutureTask<Boolean>> all = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        FutureTask<Boolean> task =
            new FutureTask<>(() -> {
              portal.meet();
              return true;
            });
        all.add(task);
        Thread.ofVirtual().start(task);
      }
      for (FutureTask<Boolean> each : all) {
        assertThat(each.get(20, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  @Test
  void manyCallersOfFewThreadsAreAllAnswered() throws Exception {
    place.gate.countDown();
    Meeting portal = portal(2);
    List<FutureTask<Integer>> callers = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      FutureTask<Integer> caller =
          new FutureTask<>(() -> {
            int sum = 0;
            for (int call = 0; call < 1_000; call++) {
              sum += portal.pass(1);
            }
            return sum;
          });
      callers.add(caller);
      (i % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform()).start(caller);
    }
    for (FutureTask<Integer> each : callers) {
      assertThat(each.get()).isEqualTo(1_000);
    }
    assertThat(place.most()).isLessThanOrEqualTo(2);
  }

  @Test
  void revokingEndsCallsThatRunAndCallsThatWait() throws Exception {
    Meeting portal = portal(2);
    List<FutureTask<Integer>> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      all.add(start(portal, i));
    }
    Await.until("calls to run", () -> place.now() == 2);
    portals.revoke(server, place);
    for (FutureTask<Integer> each : all) {
      assertThatThrownBy(() -> each.get(20, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(PortalRevoked.class);
    }
  }

  @Test
  void aSuccessorRunsAsManyAtOnce() throws Exception {
    Meeting portal = portal(CALLS);
    FutureTask<Integer> old = start(portal, 7);
    Await.until("the call to run", () -> place.now() == 1);
    Place next = new Place();
    PlainParty successor = new PlainParty("successor", SHARED, CopyQuota.STANDARD);
    portals.replace(server, successor, Map.of(place, next));
    List<FutureTask<Integer>> all = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      all.add(start(portal, i));
    }
    Await.until("calls to run", () -> next.now() == CALLS);
    place.gate.countDown();
    next.gate.countDown();
    for (int i = 0; i < CALLS; i++) {
      assertThat(all.get(i).get()).isEqualTo(i);
    }
    assertThat(old.get()).isEqualTo(7);
  }

  @Test
  void lessThanOneCallIsRefused() {
    assertThatThrownBy(() -> portal(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
