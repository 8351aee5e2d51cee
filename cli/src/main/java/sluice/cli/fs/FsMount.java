package sluice.cli.fs;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.fs.ext2.MountOptions;
import sluice.fs.fuse.FuseOptions;
import sluice.fs.fuse.FuseStability;
import sluice.fs.fuse.RingUse;
import sluice.host.Host;
import sluice.host.disk.Disk;
import sluice.host.disk.DiskSettings;
import sluice.host.text.ByteCount;
import sluice.host.text.ShellWord;
import sluice.sys.Errno;
import sluice.sys.Statx;

/// `sluice fs mount`: serves an image through FUSE until it is unmounted. Runs in the main thread.
@Command(
    name = "mount",
    description = {
      "Mounts an image in a directory, through FUSE, until it is unmounted:",
      "by umount DIR, by Ctrl-C or SIGTERM. Needs root and /dev/fuse."
    },
    mixinStandardHelpOptions = true)
final class FsMount implements Callable<Integer> {
  private static final int MIN_CACHE = 1 << 20;

  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "IMAGE", description = "Image file or block device.")
  Path image = Path.of("");

  @Parameters(index = "1", paramLabel = "DIR", description = "Where its files appear.")
  Path directory = Path.of("");

  @Option(
      names = "--read-only",
      description =
          "Nothing in the image is changed; a log that a crash left is read, not replayed.")
  boolean readOnly;

  @Option(
      names = "--trusted",
      description = "Its device files and set-user-id programs work; otherwise nodev, nosuid.")
  boolean trusted;

  @Option(
      names = "--cache",
      paramLabel = "BYTES",
      description = "Memory for blocks (default: ${DEFAULT-VALUE}).")
  String cache = "64M";

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = {
        "Threads that answer the kernel (default: ${DEFAULT-VALUE}); over io_uring, one more, and"
            + " at least two for each processor."
      })
  int threads = 4;

  @Option(
      names = "--ring",
      paramLabel = "auto|on|off",
      description = {
        "Whether requests come through io_uring (default: ${DEFAULT-VALUE}). auto: where root has"
            + " switched it on (echo Y > /sys/module/fuse/parameters/enable_uring, Linux 6.14);"
            + " on: or nothing is mounted."
      })
  String ring = "auto";

  @Option(
      names = "--flush-on-close",
      description = {
        "A close waits until the file is stable, if it was changed, as fsync does: nothing of a"
            + " closed file is lost when the server is killed or the machine stops."
      })
  boolean flushOnClose;

  @Option(
      names = "--valid",
      paramLabel = "SECONDS",
      description = {
        "How long the kernel remembers names and attributes; 0 asks the server each time, also for"
            + " content (default: ${DEFAULT-VALUE})."
      })
  long validSeconds = 86_400;

  @Override
  public Integer call() throws IOException, InterruptedException {
    FuseOptions options = options();
    long cacheBytes = ByteCount.parse(cache);
    if (cacheBytes < MIN_CACHE) {
      throw new ParameterException(
          spec.commandLine(), "--cache must be a number of bytes, at least 1M: " + cache);
    }
    boolean hides = requireDirectory();
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    MountOptions mountOptions =
        MountOptions.defaults().withReadOnly(readOnly).withCacheBytes(cacheBytes);
    DiskSettings settings =
        new DiskSettings(
            "mount", image, mountOptions, new DiskSettings.Mount(directory, options), null);
    Disk disk = Disk.start(settings, err);
    try (Host host = new Host(List.of(disk), line -> err.println("sluice: " + line))) {
      host.listenToSignals(Host.Hangup.ENDS);
      if (hides) {
        err.println("sluice: what is in " + directory + " is hidden while it is mounted over");
      }
      String transport = Objects.requireNonNull(disk.mount()).transport();
      String how = (readOnly ? " (read-only)" : "") + ", requests by " + transport;
      out.println("mounted " + image + " at " + directory + how);
      out.flush();
      host.awaitEnd();
    }
    out.println("unmounted " + image);
    out.flush();
    return 0;
  }

  private FuseOptions options() {
    try {
      return FuseOptions.of(image.toAbsolutePath().normalize().toString())
          .withReadOnly(readOnly)
          .withTrusted(trusted)
          .withThreads(threads)
          .withRings(rings())
          .withStability(FuseStability.NONE.withFlushOnClose(flushOnClose))
          .withValidSeconds(validSeconds);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private RingUse rings() {
    return switch (ring) {
      case "auto" -> RingUse.AUTO;
      case "on" -> RingUse.ON;
      case "off" -> RingUse.OFF;
      default -> throw new IllegalArgumentException("--ring must be auto, on or off: " + ring);
    };
  }

  /// @return whether there is something in it
  private boolean requireDirectory() throws IOException {
    // What the kernel remembers of a mount says nothing about the process that serves it.
    int found =
        sluice.sys.Files.statx(
            sluice.sys.Files.AT_FDCWD,
            directory.toString(),
            sluice.sys.Files.AT_STATX_FORCE_SYNC,
            Statx.STATX_BASIC_STATS,
            new Statx());
    if (found == -Errno.ENOTCONN) {
      throw new IOException(
          directory
              + " is the mount of a server that was killed. Fix: umount -l "
              + ShellWord.of(directory)
              + ", then mount again: the journal is replayed");
    }
    if (!Files.isDirectory(directory)) {
      throw new IOException(
          "the mount point "
              + directory
              + (Files.exists(directory) ? " is no directory" : " does not exist")
              + ". Fix: mkdir -p "
              + ShellWord.of(directory));
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      return entries.iterator().hasNext();
    }
  }
}
