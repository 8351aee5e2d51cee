package sluice.cli.fs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.cli.console.Output;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.ext2.Ext2;
import sluice.host.disk.MountedImage;
import sluice.host.text.TerminalText;

/// Implements the command `sluice fs ls`. It runs in the main thread.
@Command(
    name = "ls",
    description = {
      "Lists a directory of an image.",
      "One name is one line: control characters, bytes that are no UTF-8 and backslashes are shown"
          + " as 'ls -b' shows them (\\n, \\033, \\\\), so that no name can change the terminal."
    },
    mixinStandardHelpOptions = true)
public final class FsLs implements Callable<Integer> {
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

  @Option(
      names = "--zero",
      description = "Names as they are, each ended by a NUL character: for programs.")
  boolean exact;

  /// The output for bytes. The writer of picocli is used only for text.
  public Output standard = Output.standard();

  private final ByteArrayOutputStream names = new ByteArrayOutputStream();

  @Override
  public Integer call() throws IOException {
    if (all && exact) {
      throw new ParameterException(spec.commandLine(), "-l and --zero exclude each other");
    }
    PrintWriter out = spec.commandLine().getOut();
    try (MountedImage mounted = MountedImage.open(image, true, spec.commandLine().getErr())) {
      Ext2 tree = mounted.tree();
      long inode = mounted.resolve(path);
      if (tree.attributes(inode).isDirectory()) {
        for (Map.Entry<byte[], Long> entry : MountedImage.entries(tree, inode).entrySet()) {
          print(out, tree, entry.getKey(), entry.getValue());
        }
      } else {
        print(out, tree, MountedImage.bytes(path), inode);
      }
      out.flush();
    }
    return exact ? writeExactly() : 0;
  }

  private int writeExactly() {
    try {
      standard.write(names.toByteArray(), 0, names.size());
      return 0;
    } catch (IOException e) {
      standard.complain(spec.commandLine().getErr());
      return 1;
    }
  }

  private void print(PrintWriter out, Ext2 tree, byte[] name, long inode) throws IOException {
    if (exact) {
      names.writeBytes(name);
      names.write(0);
    } else {
      out.println(all ? line(tree, TerminalText.name(name), inode) : TerminalText.name(name));
    }
  }

  private static String line(Ext2 tree, String name, long inode) throws IOException {
    FileAttributes a = tree.attributes(inode);
    String target =
        a.kind() == FileKind.SYMLINK ? " -> " + TerminalText.name(tree.readLink(inode)) : "";
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
