package sluice.testkit.sim;

/// The code under simulation broke a rule, or did not reach its end. The message has the rule, the
/// seed that shows it again, and the last events.
public final class SimViolation extends AssertionError {
  private static final long serialVersionUID = 1L;

  private final String rule;

  SimViolation(String rule, String circumstances) {
    super(rule + circumstances);
    this.rule = rule;
  }

  /// What was broken, without the circumstances.
  public String rule() {
    return rule;
  }
}
