package sluice.cli.fs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.cli.console.Output;
import sluice.fs.FileKind;
import sluice.fs.FsException;
import sluice.host.disk.MountedImage;
import sluice.host.disk.copy.ImageCopy;
import sluice.sys.Errno;

/// Implements the command `sluice fs cat`. It runs in the main thread.
@Command(name = "cat", description = "Prints files of an image.", mixinStandardHelpOptions = true)
public final class FsCat implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "IMAGE", description = "Image file or block device.")
  Path image = Path.of("");

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "PATH", description = "File in it.")
  List<String> paths = List.of();

  /// The output for bytes. The writer of picocli is used only for text.
  public Output out = Output.standard();

  @Override
  public Integer call() throws IOException {
    try (MountedImage mounted = MountedImage.open(image, true, spec.commandLine().getErr());
        ImageCopy copy = new ImageCopy(mounted.tree(), _ -> {})) {
      for (String path : paths) {
        long inode = mounted.resolve(path);
        FileKind kind = mounted.tree().attributes(inode).kind();
        if (kind != FileKind.REGULAR) {
          int errno = kind == FileKind.DIRECTORY ? Errno.EISDIR : Errno.EINVAL;
          throw FsException.of(errno, path + " in the image is no file but " + kind);
        }
        copy.read(inode, out);
      }
      out.flush();
    } catch (IOException e) {
      if (out.isGood()) {
        throw e;
      }
      out.complain(spec.commandLine().getErr());
      return 1;
    }
    return 0;
  }
}
