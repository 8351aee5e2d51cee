package sluice.cli;

import java.io.PrintWriter;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import sluice.verify.MethodVerdict;
import sluice.verify.Reason;
import sluice.verify.Refusal;

/// Prints the share of accepted methods among all methods and among small methods, and the reasons
/// for refusals.
///
/// @param verdicts the verdicts of one run
record VerifySummary(List<MethodVerdict> verdicts) {
  private static final int SMALL = 64;

  void print(PrintWriter out) {
    share("all methods", _ -> true, out);
    share("methods of at most " + SMALL + " bytecodes", v -> v.size() <= SMALL, out);
    share("of these, at least 8 bytecodes", v -> v.size() <= SMALL && v.size() >= 8, out);
    Map<Reason, Integer> reasons = new EnumMap<>(Reason.class);
    for (MethodVerdict verdict : verdicts) {
      Refusal refusal = verdict.refusal();
      if (refusal != null) {
        reasons.merge(refusal.reason(), 1, Integer::sum);
      }
    }
    reasons.entrySet().stream()
        .sorted(Map.Entry.<Reason, Integer>comparingByValue().reversed())
        .forEach(e ->
            out.printf(Locale.ROOT, "  refused %-16s %6d%n", e.getKey().label(), e.getValue()));
  }

  private void share(String of, Predicate<MethodVerdict> which, PrintWriter out) {
    long all = verdicts.stream().filter(which).count();
    long accepted = verdicts.stream().filter(which).filter(MethodVerdict::isAccepted).count();
    out.printf(
        Locale.ROOT,
        "%-34s %6d, accepted %6d (%.1f %%)%n",
        of,
        all,
        accepted,
        all == 0 ? 100.0 : 100.0 * accepted / all);
  }
}
