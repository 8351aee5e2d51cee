package sluice.cli;

import java.util.List;

/// The entry point of the `sluice` command. The main thread runs all commands.
///
/// Exit codes: 0 success, 1 failure, 2 wrong usage.
public final class Main {
  private Main() {}

  /// Runs a command and exits the process with its exit code.
  public static void main(String[] args) {
    System.exit(run(args));
  }

  /// Runs a command. `serve` does not use picocli, see [ServeOptions]. The launcher script handles
  /// `run` itself and passes only `run --compare` to Java.
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
