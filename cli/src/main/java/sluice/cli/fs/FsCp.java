package sluice.cli.fs;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.cli.console.Progress;
import sluice.host.disk.MountedImage;
import sluice.host.disk.copy.CopyIn;
import sluice.host.disk.copy.CopyOut;
import sluice.host.disk.copy.CopyWarnings;
import sluice.host.disk.copy.CopyWays;
import sluice.host.disk.copy.HostSystemCalls;
import sluice.host.disk.copy.ImageCopy;
import sluice.host.file.UsageException;
import sluice.host.life.Interrupts;
import sluice.host.text.TerminalText;
import sluice.sys.Statx;

/// Implements the command `sluice fs cp`. It runs in the main thread.
@Command(
    name = "cp",
    description = {
      "Copies a file or, with -r, a directory into an image or out of it: content with its holes,"
          + " permissions and time of change; a copy belongs to the user that made it, root in the"
          + " image. With -a all that is known of each file is kept.",
      "Paths in the image begin with a colon:",
      "  sluice fs cp disk.img notes.txt :/docs/notes.txt"
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:all is copied",
      "1:it failed, or something was left out",
      "2:wrong usage",
      "130:ended by Ctrl-C (129, 143: HUP, TERM); the image is whole"
    },
    mixinStandardHelpOptions = true)
final class FsCp implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "IMAGE", description = "Image file or block device.")
  Path image = Path.of("");

  @Parameters(index = "1", paramLabel = "FROM", description = "File here, or :PATH in the image.")
  String from = "";

  @Parameters(
      index = "2",
      paramLabel = "TO",
      description = "New name, or a directory it goes into.")
  String to = "";

  @Option(names = "-r", description = "Directories with all that is in them.")
  boolean recursive;

  @Option(
      names = {"-a", "--archive"},
      description = {
        "As -r; keeps owner, group, set-id bits, times, hard links, extended attributes, access"
            + " control lists, device files, pipes and sockets. Out of an image, what only root"
            + " may, and lists that the file system here does not keep, are left out and named."
      })
  boolean archive;

  @Override
  public Integer call() throws IOException {
    boolean out = from.startsWith(":");
    if (out == to.startsWith(":")) {
      throw new ParameterException(
          spec.commandLine(),
          "one of FROM and TO is in the image and begins with a colon, the other does not");
    }
    PrintWriter err = spec.commandLine().getErr();
    CopyWarnings warnings = new CopyWarnings(err);
    try (Interrupts interrupts = new Interrupts();
        MountedImage mounted = MountedImage.open(image, out, err)) {
      Progress progress = new Progress(err, "bytes", total(mounted, out));
      ImageCopy.Step step =
          done -> {
            interrupts.check();
            progress.at(done);
          };
      copy(mounted, step, out, warnings);
      progress.end();
    } catch (UsageException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    } catch (Interrupts.Ended e) {
      err.println("sluice: " + e.getMessage() + "; what was copied before stays");
      return e.exitCode();
    }
    return warnings.end() ? 1 : 0;
  }

  private void copy(MountedImage mounted, ImageCopy.Step step, boolean out, CopyWarnings warnings)
      throws IOException, UsageException {
    CopyWays ways = new CopyWays(recursive || archive, archive);
    try (ImageCopy copy = new ImageCopy(mounted.tree(), step)) {
      try {
        if (out) {
          copyOut(mounted, new CopyOut(mounted.tree(), copy, ways, warnings));
        } else {
          Statx itself = HostSystemCalls.status(image.toRealPath());
          copyIn(mounted, new CopyIn(mounted.tree(), copy, ways, warnings, itself));
        }
      } catch (IOException e) {
        if (!copy.unfinished().isEmpty()) {
          String unfinished = TerminalText.line(copy.unfinished());
          spec.commandLine().getErr().println("sluice: " + unfinished + " is not complete");
        }
        throw e;
      }
    }
  }

  /// Returns the size of the source if it is a single file, or 0 otherwise.
  private long total(MountedImage mounted, boolean out) throws IOException {
    if (out) {
      var a = mounted.tree().attributes(mounted.resolve(inImage(from)));
      return a.isDirectory() ? 0 : a.sizeBytes();
    }
    Path source = Path.of(from);
    return Files.isRegularFile(source) ? Files.size(source) : 0;
  }

  /// Returns a path in the image without its leading colon and without trailing slashes.
  private static String inImage(String path) {
    return path.substring(1).replaceAll("/+$", "");
  }

  private static String lastName(String path) {
    int slash = path.lastIndexOf('/');
    return path.substring(slash + 1);
  }

  private void copyOut(MountedImage mounted, CopyOut copy) throws IOException, UsageException {
    Path target = Path.of(to);
    String name = lastName(inImage(from));
    boolean inside = Files.isDirectory(target) && !name.isEmpty();
    long inode = mounted.resolve(inImage(from));
    copy.copy(from, inode, inside ? target.resolve(name) : target);
  }

  private void copyIn(MountedImage mounted, CopyIn copy) throws IOException, UsageException {
    Path source = Path.of(from);
    String path = inImage(to);
    long inode = MountedImage.orNone(() -> mounted.resolve(path));
    if (inode != 0 && mounted.tree().attributes(inode).isDirectory()) {
      byte[] name = HostSystemCalls.name(source.toAbsolutePath().normalize());
      if (name.length == 0) {
        throw new UsageException("the root cannot be copied into a directory: name a new one");
      }
      copy.copy(source, inode, name);
      return;
    }
    String parent = path.substring(0, Math.max(0, path.lastIndexOf('/')));
    copy.copy(source, mounted.resolve(parent), MountedImage.bytes(lastName(path)));
  }
}
