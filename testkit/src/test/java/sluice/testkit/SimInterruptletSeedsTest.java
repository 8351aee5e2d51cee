package sluice.testkit;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.Framing;
import sluice.loop.Interruptlet;
import sluice.loop.Interruptlets;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.engine.ListenOptions;
import sluice.testkit.sim.SimEngine;
import sluice.testkit.sim.SimRandom;
import sluice.testkit.sim.SimWorld;

/// Tests of interruptlets over the simulated engine with all its faults: the selected handler
/// echoes, while interruptlets are admitted, replaced and evicted. Every message comes back once,
/// in order.
@Timeout(300)
class SimInterruptletSeedsTest {
  private static final long SEEDS = 5_000;
  private static final int MAX_TURNS = 200_000;
  private static final long SECOND_NANOS = 1_000_000_000L;

  /// Returns a configuration that never cuts a client off for being slow.
  private static LoopConfig config(int messageBytes) {
    int partialBytes = Math.max(1_024, 2 * messageBytes);
    return new LoopConfig(
        100, partialBytes, 64 << 20, 64 << 10, 600 * SECOND_NANOS, 2 * SECOND_NANOS);
  }

  private static Interruptlet echo(SimRandom random, int passPerMille) {
    return (message, reply) -> {
      reply.append(message, 0, message.length());
      return random.chance(passPerMille) ? Interruptlet.PASS : Interruptlet.DONE;
    };
  }

  private static void run(SimWorld world) throws Exception {
    SimRandom random = world.random();
    int messageBytes = random.skewed(5_000);
    SimEngine engine = world.engine();
    Loop loop =
        new Loop(
            "sim",
            engine,
            config(messageBytes),
            world.clock(),
            world.scheduler().executor(500_000));
    Interruptlets socket =
        new Interruptlets(
            Framing.fixed(messageBytes),
            (message, reply) -> reply.write(message),
            Duration.ofDays(1));
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    SocketAddress address =
        loop.listen(any, ListenOptions.DEFAULT, socket.protocol(loop)).localAddress();
    for (int i = random.between(1, 10); i > 0; i--) {
      int passPerMille = random.below(1_001);
      Runnable change =
          random.chance(250)
              ? socket::evict
              : () ->
                  socket.admit("echo", () -> echo(random, passPerMille), Duration.ofSeconds(30));
      world.scheduler().after(random.skewed(20_000_000), change);
    }
    List<Conversation> conversations = new ArrayList<>();
    for (int i = random.between(1, 8); i > 0; i--) {
      int messages = random.skewed(Math.max(1, Math.min(40_000 / messageBytes, 200)));
      byte[] bytes = random.bytes(messageBytes * messages);
      conversations.add(Conversation.start(world, address, bytes, bytes, false));
    }
    world.turnUntil(
        () -> conversations.stream().allMatch(Conversation::over), MAX_TURNS, () -> loop.turn(-1));
    loop.drain(60 * SECOND_NANOS);
    world.turnUntil(loop::stopping, MAX_TURNS, () -> loop.turn(-1));
    conversations.forEach(c -> c.check(world));
    world.check(loop.heldBytes() == 0, "the loop holds bytes without a holder");
    world.check(loop.counters().handlerFailures() == 0, "a handler failed");
    world.check(loop.counters().taskFailures() == 0, "a task failed");
    loop.close();
  }

  @Test
  void everyMessageComesBack() {
    SimWorld.runSeeds(SEEDS, SimInterruptletSeedsTest::run);
  }
}
