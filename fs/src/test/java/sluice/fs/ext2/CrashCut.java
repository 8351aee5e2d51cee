package sluice.fs.ext2;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides whether the state that a crash has left of several threads' work is consistent with a
/// single moment: if an operation is there, so is every operation that had ended before it began.
/// Stateless.
final class CrashCut {
  private CrashCut() {}

  /// Looks for a contradiction.
  ///
  /// @param threads the recorded steps of each thread
  /// @param alike for each thread, the steps that may have left the state found, in ascending order
  /// @return a description of the contradiction, null if there is none
  static @Nullable String problem(List<CrashWorkload.Recorded> threads, List<List<Integer>> alike) {
    int[] chosen = new int[threads.size()];
    // The earliest possible choice: each step forward is forced by the others.
    for (boolean moved = true; moved; ) {
      moved = false;
      for (int t = 0; t < chosen.length; t++) {
        for (int other = 0; other < chosen.length; other++) {
          CrashWorkload.Step there = step(threads, other, alike.get(other).get(chosen[other]));
          while (isMissing(threads, t, alike.get(t).get(chosen[t]), there)) {
            if (++chosen[t] == alike.get(t).size()) {
              return "thread "
                  + t
                  + " is where it was after one of its steps "
                  + alike.get(t)
                  + ", thread "
                  + other
                  + " where a later one had ended before";
            }
            moved = true;
          }
        }
      }
    }
    return null;
  }

  private static CrashWorkload.Step step(
      List<CrashWorkload.Recorded> threads, int thread, int number) {
    return threads.get(thread).steps().get(number);
  }

  /// Returns true if a thread's step after the chosen one had ended before another thread's step
  /// began.
  private static boolean isMissing(
      List<CrashWorkload.Recorded> threads, int thread, int number, CrashWorkload.Step there) {
    return number + 1 < threads.get(thread).steps().size()
        && step(threads, thread, number + 1).endedNanos() - there.begunNanos() < 0;
  }
}
