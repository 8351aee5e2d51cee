package sluice.verify;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.api.Tag;
import sluice.verify.check.DomainCheck;
import sluice.verify.check.RuleTable;

/// Runs the verifier on class files that no compiler wrote. It must never throw an exception and
/// must stay within its step limit.
///
/// The ordinary test run tries the inputs in `src/test/resources`. To look for new ones:
///
/// ```
/// JAZZER_FUZZ=1 mvn -Dfast -pl verify -am test-compile surefire:test@fuzz \
///     -Dsurefire.failIfNoSpecifiedTests=false -Dtest='VerifyFuzz#classFiles' \
///     -Djazzer.max_duration=5m
/// ```
@Tag("fuzz")
class VerifyFuzz {
  private static final CostTable COSTS = CostTable.standard();
  private static final RuleTable RULES = RuleTable.standard();

  @FuzzTest
  void classFiles(byte[] data) {
    Component component = new Component();
    component.add("fuzzed", data);
    Verification found = Verifier.verify(component, COSTS, Limits.DEFAULT);
    long methods = found.verdicts().size() + 1L;
    long granted = 2 * (methods * Steps.BASE + (long) Steps.PER_BYTE * data.length);
    assertThat(found.steps()).isLessThanOrEqualTo(granted + 100_000);
    DomainCheck check = new DomainCheck(RULES);
    check.add("fuzzed", data);
    assertThat(check.run()).isNotNull();
  }
}
