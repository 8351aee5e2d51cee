package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import sluice.testbase.Await;
import sluice.testbase.Slice;
import sluice.testkit.FuseSwitch;
import sluice.testkit.MountCopies;

/// Tests `sluice fs mount` as a process that serves, ends cleanly on a signal, and may be killed.
@Timeout(600)
final class FsMountTest {
  /// The number of unmounts that are followed by another command at once.
  private static final int ROUNDS = 8;

  /// The number of kills and unmounts in all; an ordinary run does a part of them.
  private static final int HUNDRED = 100;

  @TempDir Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private @Nullable Process process;

  @BeforeEach
  void make() throws IOException {
    Files.createDirectory(mount());
    assertThat(run("mkfs", "--size", "32M", image().toString())).isZero();
  }

  @AfterEach
  void end() throws Exception {
    Process started = process;
    if (started != null && started.isAlive()) {
      int _ = Await.end(started.destroyForcibly());
    }
    while (tool("umount", "-l", mount().toString()) == 0) {
      // unmount what a failed test has left
    }
  }

  private Path mount() {
    return directory.resolve("mnt");
  }

  private Path image() {
    return directory.resolve("disk.img");
  }

  private int run(String... words) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    String[] args = new String[words.length + 1];
    args[0] = "fs";
    System.arraycopy(words, 0, args, 1, words.length);
    CommandLine commands = Commands.commandLine();
    return commands
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  private static int tool(String... words) throws Exception {
    Process tool = new ProcessBuilder(words).redirectErrorStream(true).start();
    tool.getInputStream().readAllBytes();
    return Await.end(tool);
  }

  /// Starts the command and waits until the image is mounted.
  ///
  /// @param ring "on" if requests arrive through io_uring, otherwise "off"
  private Process start(String ring, String... options) throws Exception {
    requireMounts();
    try (FuseSwitch turned = FuseSwitch.forMount(ring.equals("on"))) {
      assertThat(turned).isNotNull();
      return started(ring, options);
    }
  }

  private static void requireMounts() {
    assumeTrue(Files.exists(Path.of("/dev/fuse")), "needs /dev/fuse (modprobe fuse)");
    assumeTrue(System.getProperty("user.name", "").equals("root"), "needs root, to mount");
  }

  private Process started(String ring, String... options) throws Exception {
    List<String> command = SluiceProcess.command("fs", "mount");
    command.addAll(List.of("--ring", ring));
    command.addAll(List.of(options));
    command.addAll(List.of(image().toString(), mount().toString()));
    Process started = new ProcessBuilder(command).redirectErrorStream(true).start();
    process = started;
    BufferedReader out = started.inputReader(StandardCharsets.UTF_8);
    String first = out.readLine();
    while (first != null && first.contains("waits for that")) {
      first = out.readLine(); // the previous mount is still ending
    }
    assertThat(first)
        .startsWith("mounted " + image() + " at " + mount())
        .contains(ring.equals("on") ? "requests by io_uring (" : "requests by read and write (");
    return started;
  }

  private static void signal(Process process, String name) throws Exception {
    assertThat(tool("kill", "-" + name, Long.toString(process.pid()))).isZero();
  }

  private static String rest(Process process) throws Exception {
    String rest = String.join("\n", process.inputReader(StandardCharsets.UTF_8).lines().toList());
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return rest;
  }

  /// Kills the server after `sync`. All data must be in the image, where e2fsck finds it without
  /// replaying the journal. The mount that remains must not block any command.
  @Test
  @Timeout(1800) // a hundred servers, one after the other
  void syncAndThenAKillLosesNothing() throws Exception {
    for (long round = Slice.current().share(HUNDRED); round > 0; round--) {
      Process started = start("off");
      assumeTrue(hearsOfSync(), "needs Linux 6.18, or sync(1) does not reach FUSE servers");
      fill(round);
      assertThat(tool("sync", "-f", mount().toString())).isZero();
      int _ = Await.end(started.destroyForcibly());
      assertWhole(round);
      assertThat(run("fsck", image().toString())).as("%s", err).isZero();
      assertThat(tool("umount", mount().toString())).isZero();
    }
  }

  /// Unmounts, and checks that the image is consistent when `umount` returns, even for e2fsck,
  /// which does not wait for a lock.
  @Test
  @Timeout(1800) // a hundred servers, one after the other
  void unmountingLosesNothing() throws Exception {
    for (long round = Slice.current().share(HUNDRED); round > 0; round--) {
      Process started = start("off");
      assumeTrue(isFromLoop(), "needs loop devices (modprobe loop)");
      fill(round);
      boolean copied = MountCopies.exist(mount());
      assertThat(tool("umount", mount().toString())).isZero();
      if (copied || MountCopies.exist(mount())) {
        assertThat(started.waitFor(100, TimeUnit.SECONDS)).isTrue(); // it ends with the last copy
      }
      assertWhole(round);
      assertThat(rest(started)).contains("unmounted");
    }
  }

  /// Kills the server after files were closed. With `--flush-on-close`, they must be in the image.
  @Test
  void whatWasClosedSurvivesAKillWhereThatIsWanted() throws Exception {
    Process started = start("off", "--flush-on-close");
    for (int i = 0; i < 20; i++) {
      Files.write(mount().resolve("f" + i), new byte[1000 * i]);
    }
    int _ = Await.end(started.destroyForcibly());
    assertThat(tool("umount", "-l", mount().toString())).isZero();
    for (int i = 0; i < 20; i++) {
      assertThat(run("ls", image().toString(), "/f" + i)).as("%s", err).isZero();
    }
    Process again = start("off");
    for (int i = 0; i < 20; i++) {
      assertThat(mount().resolve("f" + i)).hasSize(1000L * i);
    }
    assertThat(tool("umount", mount().toString())).isZero();
    assertThat(rest(again)).contains("unmounted");
  }

  /// Mounts without a loop device. A line must say that sync(1) and umount(8) do not wait.
  @Test
  void aMountWithoutALoopDeviceSaysWhatItDoesNotPromise() throws Exception {
    requireMounts();
    String script =
        "mount --bind /dev/null /dev/loop-control && exec " // in its own mount namespace
            + String.join(" ", SluiceProcess.command("fs", "mount"))
            + " "
            + image()
            + " "
            + mount();
    Process started =
        new ProcessBuilder("unshare", "-m", "sh", "-c", script).redirectErrorStream(true).start();
    process = started;
    String line = started.inputReader(StandardCharsets.UTF_8).readLine();
    assertThat(line)
        .contains("sync(1) and umount(8) do not wait")
        .contains("no loop device")
        .contains("Fix: fsync(2)")
        .contains("sluice fs umount " + mount());
    assertThat(started.inputReader(StandardCharsets.UTF_8).readLine()).startsWith("mounted ");
    signal(started, "TERM");
    assertThat(rest(started)).contains("unmounted");
  }

  private boolean isFromLoop() throws IOException {
    String mounts = Files.readString(Path.of("/proc/self/mounts"));
    return mounts.lines().anyMatch(l -> l.contains(mount() + " fuseblk.sluice"));
  }

  private boolean hearsOfSync() throws IOException {
    String version = Files.readString(Path.of("/proc/sys/kernel/osrelease"));
    String[] numbers = version.split("[^0-9]+", 3);
    int major = Integer.parseInt(numbers[0]);
    return isFromLoop() && (major > 6 || (major == 6 && Integer.parseInt(numbers[1]) >= 18));
  }

  /// Removes the files of the previous round and creates others.
  private void fill(long round) throws Exception {
    assertThat(tool("rm", "-rf", mount().resolve("d" + (round + 1)).toString())).isZero();
    Random random = new Random(round);
    Path parent = Files.createDirectories(mount().resolve("d" + round + "/below"));
    for (int i = 0; i < 30; i++) {
      byte[] content = new byte[random.nextInt(20_000)];
      random.nextBytes(content);
      Files.write(parent.resolve("f" + i), content);
    }
    Files.delete(parent.resolve("f7"));
    Files.move(parent.resolve("f8"), mount().resolve("moved"), StandardCopyOption.REPLACE_EXISTING);
  }

  /// Checks the image with e2fsprogs.
  private void assertWhole(long round) throws Exception {
    assertThat(tool("e2fsck", "-fn", image().toString())).as("round %d", round).isZero();
    Path out = Files.createDirectory(directory.resolve("out" + round));
    assertThat(tool("debugfs", "-R", "rdump / " + out, image().toString())).isZero();
    Random random = new Random(round);
    Path parent = out.resolve("d" + round + "/below");
    for (int i = 0; i < 30; i++) {
      byte[] content = new byte[random.nextInt(20_000)];
      random.nextBytes(content);
      Path file = i == 8 ? out.resolve("moved") : parent.resolve("f" + i);
      if (i == 7) {
        assertThat(file).doesNotExist();
      } else {
        assertThat(file).as("round %d", round).hasBinaryContent(content);
      }
    }
  }

  /// Runs commands right after an unmount. They must wait until the server has released the image.
  @Test
  void whatFollowsAnUnmountAtOnceFindsAWholeImage() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      Process started = start("off");
      for (int file = 0; file < 40; file++) {
        Files.write(mount().resolve("f-" + file), new byte[50_000 + i]);
      }
      if (i % 2 == 0) {
        assertThat(tool("umount", mount().toString())).isZero();
        assertThat(run("fsck", image().toString())).as("%s", err).isZero();
      } else {
        assertThat(run("umount", mount().toString())).as("%s", err).isZero();
      }
      assertThat(tool("e2fsck", "-fn", image().toString())).isZero();
      assertThat(run("ls", image().toString(), "/f-39")).as("%s", err).isZero();
      assertThat(rest(started)).contains("unmounted");
    }
  }

  /// Mounts again right after an unmount.
  @Test
  void anUnmountedImageCanBeMountedAtOnce() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      Process started = start("off");
      assertThat(mount().toFile().list()).hasSize(40 * i + 1); // and lost+found
      for (int file = 0; file < 40; file++) {
        Files.write(mount().resolve(i + "-" + file), new byte[5000]);
      }
      assertThat(tool("umount", mount().toString())).isZero();
      Process next = started("off");
      assertThat(rest(started)).contains("unmounted");
      assertThat(mount().resolve(i + "-39")).hasSize(5000);
      assertThat(tool("umount", mount().toString())).isZero();
      assertThat(rest(next)).contains("unmounted");
    }
  }

  @Test
  void unmountingWhatIsUsedOrNoMountIsRefusedWithTheFix() throws Exception {
    assertThat(run("umount", mount().toString())).isEqualTo(1);
    assertThat(err.toString()).contains("is no mount of").contains("Fix: findmnt");
    Process started = start("off");
    try (FileChannel channel =
        FileChannel.open(
            mount().resolve("file"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      assertThat(channel.write(ByteBuffer.wrap(new byte[5000]))).isEqualTo(5000);
      assertThat(run("umount", mount().toString())).isEqualTo(1);
      assertThat(err.toString()).contains("is in use").contains("Fix: fuser");
    }
    assertThat(run("umount", mount().toString())).isZero();
    assertThat(rest(started)).contains("unmounted");
  }

  @ParameterizedTest
  @ValueSource(strings = {"off", "on"})
  void servesUntilTerminatedAndLeavesTheImageClean(String ring) throws Exception {
    Process started = start(ring);
    Files.write(mount().resolve("file"), new byte[100_000]);
    assertThat(run("ls", image().toString())).isEqualTo(1);
    assertThat(err.toString()).contains("Why:").contains("Fix:"); // the image is in use
    signal(started, "TERM");
    assertThat(rest(started)).contains("unmounted " + image());
    assertThat(started.exitValue()).isZero();
    assertThat(mount()).isEmptyDirectory();
    assertThat(run("fsck", image().toString())).isZero();
    assertThat(tool("e2fsck", "-fn", image().toString())).isZero();
    start(ring, "--read-only");
    assertThat(mount().resolve("file")).hasSize(100_000);
    assertThatThrownBy(() -> Files.delete(mount().resolve("file"))).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"off", "on"})
  void usersOfABusyMountGoOn(String ring) throws Exception {
    Process started = start(ring);
    try (FileChannel channel =
        FileChannel.open(
            mount().resolve("file"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      signal(started, "TERM");
      BufferedReader out = started.inputReader(StandardCharsets.UTF_8);
      assertThat(out.readLine()).contains("is in use").contains("fuser -vm");
      assertThat(channel.write(ByteBuffer.wrap(new byte[5000]))).isEqualTo(5000);
    }
    assertThat(rest(started)).contains("unmounted");
    assertThat(tool("e2fsck", "-fn", image().toString())).isZero();
  }

  /// Detaches a mount in use with `umount -l` and mounts another file system in its place. A signal
  /// to the server must not unmount the other file system.
  @Test
  void aMountThatAnotherProcessDetachedLeavesItsPlaceAlone() throws Exception {
    Process started = start("off");
    try (FileChannel channel =
        FileChannel.open(
            mount().resolve("file"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      assertThat(tool("umount", "-l", mount().toString())).isZero();
      assertThat(tool("mount", "-t", "tmpfs", "beside", mount().toString())).isZero();
      Files.createFile(mount().resolve("of the other"));
      signal(started, "TERM");
      BufferedReader out = started.inputReader(StandardCharsets.UTF_8);
      assertThat(out.readLine()).contains("is in use").contains("served until its last user");
      assertThat(mount().resolve("of the other")).exists();
      assertThat(channel.write(ByteBuffer.wrap(new byte[5000]))).isEqualTo(5000);
    }
    assertThat(rest(started)).contains("unmounted");
    assertThat(mount().resolve("of the other")).exists();
    assertThat(tool("umount", mount().toString())).isZero();
    assertThat(tool("e2fsck", "-fn", image().toString())).isZero();
  }

  @Test
  void interruptingTwiceEndsAMountThatAnotherProcessDetached() throws Exception {
    Process started = start("off");
    FileChannel channel =
        FileChannel.open(
            mount().resolve("file"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    assertThat(tool("umount", "-l", mount().toString())).isZero();
    signal(started, "INT");
    assertThat(started.inputReader(StandardCharsets.UTF_8).readLine()).contains("is in use");
    signal(started, "INT");
    assertThat(rest(started)).contains("unmounted");
    assertCutOff(channel);
    assertThat(tool("e2fsck", "-fn", image().toString())).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"off", "on"})
  void interruptingTwiceEndsABusyMount(String ring) throws Exception {
    Process started = start(ring);
    FileChannel channel =
        FileChannel.open(
            mount().resolve("file"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    signal(started, "INT");
    assertThat(started.inputReader(StandardCharsets.UTF_8).readLine()).contains("is in use");
    signal(started, "INT");
    assertThat(rest(started)).contains("unmounted");
    assertCutOff(channel);
    assertThat(tool("e2fsck", "-fn", image().toString())).isZero();
  }

  /// Asserts that no process serves the file any more.
  private static void assertCutOff(FileChannel channel) {
    assertThatThrownBy(() -> channel.write(ByteBuffer.wrap(new byte[10])))
        .isInstanceOf(IOException.class);
    try {
      channel.close();
    } catch (IOException e) {
      // Some kernels send each close to the server, and then it fails as well.
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"off", "on"})
  void whatWasSyncedSurvivesAKill(String ring) throws Exception {
    Process started = start(ring);
    Path file = mount().resolve("file");
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    channel.write(ByteBuffer.wrap(new byte[300_000]));
    channel.force(true);
    for (int i = 0; i < 200; i++) {
      Files.write(mount().resolve("unsynced" + i), new byte[i]);
    }
    int _ = Await.end(started.destroyForcibly());
    assertCutOff(channel);
    assertThatThrownBy(() -> Files.size(file)).isInstanceOf(IOException.class);
    assertThat(run("mount", image().toString(), mount().toString())).isOne();
    assertThat(err.toString()).contains("was killed. Fix: umount -l " + mount());
    assertThat(run("fsck", "-n", image().toString())).as("%s", out).isZero();
    assertThat(out.toString()).contains("clean after replay").doesNotContain("Fix");
    assertThat(err.toString()).contains("has a log that a crash left");
    assertThat(tool("umount", "-l", mount().toString())).isZero();
    Process again = start(ring); // replays the journal
    assertThat(file).hasSize(300_000);
    signal(again, "TERM");
    assertThat(rest(again)).contains("unmounted");
    assertThat(tool("e2fsck", "-fn", image().toString())).isZero();
  }

  @Test
  void insistingOnRingsWhereThereAreNoneIsRefusedWithTheFix() throws Exception {
    requireMounts();
    try (FuseSwitch off = FuseSwitch.hold(false)) {
      assertThat(off).isNotNull();
      assertThat(run("mount", "--ring", "on", image().toString(), mount().toString())).isOne();
      assertThat(err.toString()).contains("Why: ").contains("Fix: ").contains("--ring auto");
      assertThat(mount()).isEmptyDirectory();
    }
  }

  @Test
  void whatIsWrongIsSaid() throws Exception {
    assertThat(run("mount", image().toString(), directory.resolve("none").toString())).isOne();
    assertThat(err.toString()).contains("does not exist").contains("Fix: mkdir -p");
    assertThat(run("mount", image().toString(), image().toString())).isOne();
    assertThat(err.toString()).contains("is no directory");
    Path noise = Files.write(directory.resolve("noise"), new byte[100_000]);
    assertThat(run("mount", noise.toString(), mount().toString())).isOne();
    assertThat(err.toString()).contains("no ext2 file system");
    assertThat(run("mount", "--cache", "x", image().toString(), mount().toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--cache");
    assertThat(run("mount", "--threads", "0", image().toString(), mount().toString())).isEqualTo(2);
    assertThat(err.toString())
        .contains("--threads takes a number from 1 to 64: 0. Fix: --threads 4");
    assertThat(run("mount", "--ring", "x", image().toString(), mount().toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--ring takes auto, on or off, not x. Fix: --ring auto");
    assertThat(
            run(
                "mount",
                "--ring=x",
                "--threads=65",
                "--valid=-1",
                "--cache=1k",
                image().toString(),
                mount().toString()))
        .isEqualTo(2);
    assertThat(err.toString())
        .contains(
            "--ring takes ",
            "--threads takes a number from 1 to 64: 65",
            "--valid takes a number from 0 to 2147483647: -1",
            "--cache: no number of bytes, at least 1M: 1k. Fix: --cache 64M");
  }
}
