package sluice.fs;

import java.io.IOException;
import java.util.Random;
import sluice.fs.block.BlockDevice;

/// States that crashes of a recorded run could have left: what the device was told up to some
/// moment, and a random part of what no flush has followed. Half of the moments are just before a
/// flush. Of the test's thread.
public final class CrashStates {
  private static final int VARIANTS = 2;

  private CrashStates() {}

  /// Looks at one state.
  public interface Judge {
    /// @param events of the run that came before the crash
    /// @param what names the state, for messages
    void judge(BlockDevice crashed, int events, String what)
        throws IOException, InterruptedException;
  }

  /// Has about so many states judged, from the beginning of the run to its end.
  ///
  /// @param base what the device held before the first event; afterwards, what was flushed last
  /// @return states that were judged
  public static int judge(RecordingDevice run, BlockDevice base, long seed, int states, Judge judge)
      throws IOException, InterruptedException {
    Random random = new Random(seed);
    int applied = 0;
    int judged = 0;
    int step = Math.max(1, VARIANTS * run.events() / states);
    for (int at = 0; at < run.events(); at += step) {
      int end = Math.min(run.events(), at + step);
      int events = at + random.nextInt(end - at);
      events = random.nextBoolean() ? run.beforeFlush(events, end) : events;
      applied = run.applyFlushed(applied, events, base);
      for (int variant = 0; variant < VARIANTS; variant++) {
        BlockDevice crashed = JournalRig.copy(base);
        run.applySome(applied, events, random, crashed);
        judge.judge(
            crashed, events, "seed " + seed + ", events " + events + ", variant " + variant);
        crashed.close();
        judged++;
      }
    }
    return judged;
  }
}
