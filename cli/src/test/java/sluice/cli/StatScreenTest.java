package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.host.text.ShellWord;
import sluice.loop.counters.Counters;
import sluice.testbase.Await;

/// Tests `sluice stat` on a terminal, which script(1) of util-linux provides.
@Timeout(240)
final class StatScreenTest {
  private static final String BEGIN = "\u001b[?1049h\u001b[?25l";
  private static final String END = "\u001b[?25h\u001b[?1049l";
  private static final Pattern CONTROL = Pattern.compile("\u001b\\[[0-9?;]*[A-Za-z]");

  @TempDir Path directory;
  private @Nullable Counters counters;
  private @Nullable Process process;

  @BeforeEach
  void counters() {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script(1) is missing: bsdutils");
    Counters opened = Counters.open(directory, 40);
    counters = opened;
    opened.describe("serve something with a name that is longer than the window is wide");
    for (int i = 0; i < 30; i++) {
      opened.counter("loop/counter_" + i).set(i + 1);
    }
  }

  @AfterEach
  void end() {
    if (counters != null) {
      counters.close();
    }
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private Process start(int rows, int columns, String... words) throws Exception {
    List<String> command = SluiceProcess.command("stat", "--dir", directory.toString());
    command.addAll(List.of(words));
    String quoted = command.stream().map(ShellWord::of).collect(Collectors.joining(" "));
    String all = "stty rows " + rows + " cols " + columns + "; exec " + quoted;
    ProcessBuilder builder = new ProcessBuilder("script", "-qefc", all, "/dev/null");
    builder.environment().put("TERM", "xterm");
    Process started = builder.redirectErrorStream(true).start();
    this.process = started;
    // ends a read of output that never arrives
    CompletableFuture.delayedExecutor(Await.SECONDS, TimeUnit.SECONDS)
        .execute(started::destroyForcibly);
    return started;
  }

  private static String until(Reader reader, String text) throws IOException {
    StringBuilder said = new StringBuilder();
    for (int c; said.indexOf(text) < 0 && (c = reader.read()) >= 0; ) {
      said.append((char) c);
    }
    assertThat(said.toString()).contains(text);
    return said.toString();
  }

  @Test
  void drawsWithinTheWindowAndLeavesTheScreenAsItWas() throws Exception {
    Process process = start(12, 66, "--watch=1", "--count=2");
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(Await.end(process)).as(said).isZero();
    assertThat(said.strip()).startsWith(BEGIN).contains(END).contains("/s");
    List<String> frames = new ArrayList<>(List.of(said.split("\u001b\\[H", -1)));
    assertThat(frames).hasSize(3);
    for (String frame : frames.subList(1, 3)) {
      List<String> lines =
          CONTROL.matcher(frame).replaceAll("").replace("\r", "").strip().lines().toList();
      assertThat(lines).hasSizeLessThanOrEqualTo(12);
      assertThat(lines).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(66));
      assertThat(lines.getLast()).endsWith("more lines; all counters: sluice stat --once");
    }
  }

  @Test
  void controlCGivesTheTerminalBack() throws Exception {
    Process process = start(24, 80);
    Reader reader = process.inputReader(StandardCharsets.UTF_8);
    assertThat(until(reader, "all counters:")).contains(BEGIN).doesNotContain(END);
    process.getOutputStream().write(3);
    process.getOutputStream().flush();
    until(reader, END);
    assertThat(Await.end(process)).isEqualTo(130);
  }

  /// Ends the server. Its counter file is then of no use any more.
  @Test
  void theEndOfAServerIsSaidOnTheScreenOfBefore() throws Exception {
    Process process = start(24, 80);
    Reader reader = process.inputReader(StandardCharsets.UTF_8);
    until(reader, "all counters:");
    Objects.requireNonNull(counters).close();
    until(reader, END);
    assertThat(until(reader, "--dir")).contains("no running server");
    assertThat(Await.end(process)).isEqualTo(1);
  }

  @Test
  void onceAndJsonArePlainOnATerminalToo() throws Exception {
    for (String option : List.of("--once", "--json")) {
      Process process = start(24, 80, option);
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(Await.end(process)).as(said).isZero();
      assertThat(said).contains("counter_29").doesNotContain("\u001b");
    }
  }
}
