package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.memory.View;

/// A deadline fires once, never before its time, and in the first advance that is a tick past it.
class TimerWheelTest {
  private static final long TICK = 1L << TimerWheel.TICK_SHIFT;
  private static final long ROUND = 1024 * TICK;

  private final List<Connection> fired = new ArrayList<>();
  private final List<Connection> opened = new ArrayList<>();
  private Runnable onFire = () -> {};
  private LoopRig rig;
  private TimerWheel wheel = new TimerWheel(0);

  @BeforeEach
  void open() throws IOException {
    rig =
        new LoopRig(
            new Protocol() {
              @Override
              public int received(Connection connection, View input) {
                return input.length();
              }

              @Override
              public void timedOut(Connection connection) {
                fired.add(connection);
                onFire.run();
              }
            });
  }

  /// The loop has a wheel of its own, on which these connections never were.
  @AfterEach
  void close() {
    opened.forEach(wheel::cancel);
    rig.close();
  }

  private Connection connection() {
    Connection connection = rig.open();
    opened.add(connection);
    return connection;
  }

  private List<Connection> advance(long nanos) {
    fired.clear();
    wheel.advance(nanos);
    return List.copyOf(fired);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 5 * TICK + 77, -3 * ROUND - 12_345, Long.MAX_VALUE / 2})
  void firesWithinATickOfItsDeadlineAndOnce(long start) {
    wheel = new TimerWheel(start);
    Connection connection = connection();
    for (long delay : new long[] {1, TICK - 1, TICK, TICK + 1, 10 * TICK, ROUND, 7 * ROUND + 1}) {
      wheel = new TimerWheel(start);
      wheel.schedule(connection, start + delay);
      assertThat(wheel.count()).isEqualTo(1);
      for (long now = start; now < start + delay; now += Math.max(1, delay / 5)) {
        assertThat(advance(now)).isEmpty();
      }
      assertThat(advance(start + delay - 1)).isEmpty();
      assertThat(advance(start + delay + TICK)).containsExactly(connection);
      assertThat(wheel.count()).isZero();
      assertThat(advance(start + delay + 3 * ROUND)).isEmpty();
      assertThat(wheel.untilNextTick(start + delay + 3 * ROUND)).isEqualTo(-1);
    }
  }

  @Test
  void firesAllOfALongSleepAtOnce() {
    List<Connection> connections = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      connections.add(connection());
      wheel.schedule(connections.get(i), i * (ROUND / 3) + 5);
    }
    assertThat(advance(20 * ROUND)).containsExactlyInAnyOrderElementsOf(connections);
    assertThat(wheel.count()).isZero();
  }

  @Test
  void wrapsWithoutFiringWhatIsARoundLater() {
    Connection soon = connection();
    Connection later = connection();
    wheel.schedule(soon, 5 * TICK);
    wheel.schedule(later, 5 * TICK + 2 * ROUND);
    assertThat(advance(6 * TICK)).containsExactly(soon);
    assertThat(advance(ROUND + 6 * TICK)).isEmpty();
    assertThat(advance(2 * ROUND + 5 * TICK - 1)).isEmpty();
    assertThat(advance(2 * ROUND + 6 * TICK)).containsExactly(later);
  }

  @Test
  void movesFartherAndNearer() {
    Connection connection = connection();
    wheel.schedule(connection, 10 * TICK);
    wheel.schedule(connection, 100 * TICK);
    assertThat(wheel.count()).isEqualTo(1);
    assertThat(advance(50 * TICK)).isEmpty();
    wheel.schedule(connection, 60 * TICK);
    assertThat(advance(59 * TICK)).isEmpty();
    assertThat(advance(61 * TICK)).containsExactly(connection);
    assertThat(advance(200 * TICK)).isEmpty();
  }

  /// Far, then nearer than where it was parked, then farther again.
  @Test
  void movesAcrossTheWheelsEdge() {
    Connection connection = connection();
    wheel.schedule(connection, 5 * ROUND);
    wheel.schedule(connection, 2 * ROUND);
    wheel.schedule(connection, 3 * TICK);
    wheel.schedule(connection, ROUND + 3 * TICK);
    assertThat(advance(4 * TICK)).isEmpty();
    assertThat(advance(ROUND)).isEmpty();
    assertThat(advance(ROUND + 4 * TICK)).containsExactly(connection);
  }

  @Test
  void cancelledDoesNotFire() {
    Connection first = connection();
    Connection second = connection();
    Connection third = connection();
    for (Connection each : List.of(first, second, third)) {
      wheel.schedule(each, 5 * TICK);
    }
    wheel.cancel(second);
    wheel.cancel(second);
    assertThat(advance(7 * TICK)).containsExactlyInAnyOrder(first, third);
    wheel.cancel(first);
    assertThat(wheel.count()).isZero();
  }

  /// What fires may move itself, and cancel others that are due in the same tick.
  @Test
  void firingMayChangeTheWheel() {
    Connection first = connection();
    Connection second = connection();
    wheel.schedule(first, 5 * TICK);
    wheel.schedule(second, 5 * TICK);
    onFire =
        () -> {
          Connection just = fired.getLast();
          wheel.cancel(just == first ? second : first);
          wheel.schedule(just, 8 * TICK);
        };
    assertThat(advance(6 * TICK)).hasSize(1);
    Connection survivor = fired.getFirst();
    onFire = () -> {};
    assertThat(advance(8 * TICK - 1)).isEmpty();
    assertThat(advance(9 * TICK)).containsExactly(survivor);
    assertThat(wheel.count()).isZero();
  }

  @Test
  void deadlineThatHasPassedFiresNextTick() {
    wheel = new TimerWheel(100 * TICK);
    Connection connection = connection();
    wheel.schedule(connection, 3 * TICK);
    assertThat(wheel.untilNextTick(100 * TICK)).isBetween(1L, TICK);
    assertThat(advance(101 * TICK)).containsExactly(connection);
  }

  /// Against a model: random deadlines, moves, cancellations, short steps and long jumps.
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void agreesWithAModel(long seed) {
    Random random = new Random(seed);
    long now = random.nextLong() >> 8;
    wheel = new TimerWheel(now);
    List<Connection> connections = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      connections.add(connection());
    }
    Map<Connection, Long> model = new HashMap<>();
    for (int step = 0; step < 20_000; step++) {
      Connection connection = connections.get(random.nextInt(connections.size()));
      int choice = random.nextInt(10);
      if (choice < 6) {
        long deadline = now + delay(random) - TICK;
        wheel.schedule(connection, deadline);
        model.put(connection, Math.max(deadline, now)); // what is late fires in the next tick
      } else if (choice == 6) {
        wheel.cancel(connection);
        model.remove(connection);
      } else {
        checkWait(now, model);
        now += delay(random);
        checkFired(advance(now), now, model);
      }
      assertThat(wheel.count()).isEqualTo(model.size());
    }
  }

  private static long delay(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextLong(TICK);
      case 1 -> random.nextLong(20 * TICK);
      case 2 -> random.nextLong(2 * ROUND);
      default -> random.nextLong(10 * ROUND);
    };
  }

  private static void checkFired(List<Connection> fired, long now, Map<Connection, Long> model) {
    assertThat(fired).doesNotHaveDuplicates();
    for (Connection each : fired) {
      Long deadline = model.remove(each);
      assertThat(deadline).isNotNull().isLessThanOrEqualTo(now);
    }
    assertThat(model.values())
        .allMatch(deadline -> now >> TimerWheel.TICK_SHIFT <= deadline >> TimerWheel.TICK_SHIFT);
  }

  /// A loop that sleeps as long as it is told misses nothing by more than a tick, and does not
  /// spin.
  private void checkWait(long now, Map<Connection, Long> model) {
    long wait = wheel.untilNextTick(now);
    if (model.isEmpty()) {
      assertThat(wheel.count()).isZero();
      assertThat(wait).isEqualTo(-1);
      return;
    }
    long first = model.values().stream().mapToLong(Long::longValue).min().orElseThrow();
    long latest = Math.max(now, first) + TICK;
    assertThat(now + wait).isGreaterThan(now).isLessThanOrEqualTo(latest);
  }
}
