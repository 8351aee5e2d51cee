package sluice.nio;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import sluice.http.front.FrontSettings;
import sluice.http.front.FrontTimes;
import sluice.http.front.KeptReplies;
import sluice.nio.front.Front;
import sluice.nio.front.FrontMode;

/// Providers of the completion engine, for the tests of its parts. Any thread may make one.
public final class CompletionProviders {
  /// Fronts of earlier tests are closed: each has a ring, whose memory counts for the user.
  private static final int MOST_FRONTS = 4;

  private static final Deque<Front> FRONTS = new ArrayDeque<>();

  private CompletionProviders() {}

  /// As the JVM would choose: rings where they can be used.
  public static SluiceSelectorProvider usual() {
    return new SluiceSelectorProvider(CompletionEngine::new);
  }

  /// Selectors take a ring before their first wait.
  public static SluiceSelectorProvider atOnce() {
    return after(CompletionEngine.AT_ONCE);
  }

  /// Selectors work without rings.
  public static SluiceSelectorProvider neutral() {
    return after(CompletionEngine.NEVER);
  }

  /// Selectors take a ring after so many reports of ready channels.
  public static SluiceSelectorProvider after(int reports) {
    return new SluiceSelectorProvider(self -> new CompletionEngine(self, reports));
  }

  /// Behind the files of a directory, which a thread of its own answers.
  public static SluiceSelectorProvider behind(Path directory, FrontTimes times) {
    return behind(directory, times, FrontMode.COMPANION);
  }

  /// Behind the files of a directory.
  public static SluiceSelectorProvider behind(Path directory, FrontTimes times, FrontMode mode) {
    return behind(directory, times, mode, null);
  }

  /// Behind the files of a directory and the replies that are kept.
  static SluiceSelectorProvider behind(
      Path directory, FrontTimes times, FrontMode mode, @Nullable KeptReplies replies) {
    return behind(directory, FrontSettings.DEFAULT.withTimes(times).withReplies(replies), mode);
  }

  /// Behind the files of a directory.
  static SluiceSelectorProvider behind(Path directory, FrontSettings settings, FrontMode mode) {
    Front front = new Front(directory, settings, mode, true);
    keep(front);
    return new SluiceSelectorProvider(self -> CompletionEngine.behind(front, self));
  }

  private static synchronized void keep(Front front) {
    FRONTS.add(front);
    while (FRONTS.size() > MOST_FRONTS) {
      FRONTS.remove().close();
    }
  }

  /// Why no ring can be used here; null when one can.
  public static @Nullable String unavailable() {
    return CompletionEngine.unavailable();
  }
}
