package sluice.cli;

import java.util.List;

/// The entry point of the `sluice` command. All commands are executed by the main thread.
///
/// The exit code is 0 for success, 1 for a failure, and 2 for incorrect usage.
public final class Main {
  private Main() {}

  /// Executes a command and exits the process with its exit code.
  public static void main(String[] args) {
    System.exit(run(args));
  }

  /// Executes a command. The command `serve` does not use picocli, see [ServeOptions]. The command
  /// `run` is implemented by the launcher script, which passes only `run --compare` to Java.
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
