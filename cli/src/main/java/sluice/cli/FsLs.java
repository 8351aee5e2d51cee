package sluice.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.ext2.Ext2;

/// `sluice fs ls`. Runs in the main thread.
@Command(
    name = "ls",
    description = "Lists a directory of an image.",
    mixinStandardHelpOptions = true)
final class FsLs implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "IMAGE", description = "Image file or block device.")
  Path image = Path.of("");

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "PATH",
      description = "Directory or file in the image (default: /).")
  String path = "/";

  @Option(names = "-l", description = "Also mode, links, owner, size, time and inode.")
  boolean all;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    try (MountedImage mounted = MountedImage.open(image, true, spec.commandLine().getErr())) {
      Ext2 tree = mounted.tree();
      long inode = mounted.resolve(path);
      TreeMap<String, Long> entries = new TreeMap<>();
      if (tree.attributes(inode).isDirectory()) {
        tree.list(
            inode,
            0,
            (number, _, name, _) -> {
              entries.put(MountedImage.text(name), number);
              return true;
            });
        entries.remove(".");
        entries.remove("..");
      } else {
        entries.put(path, inode);
      }
      for (var entry : entries.entrySet()) {
        out.println(all ? line(tree, entry.getKey(), entry.getValue()) : entry.getKey());
      }
      out.flush();
    }
    return 0;
  }

  private static String line(Ext2 tree, String name, long inode) throws IOException {
    FileAttributes a = tree.attributes(inode);
    String target =
        a.kind() == FileKind.SYMLINK ? " -> " + MountedImage.text(tree.readLink(inode)) : "";
    Instant time = Instant.ofEpochSecond(Math.floorDiv(a.modifyNanos(), 1_000_000_000L));
    return String.format(
        Locale.ROOT,
        "%s %3d %5d %5d %10d %s %7d %s%s",
        mode(a),
        a.links(),
        a.uid(),
        a.gid(),
        a.sizeBytes(),
        time.truncatedTo(ChronoUnit.SECONDS),
        inode,
        name,
        target);
  }

  private static String mode(FileAttributes a) {
    StringBuilder text = new StringBuilder().append(letter(a.kind()));
    for (int i = 8; i >= 0; i--) {
      text.append((a.mode() >> i & 1) != 0 ? "xwr".charAt(i % 3) : '-');
    }
    mark(text, 3, (a.mode() & 0x800) != 0, 's');
    mark(text, 6, (a.mode() & 0x400) != 0, 's');
    mark(text, 9, (a.mode() & 0x200) != 0, 't');
    return text.toString();
  }

  private static char letter(FileKind kind) {
    return switch (kind) {
      case REGULAR -> '-';
      case DIRECTORY -> 'd';
      case CHARACTER_DEVICE -> 'c';
      case BLOCK_DEVICE -> 'b';
      case FIFO -> 'p';
      case SOCKET -> 's';
      case SYMLINK -> 'l';
      case UNKNOWN -> '?';
    };
  }

  private static void mark(StringBuilder text, int at, boolean set, char letter) {
    if (set) {
      boolean execute = text.charAt(at) == 'x';
      text.setCharAt(at, execute ? letter : Character.toUpperCase(letter));
    }
  }
}
