package sluice.bench;

/// What a bench works with. Used by the main thread.
///
/// @param options the command line
/// @param workspace files and compiled programs
/// @param systems how servers start
/// @param sites what they serve
/// @param generator loads them
/// @param probe counts calls and allocations
record Harness(
    Options options,
    Workspace workspace,
    Systems systems,
    Sites sites,
    LoadGenerator generator,
    Probe probe) {
  /// Progress, on standard error: results alone go to standard output.
  static void progress(String message) {
    System.err.println(message);
  }
}
