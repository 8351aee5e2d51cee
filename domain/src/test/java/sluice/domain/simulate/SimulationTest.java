package sluice.domain.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.domain.simulate.WovenLoader.Fault;
import sluice.testbase.Slice;

/// Calls of portals, posted calls and the carriers of threads, in 10 000 orders each, of which some
/// run with their [Slice]: no wake-up is lost, no call is told twice or never, no more run at once
/// than may, and each queue has its turn, also where a party ends in the middle.
@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class SimulationTest {
  private static final int SEEDS = Integer.getInteger("sluice.simulations", 10_000);

  /// So many seeds of the carriers run each time, beside a slice of all.
  private static final int ALWAYS = Math.min(2_000, SEEDS);

  private static final String WOVEN = "sluice.domain.simulate.woven.";
  private static final String CARRIER = "sluice.domain.carrier.";

  private static final WovenLoader PORTALS = loader(Fault.NONE, "sluice.domain.portal.", WOVEN);
  private static final WovenLoader CARRIERS = loader(Fault.NONE, CARRIER);

  private static WovenLoader loader(Fault fault, String... prefixes) {
    WovenLoader made =
        new WovenLoader(SimulationTest.class.getClassLoader(), List.of(prefixes), fault);
    Module own = SimulationTest.class.getModule();
    for (String name : List.of("sluice.domain.simulate", "sluice.domain.carrier")) {
      own.addExports(name, made.getUnnamedModule());
    }
    return made;
  }

  private static void run(Class<?> type, long seed) throws Exception {
    Scenario scenario = (Scenario) type.getDeclaredConstructor().newInstance();
    Simulation simulation = new Simulation(seed);
    try {
      simulation.run(scenario);
    } catch (AssertionError | Exception e) {
      String where = type.getSimpleName() + ", seed " + seed;
      throw new AssertionError(where + ": " + simulation.living(), e);
    }
  }

  /// @return the first seed at which it fails, or -1
  private static long firstFailure(Class<?> type) throws Exception {
    for (long seed = 0; seed < SEEDS; seed++) {
      try {
        run(type, seed);
      } catch (AssertionError e) {
        return seed;
      }
    }
    return -1;
  }

  @ParameterizedTest
  @ValueSource(strings = {"PostedScenario", "PortalScenario"})
  void everyOrderIsRight(String name) throws Exception {
    Class<?> type = PORTALS.loadClass(WOVEN + name);
    for (long seed = 0; seed < SEEDS; seed++) {
      run(type, seed);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SlotScenario",
        "WakingScenario",
        "RestingScenario",
        "CallingScenario",
        "EndingScenario"
      })
  void carriersLoseNothing(String name) throws Exception {
    run(name, LongStream.concat(LongStream.range(0, ALWAYS), slice().filter(s -> s >= ALWAYS)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"TurnsScenario", "HandOverScenario", "PriorityScenario", "StubbornScenario"})
  void carriersGiveTurns(String name) throws Exception {
    run(name, slice());
  }

  private static LongStream slice() {
    return Slice.current().seeds(SEEDS);
  }

  private static void run(String name, LongStream seeds) throws Exception {
    Class<?> type = CARRIERS.loadClass(CARRIER + name);
    for (long seed : seeds.toArray()) {
      run(type, seed);
    }
  }

  /// A seed is the same run each time, and a lost wake-up is found.
  @Test
  void aLostWakeUpIsFoundAgainByItsSeed() throws Exception {
    Class<?> type = PORTALS.loadClass(WOVEN + "LosingScenario");
    long seed = firstFailure(type);
    assertThat(seed).isNotNegative();
    for (int i = 0; i < 20; i++) {
      assertThatThrownBy(() -> run(type, seed)).isInstanceOf(AssertionError.class);
    }
  }

  /// Carriers with a fault are found at fault, again at the same seed.
  @ParameterizedTest
  @CsvSource({
    "SlotScenario, Slot.take, VarHandle.compareAndSet, true",
    "WakingScenario, Worker.await, TurnList.isEmpty, true",
    "CallingScenario, LocalScheduler.calling, Worker.isLost, false",
    "WakingScenario, Worker.runListed, Carriers.wake, false",
    "WakingScenario, RunQueue.wake, Carriers.wake, false",
    "WakingScenario, RunQueue.leave, RunQueue.list, false",
    "WakingScenario, RunQueue.leave, RunQueue.wake, false",
    "WakingScenario, Worker.looksSoonFor, Worker.isLost, false",
    "WakingScenario, Carriers.lookOnce, Carriers.replace, false",
    "WakingScenario, Carriers.lookOnce, Meter.hasRun, true",
    "WakingScenario, Carriers.lookOnce, Processor.isAwaitedAgain, false",
    "WakingScenario, RunQueue.enterFresh, RunQueue.enter, true",
    "WakingScenario, Worker.mayRun, RunQueue.mayRunOn, true",
    "WakingScenario, Worker.looksSoonFor, RunQueue.mayRunOn, true",
    "WakingScenario, Meter.begin, RunQueue.charge, false",
    "RestingScenario, Worker.await, Processor.resume, wake",
    "EndingScenario, Meter.close, Meter.change, false",
    "EndingScenario, LocalScheduler.end, RunQueue.list, false",
    "StubbornScenario, Carriers.wake, Carriers.hurry, false",
    "StubbornScenario, Carriers.wake, RunQueue.yieldSoon, false",
    "StubbornScenario, Carriers.waitHurried, Processor.isAskedInVain, true",
    "StubbornScenario, Carriers.lookOnce, RunQueue.yieldSoon, false",
    "StubbornScenario, RunQueue.yieldSoon, RunQueue$Guest.isToYield, true",
    "TurnsScenario, TurnList.add, TurnList$Entry.stand, false",
    "TurnsScenario, Worker.runListed, Meter.look, false",
    "HandOverScenario, Worker.run, Worker.runNext, false",
    "PriorityScenario, LocalScheduler.choose, Scheduler.activated, false"
  })
  void faultsAreFound(String scenario, String in, String call, String instead) throws Exception {
    WovenLoader faulty = loader(new Fault(in, call, instead), CARRIER);
    Class<?> type = faulty.loadClass(CARRIER + scenario);
    long seed = firstFailure(type);
    assertThat(seed).isNotNegative();
    assertThatThrownBy(() -> run(type, seed)).isInstanceOf(AssertionError.class);
  }
}
