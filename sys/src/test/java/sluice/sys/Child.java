package sluice.sys;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// Another process that a test has run to its end. Made by the test's thread.
///
/// @param exit its exit status
/// @param output what it wrote
record Child(int exit, String output) {
  /// Runs one. If it has not ended after 100 s it is killed, since no interrupt ends the reading of
  /// what it writes.
  static Child run(ProcessBuilder builder) throws IOException, InterruptedException {
    Process process = builder.redirectErrorStream(true).start();
    var _ =
        process
            .onExit()
            .orTimeout(Patience.SECONDS, SECONDS)
            .exceptionally(late -> process.destroyForcibly());
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Child(process.waitFor(), output);
  }
}
