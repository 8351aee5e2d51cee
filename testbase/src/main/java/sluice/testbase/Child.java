package sluice.testbase;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// Another process that a test has run to its end. Made by the test's thread.
///
/// @param exit its exit status
/// @param output what it wrote
public record Child(int exit, String output) {
  /// Runs one. It is killed when it has not ended in time, since no interrupt ends the reading of
  /// what it writes.
  public static Child run(ProcessBuilder builder) throws IOException, InterruptedException {
    Process process = builder.redirectErrorStream(true).start();
    Await.limit(process);
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Child(process.waitFor(), output);
  }

  /// The class path of this JVM and its module path, for a process that runs classes of the test:
  /// surefire keeps the first apart when the test runs on the module path or by a manifest.
  public static String classPath() {
    String classes =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    String modules = System.getProperty("jdk.module.path", "");
    return modules.isEmpty() ? classes : classes + File.pathSeparator + modules;
  }
}
