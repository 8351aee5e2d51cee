package sluice.bench.run;

/// What a bench says while it runs. For all threads.
public final class Progress {
  private Progress() {}

  /// A line on standard error: results alone go to standard output.
  public static void say(String message) {
    System.err.println(message);
  }
}
