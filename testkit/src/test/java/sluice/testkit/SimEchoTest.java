package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.testkit.RawEcho.Bug;
import sluice.testkit.sim.SimEngine;
import sluice.testkit.sim.SimFault;
import sluice.testkit.sim.SimRandom;
import sluice.testkit.sim.SimViolation;
import sluice.testkit.sim.SimWorld;

/// Tests of an echo server over the bare engine, with clients of every pace and a kernel with all
/// faults: every byte comes back in order, or the connection was reset. They also prove that the
/// simulation detects mistakes: each [Bug] is found within a thousand seeds.
@Timeout(300)
class SimEchoTest {
  private static final long SEEDS = 10_000;
  private static final int MAX_TURNS = 100_000;

  private static void echo(SimWorld world, Bug bug) throws Exception {
    SimRandom random = world.random();
    SimEngine engine = world.engine();
    RawEcho server = new RawEcho(engine, random, bug);
    SocketAddress address = server.address();
    List<Conversation> conversations = new ArrayList<>();
    for (int i = random.between(1, 8); i > 0; i--) {
      byte[] bytes = random.bytes(random.skewed(40_000));
      conversations.add(Conversation.start(world, address, bytes, bytes, false));
    }
    world.turnUntil(
        () -> conversations.stream().allMatch(Conversation::over), MAX_TURNS, server::turn);
    server.stop();
    world.turnUntil(server::stopped, MAX_TURNS, server::turn);
    conversations.forEach(c -> c.check(world));
    engine.checkNothingLeft();
  }

  @Test
  void everyByteComesBack() {
    SimWorld.runSeeds(SEEDS, world -> echo(world, Bug.NONE));
  }

  @Test
  void everyFaultHappens() {
    Set<SimFault> seen = EnumSet.noneOf(SimFault.class);
    for (long seed = 0; seed < 300; seed++) {
      SimWorld.run(
          seed,
          world -> {
            echo(world, Bug.NONE);
            seen.addAll(world.faults().injected().keySet());
          });
    }
    assertThat(seen).containsExactly(SimFault.values());
  }

  @Test
  void sameSeedSameEvents() {
    for (long seed = 1; seed <= 50; seed++) {
      long first = SimWorld.run(seed, world -> echo(world, Bug.NONE));
      assertThat(SimWorld.run(seed, world -> echo(world, Bug.NONE))).isEqualTo(first);
      assertThat(SimWorld.run(seed + 1, world -> echo(world, Bug.NONE))).isNotEqualTo(first);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void mistakesAreFound(Bug bug) {
    for (long seed = 1; seed <= 1_000; seed++) {
      try {
        SimWorld.run(seed, world -> echo(world, bug));
      } catch (SimViolation found) {
        long again = seed;
        assertThatThrownBy(() -> SimWorld.run(again, world -> echo(world, bug)))
            .isInstanceOf(SimViolation.class)
            .hasMessage(found.getMessage());
        return;
      }
    }
    fail("1000 seeds did not show that the server " + bug);
  }
}
