package sluice.testkit.sim;

/// What happens in a [SimWorld]: builds its parts, turns the engine to the end, checks the outcome.
@FunctionalInterface
public interface SimScenario {
  void run(SimWorld world) throws Exception;
}
