package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.memory.View;
import sluice.sys.Errno;
import sluice.sys.ResourceLimit;

/// Accepting when descriptors are short, or seem to be.
final class AcceptorTest {
  private static final byte[] BEGUN = {2};

  private final List<Connection> refused = new ArrayList<>();
  private boolean waits;
  private final LoopRig rig = new LoopRig(new Idling(), LoopRig.CONFIG);
  private final LoopRig other = new LoopRig(new Idling(), LoopRig.CONFIG);
  private final int limit = limit();

  AcceptorTest() throws IOException {}

  private static int limit() throws IOException {
    long soft = ResourceLimit.of(ResourceLimit.RLIMIT_NOFILE).soft();
    return (int) Math.min(soft < 0 ? Integer.MAX_VALUE : soft, Integer.MAX_VALUE);
  }

  /// Idle until something comes; takes nothing.
  private final class Idling implements Protocol {
    @Override
    public void opened(Connection connection) {
      connection.idle();
    }

    @Override
    public void overloaded(Connection connection) {
      refused.add(connection);
      connection.abort();
    }

    @Override
    public boolean waitsForPlace() {
      return waits;
    }

    @Override
    public int received(Connection connection, View input) {
      return 0;
    }
  }

  @AfterEach
  void close() {
    rig.turns(5);
    rig.close();
    other.turns(5);
    other.close();
  }

  /// So many descriptors are open above those for connections: few, so that a client may be
  /// refused.
  private void runShort(int above) {
    assumeTrue(limit < Integer.MAX_VALUE, "needs a limit of descriptors");
    rig.engine.descriptors(limit - 8 + above);
  }

  private void keepBusy(LoopRig in) {
    Connection connection = in.open();
    in.engine.arrive(connection.socket, BEGUN);
    in.turns(2);
  }

  /// Without what goes to the slow path.
  private void pass(long nanos) {
    rig.nanos += nanos;
    rig.loop.turn(0);
    rig.loop.turn(0);
  }

  @Test
  void oneFailedAcceptEndsNoConnection() {
    Connection first = rig.open();
    for (int errno : new int[] {Errno.EMFILE, Errno.ENFILE}) {
      rig.turns(1);
      rig.engine.failAccept(errno);
      rig.turns(2);
      rig.engine.dial();
      rig.turns(2);
    }
    assertThat(first.isOpen()).isTrue();
    assertThat(refused).isEmpty();
    assertThat(rig.loop.connectionCount()).isEqualTo(3);
    assertThat(rig.loop.counters().idleEvictions).isZero();
  }

  @Test
  void manyFailedAcceptsWithDescriptorsLeftEndNoneAndDoNotSpin() {
    Connection first = rig.open();
    for (int i = 0; i < 20; i++) {
      rig.engine.failAccept(Errno.EMFILE);
      rig.nanos += 1_000;
      rig.turns(2);
    }
    assertThat(first.isOpen()).isTrue();
    rig.turns(2);
    rig.loop.turn(-1);
    assertThat(rig.engine.latestWaitNanos()).as("waits for the retry").isNotZero();
    rig.nanos += 200_000_000L;
    rig.turns(2);
    rig.engine.dial();
    rig.turns(2);
    assertThat(rig.loop.connectionCount()).isEqualTo(2);
  }

  @Test
  void withoutOneDescriptorTheLongestIdleGoes() {
    Connection first = rig.open();
    rig.turns(1);
    Connection second = rig.open();
    rig.turns(1);
    rig.engine.reserve(false);
    rig.engine.failAccept(Errno.EMFILE);
    rig.turns(3);
    assertThat(first.finished()).isTrue();
    assertThat(second.isOpen()).isTrue();
  }

  @Test
  void anotherLoopMakesRoom() {
    rig.loop.borrowDescriptorsFrom(List.of(other.loop));
    keepBusy(rig);
    Connection first = other.open();
    other.turns(1);
    Connection second = other.open();
    other.turns(1);
    runShort(1);
    rig.engine.dial();
    rig.turns(2);
    assertThat(rig.loop.connectionCount()).as("it has a place").isEqualTo(2);
    assertThat(first.isOpen()).as("until its own loop has turned").isTrue();
    other.turns(3);
    assertThat(first.finished()).isTrue();
    assertThat(second.isOpen()).isTrue();
    rig.turns(1);
    assertThat(refused).isEmpty();
  }

  /// Counted as files, they would leave the fewest that are possible for files and logs.
  @Test
  void connectionsOfOtherLoopsAreNotFiles() {
    rig.loop.borrowDescriptorsFrom(List.of(other.loop));
    keepBusy(rig);
    Connection first = other.open();
    for (int i = 1; i < 90; i++) {
      other.open();
    }
    runShort(0); // an eighth of what files leave is 12
    rig.engine.dial();
    rig.turns(2);
    other.turns(3);
    assertThat(first.finished()).as("it makes room").isTrue();
    assertThat(refused).isEmpty();
  }

  @Test
  void withNoneIdleInAnyLoopTheNewClientIsRefused() {
    rig.loop.borrowDescriptorsFrom(List.of(other.loop));
    keepBusy(rig);
    keepBusy(other);
    runShort(1);
    rig.engine.dial();
    rig.turns(2);
    assertThat(refused).hasSize(1);
    assertThat(other.loop.connectionCount()).isEqualTo(1);
  }

  @Test
  void aLoopThatHasEndedLendsOnlyForAWhile() {
    rig.loop.borrowDescriptorsFrom(List.of(other.loop));
    keepBusy(rig);
    other.open();
    runShort(1);
    int placed = rig.engine.dial();
    rig.turns(2);
    assertThat(refused).isEmpty();
    rig.engine.arrive(placed, BEGUN);
    rig.turns(2);
    runShort(2);
    rig.engine.dial();
    rig.turns(2);
    assertThat(refused).as("it has one idle connection, and was asked for it").hasSize(1);
  }

  @Test
  void clientsThatMayWaitAreNotRefused() {
    waits = true;
    keepBusy(rig);
    runShort(1);
    int kept = rig.engine.dial();
    rig.turns(2);
    rig.engine.arrive(kept, BEGUN);
    rig.turns(2);
    assertThat(rig.loop.connectionCount()).as("what was accepted is served").isEqualTo(2);
    assertThat(rig.engine.accepts()).as("and no more is").isFalse();
    for (int i = 0; i < 5; i++) {
      pass(200_000_000L);
    }
    assertThat(rig.slow).as("one line").hasSize(1);
    rig.engine.descriptors(1);
    pass(200_000_000L);
    assertThat(rig.engine.accepts()).isTrue();
    assertThat(rig.slow).hasSize(1);
    pass(2_000_000_000L);
    assertThat(rig.slow).as("and one when it accepts again").hasSize(2);
    assertThat(refused).isEmpty();
  }
}
