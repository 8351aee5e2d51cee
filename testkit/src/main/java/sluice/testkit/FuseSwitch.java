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

/// Exclusive control over the kernel's switch for FUSE over io_uring. Used by the test's thread.
///
/// The switch belongs to the machine, so tests of different processes exclude each other with a
/// lock on its file. A shell turns the switch, and restores it when its input ends, even if a test
/// fails or its process is killed. The lock has no queue: a test that takes it repeatedly may wait
/// behind every other holder. So only a mount that is affected by the switch takes it
/// ([#forMount]).
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

  /// Prepares a mount. With rings, the switch is turned on. Without rings, the switch does not
  /// affect the mount, so the test need not wait for others.
  public static FuseSwitch forMount(boolean asksForRings) throws IOException {
    return asksForRings ? hold(true) : new FuseSwitch(null);
  }

  /// Takes the lock, waiting for it, and turns the switch. A kernel without the switch counts as
  /// off. A test that needs it on is skipped there, and also if only root may turn it.
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

  /// Loads the kernel module with the switch, by opening the device.
  private static void loadModule() {
    try (FileChannel _ = FileChannel.open(Path.of("/dev/fuse"), StandardOpenOption.READ)) {
      return;
    } catch (IOException e) {
      // Without a device, there is no switch either.
    }
  }

  /// Turns the switch while the lock is held.
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

  /// Restores the switch and releases the lock.
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
