package sluice.testkit;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.LeaseLimits;
import sluice.loop.engine.ListenOptions;
import sluice.testkit.EchoProtocol.Habits;
import sluice.testkit.sim.SimEngine;
import sluice.testkit.sim.SimRandom;
import sluice.testkit.sim.SimWorld;

/// Tests of the event loop over the simulated engine, with an echo protocol that answers at once or
/// later. Every message comes back in order or the connection was reset, and at the end no resource
/// is held.
@Timeout(300)
class SimLoopTest {
  private static final long SEEDS = 10_000;
  private static final int MAX_TURNS = 200_000;
  private static final int PARTIAL_BYTES = 64 << 20;
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long TIMEOUT_NANOS = 600 * SECOND_NANOS;

  private static LoopConfig config(SimRandom random, int messageBytes) {
    return new LoopConfig(
            random.chance(100) ? random.between(1, 4) : 100,
            Math.max(1_024, 2 * messageBytes),
            random.chance(50) ? random.between(16_384, 65_536) : PARTIAL_BYTES,
            64 << 10,
            random.chance(50) ? random.skewed(300_000_000) : TIMEOUT_NANOS,
            2 * SECOND_NANOS)
        .withLeases(
            new LeaseLimits(
                random.below(5),
                random.skewed(64 << 10),
                random.chance(200) ? random.skewed(64 << 10) : 16L << 20));
  }

  private static void echo(SimWorld world) throws Exception {
    SimRandom random = world.random();
    Habits habits = Habits.random(random);
    int messageBytes = habits.messageBytes();
    boolean fewNumbers = random.chance(100);
    SimEngine engine =
        fewNumbers
            ? world.engine(
                EngineConfig.DEFAULT
                    .withChunks(16, SimWorld.CHUNK_BYTES)
                    .withMaxSockets(random.between(3, 6)))
            : world.engine();
    LoopConfig config = config(random, messageBytes);
    Loop loop = new Loop("sim", engine, config, world.clock(), world.scheduler().executor(500_000));
    EchoProtocol protocol = new EchoProtocol(engine, random, habits);
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    SocketAddress address = loop.listen(any, ListenOptions.DEFAULT, protocol).localAddress();
    boolean drainEarly = random.chance(100);
    if (drainEarly) {
      Runnable drain = () -> loop.execute(() -> loop.drain(60 * SECOND_NANOS));
      world.scheduler().after(random.skewed(50_000_000), drain);
    }
    boolean lenient =
        habits.deadlineNanos() > 0
            || drainEarly
            || fewNumbers
            || config.maxConnections() < 100
            || config.partialBytesPerLoop() < PARTIAL_BYTES
            || config.writeTimeoutNanos() < TIMEOUT_NANOS;
    List<Conversation> conversations = new ArrayList<>();
    for (int i = random.between(1, 8); i > 0; i--) {
      byte[] bytes = random.bytes(messageBytes * random.skewed(habits.mostMessages()));
      byte[] expected = Conversation.repeated(bytes, messageBytes, habits.repeats());
      conversations.add(Conversation.start(world, address, bytes, expected, lenient));
    }
    world.turnUntil(
        () -> loop.stopping() || conversations.stream().allMatch(Conversation::over),
        MAX_TURNS,
        () -> loop.turn(-1));
    loop.drain(60 * SECOND_NANOS);
    world.turnUntil(loop::stopping, MAX_TURNS, () -> loop.turn(-1));
    world.turnUntil(() -> protocol.retainedCount() == 0, MAX_TURNS, world::pass);
    checkNothingLeft(world, engine, loop, protocol);
    loop.close();
    world.turnUntil(
        () -> conversations.stream().allMatch(Conversation::over), MAX_TURNS, world::pass);
    conversations.forEach(c -> c.check(world));
  }

  private static void checkNothingLeft(
      SimWorld world, SimEngine engine, Loop loop, EchoProtocol protocol) {
    world.check(loop.connectionCount() == 0, "connections are left: " + loop.connectionCount());
    world.check(protocol.openCount() == 0, "connections whose end the protocol was not told");
    world.check(protocol.gatheredBytes() == 0, "messages are left that were being gathered");
    world.check(
        loop.heldBytes() == 0, "the loop holds bytes without a connection: " + loop.heldBytes());
    world.check(loop.retainedBytes() == 0, "copies are left: " + loop.retainedBytes());
    world.check(loop.counters().handlerFailures() == 0, "a handler failed");
    world.check(loop.counters().taskFailures() == 0, "a task failed");
    engine.checkNothingLeft();
  }

  @Test
  void everyMessageComesBack() {
    SimWorld.runSeeds(SEEDS, SimLoopTest::echo);
  }
}
