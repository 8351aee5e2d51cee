package sluice.testkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import sluice.loop.engine.EngineConfig;
import sluice.testbase.Slice;

/// A simulation: a seed and everything that follows from it. Owned by the thread that runs it.
///
/// A failure names the seed; `-Dsluice.seed=N` runs only that seed.
public final class SimWorld implements AutoCloseable {
  /// The default chunk size, so small that messages arrive in fragments.
  public static final int CHUNK_BYTES = 2_048;

  private final long seed;
  private final SimRandom random;
  private final SimFaults faults;
  private final SimTrace trace = new SimTrace();
  private final SimViolations violations;
  private final SimScheduler scheduler;
  private final SimNetwork network;
  private final List<SimEngine> engines = new ArrayList<>();
  private int clients;

  public SimWorld(long seed) {
    SimRandom source = new SimRandom(seed);
    this.seed = seed;
    this.random = source.split();
    this.faults = SimFaults.random(source.split());
    this.violations = new SimViolations(seed, faults, trace);
    this.scheduler = new SimScheduler(new SimClock(), source.split());
    this.network = new SimNetwork(scheduler, source.split(), faults, trace);
  }

  /// Runs a scenario with the seeds from 0 to `seeds` - 1 that belong to the current [Slice], or
  /// only with the seed given by `-Dsluice.seed`.
  ///
  /// @throws SimViolation for the first seed that fails
  public static void runSeeds(long seeds, SimScenario scenario) {
    Long only = Long.getLong("sluice.seed");
    LongStream chosen = only == null ? Slice.current().seeds(seeds) : LongStream.of(only);
    chosen.forEach(seed -> run(seed, scenario));
  }

  /// Runs a scenario with one seed.
  ///
  /// @return a digest of everything that happened; equal for equal seeds
  public static long run(long seed, SimScenario scenario) {
    try (SimWorld world = new SimWorld(seed)) {
      try {
        scenario.run(world);
      } catch (SimViolation e) {
        throw e;
      } catch (Exception | AssertionError e) {
        world.violations.rethrow();
        SimViolation violation = world.violation(e.toString());
        violation.initCause(e);
        throw violation;
      }
      world.violations.rethrow();
      return world.trace.digest();
    }
  }

  public long seed() {
    return seed;
  }

  /// Returns the source of randomness for a scenario's choices. The kernel model has a source of
  /// its own.
  public SimRandom random() {
    return random;
  }

  public SimClock clock() {
    return scheduler.clock();
  }

  public SimScheduler scheduler() {
    return scheduler;
  }

  SimNetwork network() {
    return network;
  }

  public SimFaults faults() {
    return faults;
  }

  /// Opens an engine with 4 to 64 small chunks.
  public SimEngine engine() {
    return engine(EngineConfig.DEFAULT.withChunks(1 << random.between(2, 6), CHUNK_BYTES));
  }

  public SimEngine engine(EngineConfig config) {
    SimEngine engine = new SimEngine(violations, network, config);
    engines.add(engine);
    return engine;
  }

  /// Creates a peer with a pace that depends on the seed.
  public SimClient client() {
    return client(SimClient.Pace.random(random));
  }

  public SimClient client(SimClient.Pace pace) {
    return new SimClient(network, clients++, pace);
  }

  /// Runs `turn` repeatedly until `done` returns true.
  ///
  /// @throws SimViolation if that takes more than `maxTurns`
  public void turnUntil(BooleanSupplier done, int maxTurns, Runnable turn) {
    for (int i = 0; i < maxTurns; i++) {
      if (done.getAsBoolean()) {
        return;
      }
      turn.run();
      violations.rethrow();
    }
    throw violation("not done after " + maxTurns + " turns");
  }

  /// Lets time pass until the next event, without a turn of an engine.
  public void pass() {
    if (!scheduler.runNext(Long.MAX_VALUE)) {
      throw violation("nothing can ever happen");
    }
  }

  /// Fails the simulation unless `condition` holds.
  public void check(boolean condition, String message) {
    if (!condition) {
      throw violation(message);
    }
  }

  /// Returns an error about this simulation, with its seed and its last events.
  public SimViolation violation(String message) {
    return violations.violation(message);
  }

  @Override
  public void close() {
    engines.forEach(SimEngine::close);
  }
}
