package sluice.fs;

import java.io.IOException;
import java.util.Random;
import sluice.fs.block.BlockDevice;

/// Constructs states that a crash of a recorded run could have left: everything that the device had
/// certainly stored at some moment, and a random part of the writes that no flush had followed.
/// Half of the moments are just before a flush. Confined to the test's thread.
public final class CrashStates {
  private static final int VARIANTS = 2;

  private CrashStates() {}

  /// Examines one state.
  public interface Judge {
    /// Judges the state that a crash has left.
    ///
    /// @param events the number of events of the run before the crash
    /// @param what the name of the state, for messages
    void judge(BlockDevice crashed, int events, String what)
        throws IOException, InterruptedException;
  }

  /// Passes about the given number of states to a judge, from the beginning of the run to its end.
  ///
  /// @param base the content of the device before the first event; afterwards, the content that was
  ///   flushed last
  /// @return the number of states that were judged
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
