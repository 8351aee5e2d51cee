package sluice.testkit;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.ListenOptions;
import sluice.testkit.EchoProtocol.Habits;
import sluice.testkit.sim.SimEngine;
import sluice.testkit.sim.SimRandom;
import sluice.testkit.sim.SimWorld;

/// Tests of many peers of every pace on a simulated kernel with much less memory for output than
/// they leave unread: the limit holds in every turn, and every reply arrives completely.
@Timeout(1_000)
class SlowReadersSimTest {
  private static final int MAX_TURNS = 20_000_000;
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final int MESSAGE_BYTES = 500;

  /// The limit of peers times repeats, because the test keeps all expected replies.
  private static final int MOST_EXPECTED = 100_000;

  /// Runs the peers.
  ///
  /// @param peers the number of concurrent peers
  /// @param outputBytes the limit of output, at least eight times the longest reply
  private static void talk(SimWorld world, int peers, int outputBytes) throws Exception {
    SimRandom random = world.random();
    int repeats = random.between(4, Math.clamp(MOST_EXPECTED / peers, 8, 40));
    Habits habits =
        new Habits(MESSAGE_BYTES, repeats, random.skewed(900), random.skewed(900), 0, 0);
    SimEngine engine = world.engine(EngineConfig.DEFAULT.withChunks(64, 4096));
    LoopConfig config =
        new LoopConfig(20_000, 64 << 10, 1L << 30, 64 << 10, 600 * SECOND_NANOS, 2 * SECOND_NANOS)
            .withOutputBytes(outputBytes);
    Loop loop = new Loop("sim", engine, config, world.clock(), world.scheduler().executor(500_000));
    EchoProtocol protocol = new EchoProtocol(engine, random, habits);
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    SocketAddress address = loop.listen(any, ListenOptions.DEFAULT, protocol).localAddress();
    List<Conversation> conversations = new ArrayList<>();
    for (int i = 0; i < peers; i++) {
      byte[] bytes = random.bytes(MESSAGE_BYTES * random.between(1, 4));
      byte[] expected = Conversation.repeated(bytes, MESSAGE_BYTES, repeats);
      conversations.add(Conversation.start(world, address, bytes, expected, false));
    }
    world.turnUntil(
        () -> conversations.stream().allMatch(Conversation::over),
        MAX_TURNS,
        () -> {
          loop.turn(-1);
          long output = loop.outputBytes();
          world.check(output <= outputBytes, "output has taken " + output + " bytes");
        });
    conversations.forEach(c -> c.check(world));
    long cut = loop.counters().overBudgetConnections() + loop.counters().writeTimeouts();
    world.check(cut == 0, cut + " connections were ended for want of memory");
    boolean many = 500L * peers > outputBytes;
    world.check(!many || loop.counters().outputWaits() > 0, "memory was never short");
    loop.drain(60 * SECOND_NANOS);
    world.turnUntil(loop::stopping, MAX_TURNS, () -> loop.turn(-1));
    world.turnUntil(() -> protocol.retainedCount() == 0, MAX_TURNS, world::pass);
    world.check(
        loop.heldBytes() == 0, "the loop holds bytes without a connection: " + loop.heldBytes());
    loop.close();
    engine.checkNothingLeft();
  }

  @Test
  void everyReplyArrivesWhole() {
    SimWorld.runSeeds(300, world -> talk(world, world.random().between(2, 60), 160_000));
  }

  @Test
  void tooForTwoThousand() {
    SimWorld.runSeeds(2, world -> talk(world, 2_000, 1 << 20));
  }

  @Test
  @Tag("acceptance")
  void tooForTenThousand() {
    SimWorld.runSeeds(2, world -> talk(world, 10_000, 4 << 20));
  }
}
