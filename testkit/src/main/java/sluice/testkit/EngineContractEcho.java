package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import sluice.loop.engine.Completion;
import sluice.loop.engine.CompletionSink;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.Transport;
import sluice.testbase.AllocatedBytes;
import sluice.testbase.Await;
import sluice.testkit.EngineContractPeers.Peer;

/// Tests of everything together: an echo under a random load, and an echo that allocates nothing.
interface EngineContractEcho {
  int MEASURED = 10_000;

  /// The allowance for one-time allocations, such as those after a recompilation: less than a byte
  /// per echo.
  int SLACK_BYTES = 2048;

  EngineContractRig rig();

  long allowedBytesPerEcho();

  /// Uses random sizes, random peers, and few small chunks. `-Dsluice.seed=N` repeats a run.
  @Test
  default void everyByteOfARandomLoadComesBackInOrder() throws IOException {
    long seed = Long.getLong("sluice.seed", 1);
    try {
      soak(new Random(seed));
    } catch (Throwable e) {
      throw new AssertionError("failed with -Dsluice.seed=" + seed, e);
    }
  }

  private void soak(Random random) throws IOException {
    rig().configure(new EngineConfig(8, 256, 64));
    EngineContractEchoServer server = new EngineContractEchoServer(rig());
    List<Load> loads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      var pair = rig().pair();
      server.add(pair.socket());
      loads.add(new Load(pair.peer(), random.nextLong()));
    }
    for (int step = 0; step < 4000; step++) {
      Load load = loads.get(random.nextInt(loads.size()));
      load.write(random);
      server.turn(random.nextInt(4) == 0 ? EngineContractRig.MILLIS : 0);
      loads.get(random.nextInt(loads.size())).read(random.nextInt(20_000));
    }
    long end = rig().peers.nanos() + 60 * EngineContractRig.SECONDS;
    for (Load load : loads) {
      while (load.unread() > 0) {
        assertThat(rig().peers.nanos() - end).as("time").isNegative();
        server.turn(EngineContractRig.MILLIS);
        load.read(20_000);
      }
    }
    while (rig().sockets().arena().free() < 8) { // completed by a later turn
      assertThat(rig().peers.nanos() - end).as("time for all chunks").isNegative();
      server.turn(EngineContractRig.MILLIS);
    }
  }

  /// A peer that writes a stream of random bytes and knows the expected reply.
  final class Load {
    /// The number of bytes that loopback buffers can certainly hold, so that a write never blocks
    /// the test's thread.
    private static final int LIMIT = 20_000;

    private final Peer peer;
    private final Random written;
    private final Random expected;
    private int unread;

    Load(Peer peer, long seed) {
      this.peer = peer;
      this.written = new Random(seed);
      this.expected = new Random(seed);
    }

    int unread() {
      return unread;
    }

    void write(Random random) throws IOException {
      int wanted = random.nextBoolean() ? random.nextInt(100) : random.nextInt(8000);
      byte[] bytes = new byte[Math.min(wanted, LIMIT - unread)];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) written.nextInt();
      }
      unread += bytes.length;
      peer.write(bytes);
    }

    void read(int limit) throws IOException {
      for (byte b : peer.readAvailable(limit)) {
        assertThat(b).isEqualTo((byte) expected.nextInt());
        unread--;
      }
    }
  }

  @Test
  default void steadyEchoAllocatesNothing() throws Exception {
    var pair = rig().pair();
    byte[] message = EngineContractRig.randomBytes(64, 1);
    Peer peer = pair.peer();
    AtomicBoolean enough = new AtomicBoolean();
    var client =
        rig()
            .peers
            .later(
                0,
                () -> {
                  do {
                    peer.write(message);
                    peer.read(message.length);
                  } while (!enough.get());
                });
    Steady steady = new Steady(rig().engine(), pair.socket(), rig().token());
    long limit = MEASURED * allowedBytesPerEcho() + SLACK_BYTES;
    long allocated = AllocatedBytes.settled(limit, () -> steady.run(MEASURED));
    enough.set(true);
    rig().turn(0); // hands over the last reply
    client.join();
    assertThat(allocated).isLessThanOrEqualTo(limit);
  }

  /// Echoes on one socket without allocating an object per message.
  final class Steady implements CompletionSink {
    private final Engine engine;
    private final Transport sockets;
    private final int socket;
    private final long token;
    private int count;
    private int chunk = -1;
    private long begin;
    private int length;

    Steady(Engine engine, int socket, long token) {
      this.engine = engine;
      this.sockets = engine.sockets();
      this.socket = socket;
      this.token = token;
      sockets.receive(socket, token);
    }

    void run(int messages) {
      int end = count + messages;
      Await await = new Await();
      while (count < end) {
        await.check("a message");
        int sent = chunk; // its send is handed over by this turn
        chunk = -1;
        engine.turn(10 * EngineContractRig.SECONDS, this);
        if (sent >= 0) {
          sockets.arena().block(sent).release();
        }
        if (chunk >= 0) { // only now has the turn shown that the send before this one succeeded
          MemorySegment bytes = sockets.arena().segment();
          sockets.send(socket, token + 1, bytes, begin, length);
        }
      }
    }

    @Override
    public void complete(long completed, int result, long flags) {
      if (completed != token || result <= 0 || chunk >= 0) {
        throw new AssertionError("token " + completed + " result " + result);
      }
      chunk = Completion.chunk(flags);
      begin = sockets.arena().begin(flags);
      length = result;
      count++;
    }
  }
}
