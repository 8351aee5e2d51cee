package sluice.acceptance.servers;

import java.io.PrintStream;

/// Tells what is wrong with an engine from accidents of a busy machine: servers warn of slow disks,
/// and take a port that another process has got meanwhile. The thread of one test calls.
///
/// What fails is tried twice more. It is a failure if it fails twice of three times, or if a byte
/// is wrong; else it is told on a line that begins with `intermittent: `, which `./sluice test`
/// repeats.
final class ServerAttempts {
  private static final int ATTEMPTS = 3;

  private ServerAttempts() {}

  /// What is tried.
  interface Check {
    /// @param attempt 1, 2 or 3
    void run(int attempt) throws Exception;
  }

  /// @param log gets what is told
  /// @throws AssertionError the second of two failures, the first as suppressed; or the first that
  ///   tells of a wrong byte
  static void run(String name, Check check, PrintStream log) throws Exception {
    AssertionError before = null;
    for (int attempt = 1; attempt == 1 || (before != null && attempt <= ATTEMPTS); attempt++) {
      try {
        check.run(attempt);
      } catch (AssertionError failure) {
        boolean wrong = String.valueOf(failure.getMessage()).contains(LoadLaunch.WRONG);
        if (before != null) {
          failure.addSuppressed(before);
        }
        if (wrong || before != null) {
          throw failure;
        }
        before = failure;
        failure.printStackTrace(log);
      }
    }
    if (before != null) {
      log.println("intermittent: once of three times: " + name);
    }
  }
}
