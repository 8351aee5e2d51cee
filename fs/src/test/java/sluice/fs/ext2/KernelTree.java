package sluice.fs.ext2;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Assumptions;
import sluice.fs.E2fsprogs;
import sluice.fs.LinuxTools;

/// An image mounted by the kernel, with `kernel_tree.py` working in it. Confined to the test's
/// thread; requires root.
final class KernelTree implements AutoCloseable {
  private final Path image;
  private final Path mountPoint;
  private final Process agent;
  private final Writer to;
  private final BufferedReader from;

  private KernelTree(Path image, Path mountPoint, Process agent) {
    this.image = image;
    this.mountPoint = mountPoint;
    this.agent = agent;
    to = new OutputStreamWriter(agent.getOutputStream(), StandardCharsets.US_ASCII);
    from =
        new BufferedReader(
            new InputStreamReader(agent.getInputStream(), StandardCharsets.US_ASCII));
  }

  /// Mounts an image. Skips the test if that is not allowed.
  static KernelTree mount(Path image, Path mountPoint, boolean readOnly)
      throws IOException, InterruptedException {
    Files.createDirectories(mountPoint);
    Path script = mountPoint.resolveSibling("kernel_tree.py");
    try (InputStream in = KernelTree.class.getResourceAsStream("kernel_tree.py")) {
      Files.copy(in, script, StandardCopyOption.REPLACE_EXISTING);
    }
    String options = readOnly ? "loop,ro" : "loop";
    E2fsprogs.Result mounted =
        E2fsprogs.run("mount", "-o", options, image.toString(), mountPoint.toString());
    Assumptions.assumeTrue(
        mounted.exit() == 0, () -> "this machine mounts no image: " + mounted.output());
    try {
      Process agent =
          new ProcessBuilder("python3", script.toString())
              .directory(mountPoint.toFile())
              .redirectError(mountPoint.resolveSibling("kernel_tree.err").toFile())
              .start();
      return new KernelTree(image, mountPoint, agent);
    } catch (IOException e) {
      unmount(mountPoint);
      throw e;
    }
  }

  private static void unmount(Path mountPoint) throws IOException, InterruptedException {
    E2fsprogs.Result result = E2fsprogs.run("umount", mountPoint.toString());
    if (result.exit() != 0) {
      throw new IOException("umount: " + result.output());
    }
  }

  String run(String line) throws IOException {
    to.write(line + "\n");
    to.flush();
    String answer = from.readLine();
    if (answer == null) {
      String error = Files.readString(mountPoint.resolveSibling("kernel_tree.err"));
      throw new IOException("the kernel's side ended at " + line + ": " + error);
    }
    return answer;
  }

  @Override
  public void close() throws IOException {
    try {
      try {
        to.close();
      } finally { // also if the agent has ended
        try {
          boolean _ = LinuxTools.endsInTime(agent);
        } finally {
          unmount(mountPoint);
        }
        LinuxTools.awaitNoLoop(image);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }
}
