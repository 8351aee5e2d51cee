package sluice.testkit.sim;

/// Thrown if the code under simulation broke a rule or did not reach its end. The message has the
/// rule, the seed that reproduces the failure, and the last events.
public final class SimViolation extends AssertionError {
  private static final long serialVersionUID = 1L;

  private final String rule;

  SimViolation(String rule, String circumstances) {
    super(rule + circumstances);
    this.rule = rule;
  }

  /// Returns the broken rule, without the circumstances.
  public String rule() {
    return rule;
  }
}
