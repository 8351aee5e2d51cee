package sluice.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `sluice fs cat`. Runs in the main thread.
@Command(name = "cat", description = "Prints files of an image.", mixinStandardHelpOptions = true)
final class FsCat implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "IMAGE", description = "Image file or block device.")
  Path image = Path.of("");

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "PATH", description = "File in it.")
  List<String> paths = List.of();

  @Override
  @SuppressWarnings("SystemOut") // the content of a file is bytes, not text
  public Integer call() throws IOException {
    OutputStream out = System.out;
    try (MountedImage mounted = MountedImage.open(image, true);
        ImageCopy copy = new ImageCopy(mounted.tree(), _ -> {})) {
      for (String path : paths) {
        copy.read(mounted.resolve(path), out);
      }
    }
    out.flush();
    return 0;
  }
}
