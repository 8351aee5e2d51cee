package sluice.cli;

import java.util.List;

/// Entry point of the `sluice` command. The main thread runs everything here.
///
/// Exit codes: 0 done, 1 failed, 2 wrong usage.
public final class Main {
  private Main() {}

  /// Runs one command and ends the process with its exit code.
  public static void main(String[] args) {
    System.exit(run(args));
  }

  /// Runs one command. `serve` does not touch picocli, see [ServeOptions]; of `run`, the launcher
  /// leaves only `--compare` to Java.
  ///
  /// @return the exit code
  static int run(String... args) {
    List<String> words = List.of(args);
    if (!words.isEmpty() && words.get(0).equals("serve")) {
      return Serve.run(words.subList(1, words.size()), System.out, System.err);
    }
    if (!words.isEmpty() && words.get(0).equals("run")) {
      return Commands.compare(words.subList(1, words.size()));
    }
    return Commands.run(args);
  }
}
