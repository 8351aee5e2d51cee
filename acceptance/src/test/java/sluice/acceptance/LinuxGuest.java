package sluice.acceptance;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import sluice.testbase.Await;

/// A Linux kernel in qemu, as `linux-guest.sh` makes and boots it. The test's thread calls.
///
/// @param directory what it consists of; the guest sees it as `/mnt/given`
record LinuxGuest(Path directory) {
  private static final Path SCRIPT = Path.of("linux-guest.sh").toAbsolutePath();
  private static final String STAGES = "guest-stages.sh";

  /// See `deb-lists.sh`.
  private static final int UNAVAILABLE = 75;

  /// One stage's end.
  ///
  /// @param code 0 when it went well
  record Result(int code, double seconds) {}

  /// What a guest said.
  ///
  /// @param results by the names of stages
  record Console(List<String> lines, Map<String, Result> results) {
    String text() {
      return String.join("\n", lines);
    }
  }

  /// Hears each line as it comes.
  interface Listener {
    void said(String line) throws Exception;
  }

  /// Runs a command of the script that makes something in the directory, and passes it more words.
  void prepare(String command, String... more) throws IOException, InterruptedException {
    List<String> words =
        new ArrayList<>(List.of("sh", SCRIPT.toString(), command, directory.toString()));
    words.addAll(List.of(more));
    fetch(words);
  }

  /// Runs a script that fetches something. What cannot be had now, it says by its exit code, and
  /// the test is skipped.
  static void fetch(List<String> words) throws IOException, InterruptedException {
    int exitCode = new ProcessBuilder(words).inheritIO().start().waitFor();
    assumeTrue(exitCode != UNAVAILABLE, "could not be fetched by: " + String.join(" ", words));
    assertThat(exitCode).as(String.join(" ", words)).isZero();
  }

  /// Boots, runs a script to its end and ends the machine.
  ///
  /// @param script resource beside this class
  /// @param settings what the script finds as `/mnt/given/settings`
  /// @param limit a guest that takes longer is killed, and has then said less
  Console run(String script, String settings, int processors, Duration limit, Listener listener)
      throws Exception {
    Files.writeString(directory.resolve("settings"), settings);
    give(STAGES, "stages.sh");
    give(script, "script");
    List<String> lines = new ArrayList<>();
    Map<String, Result> results = new HashMap<>();
    Process qemu =
        new ProcessBuilder(
                "sh",
                SCRIPT.toString(),
                "run",
                directory.toString(),
                directory.resolve("script").toString(),
                Integer.toString(processors),
                Integer.toString(512 + 512 * processors))
            .redirectErrorStream(true)
            .start();
    var _ =
        qemu.onExit()
            .orTimeout(limit.toSeconds(), SECONDS)
            .exceptionally(late -> qemu.destroyForcibly());
    try (BufferedReader reader = qemu.inputReader(StandardCharsets.ISO_8859_1)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        String text = line.strip();
        lines.add(text);
        System.out.println("guest: " + text);
        String[] words = text.split(" ", -1);
        if (text.startsWith("RESULT ") && words.length == 4) {
          results.put(
              words[1], new Result(Integer.parseInt(words[2]), Double.parseDouble(words[3])));
        }
        listener.said(text);
      }
    } finally {
      qemu.descendants().forEach(ProcessHandle::destroyForcibly);
      int _ = Await.end(qemu.destroyForcibly());
    }
    return new Console(lines, results);
  }

  private void give(String resource, String name) throws IOException {
    try (var stream = LinuxGuest.class.getResourceAsStream("/sluice/acceptance/" + resource)) {
      Files.copy(
          Objects.requireNonNull(stream),
          directory.resolve(name),
          StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
