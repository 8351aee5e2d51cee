package sluice.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2Check;
import sluice.memory.block.Block;

/// Copies of in-memory devices, and checks of their content. Confined to the test's thread.
public final class Images {
  private Images() {}

  /// Saves the content of a device to a file.
  public static void save(BlockDevice device, Path file) throws IOException {
    int bytes = (int) device.lengthBytes();
    Block all = Blocks.of(bytes);
    device.read(0, all, 0, bytes);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      var from = all.segment().asByteBuffer();
      while (from.hasRemaining()) {
        channel.write(from, from.position());
      }
    } finally {
      all.release();
    }
  }

  /// Returns the problems that our check finds.
  public static List<String> problems(BlockDevice device) throws IOException {
    List<String> problems = new ArrayList<>();
    Ext2Check.check(device, problems::add, _ -> {});
    return problems;
  }

  /// Asserts that neither our check nor e2fsck finds a problem. If e2fsck is missing, the test is
  /// skipped with a message.
  public static void assertClean(BlockDevice device, Path file, String what)
      throws IOException, InterruptedException {
    assertThat(problems(device)).as(what).isEmpty();
    E2fsprogs.require("e2fsck");
    save(device, file);
    E2fsprogs.Result result = E2fsprogs.run("e2fsck", "-fn", file.toString());
    assertThat(result.exit()).as(what + ": " + result.output()).isZero();
  }
}
