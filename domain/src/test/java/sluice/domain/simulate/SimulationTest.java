package sluice.domain.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Calls of portals and posted calls, in 10 000 orders each: no wake-up is lost, no call is told
/// twice or never, and no more run at once than may, also where a party ends in the middle.
@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class SimulationTest {
  private static final int SEEDS = Integer.getInteger("sluice.simulations", 10_000);
  private static final String WOVEN = "sluice.domain.simulate.woven.";

  private static final String CARRIER = "sluice.domain.carrier.";

  private static final WovenLoader PORTALS = loader("sluice.domain.portal.", WOVEN);
  private static final WovenLoader CARRIERS = loader(CARRIER);

  private static WovenLoader loader(String... prefixes) {
    WovenLoader made =
        new WovenLoader(SimulationTest.class.getClassLoader(), List.of(prefixes));
    Module own = SimulationTest.class.getModule();
    for (String name : List.of("sluice.domain.simulate", "sluice.domain.carrier")) {
      own.addExports(name, made.getUnnamedModule());
    }
    return made;
  }

  private static void run(String name, long seed) throws Exception {
    Class<?> type =
        name.startsWith(CARRIER) ? CARRIERS.loadClass(name) : PORTALS.loadClass(WOVEN + name);
    Scenario scenario = (Scenario) type.getDeclaredConstructor().newInstance();
    Simulation simulation = new Simulation(seed);
    try {
      simulation.run(scenario);
    } catch (AssertionError | Exception e) {
      throw new AssertionError(name + ", seed " + seed + ": " + simulation.living(), e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PostedScenario", "PortalScenario", CARRIER + "WakingScenario"})
  void everyOrderIsRight(String name) throws Exception {
    for (long seed = 0; seed < SEEDS; seed++) {
      run(name, seed);
    }
  }

  /// A seed is the same run each time, and a lost wake-up is found.
  @Test
  void aLostWakeUpIsFoundAgainByItsSeed() throws Exception {
    long first = -1;
    for (long seed = 0; seed < SEEDS && first < 0; seed++) {
      first = loses(seed) ? seed : -1;
    }
    assertThat(first).isNotNegative();
    for (int i = 0; i < 20; i++) {
      long seed = first;
      assertThatThrownBy(() -> run("LosingScenario", seed)).isInstanceOf(AssertionError.class);
    }
  }

  private static boolean loses(long seed) throws Exception {
    try {
      run("LosingScenario", seed);
      return false;
    } catch (AssertionError e) {
      return true;
    }
  }
}
