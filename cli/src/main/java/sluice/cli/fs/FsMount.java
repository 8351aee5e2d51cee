package sluice.cli.fs;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.cli.console.GivenOptions;
import sluice.host.Host;
import sluice.host.disk.Disk;
import sluice.host.disk.DiskSettings;
import sluice.host.disk.DiskTable;
import sluice.host.file.UsageException;

/// Implements the command `sluice fs mount`, which mounts an image through FUSE until it is
/// unmounted. It runs in the main thread.
@Command(
    name = "mount",
    description = {
      "Mounts an image in a directory, through FUSE, until it is unmounted:",
      "by umount DIR, by Ctrl-C or SIGTERM. Needs root and /dev/fuse."
    },
    mixinStandardHelpOptions = true)
final class FsMount implements Callable<Integer> {
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
    DiskSettings settings;
    try {
      settings = DiskTable.mounted(image, directory, GivenOptions.of(spec));
    } catch (UsageException e) {
      throw GivenOptions.wrong(spec, e);
    }
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Disk disk = Disk.start(settings, err);
    try (Host host = new Host(List.of(disk), line -> err.println("sluice: " + line))) {
      host.listenToSignals(Host.Hangup.ENDS);
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
}
