package sluice.domain.simulate;

/// A run of a [Simulation]. Woven.
public interface Scenario {
  /// Starts the threads.
  void begin(Simulation simulation) throws Exception;

  /// Checks what came of them, when none of them goes on any more.
  ///
  /// @throws AssertionError if that cannot be right
  void check();

  /// Returns what the reader of a run that has failed wants to see.
  default String state() {
    return "";
  }

  /// Ends what the run has left, and checks that.
  ///
  /// @throws AssertionError if something stays
  default void end(Simulation simulation) {}
}
