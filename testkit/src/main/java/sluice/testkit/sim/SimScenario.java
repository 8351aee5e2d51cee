package sluice.testkit.sim;

/// A scenario in a [SimWorld]: it builds its parts, turns the engine to the end and checks the
/// outcome.
@FunctionalInterface
public interface SimScenario {
  void run(SimWorld world) throws Exception;
}
