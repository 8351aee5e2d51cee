package sluice.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.MountOptions;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.fuse.FuseMount;
import sluice.fs.fuse.FuseOptions;
import sluice.fs.fuse.RingUse;
import sluice.fs.storage.BlockDevices;
import sluice.testbase.Slice;
import sluice.testkit.FuseSwitch;

/// Other people's suites for file systems on ours, mounted through FUSE: pjdfstest (what POSIX says
/// of names, permissions and times) and fsx (content, by random operations); requests are read, and
/// come through io_uring.
///
/// `fs-suites.sh` builds them, or `SLUICE_FS_SUITES` names the directory that has them in its
/// `bin`.
@Tag("acceptance")
@Timeout(1800)
@DisabledIfEnvironmentVariable(
    named = "SLUICE_TURN",
    matches = "[^012]",
    disabledReason = "in continuous integration these suites have three days of seven")
class FileSystemSuitesTest {
  private static final Path TARGET = Path.of("target", "fs-suites").toAbsolutePath();
  private static final long IMAGE_BYTES = 256L << 20;

  @TempDir Path directory;

  @BeforeEach
  void require() {
    assumeTrue(Files.exists(Path.of("/dev/fuse")), "needs /dev/fuse (modprobe fuse)");
    assumeTrue(System.getProperty("user.name", "").equals("root"), "needs root, to mount");
  }

  private static Path suite(String name) throws Exception {
    String given = System.getenv("SLUICE_FS_SUITES");
    Path root = given == null ? TARGET : Path.of(given);
    Path program = root.resolve("bin").resolve(name);
    if (!Files.isExecutable(program)) {
      Ran ran = run(1500, root.toString(), "./fs-suites.sh", root.toString());
      if (ran.status != 0) {
        abort("no " + name + ": " + ran.output);
      }
    }
    return program;
  }

  private record Ran(int status, String output) {}

  private static Ran run(int seconds, String log, String... words) throws Exception {
    Path output = Path.of(log + ".log");
    Files.createDirectories(output.getParent());
    Process process =
        new ProcessBuilder(List.of(words))
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException(words[0] + " did not end: " + Files.readString(output));
    }
    String text = new String(Files.readAllBytes(output), StandardCharsets.ISO_8859_1);
    return new Ran(process.exitValue(), text);
  }

  private interface Suite {
    void run(Path mount) throws Exception;
  }

  /// Runs a suite in a fresh file system, and has the image judged.
  private void mounted(RingUse rings, Suite suite) throws Exception {
    Path image = directory.resolve("disk.img");
    try (FileChannel file =
        FileChannel.open(image, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate(1), IMAGE_BYTES - 1);
    }
    Path mount = Files.createDirectory(directory.resolve("mnt"));
    // Users without privilege come by here.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (BlockDevice device = BlockDevices.file(image, false)) {
      FormatOptions format = FormatOptions.forDevice(IMAGE_BYTES);
      Ext2Format.format(device, format.withJournal(IMAGE_BYTES), _ -> {});
      FuseOptions options = FuseOptions.of(image.toString()).withTrusted(true).withRings(rings);
      try (FuseSwitch _ = FuseSwitch.forMount(rings == RingUse.ON);
          Ext2 tree = Ext2.mount(device, MountOptions.defaults());
          FuseMount _ = FuseMount.open(tree, mount, options, text -> System.out.println(text))) {
        suite.run(mount);
      }
    }
    Ran judged =
        run(120, directory.resolve("e2fsck").toString(), "e2fsck", "-fn", image.toString());
    assertThat(judged.status).as(judged.output).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"OFF", "ON"})
  void pjdfstestPassesAsOnTheKernelsOwn(RingUse rings) throws Exception {
    Path program = suite("pjdfstest");
    Path configuration =
        Files.writeString(
            directory.resolve("pjdfstest.toml"),
            """
            [features]
            posix_fallocate = {}
            rename_ctime = {}
            utime_now = {}
            utimensat = {}
            [settings]
            naptime = 0.05
            allow_remount = false
            [dummy_auth]
            entries = [["nobody", "nogroup"], ["daemon", "daemon"]]
            """);
    mounted(
        rings,
        mount -> {
          Path tests = Files.createDirectory(mount.resolve("tests"));
          Ran ran =
              run(
                  900,
                  directory.resolve("pjdfstest").toString(),
                  program.toString(),
                  "-c",
                  configuration.toString(),
                  "-p",
                  tests.toString());
          PjdSummary summary = PjdSummary.of(ran.output.lines().toList());
          assertThat(summary.failed()).as(ran.output).isZero();
          assertThat(summary.passed()).as(ran.output).isGreaterThanOrEqualTo(356);
          assertThat(ran.status).as(ran.output).isZero();
        });
  }

  /// In one run, so that a change has a hundred thousand others behind it; the seed is that of the
  /// day, so that days differ and a day's run can be repeated. It takes minutes: without rings in
  /// the first part of a long suite ([Slice]), with them in the second; the other parts do a tenth.
  @ParameterizedTest
  @EnumSource(names = {"OFF", "ON"})
  void fsxFindsNothingInAHundredThousandOperations(RingUse rings) throws Exception {
    Path program = suite("fsx");
    Slice slice = Slice.current();
    boolean all = slice.count() == 1 || slice.index() == (rings == RingUse.OFF ? 0 : 1);
    String operations = all ? "100000" : "10000";
    long seed = Long.getLong("sluice.seed", LocalDate.now(ZoneOffset.UTC).toEpochDay());
    System.out.println("fsx runs with -Dsluice.seed=" + seed);
    mounted(
        rings,
        mount -> {
          Ran ran =
              run(
                  600,
                  directory.resolve("fsx").toString(),
                  program.toString(),
                  "-N",
                  operations,
                  "-S",
                  Long.toString(seed),
                  mount.resolve("file").toString());
          assertThat(ran.status).as("-Dsluice.seed=%d: %s", seed, ran.output).isZero();
        });
  }
}
