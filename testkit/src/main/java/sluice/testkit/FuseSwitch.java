package sluice.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The kernel's switch of FUSE over io_uring, as a test wants it: its holder is alone with it on
/// this machine. Of the test's thread.
///
/// The switch is the machine's, so tests of other processes wait for each other by a lock on its
/// file. A shell turns it, and turns it back when its input ends: also when a test fails, or its
/// process is killed. The lock has no queue: a test that takes it again and again may wait behind
/// each test that holds it, so only a mount that the switch changes takes it ([#forMount]).
public final class FuseSwitch implements AutoCloseable {
  private static final Path SWITCH = Path.of("/sys/module/fuse/parameters/enable_uring");
  private static final String SCRIPT =
      """
      exec 9<"$1" || exit 1
      flock -E 75 -w 200 9 || { test $? = 75 && echo busy; exit 1; }
      before=$(cat "$1")
      trap 'echo "$before" >"$1"' EXIT
      trap 'exit 1' HUP INT TERM
      while read -r wanted; do echo "$wanted" >"$1"; cat "$1"; done
      """;

  private final @Nullable Process shell;

  private FuseSwitch(@Nullable Process shell) {
    this.shell = shell;
  }

  /// For a mount: with rings, the switch is turned on; without, the mount is the same either way
  /// and its test waits for no other.
  public static FuseSwitch forMount(boolean asksForRings) throws IOException {
    return asksForRings ? hold(true) : new FuseSwitch(null);
  }

  /// Waits for it and turns it. Where there is none, it is off; a test that wants it on is skipped
  /// there, and where only root may turn it.
  public static FuseSwitch hold(boolean on) throws IOException {
    loadModule();
    if (!Files.exists(SWITCH)) {
      assumeTrue(!on, "needs FUSE over io_uring (Linux 6.14 with CONFIG_FUSE_IO_URING)");
      return new FuseSwitch(null);
    }
    Process shell =
        new ProcessBuilder("sh", "-c", SCRIPT, "sh", SWITCH.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    FuseSwitch held = new FuseSwitch(shell);
    try {
      held.turn(on);
      return held;
    } catch (IOException | RuntimeException e) {
      held.close();
      throw e;
    }
  }

  /// The module that has the switch comes with the first use of the device.
  private static void loadModule() {
    try (FileChannel _ = FileChannel.open(Path.of("/dev/fuse"), StandardOpenOption.READ)) {
      return;
    } catch (IOException e) {
      // Then there is no switch either.
    }
  }

  /// Turns it, while it is held.
  public void turn(boolean on) throws IOException {
    Process turning = shell;
    if (turning == null) {
      assumeTrue(!on, "needs FUSE over io_uring (Linux 6.14 with CONFIG_FUSE_IO_URING)");
      return;
    }
    String wanted = on ? "Y" : "N";
    Writer in = turning.outputWriter(StandardCharsets.US_ASCII);
    in.write(wanted + "\n");
    in.flush();
    BufferedReader out = turning.inputReader(StandardCharsets.US_ASCII);
    String answer = out.readLine();
    if ("busy".equals(answer)) {
      throw new IOException("another test has held " + SWITCH + " for 200 s");
    }
    assumeTrue(wanted.equals(answer), "needs root and flock(1), to turn " + SWITCH);
  }

  /// Turns it back and lets others have it.
  @Override
  public void close() throws IOException {
    Process turning = shell;
    if (turning == null) {
      return;
    }
    turning.outputWriter(StandardCharsets.US_ASCII).close();
    try {
      if (!turning.waitFor(60, TimeUnit.SECONDS)) {
        turning.destroy();
        throw new IOException(SWITCH + " was not turned back");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
