package sluice.bench.run;

/// Prints a bench's progress. Any thread.
public final class Progress {
  private Progress() {}

  /// Prints a line on standard error; only results go to standard output.
  public static void say(String message) {
    System.err.println(message);
  }
}
